"""PostgreSQL for statements that every database understands, with `?` for values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from everlore.postgres.server import Server
from everlore.postgres.statements import Connection, each, rows, run
from everlore.sql import Row, Session, T


class PostgresTables:
    def __init__(self, server: Server, *, lasting: bool = True, searched: bool = False) -> None:
        """Not `lasting`: what can be made again (`Server.write`). `searched`: read as searches do (`Server.look`)."""
        self._server = server
        self._searched = searched
        self._lasting = lasting

    def read(self, work: Callable[[Session], T]) -> T:
        ask = self._server.look if self._searched else self._server.read
        return ask(lambda connection: work(_Session(connection)))

    def write(self, work: Callable[[Session], T]) -> T:
        return self._server.write(lambda connection: work(_Session(connection)), lasting=self._lasting)

    def check(self) -> list[str]:
        """The database looks after its own pages."""
        return []

    def close(self) -> None:
        """The server is closed by whoever opened it."""


class _Session:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        return rows(self._connection, _marked(sql), values)

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        return run(self._connection, _marked(sql), values)

    def each(self, sql: str, values: Sequence[Row]) -> None:
        each(self._connection, _marked(sql), values)


def _marked(sql: str) -> str:
    return sql.replace("?", "%s")
