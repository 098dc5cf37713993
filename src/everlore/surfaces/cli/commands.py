"""What all commands share: the program, its groups, options that mean the same everywhere, and who does a command."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from everlore.extras import load

TARGETS: dict[Callable[..., None], str] = {}
"""Which function does a command."""

Force = Annotated[bool, typer.Option("--force", help="Overwrite files that differ.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
Host = Annotated[str | None, typer.Option(help="Interface to listen on. [default: 127.0.0.1]")]
Port = Annotated[int | None, typer.Option(min=0, max=65535, help="Port; 0 picks a free one. [default: 8000]")]
Insecure = Annotated[bool, typer.Option("--insecure", help="Listen beyond loopback although requests need no token.")]
Folder = Annotated[Path, typer.Argument(help="Folder of markdown files.", show_default=False)]
User = Annotated[str | None, typer.Option(help="Whose memories. [default: as configured for MCP]")]
Listed = Annotated[int, typer.Option("-n", "--limit", min=1, max=1000, help="Lines at most.")]
MemoryId = Annotated[str, typer.Argument(metavar="ID", help="As `everlore search` and `log` show it.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Format = Annotated[str, typer.Option("--format", help="text, json, yaml or auto: text in a terminal, JSON elsewhere.")]

app = typer.Typer(
    help="Long-term memory for AI agents that its owner can read.",
    epilog="Settings come from EVEROS_* environment variables and config.toml in the vault (~/.everos)."
    " Examples: everlore server start | everlore index status --json | everlore doctor",
    no_args_is_help=True,
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
