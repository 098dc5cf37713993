"""The tables of the embedded store of accounts. Hashes of credentials, never the credentials."""

from __future__ import annotations

import apsw

from everlore.database import Schema
from everlore.errors import Damaged

VERSION = 1

_TABLES = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE accounts(id TEXT PRIMARY KEY, name TEXT NOT NULL, main INTEGER NOT NULL, created INTEGER NOT NULL);
CREATE UNIQUE INDEX accounts_main ON accounts(main) WHERE main;  -- the vault's own memories have one owner
CREATE TABLE keys(
  id TEXT PRIMARY KEY, account TEXT NOT NULL, name TEXT NOT NULL, prefix TEXT NOT NULL, hash BLOB NOT NULL UNIQUE,
  scopes TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER, revoked INTEGER, last_used INTEGER);
CREATE TABLE agents(
  id TEXT PRIMARY KEY, account TEXT NOT NULL, platform TEXT NOT NULL, fingerprint TEXT NOT NULL, name TEXT NOT NULL,
  version TEXT NOT NULL, created INTEGER NOT NULL, last_active INTEGER, UNIQUE(account, platform, fingerprint));
CREATE TABLE agent_tokens(
  hash BLOB PRIMARY KEY, agent TEXT NOT NULL, prefix TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER,
  revoked INTEGER) WITHOUT ROWID;
CREATE INDEX agent_tokens_agent ON agent_tokens(agent, created);
CREATE TABLE devices(
  hash BLOB PRIMARY KEY, user_code TEXT NOT NULL UNIQUE, platform TEXT NOT NULL, client TEXT NOT NULL,
  version TEXT NOT NULL, fingerprint TEXT NOT NULL, expires INTEGER NOT NULL, polled INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'pending', account TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE TABLE uploads(
  key TEXT PRIMARY KEY, account TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL, hash TEXT NOT NULL,
  expires INTEGER NOT NULL, stored INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE sources(
  id TEXT PRIMARY KEY, account TEXT NOT NULL, agent TEXT NOT NULL, object_key TEXT NOT NULL, title TEXT NOT NULL,
  size INTEGER NOT NULL, hash TEXT NOT NULL, document_key TEXT NOT NULL, idempotency_key TEXT NOT NULL,
  platform TEXT NOT NULL, session TEXT NOT NULL, status TEXT NOT NULL, created INTEGER NOT NULL);
CREATE INDEX sources_document ON sources(account, document_key);
CREATE INDEX sources_idempotency ON sources(account, idempotency_key);
CREATE TABLE audit(
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, account TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
  target TEXT NOT NULL, address TEXT NOT NULL, outcome TEXT NOT NULL);
"""


def _upgrade(connection: apsw.Connection, found: int) -> None:
    if found > VERSION:
        raise Damaged("accounts.db was written by a newer version of Everlore; use that version")
    connection.execute(_TABLES)


SCHEMA = Schema(VERSION, _upgrade)
