"""The tables of accounts, in words that every database understands.

Hashes of credentials, never the credentials. Truth is 0 or 1, a moment is in milliseconds; statements are the same text
everywhere, with `?` for values. A step that was released is never changed.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from everlore.database import Connection, Database, Schema
from everlore.errors import Damaged

REMEDY = "restore it from a backup, or run `everlore doctor --repair`, which keeps the keys that can be read"
_ACCOUNTS = (files("everlore.accounts") / "tables.sql").read_text(encoding="utf-8")
_CONTENTS = "CREATE TABLE contents(key text PRIMARY KEY, content bytea NOT NULL);"
# one statement each: a cluster takes no script that changes tables which are spread
_TOKEN_SCOPES = "ALTER TABLE agent_tokens ADD COLUMN scopes text NOT NULL DEFAULT 'mem:read mem:write'"
_KEY_MADE_BY = "ALTER TABLE keys ADD COLUMN made_by text NOT NULL DEFAULT ''"
_TOKEN_MADE_BY = "ALTER TABLE agent_tokens ADD COLUMN made_by text NOT NULL DEFAULT ''"
_DEVICE_KEY = "ALTER TABLE devices RENAME COLUMN account TO key"  # whatever the key may, and for as long as it may


TABLES = ("meta", "accounts", "keys", "agents", "agent_tokens", "devices", "uploads", "contents", "sources", "audit")


def steps(number: str) -> tuple[str, ...]:
    """One script for each version. `number` is the type of a column that counts up by itself."""
    return (_ACCOUNTS.replace("<number>", number), _CONTENTS, _TOKEN_SCOPES, _DEVICE_KEY, _KEY_MADE_BY, _TOKEN_MADE_BY)


def open_file(path: Path) -> Database:
    """One SQLite file that any number of processes may use at once."""
    return Database(path, Schema(len(steps("")), _upgrade), durable=True, derived=False, remedy=REMEDY)


def _upgrade(db: Connection, found: int) -> None:
    scripts = steps("integer")
    if found > len(scripts):
        raise Damaged("accounts.db was written by a newer version of Everlore; use that version")
    for step in scripts[found:]:
        db.execute(step)
