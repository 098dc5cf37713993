"""Statements on one connection, and texts as PostgreSQL keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg.abc import Params
from psycopg.types.string import StrDumper, TextLoader

from everlore.postgres.names import Names
from everlore.sql import Row, Session

NUL = "\x00"
STANDS_FOR_NUL = "\U0010fffe"
"""PostgreSQL keeps no NUL in a text. This is no character either, and nobody writes it."""


class _WithoutNul(StrDumper):
    def dump(self, obj: str) -> bytes | bytearray | memoryview | None:
        return super().dump(obj.replace(NUL, STANDS_FOR_NUL) if NUL in obj else obj)


class _WithNul(TextLoader):
    def load(self, data: bytes | bytearray | memoryview) -> str | bytes:
        text = super().load(data)
        return text.replace(STANDS_FOR_NUL, NUL) if isinstance(text, str) and STANDS_FOR_NUL in text else text


class Connection(psycopg.Connection[Row], Session):
    """Its statements name our tables plainly, and values by `?`; `names` says where the tables are."""

    names: Names

    def execute(
        self, query: Any, params: Params | None = None, *, prepare: bool | None = None, binary: bool = False
    ) -> psycopg.Cursor[Row]:
        return super().execute(self._named(query), params, prepare=prepare, binary=binary)

    def _named(self, statement: str) -> bytes:
        return self.names.qualified(statement).encode()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        cursor = self.execute(sql, values or None)
        return cursor.fetchall() if cursor.description else []

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        return self.execute(sql, values or None).rowcount

    def each(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        if values:
            with self.cursor() as cursor:
                cursor.executemany(self._named(sql), values)

    def load(self, into: str, values: Sequence[Sequence[Any]]) -> None:
        """As a stream: one statement, whose values have the types of their columns."""
        if values:
            with self.cursor() as cursor, cursor.copy(self._named(f"COPY {into} FROM STDIN")) as stream:
                for one in values:
                    stream.write_row(one)


def keep_nul(connection: Connection) -> None:
    """Texts come back from this connection as they were given, also those that hold a NUL."""
    connection.adapters.register_dumper(str, _WithoutNul)
    connection.adapters.register_loader("text", _WithNul)
