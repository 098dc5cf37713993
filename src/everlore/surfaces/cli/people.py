"""The commands for a person at a terminal: their words, options and help. `main` has those for operators."""

from __future__ import annotations

from typing import Annotated

import typer

from everlore.surfaces.cli.commands import (
    AsJson,
    Everywhere,
    Listed,
    MemoryId,
    Session,
    User,
    app,
    command,
    complete_id,
    complete_project,
)


@command(app, "search", "cli.memories:search", "everlore search 'where do I live'")
def search(
    query: Annotated[str, typer.Argument(help="A question, or a few words.")],
    user: User = None,
    limit: Annotated[int, typer.Option("-n", "--limit", min=1, max=100, help="Answers at most.")] = 5,
    project: Annotated[
        str | None,
        typer.Option(help="Look into this project instead of the folder's.", autocompletion=complete_project),
    ] = None,
    everywhere: Everywhere = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Say why each was found.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the sentences that answer, with who said them, when, and whether they still hold.

    In the folder of a project: what was said there, what belongs to none, and what is personal.
    """


@command(app, "add", "cli.memories:add", "everlore add 'I moved to Graz' | cat notes.txt | everlore add -")
def add(
    text: Annotated[list[str], typer.Argument(help="What to remember; - reads it from a pipe.")],
    user: User = None,
    everywhere: Annotated[bool, typer.Option("--all", help="For all projects, not only that of this folder.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remember something, and show what was understood."""


@command(app, "log", "cli.memories:log", "everlore log -n 20")
def log(user: User = None, limit: Listed = 20, session: Session = None, as_json: AsJson = False) -> None:
    """List the newest talks: day, id, what they were about."""


@command(app, "show", "cli.memories:show", "everlore show default_ep_20260528_00000001")
def show(id_: MemoryId, user: User = None, as_json: AsJson = False) -> None:
    """Show one memory whole, and its file."""


@command(app, "history", "cli.memories:history", "everlore history --as-of 2026-05-03")
def history(
    id_: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]", help="One memory: what stood in its place before and after.", autocompletion=complete_id
        ),
    ] = None,
    user: User = None,
    as_of: Annotated[str | None, typer.Option(help="Only what held on this day, such as 2026-05-03.")] = None,
    limit: Listed = 50,
    as_json: AsJson = False,
) -> None:
    """Show what was held, and until when."""


@command(app, "edit", "cli.editing:edit", "EDITOR=nano everlore edit default_af_20260528_00000001")
def edit(id_: MemoryId, user: User = None) -> None:
    """Change a memory in your editor. What somebody else changes meanwhile is shown and not overwritten."""


@command(app, "forget", "cli.memories:forget", "everlore forget default_ep_20260528_00000001")
def forget(
    ids: Annotated[
        list[str],
        typer.Argument(metavar="ID...", help="As `everlore search` and `log` show them.", autocompletion=complete_id),
    ],
    user: User = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show memories, ask, and forget them with all that was made of them. `everlore undo` brings them back."""


@command(app, "undo", "cli.memories:undo", "everlore undo | everlore undo 20261118t101112123-0a1b2c3d")
def undo(
    id_: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="As `everlore forget` told it; what there is without one.")
    ] = None,
    user: User = None,
    force: Annotated[bool, typer.Option("--force", help="Also where something else is there by now.")] = False,
    as_json: AsJson = False,
) -> None:
    """Bring back what was forgotten; or let a memory hold again that has ended."""


@command(app, "rules", "cli.memories:rules", "everlore rules --user anna")
def rules(user: User = None, everywhere: Everywhere = False, as_json: AsJson = False) -> None:
    """List what the user ordered: never, always, from now on."""


@command(app, "people", "cli.memories:people", "everlore people | everlore people 'Dr. Huber'")
def people(
    name: Annotated[str | None, typer.Argument(help="All that memories say of this one.")] = None,
    user: User = None,
    limit: Listed = 20,
    as_json: AsJson = False,
) -> None:
    """List the people and things that memories speak of."""


@command(app, "users", "cli.memories:users", "everlore users")
def users(as_json: AsJson = False) -> None:
    """List whose memories there are."""


@command(app, "sessions", "cli.memories:sessions", "everlore sessions -n 5")
def sessions(user: User = None, limit: Listed = 20, as_json: AsJson = False) -> None:
    """List sessions with their talks; `everlore log --session` shows those of one."""


@command(app, "cases", "cli.memories:cases", "everlore cases --json")
def cases(user: User = None, limit: Listed = 20, as_json: AsJson = False) -> None:
    """List what agents were asked to do, how it went, and what they learnt."""


@command(app, "tail", "cli.memories:tail", "everlore tail --json")
def tail(
    user: User = None,
    limit: Annotated[int, typer.Option("-n", "--limit", min=0, max=1000, help="Talks to begin with.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Show what is learnt, as it happens, until Ctrl-C."""


@command(app, "curate", "cli.curate:curate", "everlore curate --with 'claude -p' --limit 5 | everlore curate --dry-run")
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
