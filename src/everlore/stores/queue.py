"""The queue of files to be looked at. Every function works inside the caller's transaction.

A path may be queued again while it is being worked on. Its generation grows then, and `done` with the generation
that was claimed leaves it in the queue for another look.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import apsw

from everlore.database import row, rows

LONGEST_PAUSE = 60.0


class Claims:
    """The generations of the paths that this process works on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generations: dict[str, int] = {}

    def take(self, due: Sequence[tuple[str, int]]) -> list[str]:
        with self._lock:
            for path, generation in due:
                # an earlier claim that is still being worked on knows less than this one
                self._generations.setdefault(path, generation)
        return [path for path, _ in due]

    def end(self, path: str) -> int | None:
        with self._lock:
            return self._generations.pop(path, None)


def pause(tries: int) -> float:
    """1, 2, 4 ... seconds."""
    return min(LONGEST_PAUSE, 2.0 ** min(tries, 10))


def enqueue(connection: apsw.Connection, paths: Iterable[str], now: float) -> None:
    """A path that waits out a pause after a failure is due at once: it may have been corrected."""
    connection.executemany(
        "INSERT INTO queue(path, generation, due) VALUES(?, 1, ?) ON CONFLICT(path) DO UPDATE SET"
        " generation = generation + 1, due = excluded.due",
        [(path, now) for path in paths],
    )


def due(connection: apsw.Connection, limit: int, now: float) -> list[tuple[str, int]]:
    """Paths with their generations, oldest first."""
    select = "SELECT path, generation FROM queue WHERE due <= ? ORDER BY id LIMIT ?"
    return [(path, generation) for path, generation in rows(connection, select, (now, limit))]


def done(connection: apsw.Connection, path: str, generation: int | None) -> None:
    connection.execute("DELETE FROM queue WHERE path = ? AND generation = coalesce(?, generation)", (path, generation))


def failed(connection: apsw.Connection, path: str, generation: int | None, error: str, now: float) -> None:
    """No pause when the path was queued again meanwhile."""
    found = row(connection, "SELECT generation, tries FROM queue WHERE path = ?", (path,))
    current, tries = found or (generation, 0)
    again = now + pause(tries) if generation in (None, current) else now
    connection.execute(
        "INSERT INTO queue(path, generation, due, tries, error) VALUES(?, ?, ?, 1, ?) ON CONFLICT(path) DO UPDATE SET"
        " due = excluded.due, tries = tries + 1, error = excluded.error",
        (path, current or 1, again, error),
    )


def failures(connection: apsw.Connection) -> list[tuple[str, str]]:
    found = rows(connection, "SELECT path, error FROM queue WHERE error <> '' ORDER BY path")
    return [(path, error) for path, error in found]
