"""The queue of files to be looked at. Every function works inside the caller's transaction.

A path may be queued again while it is being worked on. Its generation grows then, and `done` with the generation
that was claimed leaves it in the queue for another look.

The vault on PostgreSQL queues each file in the very transaction that writes it, with the time of that writing
(`written`), due after a while; indexing the file takes it out again. So what a server that died had written and not
indexed is found by any other, and nobody has to compare all files with the index.
"""

from __future__ import annotations

from collections.abc import Sequence

from everlore.postgres.statements import Connection, each, first, rows
from everlore.postgres.tenants import file_uuid, tenant_of
from everlore.stores.queue import pause


def enqueue(connection: Connection, paths: Sequence[str], now: float) -> None:
    """A path that waits out a pause after a failure is due at once: it may have been corrected."""
    named = [(tenant_of(file), file, path, now) for path in paths for file in [file_uuid(path)]]
    each(
        connection,
        "INSERT INTO queue(tenant, file, path, number, generation, due) VALUES(%s, %s, %s, nextval('numbers'), 1, %s)"
        " ON CONFLICT(tenant, file) DO UPDATE SET generation = queue.generation + 1, due = excluded.due,"
        " written = NULL",
        named,
    )


def due(connection: Connection, limit: int, now: float) -> list[tuple[str, int]]:
    """Paths with their generations, oldest first."""
    select = "SELECT path, generation FROM queue WHERE due <= %s ORDER BY number LIMIT %s"
    return [(path, generation) for path, generation in rows(connection, select, (now, limit))]


def done(connection: Connection, path: str, generation: int | None) -> None:
    file = file_uuid(path)
    delete = "DELETE FROM queue WHERE tenant = %s AND file = %s AND generation = coalesce(%s, generation)"
    connection.execute(delete, (tenant_of(file), file, generation))


def failed(connection: Connection, path: str, generation: int | None, error: str, now: float) -> None:
    """No pause when the path was queued again meanwhile."""
    file = file_uuid(path)
    there = (tenant_of(file), file)
    select = "SELECT generation, tries FROM queue WHERE tenant = %s AND file = %s FOR UPDATE"
    current, tries = first(connection, select, there) or (generation, 0)
    again = now + pause(tries) if generation in (None, current) else now
    connection.execute(
        "INSERT INTO queue(tenant, file, path, number, generation, due, tries, error)"
        " VALUES(%s, %s, %s, nextval('numbers'), %s, %s, 1, %s) ON CONFLICT(tenant, file) DO UPDATE SET"
        " due = excluded.due, tries = queue.tries + 1, error = excluded.error",
        (*there, path, current or 1, again, error),
    )


def failures(connection: Connection) -> list[tuple[str, str]]:
    found = rows(connection, "SELECT path, error FROM queue WHERE error <> '' ORDER BY path")
    return [(path, error) for path, error in found]
