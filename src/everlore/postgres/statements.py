"""Statements on one connection, and texts as PostgreSQL keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg.abc import Params
from psycopg.types.string import StrDumper, TextLoader

from everlore.postgres.names import Names

Cursor = psycopg.Cursor[tuple[Any, ...]]

NUL = "\x00"
STANDS_FOR_NUL = "\U0010fffe"
"""PostgreSQL keeps no NUL in a text. This is no character either, and nobody writes it."""


PARAMETERS = 10_000
"""Values in one statement. PostgreSQL takes 65,535, but what is sent and planned at once should stay small."""


class _WithoutNul(StrDumper):
    def dump(self, obj: str) -> bytes | bytearray | memoryview | None:
        return super().dump(obj.replace(NUL, STANDS_FOR_NUL) if NUL in obj else obj)


class _WithNul(TextLoader):
    def load(self, data: bytes | bytearray | memoryview) -> str | bytes:
        text = super().load(data)
        return text.replace(STANDS_FOR_NUL, NUL) if isinstance(text, str) and STANDS_FOR_NUL in text else text


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """Its statements name our tables plainly; `names` says where these are."""

    names: Names

    def execute(
        self, query: Any, params: Params | None = None, *, prepare: bool | None = None, binary: bool = False
    ) -> Cursor:
        return super().execute(self.named(query), params, prepare=prepare, binary=binary)

    def named(self, statement: str | bytes) -> bytes:
        text = statement if isinstance(statement, str) else statement.decode()
        return self.names.qualified(text).encode()


def keep_nul(connection: Connection) -> None:
    """Texts come back from this connection as they were given, also those that hold a NUL."""
    connection.adapters.register_dumper(str, _WithoutNul)
    connection.adapters.register_loader("text", _WithNul)


def rows(connection: Connection, statement: str, values: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
    return connection.execute(statement.encode(), values).fetchall()


def first(connection: Connection, statement: str, values: Sequence[Any] | None = None) -> tuple[Any, ...] | None:
    return connection.execute(statement.encode(), values).fetchone()


def run(connection: Connection, statement: str, values: Sequence[Any] | None = None) -> int:
    """Returns how many rows it changed."""
    return connection.execute(statement.encode(), values).rowcount


def value(connection: Connection, statement: str, values: Sequence[Any] | None = None) -> Any:
    """The first column of the first row, None if there is no row."""
    found = first(connection, statement, values)
    return found[0] if found else None


def each(connection: Connection, statement: str, values: Sequence[Sequence[Any]]) -> None:
    """Run a statement for each of these, in one go."""
    if values:
        with connection.cursor() as cursor:
            cursor.executemany(connection.named(statement), values)


def many(
    connection: Connection, insert: str, values: Sequence[Sequence[Any]], then: str = "", row: str = ""
) -> list[tuple[Any, ...]]:
    """Insert all of these by one statement, which a cluster gives to their node in one go: `INSERT INTO t(a, b)`, what
    comes after the values, and how a row is written, unless each value stands for itself. Returns what it returns."""
    found: list[tuple[Any, ...]] = []
    width = len(values[0]) if values else 1
    one = f"({row or ', '.join(['%s'] * width)})"
    for start in range(0, len(values), PARAMETERS // width):
        some = values[start : start + PARAMETERS // width]
        statement = f"{insert} VALUES {', '.join([one] * len(some))} {then}"
        cursor = connection.execute(statement.encode(), [value for given in some for value in given])
        found += cursor.fetchall() if cursor.description else []
    return found


def load(connection: Connection, into: str, values: Sequence[Sequence[Any]]) -> None:
    """Insert new rows into `t(a, b)`, as a stream: one statement, whose values have the types of their columns."""
    if values:
        with connection.cursor() as cursor, cursor.copy(connection.named(f"COPY {into} FROM STDIN")) as stream:
            for one in values:
                stream.write_row(one)
