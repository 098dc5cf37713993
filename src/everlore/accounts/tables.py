"""The tables of accounts, in words that both databases understand, and what is asked of such a database.

Hashes of credentials, never the credentials. Truth is 0 or 1, a moment is in milliseconds; statements are the same text
everywhere, with `?` for values. A step that was released is never changed.

`work` may be run again when a connection was lost, also after a commit whose answer did not arrive; so it must be safe
to run twice. Of two that write the same row, one waits for the other and then sees what it did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]


class Session(Protocol):
    """A connection, for the length of one piece of work."""

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]: ...

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Returns how many rows it changed."""

    def each(self, sql: str, values: Sequence[Row]) -> None:
        """Run it for each of these."""


class Tables(Protocol):
    def read(self, work: Callable[[Session], T]) -> T:
        """`work` changes nothing. Each of its statements sees the newest state."""

    def write(self, work: Callable[[Session], T]) -> T:
        """All of it is done, or nothing."""

    def check(self) -> list[str]: ...

    def close(self) -> None: ...


def row(db: Session, sql: str, values: Sequence[Any] = ()) -> Row | None:
    """The first row, if there is one."""
    return next(iter(db.rows(sql, values)), None)


def value(db: Session, sql: str, values: Sequence[Any] = ()) -> Any:
    """The first column of the first row, None if there is no row."""
    found = row(db, sql, values)
    return found[0] if found else None


_ACCOUNTS = """
CREATE TABLE meta(name text PRIMARY KEY, value bytea NOT NULL);
CREATE TABLE accounts(id text PRIMARY KEY, name text NOT NULL, main bigint NOT NULL, created bigint NOT NULL);
CREATE UNIQUE INDEX accounts_main ON accounts(main) WHERE main = 1;  -- the vault's own memories have one owner
CREATE TABLE keys(
  id text PRIMARY KEY, account text NOT NULL, name text NOT NULL, prefix text NOT NULL, hash bytea NOT NULL UNIQUE,
  scopes text NOT NULL, created bigint NOT NULL, expires bigint, revoked bigint, last_used bigint);
CREATE TABLE agents(
  id text PRIMARY KEY, account text NOT NULL, platform text NOT NULL, fingerprint text NOT NULL, name text NOT NULL,
  version text NOT NULL, created bigint NOT NULL, last_active bigint, UNIQUE(account, platform, fingerprint));
CREATE TABLE agent_tokens(
  hash bytea PRIMARY KEY, agent text NOT NULL, prefix text NOT NULL, created bigint NOT NULL, expires bigint,
  revoked bigint);
CREATE INDEX agent_tokens_agent ON agent_tokens(agent, created);
CREATE TABLE devices(
  hash bytea PRIMARY KEY, user_code text NOT NULL UNIQUE, platform text NOT NULL, client text NOT NULL,
  version text NOT NULL, fingerprint text NOT NULL, expires bigint NOT NULL, polled bigint NOT NULL DEFAULT 0,
  state text NOT NULL DEFAULT 'pending', account text NOT NULL DEFAULT '');
CREATE TABLE uploads(
  key text PRIMARY KEY, account text NOT NULL, name text NOT NULL, size bigint NOT NULL, hash text NOT NULL,
  expires bigint NOT NULL, stored bigint NOT NULL);
CREATE TABLE sources(
  id text PRIMARY KEY, account text NOT NULL, agent text NOT NULL, object_key text NOT NULL, title text NOT NULL,
  size bigint NOT NULL, hash text NOT NULL, document_key text NOT NULL, idempotency_key text NOT NULL,
  platform text NOT NULL, session text NOT NULL, status text NOT NULL, created bigint NOT NULL);
CREATE INDEX sources_document ON sources(account, document_key);
CREATE INDEX sources_idempotency ON sources(account, idempotency_key);
CREATE TABLE audit(
  id <number> PRIMARY KEY, at bigint NOT NULL, account text NOT NULL, actor text NOT NULL, action text NOT NULL,
  target text NOT NULL, address text NOT NULL, outcome text NOT NULL);
"""
_CONTENTS = "CREATE TABLE contents(key text PRIMARY KEY, content bytea NOT NULL);"
# one statement each: a cluster takes no script that changes tables which are spread
_TOKEN_SCOPES = "ALTER TABLE agent_tokens ADD COLUMN scopes text NOT NULL DEFAULT 'mem:read mem:write'"
_DEVICE_KEY = "ALTER TABLE devices RENAME COLUMN account TO key"  # whatever the key may, and for as long as it may


TABLES = ("meta", "accounts", "keys", "agents", "agent_tokens", "devices", "uploads", "contents", "sources", "audit")


def steps(number: str) -> tuple[str, ...]:
    """One script for each version. `number` is the type of a column that counts up by itself."""
    return (_ACCOUNTS.replace("<number>", number), _CONTENTS, _TOKEN_SCOPES, _DEVICE_KEY)
