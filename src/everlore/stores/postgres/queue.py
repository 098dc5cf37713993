"""The queue of files to be looked at (`claims` says how it works).

The vault on PostgreSQL queues each file in the very transaction that writes it, with the time of that writing
(`written`), due after a while; indexing the file takes it out again. So what a server that died had written and not
indexed is found by any other, and nobody has to compare all files with the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from everlore.postgres.server import Server
from everlore.postgres.statements import Connection, each, first, rows, run
from everlore.postgres.tenants import file_uuid, tenant_of
from everlore.stores.claims import Claims, pause


class PostgresQueue:
    def __init__(self, server: Server, now: Callable[[], float]) -> None:
        self._server = server
        self._now = now
        self._claims = Claims()

    def enqueue(self, paths: Iterable[str]) -> None:
        """A path that waits out a pause after a failure is due at once: it may have been corrected."""
        now = self._now()
        named = [(tenant_of(file), file, path, now) for path in dict.fromkeys(paths) for file in [file_uuid(path)]]
        insert = (
            "INSERT INTO queue(tenant, file, path, number, generation, due)"
            " VALUES(%s, %s, %s, nextval('numbers'), 1, %s) ON CONFLICT(tenant, file) DO UPDATE SET"
            " generation = queue.generation + 1, due = excluded.due, written = NULL"
        )

        def work(connection: Connection) -> None:
            each(connection, insert, named)
            self._server.notify(connection)

        if named:
            self._server.write(work, lasting=False)

    def claim(self, limit: int) -> list[str]:
        select = "SELECT path, generation FROM queue WHERE due <= %s ORDER BY number LIMIT %s"
        found = self._server.read(lambda c: rows(c, select, (self._now(), limit)))
        return self._claims.take([(path, generation) for path, generation in found])

    def done(self, path: str) -> None:
        file, generation = file_uuid(path), self._claims.end(path)
        delete = "DELETE FROM queue WHERE tenant = %s AND file = %s AND generation = coalesce(%s, generation)"
        self._server.write(lambda c: run(c, delete, (tenant_of(file), file, generation)), lasting=False)

    def failed(self, path: str, error: str) -> None:
        """No pause when the path was queued again meanwhile."""
        file, generation, now = file_uuid(path), self._claims.end(path), self._now()
        there = (tenant_of(file), file)

        def work(connection: Connection) -> None:
            select = "SELECT generation, tries FROM queue WHERE tenant = %s AND file = %s FOR UPDATE"
            current, tries = first(connection, select, there) or (generation, 0)
            again = now + pause(tries) if generation in (None, current) else now
            connection.execute(
                "INSERT INTO queue(tenant, file, path, number, generation, due, tries, error)"
                " VALUES(%s, %s, %s, nextval('numbers'), %s, %s, 1, %s) ON CONFLICT(tenant, file) DO UPDATE SET"
                " due = excluded.due, tries = queue.tries + 1, error = excluded.error",
                (*there, path, current or 1, again, error),
            )

        self._server.write(work, lasting=False)

    def failures(self) -> list[tuple[str, str]]:
        select = "SELECT path, error FROM queue WHERE error <> '' ORDER BY path"
        found = self._server.read(lambda c: rows(c, select))
        return [(path, error) for path, error in found]
