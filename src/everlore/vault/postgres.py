"""The vault as a table: the same texts under the same paths, and here they are canonical.

A file is queued for indexing by the transaction that writes it, so that no server has to look for it: whoever wrote it
indexes it at once, which takes it out of the queue, and if that one died, another finds it there.

Where servers of another version have an index of their own beside ours, they are told of each file, and since the first
versions tell nobody, all files are compared with the index now and then.
"""

from __future__ import annotations

import contextlib
import math
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from everlore.errors import EverloreError, InvalidInput, Unavailable
from everlore.postgres.errors import Lost
from everlore.postgres.names import quoted
from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection, first, rows, run, value
from everlore.postgres.tenants import file_uuid, tenant_of
from everlore.vault.base import LOCK_SECONDS, Change, FileText, Raw, decoded

PAUSE_SECONDS = 0.02
INDEX_SECONDS = 10.0
"""So long the writer of a file has to index it; then others do."""

INDEX = "index"
"""The derived part whose tables `files` and `queue` are."""
LOOK_SECONDS = 10.0
"""How often it is looked whether another version has come."""
BESIDE_SECONDS = 5.0
"""How often all files are compared while another version may write, if that takes no time."""
BESIDE_SHARE = 20
"""And one part in so many of the time is spent on it at most."""

_DIFFERING = (
    " FROM documents d FULL JOIN files f ON f.tenant = d.tenant"
    " AND f.file = d.file WHERE (d.mtime_ns, d.size) IS DISTINCT FROM (f.mtime_ns, f.size)"
)

PART = Part(
    "vault",
    (
        """
        CREATE TABLE documents(
          tenant int NOT NULL, file uuid NOT NULL, path text COLLATE "C" NOT NULL, content bytea NOT NULL,
          mtime_ns bigint NOT NULL, size bigint NOT NULL, PRIMARY KEY(file, tenant));
        """,
    ),
    {"documents": "tenant"},
)


class PostgresVault:
    folder: Path | None = None

    def __init__(self, server: Server) -> None:
        self._server = server
        self.where = f"{server.where}, schema {server.schema}"
        self._beside: list[str] = []
        self._looked = -1.0
        self._compared_in = 0.0
        self._complete = False
        server.prepare(PART)

    def listen(self, wake: Callable[[], None], stop: threading.Event) -> None:
        self._server.listen(wake, stop)

    def prepare(self) -> None:
        """The tables were made when it was opened."""

    def read(self, path: str) -> FileText | None:
        raw = self.raw(path)
        return FileText(decoded(raw.content, path), raw.mtime_ns, len(raw.content)) if raw else None

    def stat(self, path: str) -> tuple[int, int] | None:
        file = file_uuid(path)
        select = "SELECT mtime_ns, size FROM documents WHERE tenant = %s AND file = %s"
        found = self._server.read(lambda c: first(c, select, (tenant_of(file), file)))
        return (found[0], found[1]) if found else None

    def lock(self, name: str, timeout: float = LOCK_SECONDS) -> AbstractContextManager[None]:
        return self._server.lock(name, timeout)

    def change(self, path: str, edit: Callable[[str | None], str | None], timeout: float = LOCK_SECONDS) -> Change:
        """Only threads of this process wait for each other. Of two processes the quicker one writes, and the other,
        which finds another text than it read, edits that one."""
        deadline = time.monotonic() + timeout
        tried: list[Change] = []
        with self._server.gate(path, timeout):
            while True:
                try:
                    change = self._attempt(path, edit, tried)
                except Lost:
                    if time.monotonic() > deadline:
                        raise
                else:
                    if change is not None:
                        return change
                if time.monotonic() > deadline:
                    raise Unavailable(f"{path} is being changed by another process all the time; try again")
                time.sleep(random.uniform(0, PAUSE_SECONDS))

    def being_written(self, path: str) -> bool:  # noqa: ARG002
        """A document is written at once."""
        return False

    def others(self) -> Iterator[str]:
        return iter(())

    def obstacles(self) -> Iterator[str]:
        return iter(())

    def remove(self, path: str) -> None:
        file = file_uuid(path)

        def work(connection: Connection) -> None:
            if run(connection, "DELETE FROM documents WHERE tenant = %s AND file = %s", (tenant_of(file), file)):
                _queue(connection, path, time.time_ns())

        with self.lock(path):
            self._server.write(work)
        self._tell(path)

    def walk(self, below: str = "") -> Iterator[tuple[str, int, int]]:
        inside, values = ("", ()) if not below else (" WHERE starts_with(path, %s)", (f"{below}/",))
        found = self._server.read(lambda c: rows(c, f"SELECT path, mtime_ns, size FROM documents{inside}", values))
        yield from sorted(found, key=lambda one: str(one[0]).split("/"))

    def differing(self, known: Callable[[], Mapping[str, tuple[int, int]]]) -> list[str]:  # noqa: ARG002
        """The index lies beside the documents, so the database compares them."""
        began = time.monotonic()
        select = f"SELECT coalesce(d.path, f.path){_DIFFERING} ORDER BY d.path IS NULL, 1"
        found = [path for (path,) in self._server.read(lambda c: rows(c, select))]
        self._compared_in = time.monotonic() - began
        return found

    @property
    def scan_seconds(self) -> float:
        self._look(LOOK_SECONDS)
        return max(BESIDE_SECONDS, BESIDE_SHARE * self._compared_in) if self._beside else math.inf

    def unready(self) -> str:
        if self._complete:
            return ""
        # not those that cannot be indexed, or were written a moment ago
        others = "SELECT 1 FROM queue q WHERE q.tenant = d.tenant AND q.file = d.file"
        others += " AND (q.error <> '' OR q.written IS NOT NULL)"
        missing = f"SELECT count(*){_DIFFERING} AND d.file IS NOT NULL AND NOT EXISTS({others})"
        count = self._server.read(lambda c: int(value(c, missing)))
        self._complete = not count
        return f"the index is being built: {count} files are not in it yet" if count else ""

    def raw(self, path: str) -> Raw | None:
        file = file_uuid(path)
        select = "SELECT content, mtime_ns FROM documents WHERE tenant = %s AND file = %s"
        found = self._server.read(lambda c: first(c, select, (tenant_of(file), file)))
        return Raw(bytes(found[0]), found[1]) if found else None

    def put(self, path: str, raw: Raw) -> None:
        def work(connection: Connection) -> None:
            file = file_uuid(path)
            run(
                connection,
                "INSERT INTO documents(tenant, file, path, content, mtime_ns, size) VALUES(%s, %s, %s, %s, %s, %s)"
                " ON CONFLICT(tenant, file) DO UPDATE SET content = excluded.content, mtime_ns = excluded.mtime_ns,"
                " size = excluded.size",
                (tenant_of(file), file, path, raw.content, raw.mtime_ns, len(raw.content)),
            )
            _queue(connection, path, raw.mtime_ns)

        self._server.write(work)
        self._tell(path)

    def try_write(self) -> None:
        """A deletion of nothing needs every right that a change needs."""
        self._server.write(lambda connection: run(connection, "DELETE FROM documents WHERE tenant = -1"))

    def close(self) -> None:
        """The server is closed by whoever opened it."""

    def _look(self, every: float) -> None:
        """Whether there are other versions, unless that is known and not too long ago."""
        if self._looked < 0 or time.monotonic() > self._looked + every:
            self._beside, self._looked = self._server.beside(INDEX), time.monotonic()

    def _tell(self, path: str) -> None:
        """Servers of other versions. They may be gone, and their tables with them: then it is nobody's loss."""
        file = file_uuid(path)
        self._look(math.inf)
        for schema in map(quoted, self._beside):
            insert = (
                f"INSERT INTO {schema}.queue(tenant, file, path, number, generation, due) VALUES(%s, %s, %s,"
                f" nextval('{schema}.numbers'), 1, %s) ON CONFLICT(tenant, file) DO UPDATE SET"
                " generation = queue.generation + 1, due = excluded.due, written = NULL"
            )
            with contextlib.suppress(EverloreError):
                self._server.write(partial(run, statement=insert, values=(tenant_of(file), file, path, time.time())))

    def _attempt(self, path: str, edit: Callable[[str | None], str | None], tried: list[Change]) -> Change | None:
        """None when another was quicker. `tried` is what a lost connection left us in doubt about."""
        before = self.read(path)
        if tried and before == tried[-1].after:
            return tried[-1]  # the connection was lost after the commit, before its answer came
        tried.clear()
        text = edit(before.text if before else None)
        if text == (before.text if before else None):
            return Change(before, before)
        change = Change(before, _newer(path, before, text))
        tried.append(change)
        if self._server.write(partial(_exchange, path, change)):
            self._tell(path)
            return change
        tried.clear()
        return None


def _newer(path: str, before: FileText | None, text: str | None) -> FileText | None:
    """Equal stamps mean equal content, so two writes within one tick of the clock must not share theirs."""
    if text is None:
        return None
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{path}: half a character at {error.start} cannot be written; remove it") from None
    return FileText(text, max(time.time_ns(), before.mtime_ns + 1 if before else 0), size)


def _exchange(path: str, change: Change, connection: Connection) -> bool:
    """Put what is after in the place of what was before; False when that is no longer there."""
    file = file_uuid(path)
    there = (tenant_of(file), file)
    before, after = change.before, change.after
    same = "tenant = %s AND file = %s AND mtime_ns = %s AND size = %s"
    if before is None:
        assert after is not None
        done = run(
            connection,
            "INSERT INTO documents(tenant, file, path, content, mtime_ns, size) VALUES(%s, %s, %s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING",
            (*there, path, after.text.encode(), after.mtime_ns, after.size),
        )
    elif after is None:
        done = run(connection, f"DELETE FROM documents WHERE {same}", (*there, before.mtime_ns, before.size))
    else:
        done = run(
            connection,
            f"UPDATE documents SET content = %s, mtime_ns = %s, size = %s WHERE {same}",
            (after.text.encode(), after.mtime_ns, after.size, *there, before.mtime_ns, before.size),
        )
    if done:
        _queue(connection, path, after.mtime_ns if after else time.time_ns())
    return bool(done)


def _queue(connection: Connection, path: str, written: int) -> None:
    """Ask for it to be indexed, unless it is asked for already by somebody who knows no time."""
    file = file_uuid(path)
    value(
        connection,
        "INSERT INTO queue(tenant, file, path, number, generation, due, written)"
        " VALUES(%s, %s, %s, nextval('numbers'), 1, %s, %s) ON CONFLICT(tenant, file) DO UPDATE SET"
        " generation = queue.generation + 1,"
        " written = CASE WHEN queue.written IS NULL THEN NULL ELSE excluded.written END RETURNING 1",
        (tenant_of(file), file, path, time.time() + INDEX_SECONDS, written),
    )
