"""The queue of files to be looked at (`Queue`).

A path may be queued again while it is being worked on. Its generation grows then, and `done` with the generation that
was claimed leaves it in the queue for another look. A vault that is a database queues each file in the very transaction
that writes it, with the time of that writing (`written`), due after a while; indexing the file takes it out again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence

from everlore.sql import Session
from everlore.stores.sql.asking import Asking, Run
from everlore.stores.sql.dialect import Dialect

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


class SqlQueue(Asking):
    def __init__(
        self, read: Run, write: Run, say: Dialect, now: Callable[[], float], told: Callable[..., None] = lambda _: None
    ) -> None:
        """`told`: that something was queued, in the same transaction."""
        super().__init__(read, say)
        self._write = write
        self._now = now
        self._told = told
        self._claims = Claims()

    def enqueue(self, paths: Iterable[str]) -> None:
        """A path that waits out a pause after a failure is due at once: it may have been corrected."""
        again = "DO UPDATE SET generation = queue.generation + 1, due = excluded.due, written = NULL"
        named = [(*self._say.file_name(path), 1, self._now(), 0, "") for path in dict.fromkeys(paths)]

        def work(db: Session) -> None:
            insert, row, known = self._say.queue
            db.many(insert, named, f"{known} {again}", row=row)
            self._told(db)

        if named:
            self._write(work)

    def claim(self, limit: int) -> list[str]:
        select = "SELECT path, generation FROM queue WHERE due <= ? ORDER BY number LIMIT ?"
        return self._claims.take([(path, last) for path, last in self._rows(select, (self._now(), limit))])

    def done(self, paths: Collection[str]) -> None:
        ended: dict[int | None, list[str]] = {}
        for path in paths:
            ended.setdefault(self._claims.end(path), []).append(path)

        def work(db: Session) -> None:
            for generation, some in ended.items():
                files = self._say.files(some)
                delete = f"DELETE FROM queue WHERE {files.sql} AND generation = coalesce(?, generation)"
                db.run(delete, (*files.values, generation))

        if ended:
            self._write(work)

    def failed(self, path: str, error: str) -> None:
        """No pause when the path was queued again meanwhile."""
        file, generation, now = self._say.files([path]), self._claims.end(path), self._now()
        again = "DO UPDATE SET due = excluded.due, tries = queue.tries + 1, error = excluded.error"

        def work(db: Session) -> None:
            found = db.row(f"SELECT generation, tries FROM queue WHERE {file.sql}", file.values)
            current, tries = found or (generation, 0)
            due = now + pause(tries) if generation in (None, current) else now
            insert, row, known = self._say.queue
            values = (*self._say.file_name(path), current or 1, due, 1, error)
            db.many(insert, [values], f"{known} {again}", row=row)

        self._write(work)

    def failures(self) -> list[tuple[str, str]]:
        found = self._rows("SELECT path, error FROM queue WHERE error <> '' ORDER BY path")
        return [(path, error) for path, error in found]
