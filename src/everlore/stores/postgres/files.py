"""What is in which file, written in one transaction each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from everlore.postgres.server import Server
from everlore.postgres.statements import Connection, value
from everlore.postgres.tables import PostgresTables
from everlore.stores.base import Applied, Stamp
from everlore.stores.postgres.checks import check
from everlore.stores.postgres.dialect import SAY
from everlore.stores.postgres.schema import alone, write_shared
from everlore.stores.postgres.write import Source, Writer
from everlore.stores.sql.files import KnownFiles
from everlore.types import IndexRow, Key, Problem

GROUP = 500
"""Memories that a rebuild writes together."""


class PostgresFiles(KnownFiles):
    def __init__(self, server: Server) -> None:
        super().__init__(PostgresTables(server), SAY)
        self._server = server

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
        def work(connection: Connection) -> Applied:
            return Writer(connection).replace(path, stamp, rows, problems, partial=partial, gone=gone)

        return write_shared(self._server, path, work)

    def extend(self, path: str, before: Stamp | None, after: Stamp, rows: Sequence[IndexRow]) -> bool:
        return write_shared(self._server, path, lambda c: Writer(c).extend(path, before, after, rows))

    def remove(self, path: str) -> Applied:
        return write_shared(self._server, path, lambda c: Writer(c).remove(path))

    def rebuild(
        self, files: Iterator[tuple[str, Stamp, Sequence[IndexRow], Sequence[Problem]]], keep: Collection[str] = ()
    ) -> int:
        def work(connection: Connection) -> int:
            alone(connection, self._server.schema)
            Writer(connection).clear(() if keep and check(connection) else keep)
            for group in _grouped(Source(*one) for one in files):
                Writer(connection).replace_all(group)
            return int(value(connection, "SELECT coalesce(sum(rows), 0) FROM tally"))

        return self._server.write(work, lasting=False, retry=False)


def _grouped(files: Iterable[Source]) -> Iterator[list[Source]]:
    """As many files together as have some hundred memories."""
    group: list[Source] = []
    for one in files:
        group.append(one)
        if sum(len(source.rows) for source in group) >= GROUP or len(group) >= GROUP:
            yield group
            group = []
    if group:
        yield group
