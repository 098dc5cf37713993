"""The tables of accounts, in words that every database understands.

Hashes of credentials, never the credentials. Truth is 0 or 1, a moment is in milliseconds; statements are the same text
everywhere, with `?` for values. A step that was released is never changed.
"""

from __future__ import annotations

from importlib.resources import files

_ACCOUNTS = (files("everlore.accounts") / "tables.sql").read_text(encoding="utf-8")
_CONTENTS = "CREATE TABLE contents(key text PRIMARY KEY, content bytea NOT NULL);"
# one statement each: a cluster takes no script that changes tables which are spread
_TOKEN_SCOPES = "ALTER TABLE agent_tokens ADD COLUMN scopes text NOT NULL DEFAULT 'mem:read mem:write'"
_DEVICE_KEY = "ALTER TABLE devices RENAME COLUMN account TO key"  # whatever the key may, and for as long as it may


TABLES = ("meta", "accounts", "keys", "agents", "agent_tokens", "devices", "uploads", "contents", "sources", "audit")


def steps(number: str) -> tuple[str, ...]:
    """One script for each version. `number` is the type of a column that counts up by itself."""
    return (_ACCOUNTS.replace("<number>", number), _CONTENTS, _TOKEN_SCOPES, _DEVICE_KEY)
