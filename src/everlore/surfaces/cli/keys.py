"""`everlore keys`: the accounts of a server. Works on the vault itself, whether a server runs or not.

Output is that of `evercli`: results on stdout as text, JSON or YAML in one envelope, everything else on stderr, exit
codes by kind of error. A new key is the one secret that is ever shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import typer
from typer.exceptions import Abort, Exit, TyperException

from everlore.accounts.store import Accounts
from everlore.accounts.values import Event, Key
from everlore.backends.registry import open_backend
from everlore.clock import DAY_MS, Clock, iso
from everlore.errors import Conflict, EverloreError, InvalidInput, NotFound
from everlore.surfaces.cli.evercli.failure import Failure, bad_argument
from everlore.surfaces.cli.evercli.output import FORMATS, THE_SECRET, Result, finish, note, resolve_format
from everlore.surfaces.cli.opening import settings_of_command
from everlore.types import Json

OF_ERRORS = ((InvalidInput, "invalid_args"), (NotFound, "not_found"), (Conflict, "conflict"))


def create(form: str, name: str, account: str, scopes: str, expires_days: int, *, separate: bool) -> None:
    _checked(form)
    if not name.strip():
        raise bad_argument("--name is missing", "Use everlore keys create --name <name>", flag="name")
    if expires_days < 0:
        raise bad_argument("--expires-days must not be negative", "0 means never", flag="expires-days")
    if account and separate:
        raise bad_argument("--account and --separate exclude each other", flag="separate")
    with opened() as accounts:
        expires = Clock().now() + expires_days * DAY_MS if expires_days else None
        wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
        key, secret = accounts.create_key(name, account=account, separate=separate, scopes=wanted, expires=expires)
        _note(accounts, key, "key.create")
    if key.account.main and not account:
        _say("this first account owns the memories that are in the vault already")
    text = f"{THE_SECRET}\naccount {key.account.id}\nKeep the key: it is not shown again."
    finish(Result({"key": THE_SECRET, **_shown(key)}, text, secret=secret), form)


def show(form: str) -> None:
    _checked(form)
    with opened() as accounts:
        known = accounts.keys()
    lines = [
        f"{key.id}\t{key.prefix}\t{key.name}\t{key.account.id}\t{_state(key)}\t{' '.join(key.scopes)}"
        + (f"\tmade by {key.made_by}" if key.made_by else "")
        for key in known
    ]
    if not known and resolve_format(form) == "text":
        _say("there are no keys yet; make one with: everlore keys create --name NAME")
    finish(Result({"items": [_shown(key) for key in known]}, "\n".join(lines), {"count": len(known)}), form)


def revoke(form: str, which: str) -> None:
    _checked(form)
    if not which:
        raise bad_argument("which key?", "Use everlore keys revoke <id, prefix or account>", argument="which")
    with opened() as accounts:
        gone = accounts.revoke_key(which)
        for key in gone:
            _note(accounts, key, "key.revoke")
    text = "\n".join(f"revoked {key.prefix}" for key in gone)
    finish(Result({"items": [_shown(key) for key in gone]}, text), form)


def audit(form: str, limit: int) -> None:
    _checked(form)
    if limit < 1:
        raise bad_argument("--limit must be positive", flag="limit")
    with opened() as accounts:
        events = accounts.events(min(limit, 10_000))
    items = [
        {"at": iso(event.at), "accountId": event.account_id}
        | {name: getattr(event, name) for name in ("actor", "action", "target", "address", "outcome")}
        for event in events
    ]
    if not items and resolve_format(form) == "text":
        _say("nothing has happened yet")
    text = "\n".join("\t".join(item.values()) for item in items)
    finish(Result({"items": items}, text, {"count": len(items)}), form)


def run_keys(app: typer.Typer, argv: list[str]) -> int:
    """The exit code. Errors of the arguments themselves get the envelope too."""
    argv = [*argv, "--help"] if argv == ["keys"] else argv
    try:
        app(argv, prog_name="everlore", standalone_mode=False)
    except Exit as done:
        return done.exit_code
    except (Exception, KeyboardInterrupt) as error:
        return finish(_failure(error), _asked(argv))
    return 0


def _failure(error: BaseException) -> Failure:
    match error:
        case Failure():
            return error
        case KeyboardInterrupt() | Abort():
            return Failure("cancelled", "interrupted")
        case EverloreError():
            return Failure(next((name for kind, name in OF_ERRORS if isinstance(error, kind)), "io"), str(error))
        case TyperException():
            return Failure("invalid_args", error.format_message(), "Use everlore keys --help")
        case OSError():
            return Failure("io", str(error), "Check the vault's path and permissions (EVEROS_MEMORY__ROOT)")
    return Failure("internal", f"unexpected {type(error).__name__}: {error}")


@contextmanager
def opened() -> Iterator[Accounts]:
    backend = open_backend(settings_of_command())
    with closing(backend), closing(backend.accounts(_say)) as accounts:
        yield accounts


def _say(said: str) -> None:
    note(f"note: {said}")


def _note(accounts: Accounts, key: Key, action: str) -> None:
    accounts.record(Event(Clock().now(), key.account.id, "command line", action, key.id, "", "ok"))


def _shown(key: Key) -> dict[str, Json]:
    def moment(ms: int | None) -> str | None:
        return None if ms is None else iso(ms)

    return {
        "id": key.id,
        "name": key.name,
        "prefix": key.prefix,
        "accountId": key.account.id,
        "account": key.account.name,
        "main": key.account.main,
        "scopes": list(key.scopes),
        "createdAt": iso(key.created),
        "expiresAt": moment(key.expires),
        "revokedAt": moment(key.revoked),
        "lastUsedAt": moment(key.last_used),
        "madeBy": key.made_by,
    }


def _state(key: Key) -> str:
    if key.revoked is not None:
        return "revoked"
    return "expired" if key.expires is not None and key.expires <= Clock().now() else "active"


def _asked(argv: list[str]) -> str:
    """The format, read before anything can go wrong."""
    for at, word in enumerate(argv):
        if word == "--format" and at + 1 < len(argv):
            return argv[at + 1]
        if word.startswith("--format="):
            return word.partition("=")[2]
    return "auto"


def _checked(form: str) -> None:
    if form not in FORMATS:
        raise bad_argument("invalid value for --format", "Use --format text|json|yaml", flag="format")
