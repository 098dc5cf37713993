"""The tables of the parts of Everlore in one schema: how they are made, brought to a version, and spread over nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from psycopg import errors as pg

from everlore.errors import Misconfigured, Unavailable
from everlore.postgres.names import quoted
from everlore.postgres.statements import Connection
from everlore.tenants import digest128

NAME_BYTES = 63
DISTRIBUTED = "distributed"
"""Stands among the versions of the parts when their tables are spread over nodes."""


@dataclass(frozen=True, slots=True)
class Part:
    """The tables of one part of Everlore, and how they came to be.

    `steps`: one script for each version, or a function where SQL is not enough; one that was released is never
    changed. The tables of a `derived` part are made by the last one alone, in a schema of their own for each version:
    servers of two versions work side by side, and neither touches what the other has (docs/decisions/0012).
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

    @property
    def row(self) -> str:
        """Its name among the versions."""
        return f"{self.name}_{self.version}" if self.derived else self.name

    def home(self, schema: str) -> str:
        """The schema of its tables."""
        return derived_home(schema, self.row) if self.derived else schema


def derived_home(schema: str, row: str) -> str:
    """A name may have 63 bytes; of a long one the rest is told by its hash, so that no two share one."""
    long = len(f"{schema}_{row}".encode()) > NAME_BYTES
    return f"{digest128(schema).hex if long else schema}_{row}"


def make_schema(connection: Connection, schema: str, where: str) -> None:
    """Our schema and pgvector, each made where it is missing."""
    if connection.value("SELECT to_regclass(?)", (f"{quoted(schema)}.versions",)) is None:
        with connection.transaction():
            _only_one(connection)
            _create_schema(connection, schema)
            connection.execute(
                'CREATE TABLE IF NOT EXISTS versions(part text COLLATE "C" PRIMARY KEY, version int NOT NULL)'
            )
    connection.names.vectors = _vector_schema(connection, where)


def _create_schema(connection: Connection, schema: str) -> None:
    """Looked for first: who may use a schema that an administrator made need not have the right to make one."""
    if not connection.value("SELECT count(*) FROM pg_namespace WHERE nspname = ?", (schema,)):
        connection.execute(f"CREATE SCHEMA {quoted(schema)}")


def _vector_schema(connection: Connection, where: str) -> str:
    select = (
        "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'"
    )
    found = connection.value(select)
    if found is None:
        try:
            with connection.transaction():
                _only_one(connection)
                # named, or it would go into a schema that is called like the user, where others do not find it
                connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
        except (pg.FeatureNotSupported, pg.UndefinedFile, pg.InsufficientPrivilege, pg.InvalidSchemaName):
            raise Misconfigured(
                f"the database {where} has no pgvector: install it on the database server, then let an"
                " administrator run there: CREATE EXTENSION vector SCHEMA public"
            ) from None
        found = connection.value(select)
    return str(found)


def version(connection: Connection, part: str) -> int:
    """0 when it has no tables yet."""
    return int(connection.value("SELECT version FROM versions WHERE part = ?", (part,)) or 0)


def beside(connection: Connection, schema: str, part: Part) -> dict[str, str]:
    """Other versions of a derived part: their rows among the versions and the schemas of their tables. The first
    Everlores had it in our own schema."""
    select = "SELECT part FROM versions WHERE part = ? OR part ~ ?"
    found = connection.rows(select, (part.name, f"^{part.name}_[0-9]+$"))
    return {row: schema if row == part.name else derived_home(schema, row) for (row,) in found if row != part.row}


def tidy(connection: Connection, schema: str, where: str, part: Part) -> list[str]:
    """Drop the older versions of a derived part, when no server of another version is seen; returns their names. Newer
    ones are never touched."""
    _only_one(connection)
    found = beside(connection, schema, part)
    older = {row: home for row, home in found.items() if row == part.name or int(row.rpartition("_")[2]) < part.version}
    others = (
        "SELECT DISTINCT application_name FROM pg_stat_activity WHERE datname = current_database()"
        " AND application_name ~ '^everlore' AND application_name <> current_setting('application_name') ORDER BY 1"
    )
    if older and (alive := [name for (name,) in connection.rows(others)]):
        raise Unavailable(f"another version is at work on {where} ({', '.join(alive)}): stop it first, and try again")
    for row, home in older.items():
        if home != schema:
            connection.execute(f"DROP SCHEMA IF EXISTS {quoted(home)} CASCADE")
        for kind, names in (("TABLE", part.tables), ("SEQUENCE", part.sequences)) if home == schema else ():
            for name in names:
                connection.execute(f"DROP {kind} IF EXISTS {quoted(schema)}.{name} CASCADE")
        connection.execute("DELETE FROM versions WHERE part = ?", (row,))
    return list(older)


def upgrade(connection: Connection, schema: str, part: Part) -> None:
    """Make or bring up our own version. What a newer Everlore made is left as it is."""
    _only_one(connection)
    found = version(connection, part.row)
    if found == part.version:
        return  # another server was quicker
    if found > part.version:
        raise Misconfigured(
            f"the database was used with a newer Everlore ({part.name} version {found}, this one knows"
            f" {part.version}): upgrade this one"
        )
    home = part.home(schema)
    _create_schema(connection, home)
    present = "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ?"
    there = {table for (table,) in connection.rows(present, (home,))} & set(part.tables)
    for step in part.steps[-1:] if part.derived else part.steps[found:]:
        if callable(step):
            step(connection)
        else:
            connection.execute(step)
    if version(connection, DISTRIBUTED):
        for statement in distribution(schema, part, spread=there):
            connection.execute(statement)
    connection.execute(
        "INSERT INTO versions(part, version) VALUES(?, ?) ON CONFLICT(part) DO UPDATE SET version = excluded.version",
        (part.row, part.version),
    )


def distribute(connection: Connection, schema: str, where: str, parts: Sequence[Part]) -> list[str]:
    """Spread the tables over the nodes of a Citus cluster; returns the statements that did it."""
    _only_one(connection)
    if not connection.value("SELECT count(*) FROM pg_extension WHERE extname = 'citus'"):
        raise Misconfigured(
            f"the database {where} has no Citus: create the extension there as an administrator"
            " (CREATE EXTENSION citus), add its workers, and call this again"
        )
    if version(connection, DISTRIBUTED):
        return []
    done = [statement for part in parts for statement in distribution(schema, part)]
    for statement in done:
        connection.execute(statement)
    connection.execute("INSERT INTO versions(part, version) VALUES(?, 1)", (DISTRIBUTED,))
    return done


def distribution(schema: str, part: Part, spread: Collection[str] = ()) -> list[str]:
    """The statements that spread a part over a Citus cluster: all tables side by side, by tenant. Those that are
    `spread` already stay as they are."""
    found = []
    for table, how in part.tables.items():
        if table in spread or how == "local":
            continue
        name = f"{quoted(part.home(schema))}.{table}".replace("'", "''")
        if how == "reference":
            found.append(f"SELECT create_reference_table('{name}')")
        else:
            together = f"{quoted(schema)}.documents".replace("'", "''") if table != "documents" else "none"
            found.append(f"SELECT create_distributed_table('{name}', 'tenant', colocate_with => '{together}')")
        # what was there before is on the nodes now; the coordinator would keep its copy for ever, and show it to nobody
        found.append(f"SELECT truncate_local_data_after_distributing_table('{name}')")
    return found


def _only_one(connection: Connection) -> None:
    """Until the end of the transaction, no other server changes tables."""
    key = int.from_bytes(digest128("everlore", "tables").bytes[:8], "big", signed=True)
    connection.execute("SELECT pg_advisory_xact_lock(?)", (key,))
