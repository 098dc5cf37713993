"""What all commands share: the program, its groups, options that mean the same everywhere, and who does a command."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from everlore.extras import load

TARGETS: dict[Callable[..., None], str] = {}
"""Which function does a command."""


def complete_user(begin: str) -> list[str]:
    return _completed("user", begin)


def complete_id(begin: str) -> list[str]:
    return _completed("id", begin)


def complete_session(begin: str) -> list[str]:
    return _completed("session", begin)


def complete_project(begin: str) -> list[str]:
    return _completed("project", begin)


def _completed(what: str, begin: str) -> list[str]:
    """What a shell offers at the tab key; nothing is said where that goes wrong, and no server is started for it."""
    with suppress(Exception), load("everlore.surfaces.cli.asking:asking")(start=False) as ask:
        return list(ask("complete", what=what, begin=begin))
    return []


Force = Annotated[bool, typer.Option("--force", help="Overwrite files that differ.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
Host = Annotated[str | None, typer.Option(help="Interface to listen on. [default: 127.0.0.1]")]
Port = Annotated[int | None, typer.Option(min=0, max=65535, help="Port; 0 picks a free one. [default: 8000]")]
Insecure = Annotated[bool, typer.Option("--insecure", help="Listen beyond loopback although requests need no token.")]
Folder = Annotated[Path, typer.Argument(help="Folder of markdown files.", show_default=False)]
User = Annotated[
    str | None,
    typer.Option(help="Whose memories. [default: who you are, EVEROS_MCP__USER]", autocompletion=complete_user),
]
Session = Annotated[str | None, typer.Option(help="Only those of this session.", autocompletion=complete_session)]
Everywhere = Annotated[bool, typer.Option("--all", help="Also what was said in other projects.")]
Listed = Annotated[int, typer.Option("-n", "--limit", min=1, max=1000, help="Lines at most.")]
MemoryId = Annotated[
    str, typer.Argument(metavar="ID", help="As `everlore search` and `log` show it.", autocompletion=complete_id)
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Format = Annotated[str, typer.Option("--format", help="text, json, yaml or auto: text in a terminal, JSON elsewhere.")]

app = typer.Typer(
    help="Long-term memory for AI agents that its owner can read.",
    epilog="Settings come from EVEROS_* environment variables and config.toml in the vault (~/.everos)."
    " Example: everlore search 'where do I live'",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help is read as well in a pipe, and is there in half the time
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _group(name: str, about: str) -> typer.Typer:
    group = typer.Typer(help=about, no_args_is_help=True)
    app.add_typer(group, name=name)
    return group


server = _group("server", "The HTTP server.")
index = _group("index", "The index over the markdown files.")
keys = _group("keys", "Accounts of the server and their keys.")
code = _group("code", "Search in source code.")
content = _group("content", "The content that the Evolution CMS tools read.")
store = _group("store", "Where everything is kept.")


def command(
    group: typer.Typer, name: str, target: str, example: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A command that calls `target`, as `cli.upkeep:status` of everlore.surfaces, with its own arguments; when that
    returns False, the exit code is 1."""

    def declare(declared: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(declared)
        def run(**arguments: Any) -> None:
            if load(f"everlore.surfaces.{target}")(**arguments) is False:
                raise typer.Exit(1)

        TARGETS[run] = target
        return group.command(name, epilog=f"Example: {example}")(run)

    return declare
