"""The queue of files to be looked at. Every function works inside the caller's transaction.

A path may be queued again while it is being worked on. Its generation grows then, and `done` with the generation
that was claimed leaves it in the queue for another look.
"""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from everlore.database import row

LONGEST_PAUSE = 60.0


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
    return [(path, generation) for path, generation in connection.execute(select, (now, limit))]


def done(connection: apsw.Connection, path: str, generation: int | None) -> None:
    if generation is None:
        connection.execute("DELETE FROM queue WHERE path = ?", (path,))
    else:
        connection.execute("DELETE FROM queue WHERE path = ? AND generation = ?", (path, generation))


def failed(connection: apsw.Connection, path: str, generation: int | None, error: str, now: float) -> None:
    """Pauses of 1, 2, 4 ... seconds, none when the path was queued again meanwhile."""
    found = row(connection, "SELECT generation, tries FROM queue WHERE path = ?", (path,))
    current, tries = found or (generation, 0)
    pause = min(LONGEST_PAUSE, 2.0 ** min(tries, 10)) if generation in (None, current) else 0.0
    connection.execute(
        "INSERT INTO queue(path, generation, due, tries, error) VALUES(?, ?, ?, 1, ?) ON CONFLICT(path) DO UPDATE SET"
        " due = excluded.due, tries = tries + 1, error = excluded.error",
        (path, current or 1, now + pause, error),
    )
