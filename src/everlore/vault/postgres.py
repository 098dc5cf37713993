"""The vault as a table: the same texts under the same paths, and here they are canonical.

A file is queued for indexing by the transaction that writes it, so that no server has to look for it: whoever wrote it
indexes it at once, which takes it out of the queue, and if that one died, another finds it there. Who writes rows in
the same transaction queues nothing.

Where servers of another version have an index of their own beside ours, they are told of each file, and since the first
versions tell nobody, all files are compared with the index now and then.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from uuid import UUID

from everlore.errors import EverloreError
from everlore.postgres.names import quoted
from everlore.postgres.parts import Part
from everlore.postgres.server import INDEX_WRITERS, Server
from everlore.postgres.statements import Connection
from everlore.sql import Row
from everlore.tenants import file_uuid, tenant_of
from everlore.vault.base import LOCK_SECONDS, Change, FileText, Outdated, Raw, Shelf, Texts, Vault, encoded

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
_DOCUMENTS = "INSERT INTO documents(tenant, file, path, content, mtime_ns, size)"
_REPLACED = (
    "ON CONFLICT(tenant, file) DO UPDATE SET content = excluded.content, mtime_ns = excluded.mtime_ns,"
    " size = excluded.size"
)
_THESE = "tenant = ANY(?) AND file = ANY(?)"

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
SHELVES = Part(
    "bin", ('CREATE TABLE bin(name text COLLATE "C" PRIMARY KEY, content bytea NOT NULL);',), {"bin": "local"}
)
"""A part of its own: servers of older versions, which know no bin, go on beside it."""


class PostgresShelf:
    """A table. Few write to it, so a cluster keeps it on its coordinator."""

    def __init__(self, server: Server) -> None:
        self._server = server
        server.prepare(SHELVES)

    def put(self, name: str, content: bytes) -> None:
        upsert = (
            "INSERT INTO bin(name, content) VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET content = excluded.content"
        )
        self._server.write(lambda db: db.run(upsert, (name, content)))

    def get(self, name: str) -> bytes | None:
        found = self._server.read(lambda db: db.value("SELECT content FROM bin WHERE name = ?", (name,)))
        return None if found is None else bytes(found)

    def names(self) -> list[str]:
        return [name for (name,) in self._server.read(lambda db: db.rows("SELECT name FROM bin ORDER BY name"))]

    def drop(self, names: Collection[str]) -> None:
        self._server.write(lambda db: db.run("DELETE FROM bin WHERE name = ANY(?)", (list(names),)))


class PostgresVault(Vault):
    folder: Path | None = None
    patience = LOCK_SECONDS

    def __init__(self, server: Server) -> None:
        self._server = server
        self.where = f"{server.where}, schema {server.schema}"
        self._beside: list[str] = []
        self._looked = -1.0
        self._compared_in = 0.0
        self._complete = False
        server.prepare(PART)
        self.bin: Shelf = PostgresShelf(server)

    def listen(self, wake: Callable[[], None], stop: threading.Event) -> None:
        self._server.listen(wake, stop)

    def prepare(self) -> None:
        """The tables were made when it was opened."""

    def raws(self, paths: Collection[str]) -> dict[str, Raw]:
        select = f"SELECT path, content, mtime_ns FROM documents WHERE {_THESE}"
        found = self._server.read(lambda db: db.rows(select, _these(map(file_uuid, paths))))
        return {path: Raw(bytes(content), mtime_ns) for path, content, mtime_ns in found}

    def stat(self, path: str) -> tuple[int, int] | None:
        select = f"SELECT mtime_ns, size FROM documents WHERE {_THESE}"
        found = self._server.read(lambda db: db.row(select, _these([file_uuid(path)])))
        return (found[0], found[1]) if found else None

    def lock(self, name: str, timeout: float = LOCK_SECONDS) -> AbstractContextManager[None]:
        return self._server.lock(name, timeout)

    def guard(self, names: Iterable[str], timeout: float = LOCK_SECONDS) -> AbstractContextManager[None]:
        del names, timeout  # `exchange` is one step
        return contextlib.nullcontext()

    def exchange(self, texts: Texts, then: Callable[[Mapping[str, Change]], None] | None = None) -> dict[str, Change]:
        changes = {path: Change(before, _newer(path, before, text)) for path, (before, text) in texts.items()}

        def work(db: Connection) -> None:
            self._server.hold(db, changes, INDEX_WRITERS if then else "")
            if _exchanged(db, changes):
                if then is not None:
                    then(changes)
                else:
                    _queue(
                        db, {path: one.after.mtime_ns if one.after else time.time_ns() for path, one in changes.items()}
                    )

        self._server.write(work)
        self._tell(path for path, change in changes.items() if change.after != change.before)
        return changes

    def remove(self, path: str) -> None:
        def work(db: Connection) -> None:
            if db.run(f"DELETE FROM documents WHERE {_THESE}", _these([file_uuid(path)])):
                _queue(db, {path: time.time_ns()})

        self._server.write(work)
        self._tell([path])

    def walk(self, below: str = "") -> Iterator[tuple[str, int, int]]:
        inside, values = ("", ()) if not below else (" WHERE starts_with(path, ?)", (f"{below}/",))
        found = self._server.read(lambda db: db.rows(f"SELECT path, mtime_ns, size FROM documents{inside}", values))
        yield from sorted(found, key=lambda one: str(one[0]).split("/"))

    def differing(self, known: Callable[[], Mapping[str, tuple[int, int]]]) -> list[str]:  # noqa: ARG002
        """The index lies beside the documents, so the database compares them."""
        began = time.monotonic()
        select = f"SELECT coalesce(d.path, f.path){_DIFFERING} ORDER BY d.path IS NULL, 1"
        found = [path for (path,) in self._server.read(lambda db: db.rows(select))]
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
        count = self._server.read(lambda db: int(db.value(missing)))
        self._complete = not count
        return f"the index is being built: {count} files are not in it yet" if count else ""

    def put_all(self, files: Mapping[str, Raw]) -> None:
        def work(db: Connection) -> None:
            db.many(_DOCUMENTS, [_document(path, raw) for path, raw in sorted(files.items())], _REPLACED)
            _queue(db, {path: raw.mtime_ns for path, raw in files.items()})

        self._server.write(work)
        self._tell(files)

    def try_write(self) -> None:
        """A deletion of nothing needs every right that a change needs."""
        self._server.write(lambda db: db.run("DELETE FROM documents WHERE tenant = -1"))

    def close(self) -> None:
        """The server is closed by whoever opened it."""

    def _look(self, every: float) -> None:
        """Whether there are other versions, unless that is known and not too long ago."""
        if self._looked < 0 or time.monotonic() > self._looked + every:
            self._beside, self._looked = self._server.beside(INDEX), time.monotonic()

    def _tell(self, paths: Iterable[str]) -> None:
        """Servers of other versions. They may be gone, and their tables with them: then it is nobody's loss."""
        self._look(math.inf)
        named = [(tenant_of(file), file, path, time.time()) for path in paths for file in [file_uuid(path)]]
        for schema in map(quoted, self._beside if named else ()):
            insert = (
                f"INSERT INTO {schema}.queue(tenant, file, path, number, generation, due) VALUES(?, ?, ?,"
                f" nextval('{schema}.numbers'), 1, ?) ON CONFLICT(tenant, file) DO UPDATE SET"
                " generation = queue.generation + 1, due = excluded.due, written = NULL"
            )
            with contextlib.suppress(EverloreError):
                self._server.apart(partial(Connection.each, sql=insert, values=named))


def _these(files: Iterable[UUID]) -> tuple[list[int], list[UUID]]:
    wanted = list(files)
    return sorted(set(map(tenant_of, wanted))), wanted


def _document(path: str, raw: Raw) -> Row:
    file = file_uuid(path)
    return tenant_of(file), file, path, raw.content, raw.mtime_ns, len(raw.content)


def _newer(path: str, before: FileText | None, text: str | None) -> FileText | None:
    """Equal stamps mean equal content, so two writes within one tick of the clock must not share theirs."""
    if text is None or (before and text == before.text):
        return None if text is None else before
    size = len(encoded(text, path))
    return FileText(text, max(time.time_ns(), before.mtime_ns + 1 if before else 0), size)


def _exchanged(db: Connection, changes: Mapping[str, Change]) -> bool:
    """Put what is after in the place of what was before; `Outdated` when that is no longer there. False when this very
    change is there already: the connection was lost after the commit, before its answer came."""
    new = {path: one.after for path, one in changes.items() if one.after and one.after != one.before}
    gone = {path: one.before for path, one in changes.items() if one.before and not one.after}
    same = {path: one.before for path, one in changes.items() if one.after == one.before}
    done = 0
    if new:
        read = [(path, one) for path in new if (one := changes[path].before)]
        still = ", ".join(["(?, ?, ?)"] * len(read))
        where = f"(documents.file, documents.mtime_ns, documents.size) IN ({still})" if read else "false"
        stamps = [value for path, one in read for value in (file_uuid(path), one.mtime_ns, one.size)]
        rows = sorted(_document(path, Raw(one.text.encode(), one.mtime_ns)) for path, one in new.items())
        done += len(db.many(_DOCUMENTS, rows, f"{_REPLACED} WHERE {where} RETURNING 1", stamps))
    for path, old in gone.items():
        delete = f"DELETE FROM documents WHERE {_THESE} AND mtime_ns = ? AND size = ?"
        done += db.run(delete, (*_these([file_uuid(path)]), old.mtime_ns, old.size))
    if done == len(new) + len(gone) and not same:
        return True
    select = f"SELECT path, mtime_ns, size FROM documents WHERE {_THESE}"
    found = {path: (mtime_ns, size) for path, mtime_ns, size in db.rows(select, _these(map(file_uuid, changes)))}
    wanted = {path: (one.after.mtime_ns, one.after.size) if one.after else None for path, one in changes.items()}
    there = {path for path, stamp in wanted.items() if found.get(path) == stamp}
    if not there.issuperset(same if done == len(new) + len(gone) else changes):
        raise Outdated("files changed since they were read; try again")
    return done == len(new) + len(gone)


def _queue(db: Connection, written: Mapping[str, int]) -> None:
    """Ask for files to be indexed, unless that is asked for already by somebody who knows no time."""
    due = time.time() + INDEX_SECONDS
    named = [
        (tenant_of(file), file, path, due, written[path]) for path in sorted(written) for file in [file_uuid(path)]
    ]
    db.many(
        "INSERT INTO queue(tenant, file, path, number, generation, due, written)",
        named,
        "ON CONFLICT(tenant, file) DO UPDATE SET generation = queue.generation + 1,"
        " written = CASE WHEN queue.written IS NULL THEN NULL ELSE excluded.written END",
        row="?, ?, ?, nextval('numbers'), 1, ?, ?",
    )
