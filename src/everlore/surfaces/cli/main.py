"""The `everlore` command (also `everos`): its words, options and help. The work is in sibling modules.

A command names the function that does it. It is imported when the command runs, since `everlore --help` must answer at
once and `everlore mcp` must not wait for the HTTP server's parts.
"""

from __future__ import annotations

import functools
import gc
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO, cast

import typer

# a product of a query with a few thousand vectors takes less than waking threads for it, which then spin for a while
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from everlore import __version__
from everlore.errors import Damaged, EverloreError
from everlore.extras import load
from everlore.redact import redact
from everlore.surfaces.mcp import toolsets

OBJECTS_BETWEEN_COLLECTIONS = 10_000
"""Python's own 700 make a start a sixth longer: imports make hundreds of thousands of objects, and all of them stay."""

TARGETS: dict[Callable[..., None], str] = {}
"""Which function does a command."""

Force = Annotated[bool, typer.Option("--force", help="Overwrite files that differ.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]
Host = Annotated[str | None, typer.Option(help="Interface to listen on. [default: 127.0.0.1]")]
Port = Annotated[int | None, typer.Option(min=0, max=65535, help="Port; 0 picks a free one. [default: 8000]")]
Insecure = Annotated[bool, typer.Option("--insecure", help="Listen beyond loopback although requests need no token.")]
Folder = Annotated[Path, typer.Argument(help="Folder of markdown files.", show_default=False)]
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


def _version(wanted: bool) -> None:
    if wanted:
        print(f"everlore {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None: ...


@command(server, "start", "cli.serve:start", "everlore server start --port 8001 --log-level debug")
def server_start(
    host: Host = None,
    port: Port = None,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"] | None,
        typer.Option(case_sensitive=False, help="Least level that is logged. [default: info]"),
    ] = None,
    insecure: Insecure = False,
) -> None:
    """Serve the memory API until Ctrl-C. Beyond loopback it wants EVEROS_AUTH__ENABLED=true, or --insecure."""


@app.command("mcp", epilog="Example: everlore mcp --toolset knowledge")
def mcp(
    toolset: Annotated[
        str,
        typer.Option(
            help=f"The tools to serve: {', '.join(toolsets.NAMES)}.", autocompletion=lambda: list(toolsets.NAMES)
        ),
    ] = "knowledge",
    transport: Annotated[
        Literal["stdio", "http"],
        typer.Option(help="stdio, for a host that starts this command; or http, for which the other options are."),
    ] = "stdio",
    host: Host = None,
    port: Port = None,
    insecure: Insecure = False,
) -> None:
    """Serve tools to an agent over MCP (the Model Context Protocol). Any number of these may share a vault."""
    if toolset not in toolsets.NAMES:
        there_are = ", ".join(toolsets.NAMES)
        raise typer.BadParameter(f"there is no {toolset!r}; there are: {there_are}", param_hint="--toolset")
    if transport == "stdio":
        if host is not None or port is not None:
            raise typer.BadParameter("--host and --port need --transport http")
        toolsets.check(toolset)
        load("everlore.surfaces.mcp.stdio:serve")(toolsets.loaders()[toolset], toolsets.identity(toolset))
    else:
        load("everlore.surfaces.cli.serve:start")(host, port, insecure=insecure, names=(toolset,))


@command(index, "status", "cli.upkeep:status", "everlore index status --json")
def index_status(as_json: AsJson = False) -> None:
    """Show what the index holds and what is still to be done."""


@command(index, "rebuild", "cli.upkeep:rebuild", "everlore index rebuild")
def index_rebuild() -> None:
    """Make the index again from the files alone. Searches go on with the old one meanwhile; what is stored waits."""


@command(index, "reembed", "cli.upkeep:reembed", "everlore index reembed")
def index_reembed() -> None:
    """Give every memory a vector of the model now in use."""


@command(index, "sync", "cli.upkeep:index_changes", "everlore index sync")
def index_sync() -> None:
    """Index the files that changed while no server was running."""


@command(code, "index", "cli.code:index", "everlore code index ~/src/project --watch")
def code_index(
    path: Annotated[str, typer.Argument(help="The project's root folder.")],
    watch: Annotated[bool, typer.Option("--watch", help="Go on until Ctrl-C and index what changes.")] = False,
    as_json: AsJson = False,
) -> None:
    """Index a folder of source code. Only what changed since the last time is read."""


@command(code, "search", "cli.code:search", "everlore code search 'retry with backoff' --project app")
def code_search(
    query: Annotated[str, typer.Argument(help="What the code does, or an identifier.")],
    project: Annotated[str | None, typer.Option(help="Only in this project.")] = None,
    language: Annotated[str | None, typer.Option(help="Only in this language, for example python.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=50, help="Results at most.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Find functions, classes and other pieces by meaning or name."""


@command(code, "status", "cli.code:status", "everlore code status app --json")
def code_status(
    project: Annotated[str | None, typer.Argument(help="The project; all when left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show how far the indexing of projects is."""


@command(code, "list", "cli.code:list_projects", "everlore code list")
def code_list(as_json: AsJson = False) -> None:
    """List the indexed projects: id, chunks, folder."""


@command(code, "delete", "cli.code:delete", "everlore code delete app")
def code_delete(project: Annotated[str, typer.Argument(help="The project's id.")]) -> None:
    """Forget a project's chunks and stop watching it. The source files stay."""


@command(content, "import", "cli.content:import_folder", "everlore content import ./docs")
def content_import(folder: Folder, as_json: AsJson = False) -> None:
    """Make a folder of markdown browsable. Files and folders become documents, front matter their fields.

    Again after changes: documents are updated, and those whose files are gone leave.
    """


@command(content, "forget", "cli.content:forget_folder", "everlore content forget ./docs")
def content_forget(folder: Folder, as_json: AsJson = False) -> None:
    """Remove the documents of a folder that was imported. The files stay as they are."""


@command(content, "status", "cli.content:status", "everlore content status --json")
def content_status(as_json: AsJson = False) -> None:
    """Show which database the content tools read, and what is in it."""


@command(app, "doctor", "cli.upkeep:doctor", "everlore doctor --json")
def doctor(as_json: AsJson = False) -> None:
    """Examine files, index, buffer and models, and say what to do. Changes nothing; exit code 1 on errors."""


@command(app, "export", "cli.store:export", "everlore export backup --dry-run")
def export_(
    folder: Annotated[Path, typer.Argument(help="Folder to write to; it can be used as a vault afterwards.")],
    force: Force = False,
    dry_run: DryRun = False,
) -> None:
    """Write everything to a folder of markdown files.

    All memories and waiting messages, byte for byte as they are here.
    Files that are there with another content are named, and nothing is written (exit code 1), unless forced.
    """


@command(app, "import", "cli.store:take_in", "DATABASE_URL=postgresql://... everlore import ~/.everos")
def import_(
    folder: Annotated[Path, typer.Argument(help="Folder to read: a vault, or what export wrote.")],
    force: Force = False,
    dry_run: DryRun = False,
) -> None:
    """Take everything in from a folder of markdown files.

    All memories and waiting messages, which are then indexed.
    Files that are here with another content are named, and nothing is written (exit code 1), unless forced.
    """


@command(store, "distribute", "cli.store:distribute", "everlore store distribute")
def store_distribute() -> None:
    """Spread the tables over a Citus cluster, by tenant. Needs the Citus extension; once is enough."""


@command(store, "tidy", "cli.store:tidy", "everlore store tidy")
def store_tidy() -> None:
    """Drop what older versions of Everlore left in the database, once none of them runs any more."""


@command(keys, "create", "cli.keys:create", "everlore keys create --name alice --format json")
def keys_create(
    name: Annotated[str, typer.Option("--name", help="What the key is called in lists.")] = "",
    account: Annotated[str, typer.Option("--account", help="Make a further key of this account.")] = "",
    separate: Annotated[
        bool, typer.Option("--separate", help="Do not give the first account the vault's own memories.")
    ] = False,
    scopes: Annotated[
        str, typer.Option("--scopes", help="What the key may do, separated by commas: agents, mem:read, mem:write.")
    ] = "agents,mem:read,mem:write",
    expires_days: Annotated[int, typer.Option("--expires-days", help="Days until it expires; 0: it does not.")] = 0,
    form: Format = "auto",
) -> None:
    """Make an account key and show it, this one time. Without --account it belongs to a new account."""


@command(keys, "list", "cli.keys:show", "everlore keys list --format json")
def keys_list(form: Format = "auto") -> None:
    """Show the account keys, never their secrets."""


@command(keys, "revoke", "cli.keys:revoke", "everlore keys revoke emk_a1b2")
def keys_revoke(
    which: Annotated[str, typer.Argument(help="A key's id or prefix, or an account's id for all of it.")] = "",
    form: Format = "auto",
) -> None:
    """End a key at once. With an account's id: all its keys and agents."""


@command(keys, "audit", "cli.keys:audit", "everlore keys audit --limit 20")
def keys_audit(
    limit: Annotated[int, typer.Option("--limit", help="How many events, the newest first.")] = 50,
    form: Format = "auto",
) -> None:
    """Show the sign-ins, registrations, refusals and deletions."""


class RedactedStream:
    """A stream that shows no credentials, whoever writes to it: the parser of arguments, a thread that fails."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(redact(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def run() -> None:
    """Entry point. Whatever goes wrong, a person gets a sentence and a script gets an exit code."""
    sys.stderr = cast("TextIO", RedactedStream(sys.stderr))
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    if sys.argv[1:2] == ["keys"]:
        sys.exit(load("everlore.surfaces.cli.keys:run_keys")(app, sys.argv[1:]))
    try:
        app(prog_name="everos" if Path(sys.argv[0]).stem == "everos" else "everlore")
    except EverloreError as error:
        _complain(str(error), "everlore doctor examines the whole vault" if isinstance(error, Damaged) else "")
    except ModuleNotFoundError:
        raise  # the installation is incomplete, which `everlore.__main__` explains
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        hint = "check the path and its permissions; EVEROS_MEMORY__ROOT names the vault"
        _complain(f"{where}{error.strerror or error}", hint)
    except Exception as error:
        if os.environ.get("EVEROS_LOG_LEVEL", "").lower() == "debug":
            typer.echo(redact(traceback.format_exc()), err=True)
        _complain(f"unexpected {type(error).__name__}: {error}", "set EVEROS_LOG_LEVEL=debug to see where it happened")
    sys.exit(1)


def _complain(message: str, hint: str) -> None:
    typer.secho(redact(f"error: {message}"), err=True, fg="red")
    if hint:
        typer.secho(redact(f"hint: {hint}"), err=True)


if __name__ == "__main__":
    run()
