"""A second server that follows the first and answers searches, once it has what this process wrote.

What others wrote a moment ago it may not have yet; a search finds it as soon as it arrives there.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator

import psycopg
from psycopg_pool import ConnectionPool

from everlore.postgres.statements import Connection

WAIT_SECONDS = 1.0
"""How long a search waits for a connection to it."""
AGAIN_SECONDS = 10.0
"""So long it is left alone when it could not be reached."""


class Replica:
    def __init__(self, pool: ConnectionPool[Connection]) -> None:
        self.pool = pool
        self._guard = threading.Lock()
        self._written = 0
        self._after = 0.0

    def note(self, connection: Connection) -> None:
        """What was written on this connection's server until now must be there."""
        position = int(connection.value("SELECT pg_current_wal_insert_lsn() - '0/0'"))
        with self._guard:
            self._written = max(self._written, position)

    @contextlib.contextmanager
    def ready(self) -> Iterator[Connection | None]:
        """A connection to it; None when it lags behind us, or is away."""
        if time.monotonic() < self._after:
            yield None
            return
        try:
            connection = self.pool.getconn(timeout=WAIT_SECONDS)
        except psycopg.Error:
            self._after = time.monotonic() + AGAIN_SECONDS
            yield None
            return
        try:
            yield connection if self._follows(connection) else None
        finally:
            self.pool.putconn(connection)

    def _follows(self, connection: Connection) -> bool:
        select = "SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() - '0/0' >= ?"
        try:
            return bool(connection.value(select, (self._written,)))
        except psycopg.Error:
            self._after = time.monotonic() + AGAIN_SECONDS
            return False
