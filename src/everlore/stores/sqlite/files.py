"""What is in which file, written in one transaction each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from everlore.database import Database, SqliteTables, value
from everlore.stores.base import Applied, Stamp
from everlore.stores.sql.files import KnownFiles
from everlore.stores.sqlite.checks import check
from everlore.stores.sqlite.dialect import SAY
from everlore.stores.sqlite.write import Writer
from everlore.types import IndexRow, Key, Problem


class SqliteFiles(KnownFiles):
    def __init__(self, db: Database) -> None:
        super().__init__(SqliteTables(db), SAY)
        self._db = db

    def replace(
        self,
        path: str,
        stamp: Stamp,
        rows: Sequence[IndexRow],
        problems: Sequence[Problem] = (),
        *,
        partial: bool = False,
        gone: Collection[Key] = (),
    ) -> Applied:
        with self._writer() as writer:
            return writer.replace(path, stamp, rows, problems, partial=partial, gone=gone)

    def extend(self, path: str, before: Stamp | None, after: Stamp, rows: Sequence[IndexRow]) -> bool:
        with self._writer() as writer:
            return writer.extend(path, before, after, rows)

    def remove(self, path: str) -> Applied:
        with self._writer() as writer:
            return writer.remove(path)

    def rebuild(
        self, files: Iterator[tuple[str, Stamp, Sequence[IndexRow], Sequence[Problem]]], keep: Collection[str] = ()
    ) -> int:
        if not self._db.sound():
            self._db.renew()
        with self._writer() as writer:
            writer.clear(() if keep and check(writer.connection) else keep)
            for path, stamp, rows, problems in files:
                writer.replace(path, stamp, rows, problems)
            writer.finish()
            total: int = value(writer.connection, "SELECT coalesce(sum(rows), 0) FROM tally WHERE owner = 0")
        return total

    @contextmanager
    def _writer(self) -> Iterator[Writer]:
        with self._db.write() as connection:
            writer = Writer(connection)
            yield writer
            writer.finish()
