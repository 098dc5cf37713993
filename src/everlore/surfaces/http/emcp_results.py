"""Results of dispatched calls, kept on disk for as long as a client may ask again, also across a restart.

Tools only read, so two equal calls at once may both run; the one that is stored first is the answer of both.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Final

from everlore.database import Connection, Database, Schema
from everlore.types import Json

SCHEMA: Final = """
CREATE TABLE results(
  key TEXT PRIMARY KEY, expires REAL NOT NULL, kept TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX results_expires ON results(expires);
"""


def payload_hash(handle: str, method: str, params: Json, actor: str) -> str:
    """Equal for equal payloads: the order of keys does not count, nor the id of the request."""
    payload = {"server": handle, "method": method, "params": params or {}, "actor": actor}
    return hashlib.sha256(json.dumps(payload, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


class Results:
    def __init__(self, path: Path, seconds: int) -> None:
        self._path = path
        self._seconds = seconds
        self._database: Database | None = None

    def find(self, key: str) -> Json | None:
        with self._open().reading() as connection:
            found = connection.row("SELECT kept FROM results WHERE key = ? AND expires > ?", (key, time.time()))
        return None if found is None else json.loads(found[0])

    def keep(self, key: str, result: Json) -> Json | None:
        """Store a result; when another was quicker, the one that is there already."""
        now = time.time()
        with self._open().writing() as connection:
            connection.execute("DELETE FROM results WHERE expires <= ?", (now,))
            found = connection.row("SELECT kept FROM results WHERE key = ?", (key,))
            if found is not None:
                return json.loads(found[0])
            values = (key, now + self._seconds, json.dumps(result, ensure_ascii=False))
            connection.execute("INSERT INTO results(key, expires, kept) VALUES(?, ?, ?)", values)
        return None

    def close(self) -> None:
        if self._database is not None:
            self._database.close()

    def _open(self) -> Database:
        # not before it is needed: most servers never dispatch
        if self._database is None:
            self._database = Database(
                self._path,
                Schema(1, _create),
                durable=True,
                derived=False,
                remedy="restore a backup, or run `everlore doctor --repair`; it holds results of dispatched calls",
            )
        return self._database


def _create(connection: Connection, found: int) -> None:
    connection.execute("DROP TABLE IF EXISTS results" if found else "SELECT 1")
    connection.execute(SCHEMA)
