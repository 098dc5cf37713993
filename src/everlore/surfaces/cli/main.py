"""The `everlore` command (also `everos`): its words, options and help. The work is in sibling modules.

They are imported inside the commands, because `everlore --help` must answer at once.
"""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from everlore import __version__
from everlore.errors import Damaged, EverloreError, Unavailable
from everlore.surfaces.mcp import toolsets

Force = Annotated[bool, typer.Option("--force", help="Overwrite files that differ.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

app = typer.Typer(
    help="Long-term memory for AI agents that its owner can read.",
    epilog="Examples: everlore server start | everlore index status --json | everlore doctor",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help is read as well in a pipe, and is there in half the time
    context_settings={"help_option_names": ["-h", "--help"]},
)
server = typer.Typer(help="The HTTP server.", no_args_is_help=True)
index = typer.Typer(help="The index over the markdown files.", no_args_is_help=True)
app.add_typer(server, name="server")
store = typer.Typer(help="Where everything is kept.", no_args_is_help=True)
app.add_typer(index, name="index")
app.add_typer(store, name="store")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"everlore {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Settings come from EVEROS_* environment variables and config.toml in the vault (~/.everos)."""


@server.command("start", epilog="Example: everlore server start --port 8001 --log-level debug")
def server_start(
    host: Annotated[str | None, typer.Option(help="Interface to listen on. [default: 127.0.0.1]")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 picks a free one. [default: 8000]")
    ] = None,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"] | None,
        typer.Option(case_sensitive=False, help="Least level that is logged. [default: info]"),
    ] = None,
) -> None:
    """Serve the memory API until Ctrl-C. There is no authentication: keep it on loopback or behind a gateway."""
    from everlore.config import load
    from everlore.surfaces.cli.serve import serve

    api: dict[str, Any] = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    settings = load(**({"api": api} if api else {}), **({"log_level": log_level} if log_level else {}))
    serve(settings, toolsets.loaders())


@app.command("mcp", epilog="Example: everlore mcp --toolset knowledge")
def mcp(
    toolset: Annotated[
        str, typer.Option(help=f"The tools to serve: {', '.join(toolsets.offered())}. [default: knowledge]")
    ] = "knowledge",
    transport: Annotated[
        Literal["stdio", "http"], typer.Option(help="stdio, for a host that starts this command; or http.")
    ] = "stdio",
    host: Annotated[str | None, typer.Option(help="With http: interface to listen on. [default: 127.0.0.1]")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="With http: port; 0 picks a free one. [default: 8000]")
    ] = None,
) -> None:
    """Serve tools to an agent over MCP (the Model Context Protocol). Any number of these may share a vault."""
    if toolset not in toolsets.offered():
        raise typer.BadParameter(f"there is no {toolset!r}; there are: {', '.join(toolsets.offered())}")
    if transport == "stdio":
        if host is not None or port is not None:
            raise typer.BadParameter("--host and --port need --transport http")
        from everlore.surfaces.mcp import stdio

        identity = toolsets.IDENTITIES.get(toolset)
        stdio.serve(toolsets.loaders()[toolset], identity() if identity else None)
        return
    from everlore.config import load
    from everlore.surfaces.cli.serve import serve

    api: dict[str, Any] = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    serve(load(**({"api": api} if api else {})), toolsets.loaders((toolset,)))


@index.command("status", epilog="Example: everlore index status --json")
def index_status(as_json: AsJson = False) -> None:
    """Show what the index holds and what is still to be done."""
    from everlore.surfaces.cli import upkeep

    upkeep.status(as_json=as_json)


@index.command("rebuild", epilog="Example: everlore index rebuild")
def index_rebuild() -> None:
    """Make the index again from the files alone. Searches go on with the old one meanwhile."""
    from everlore.surfaces.cli import upkeep

    upkeep.rebuild()


@index.command("reembed", epilog="Example: everlore index reembed")
def index_reembed() -> None:
    """Give every memory a vector of the model in use, after a change of model."""
    from everlore.surfaces.cli import upkeep

    upkeep.reembed()


@index.command("sync", epilog="Example: everlore index sync")
def index_sync() -> None:
    """Index the files that changed while no server was running."""
    from everlore.surfaces.cli import upkeep

    upkeep.sync()


@app.command(epilog="Example: everlore doctor --json")
def doctor(as_json: AsJson = False) -> None:
    """Examine files, index, buffer and model, and say what to do. Changes nothing; exit code 1 on errors."""
    from everlore.surfaces.cli import upkeep

    if not upkeep.doctor(as_json=as_json):
        raise typer.Exit(1)


@app.command("export", epilog="Example: everlore export backup --dry-run")
def export_(
    folder: Annotated[Path, typer.Argument(help="Folder to write to; it can be used as a vault afterwards.")],
    force: Force = False,
    dry_run: DryRun = False,
) -> None:
    """Write all memories and waiting messages to a folder of markdown files, byte for byte as they are here.

    Files that are there with another content are named, and nothing is written (exit code 1), unless forced.
    """
    from everlore.surfaces.cli import store as work

    if not work.export(folder, force=force, dry_run=dry_run):
        raise typer.Exit(1)


@app.command("import", epilog="Example: DATABASE_URL=postgresql://... everlore import ~/.everos")
def import_(
    folder: Annotated[Path, typer.Argument(help="Folder to read: a vault, or what export wrote.")],
    force: Force = False,
    dry_run: DryRun = False,
) -> None:
    """Take in all memories and waiting messages of a folder, and index them.

    Files that are here with another content are named, and nothing is written (exit code 1), unless forced.
    """
    from everlore.surfaces.cli import store as work

    if not work.take_in(folder, force=force, dry_run=dry_run):
        raise typer.Exit(1)


@store.command("distribute", epilog="Example: everlore store distribute")
def store_distribute() -> None:
    """Spread the tables over the nodes of a Citus cluster, by tenant. Needs the Citus extension; once is enough."""
    from everlore.surfaces.cli import store as work

    work.distribute()


def run() -> None:
    """Entry point. Whatever goes wrong, a person gets a sentence and a script gets an exit code."""
    try:
        app(prog_name="everos" if Path(sys.argv[0]).stem == "everos" else "everlore")
    except EverloreError as error:
        _complain(str(error), _hint(error))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _complain(f"{where}{error.strerror or error}", "check the vault's path and permissions (EVEROS_MEMORY__ROOT)")
    except Exception as error:
        if os.environ.get("EVEROS_LOG_LEVEL", "").lower() == "debug":
            traceback.print_exc()
        _complain(f"unexpected {type(error).__name__}: {error}", "set EVEROS_LOG_LEVEL=debug to see where it happened")
    sys.exit(1)


def _hint(error: EverloreError) -> str:
    match error:
        case Damaged():
            return "everlore doctor examines the whole vault"
        case Unavailable():
            return "nothing was lost; try again"
        case _:
            return ""


def _complain(message: str, hint: str) -> None:
    typer.secho(f"error: {message}", err=True, fg="red")
    if hint:
        typer.secho(f"hint: {hint}", err=True)


if __name__ == "__main__":
    run()
