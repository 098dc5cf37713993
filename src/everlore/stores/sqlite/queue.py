"""The queue of files to be looked at, in the file of the index (`claims` says how it works)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from everlore.database import Database, row, rows
from everlore.stores.claims import Claims, pause


class SqliteQueue:
    def __init__(self, db: Database, now: Callable[[], float]) -> None:
        self._db = db
        self._now = now
        self._claims = Claims()

    def enqueue(self, paths: Iterable[str]) -> None:
        """A path that waits out a pause after a failure is due at once: it may have been corrected."""
        wanted = [(path, self._now()) for path in dict.fromkeys(paths)]
        if wanted:
            with self._db.write() as connection:
                connection.executemany(
                    "INSERT INTO queue(path, generation, due) VALUES(?, 1, ?) ON CONFLICT(path) DO UPDATE SET"
                    " generation = generation + 1, due = excluded.due",
                    wanted,
                )

    def claim(self, limit: int) -> list[str]:
        select = "SELECT path, generation FROM queue WHERE due <= ? ORDER BY id LIMIT ?"
        with self._db.read() as connection:
            found = rows(connection, select, (self._now(), limit))
        return self._claims.take([(path, generation) for path, generation in found])

    def done(self, path: str) -> None:
        delete = "DELETE FROM queue WHERE path = ? AND generation = coalesce(?, generation)"
        with self._db.write() as connection:
            connection.execute(delete, (path, self._claims.end(path)))

    def failed(self, path: str, error: str) -> None:
        """No pause when the path was queued again meanwhile."""
        generation, now = self._claims.end(path), self._now()
        with self._db.write() as connection:
            found = row(connection, "SELECT generation, tries FROM queue WHERE path = ?", (path,))
            current, tries = found or (generation, 0)
            again = now + pause(tries) if generation in (None, current) else now
            connection.execute(
                "INSERT INTO queue(path, generation, due, tries, error) VALUES(?, ?, ?, 1, ?) ON CONFLICT(path)"
                " DO UPDATE SET due = excluded.due, tries = tries + 1, error = excluded.error",
                (path, current or 1, again, error),
            )

    def failures(self) -> list[tuple[str, str]]:
        with self._db.read() as connection:
            found = rows(connection, "SELECT path, error FROM queue WHERE error <> '' ORDER BY path")
        return [(path, error) for path, error in found]
