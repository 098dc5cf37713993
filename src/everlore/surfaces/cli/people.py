"""The commands for a person at a terminal: their words, options and help. `main` has those for operators."""

from __future__ import annotations

from typing import Annotated

import typer

from everlore.surfaces.cli.commands import AsJson, Listed, MemoryId, User, done_by

commands = typer.Typer()


@commands.command(
    "search", epilog="Examples: everlore search 'where do I live' | everlore search -v coffee --user anna"
)
@done_by("cli.memories:search")
def search(
    query: Annotated[str, typer.Argument(help="A question, or a few words.")],
    user: User = None,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, max=100, help="Answers at most.")] = 5,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Say why each was found.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the sentences that answer, with who said them, when, and whether they still hold."""


@commands.command("add", epilog="Examples: everlore add 'I moved to Graz' | cat notes.txt | everlore add -")
@done_by("cli.memories:add")
def add(
    text: Annotated[list[str], typer.Argument(help="What to remember; - reads it from a pipe.")], user: User = None
) -> None:
    """Remember something, and show what was understood."""


@commands.command("log", epilog="Example: everlore log -n 20")
@done_by("cli.memories:log")
def log(user: User = None, limit: Listed = 20, as_json: AsJson = False) -> None:
    """List the newest talks: day, id, what they were about."""


@commands.command("show", epilog="Example: everlore show default_ep_20260528_00000001")
@done_by("cli.memories:show")
def show(id_: MemoryId, user: User = None, as_json: AsJson = False) -> None:
    """Show one memory whole, and its file."""


@commands.command(
    "history", epilog="Examples: everlore history --as-of 2026-05-03 | everlore history default_af_20260528_00000001"
)
@done_by("cli.memories:history")
def history(
    id_: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="One memory: what stood in its place before and after.")
    ] = None,
    user: User = None,
    as_of: Annotated[str | None, typer.Option(help="Only what held on this day, such as 2026-05-03.")] = None,
    limit: Listed = 50,
    as_json: AsJson = False,
) -> None:
    """Show what was held, and until when."""


@commands.command("forget", epilog="Example: everlore forget default_ep_20260528_00000001")
@done_by("cli.memories:forget")
def forget(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="As `everlore search` and `log` show them.")],
    user: User = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Show memories, ask, and delete them with all that was made of them."""


@commands.command("rules", epilog="Example: everlore rules --user anna")
@done_by("cli.memories:rules")
def rules(user: User = None, as_json: AsJson = False) -> None:
    """List what the user ordered: never, always, from now on."""


@commands.command("users", epilog="Example: everlore users")
@done_by("cli.memories:users")
def users(as_json: AsJson = False) -> None:
    """List whose memories there are."""


@commands.command("curate", epilog="Examples: everlore curate --with 'claude -p' --limit 5 | everlore curate --dry-run")
@done_by("cli.curate:curate")
def curate(
    command: Annotated[
        str | None,
        typer.Option("--with", help="A command that reads a prompt and prints JSON. [default: the configured model]"),
    ] = None,
    user: User = None,
    limit: Annotated[int, typer.Option(min=0, help="Drafts at most; 0: all that wait.")] = 0,
    seconds: Annotated[int, typer.Option("--timeout", min=1, help="Seconds for one answer.")] = 300,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    undo: Annotated[str | None, typer.Option(help="Put the draft of this episode back instead.")] = None,
    as_json: AsJson = False,
) -> None:
    """Let a language model review what was remembered without one. Drafts are kept: every review can be undone."""
