"""Accounts in one SQLite file that any number of processes may use at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw

from everlore.accounts.tables import Row, Session, T, steps
from everlore.database import Database, Schema, rows
from everlore.errors import Damaged

STEPS = steps("integer")


class SqliteTables:
    def __init__(self, path: Path) -> None:
        self._db = Database(
            path,
            Schema(len(STEPS), _upgrade),
            durable=True,
            derived=False,
            remedy="restore it from a backup, or remove it and make new keys with `everlore keys create`",
        )

    def read(self, work: Callable[[Session], T]) -> T:
        with self._db.read() as connection:
            return work(_Session(connection))

    def write(self, work: Callable[[Session], T]) -> T:
        with self._db.write() as connection:
            return work(_Session(connection))

    def check(self) -> list[str]:
        return self._db.faults()

    def close(self) -> None:
        self._db.close()


class _Session:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        return rows(self._connection, sql, values)

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        self._connection.execute(sql, tuple(values))
        return self._connection.changes()

    def each(self, sql: str, values: Sequence[Row]) -> None:
        self._connection.executemany(sql, values)


def _upgrade(connection: apsw.Connection, found: int) -> None:
    if found > len(STEPS):
        raise Damaged("accounts.db was written by a newer version of Everlore; use that version")
    for step in STEPS[found:]:
        connection.execute(step)
