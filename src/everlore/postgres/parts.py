"""The tables of the parts of Everlore in one schema: how they are made, brought to a version, and spread over nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from psycopg import errors as pg

from everlore.errors import Misconfigured
from everlore.postgres.statements import Connection, keep_nul, quoted, rows, value
from everlore.postgres.tenants import digest128

DISTRIBUTED = "distributed"
"""Stands among the versions of the parts when their tables are spread over nodes."""


@dataclass(frozen=True, slots=True)
class Part:
    """The tables of one part of Everlore, and how they came to be.

    `steps`: one script for each version, or a function where SQL is not enough; one that was released is never
    changed. Tables of a `derived` part are dropped and made anew by the last script when their version is another one.
    `tables`: spread by tenant, whole on every node, or on the coordinator alone.
    """

    name: str
    steps: tuple[str | Callable[[Connection], None], ...]
    tables: Mapping[str, Literal["tenant", "reference", "local"]]
    derived: bool = False
    sequences: tuple[str, ...] = ()

    @property
    def version(self) -> int:
        return len(self.steps)


def make_schema(connection: Connection, schema: str, where: str) -> list[str]:
    """Our schema, and the one with the types of pgvector, each made where it is missing."""
    keep_nul(connection)
    if value(connection, "SELECT to_regclass(%s)", (f"{quoted(schema)}.versions",)) is None:
        with connection.transaction():
            _only_one(connection)
            if not value(connection, "SELECT count(*) FROM pg_namespace WHERE nspname = %s", (schema,)):
                connection.execute(f"CREATE SCHEMA {quoted(schema)}".encode())
            connection.execute(
                f"CREATE TABLE IF NOT EXISTS {quoted(schema)}.versions("
                'part text COLLATE "C" PRIMARY KEY, version int NOT NULL)'.encode()
            )
    return [schema, *_vector_schema(connection, where)]


def _vector_schema(connection: Connection, where: str) -> list[str]:
    select = "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace"
    found = rows(connection, f"{select} WHERE e.extname = 'vector'")
    if found:
        return [found[0][0]]
    try:
        with connection.transaction():
            _only_one(connection)
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except (pg.FeatureNotSupported, pg.UndefinedFile, pg.InsufficientPrivilege):
        raise Misconfigured(
            f"the database {where} has no pgvector: install it on the database server, then let an"
            " administrator run there: CREATE EXTENSION vector"
        ) from None
    return [found[0] for found in rows(connection, f"{select} WHERE e.extname = 'vector'")]


def version(connection: Connection, part: str) -> int:
    """0 when it has no tables yet."""
    return int(value(connection, "SELECT version FROM versions WHERE part = %s", (part,)) or 0)


def upgrade(connection: Connection, schema: str, part: Part) -> None:
    _only_one(connection)
    found = version(connection, part.name)
    if found == part.version:
        return  # another server was quicker
    if found > part.version and not part.derived:
        raise Misconfigured(
            f"the database was used with a newer Everlore ({part.name} version {found}, this one knows"
            f" {part.version}): upgrade this one"
        )
    if part.derived:
        for table in part.tables:
            connection.execute(f"DROP TABLE IF EXISTS {table} CASCADE".encode())
        for sequence in part.sequences:
            connection.execute(f"DROP SEQUENCE IF EXISTS {sequence}".encode())
    there = [table for table in part.tables if value(connection, "SELECT to_regclass(%s)", (table,)) is not None]
    for step in part.steps[-1:] if part.derived else part.steps[found:]:
        if callable(step):
            step(connection)
        else:
            connection.execute(step.encode())
    if version(connection, DISTRIBUTED):
        for statement in distribution(schema, part, spread=there):
            connection.execute(statement.encode())
    connection.execute(
        "INSERT INTO versions(part, version) VALUES(%s, %s) ON CONFLICT(part) DO UPDATE SET version = excluded.version",
        (part.name, part.version),
    )


def distribute(connection: Connection, schema: str, where: str, parts: Sequence[Part]) -> list[str]:
    """Spread the tables over the nodes of a Citus cluster; returns the statements that did it."""
    _only_one(connection)
    if not value(connection, "SELECT count(*) FROM pg_extension WHERE extname = 'citus'"):
        raise Misconfigured(
            f"the database {where} has no Citus: create the extension there as an administrator"
            " (CREATE EXTENSION citus), add its workers, and call this again"
        )
    if version(connection, DISTRIBUTED):
        return []
    done = [statement for part in parts for statement in distribution(schema, part)]
    for statement in done:
        connection.execute(statement.encode())
    connection.execute("INSERT INTO versions(part, version) VALUES(%s, 1)", (DISTRIBUTED,))
    return done


def distribution(schema: str, part: Part, spread: Collection[str] = ()) -> list[str]:
    """The statements that spread a part over a Citus cluster: all tables side by side, by tenant. Those that are
    `spread` already stay as they are."""
    found = []
    for table, how in part.tables.items():
        if table in spread or how == "local":
            continue
        name = f"{quoted(schema)}.{table}".replace("'", "''")
        if how == "reference":
            found.append(f"SELECT create_reference_table('{name}')")
        else:
            together = f"{quoted(schema)}.documents".replace("'", "''") if table != "documents" else "none"
            found.append(f"SELECT create_distributed_table('{name}', 'tenant', colocate_with => '{together}')")
    return found


def _only_one(connection: Connection) -> None:
    """Until the end of the transaction, no other server changes tables."""
    key = int.from_bytes(digest128("everlore", "tables").bytes[:8], "big", signed=True)
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (key,))
