"""`everlore keys`: the accounts of a server. Works on the vault itself, whether a server runs or not.

Output follows the contract of `evercli`: results on stdout as text, JSON or YAML in one envelope, everything else on
stderr, exit codes by kind of error. A new key is the one secret that is ever shown.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import typer
import yaml
from typer.exceptions import Abort, Exit, TyperException

from everlore.accounts.base import Accounts, Event, Key
from everlore.accounts.choose import open_accounts
from everlore.clock import Clock, iso
from everlore.config import load
from everlore.errors import Conflict, EverloreError, InvalidInput, NotFound
from everlore.postgres.opening import open_server
from everlore.redact import redact, redact_deep
from everlore.types import Json
from everlore.vault.files import SYSTEM

FORMATS = ("text", "json", "yaml", "auto")
DAY_MS = 24 * 3600 * 1000
EXIT_CODES = {"invalid_args": 2, "io": 5, "internal": 5, "cancelled": 130}
"""By type of error; all others are 1."""
_PLACE = "@the-new-key@"


class Failed(Exception):
    def __init__(self, kind: str, message: str, hint: str = "", **detail: Json) -> None:
        super().__init__(message)
        self.kind, self.message, self.hint, self.detail = kind, message, hint, detail


def create(form: str, name: str, account: str, scopes: str, expires_days: int, *, separate: bool) -> None:
    _checked(form)
    if not name.strip():
        raise Failed("invalid_args", "--name is missing", "Use everlore keys create --name <name>", flag="name")
    if expires_days < 0:
        raise Failed("invalid_args", "--expires-days must not be negative", "0 means never", flag="expires-days")
    if account and separate:
        raise Failed("invalid_args", "--account and --separate exclude each other", flag="separate")
    with opened() as accounts:
        expires = Clock().now() + expires_days * DAY_MS if expires_days else None
        wanted = [scope.strip() for scope in scopes.split(",") if scope.strip()]
        key, secret = accounts.create_key(name, account=account, separate=separate, scopes=wanted, expires=expires)
        _note(accounts, key, "key.create")
    if key.account.main and not account:
        _say("this first account owns the memories that are in the vault already")
    text = f"{_PLACE}\naccount {key.account.id}\nKeep the key: it is not shown again."
    _succeed(form, {"key": _PLACE, **_shown(key)}, text, secret=secret)


def show(form: str) -> None:
    _checked(form)
    with opened() as accounts:
        known = accounts.keys()
    lines = [
        f"{key.id}\t{key.prefix}\t{key.name}\t{key.account.id}\t{_state(key)}\t{' '.join(key.scopes)}" for key in known
    ]
    _succeed(form, {"items": [_shown(key) for key in known]}, "\n".join(lines), meta={"count": len(known)})


def revoke(form: str, which: str) -> None:
    _checked(form)
    if not which:
        raise Failed("invalid_args", "which key?", "Use everlore keys revoke <id, prefix or account>", argument="which")
    with opened() as accounts:
        gone = accounts.revoke_key(which)
        for key in gone:
            _note(accounts, key, "key.revoke")
    _succeed(form, {"items": [_shown(key) for key in gone]}, "\n".join(f"revoked {key.prefix}" for key in gone))


def audit(form: str, limit: int) -> None:
    _checked(form)
    if limit < 1:
        raise Failed("invalid_args", "--limit must be positive", flag="limit")
    with opened() as accounts:
        events = accounts.events(min(limit, 10_000))
    items = [
        {
            "at": iso(event.at),
            "accountId": event.account_id,
            "actor": event.actor,
            "action": event.action,
            "target": event.target,
            "address": event.address,
            "outcome": event.outcome,
        }
        for event in events
    ]
    _succeed(form, {"items": items}, "\n".join("\t".join(item.values()) for item in items), meta={"count": len(items)})


def run_keys(app: typer.Typer, argv: list[str]) -> int:
    """The exit code. Errors of the arguments themselves get the envelope too."""
    form = _asked(argv)
    argv = [*argv, "--help"] if argv == ["keys"] else argv
    try:
        app(argv, prog_name="everlore", standalone_mode=False)
    except Exit as done:
        return done.exit_code
    except (KeyboardInterrupt, Abort):
        return _fail(form, Failed("cancelled", "interrupted"))
    except Failed as failed:
        return _fail(form, failed)
    except EverloreError as error:
        kinds: dict[type[EverloreError], str] = {
            InvalidInput: "invalid_args",
            NotFound: "not_found",
            Conflict: "conflict",
        }
        return _fail(form, Failed(kinds.get(type(error), "io"), str(error)))
    except TyperException as error:
        return _fail(form, Failed("invalid_args", error.format_message(), "Use everlore keys --help"))
    except OSError as error:
        return _fail(form, Failed("io", str(error), "Check the vault's path and permissions (EVEROS_MEMORY__ROOT)"))
    except Exception as error:
        return _fail(form, Failed("internal", f"unexpected {type(error).__name__}: {error}"))
    return 0


@contextmanager
def opened() -> Iterator[Accounts]:
    settings = load()
    server = open_server(settings)
    with ExitStack() as stack:
        if server is not None:
            stack.callback(server.close)
        accounts = open_accounts(settings.memory.root / SYSTEM, server, _say)
        stack.callback(accounts.close)
        yield accounts


def _say(said: str) -> None:
    print(redact(f"note: {said}"), file=sys.stderr)


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
        raise Failed("invalid_args", "invalid value for --format", "Use --format text|json|yaml", flag="format")


def _resolved(form: str) -> str:
    if form in ("text", "json", "yaml"):
        return form
    return "text" if sys.stdout.isatty() else "json"


def _succeed(
    form: str, data: dict[str, Json], text: str, *, meta: dict[str, Json] | None = None, secret: str = ""
) -> None:
    if _resolved(form) == "text":
        written = redact(text) + "\n" if text else ""
    else:
        written = _serialised({"ok": True, "data": data, **({"meta": meta} if meta else {})}, _resolved(form))
    sys.stdout.write(written.replace(_PLACE, secret))


def _fail(form: str, failed: Failed) -> int:
    if _resolved(form) == "text":
        print(redact(f"error: {failed.message}"), file=sys.stderr)
        if failed.hint:
            print(redact(f"hint: {failed.hint}"), file=sys.stderr)
    else:
        error = {
            "type": failed.kind,
            "code": 0,
            "message": failed.message,
            "hint": failed.hint,
            "detail": failed.detail,
        }
        sys.stdout.write(_serialised({"ok": False, "error": error}, _resolved(form)))
    return EXIT_CODES.get(failed.kind, 1)


def _serialised(value: Json, form: str) -> str:
    dump: Callable[[Any], str] = _yaml if form == "yaml" else _json
    return dump(redact_deep(value))


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _yaml(value: Json) -> str:
    return str(yaml.safe_dump(value, allow_unicode=True, sort_keys=False))
