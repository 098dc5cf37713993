"""Statements on one connection, and texts as PostgreSQL keeps them.

To plan a search takes the database longer than to do it, so it keeps the plans of what is asked `often`. Each has a
name made of what it says: what a proxy's session holds of another client under that name is the same statement. Where
one does not hold what we have prepared, no more plans are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg import errors as pg
from psycopg._preparing import Prepare, PrepareManager
from psycopg._queries import PostgresQuery
from psycopg.abc import Params
from psycopg.pq import TransactionStatus
from psycopg.types.string import StrDumper, TextLoader

from everlore.postgres.names import Names
from everlore.sql import Row, Session
from everlore.tenants import digest128

NUL = "\x00"
STANDS_FOR_NUL = "\U0010fffe"
"""PostgreSQL keeps no NUL in a text. This is no character either, and nobody writes it."""
ASKED_OFTEN, PLANS_KEPT = 2, 40
"""How often a connection asks a question before its plan is kept, and of how many they are, each of 0.2 MB."""


class _WithoutNul(StrDumper):
    def dump(self, obj: str) -> bytes | bytearray | memoryview | None:
        return super().dump(obj.replace(NUL, STANDS_FOR_NUL) if NUL in obj else obj)


class _WithNul(TextLoader):
    def load(self, data: bytes | bytearray | memoryview) -> str:
        text = str(data, self._encoding or "utf-8")
        return text.replace(STANDS_FOR_NUL, NUL) if STANDS_FOR_NUL in text else text


class _ByContent(PrepareManager):
    def get(self, query: PostgresQuery, prepare: bool | None = None) -> tuple[Prepare, bytes]:
        how, name = super().get(query, prepare)
        if how is Prepare.SHOULD:
            name = digest128(query.query.decode(), *map(str, query.types)).hex.encode()
        return how, name


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
        return cursor.fetchall() if cursor.pgresult and cursor.pgresult.nfields else []

    def often(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        if not self.names.plans_kept or self.info.transaction_status != TransactionStatus.IDLE:
            return self.rows(sql, values)
        self.prepare_threshold = ASKED_OFTEN
        try:
            return self.rows(sql, values)
        except (pg.InvalidSqlStatementName, pg.DuplicatePreparedStatement):
            self.names.plans_kept = False
        finally:
            self.prepare_threshold = None
        return self.rows(sql, values)

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


def configure(connection: Connection, names: Names) -> None:
    """Nothing of it is known to the database's session, which a proxy may exchange. Texts come back as they were given,
    also those that hold a NUL."""
    connection.names = names
    connection._prepared = _ByContent()
    connection.prepared_max = PLANS_KEPT
    connection.prepare_threshold = None  # of what is not asked often: a plan for any values may be a bad one for these
    connection.adapters.register_dumper(str, _WithoutNul)
    connection.adapters.register_loader("text", _WithNul)
