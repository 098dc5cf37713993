"""The commands for a person at a terminal: their words, options and help. `main` has those for operators."""

from __future__ import annotations

from typing import Annotated

import typer

from everlore.surfaces.cli.commands import AsJson, Listed, MemoryId, User, command

commands = typer.Typer()


@command(commands, "search", "cli.memories:search", "everlore search 'where do I live'")
def search(
    query: Annotated[str, typer.Argument(help="A question, or a few words.")],
    user: User = None,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, max=100, help="Answers at most.")] = 5,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Say why each was found.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the sentences that answer, with who said them, when, and whether they still hold."""


@command(commands, "add", "cli.memories:add", "everlore add 'I moved to Graz' | cat notes.txt | everlore add -")
def add(
    text: Annotated[list[str], typer.Argument(help="What to remember; - reads it from a pipe.")], user: User = None
) -> None:
    """Remember something, and show what was understood."""


@command(commands, "log", "cli.memories:log", "everlore log -n 20")
def log(user: User = None, limit: Listed = 20, as_json: AsJson = False) -> None:
    """List the newest talks: day, id, what they were about."""


@command(commands, "show", "cli.memories:show", "everlore show default_ep_20260528_00000001")
def show(id_: MemoryId, user: User = None, as_json: AsJson = False) -> None:
    """Show one memory whole, and its file."""


@command(commands, "history", "cli.memories:history", "everlore history --as-of 2026-05-03")
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


@command(commands, "forget", "cli.memories:forget", "everlore forget default_ep_20260528_00000001")
def forget(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="As `everlore search` and `log` show them.")],
    user: User = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Show memories, ask, and delete them with all that was made of them."""


@command(commands, "rules", "cli.memories:rules", "everlore rules --user anna")
def rules(user: User = None, as_json: AsJson = False) -> None:
    """List what the user ordered: never, always, from now on."""


@command(commands, "users", "cli.memories:users", "everlore users")
def users(as_json: AsJson = False) -> None:
    """List whose memories there are."""


@command(
    commands, "curate", "cli.curate:curate", "everlore curate --with 'claude -p' --limit 5 | everlore curate --dry-run"
)
def curate(
    with_: Annotated[
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
