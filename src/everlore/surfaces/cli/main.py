"""The `everlore` command (also `everos`): its words, options and help. The work is in sibling modules.

A command names the function that does it. It is imported when the command runs, since `everlore --help` must answer at
once and `everlore mcp` must not wait for the HTTP server's parts.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any, Literal, TextIO, cast

import typer

# a product of a query with a few thousand vectors takes less than waking threads for it, which then spin for a while
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from everlore import __version__
from everlore.errors import Damaged, EverloreError, InvalidInput
from everlore.extras import load
from everlore.redact import redact
from everlore.surfaces.cli import people  # noqa: F401 - before those for operators, as help shows them in this order
from everlore.surfaces.cli.commands import (
    AsJson,
    DryRun,
    Folder,
    Force,
    Format,
    Host,
    Insecure,
    Port,
    app,
    code,
    command,
    content,
    index,
    keys,
    server,
    store,
)
from everlore.surfaces.mcp import toolsets

__all__ = ["app", "run"]

OBJECTS_BETWEEN_COLLECTIONS = 10_000
"""Python's own 700 make a start a sixth longer: imports make hundreds of thousands of objects, and all of them stay."""


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"everlore {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        load("everlore.surfaces.cli.home:home")()


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


@command(app, "status", "cli.background:status", "everlore status --json")
def status(as_json: AsJson = False) -> None:
    """Show the vault's servers and how they are."""


@command(app, "start", "cli.background:start", "everlore start")
def start(as_json: AsJson = False) -> None:
    """Start the vault's server in the background, unless it runs. Whoever needs it does that by itself, too."""


@command(app, "stop", "cli.background:stop", "everlore stop")
def stop(as_json: AsJson = False) -> None:
    """Stop the vault's servers when they have finished what they do. The next one who needs one starts it again."""


@command(app, "open", "cli.background:open_page", "everlore open")
def open_(as_json: AsJson = False) -> None:
    """Open the page in your browser. It lets this browser in, and nobody else."""


@app.command("mcp", epilog="Example: everlore mcp --toolset knowledge")
def mcp(
    toolset: Annotated[
        str,
        typer.Option(
            help=f"The tools to serve, several with commas between: {', '.join(toolsets.NAMES)}.",
            autocompletion=lambda: list(toolsets.NAMES),
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
    try:
        names = toolsets.named(toolset)
    except InvalidInput as error:
        raise typer.BadParameter(str(error), param_hint="--toolset") from None
    if transport == "stdio":
        if host is not None or port is not None:
            raise typer.BadParameter("--host and --port need --transport http")
        raise typer.Exit(load("everlore.surfaces.mcp.relay:run")(toolset))
    load("everlore.surfaces.cli.serve:start")(host, port, insecure=insecure, names=names)


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
def doctor(
    as_json: AsJson = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="First save what can be read of damaged databases; they are kept aside.")
    ] = False,
) -> None:
    """Examine files, index, buffer and models, and say what to do. Without --repair it changes nothing; exit code 1 on
    errors."""


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


@command(app, "import", "cli.store:take_in", "everlore import | everlore import ~/backup")
def import_(
    folder: Annotated[
        Path | None, typer.Argument(help="Folder to read: a vault, or what export wrote.", show_default=False)
    ] = None,
    force: Force = False,
    dry_run: DryRun = False,
) -> None:
    """Take in what agents on this machine have kept of earlier talks; or everything from a folder of markdown files.

    Stopped, it goes on where it was when it is called again. `evercli import` chooses agents, folders and files.
    From a folder come all memories and waiting messages.
    Files that are here with another content are named, and nothing is written (exit code 1), unless forced.
    """


@command(app, "backup", "cli.store:backup", "everlore backup /mnt/backup/everlore")
def backup(
    folder: Annotated[Path, typer.Argument(help="Where backups are kept, best on another disk.")],
    check: Annotated[bool, typer.Option("--check", help="Only check that the newest backup there is sound.")] = False,
) -> None:
    """Copy everything that cannot be made again, while servers run. What has not changed is not copied again."""


@command(app, "restore", "cli.store:restore", "everlore restore /mnt/backup/everlore ~/.everos")
def restore(
    folder: Annotated[Path, typer.Argument(help="What `everlore backup` wrote.")],
    vault: Annotated[Path, typer.Argument(help="A new or empty folder, which becomes a vault.")],
    snapshot: Annotated[str, typer.Option(help="Which backup, such as 20261118T203000Z. [default: the newest]")] = "",
) -> None:
    """Check a backup, and make a vault of it. The index is made again when a server starts."""


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
