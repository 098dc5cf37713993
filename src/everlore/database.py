"""A SQLite file as Everlore opens it: WAL, one connection for each thread, errors in our own words.

Many threads and processes use the same file at once. Readers see one snapshot for the length of a `reading` block;
writers queue up for `writing` blocks, which commit as a whole or leave no trace. A file that is derived from other
data may be put aside when it is damaged, and is begun anew when somebody deletes it. A canonical one never is: it has
a birth mark (`births`), and each block makes sure that it is still the one, and not older than it was.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from everlore import births
from everlore.errors import Damaged, InvalidInput, Unavailable
from everlore.lock import FileLock
from everlore.sql import Row, Session, T
from everlore.sqlite_file import BUSY_SECONDS, birth, create, hexadecimal, identity, transaction, use_wal, version

CACHE_KIB = 32 * 1024
LOG_BYTES = 8 * 2**20
"""What the write-ahead log may hold, twice what SQLite gathers before it copies it to the file: more only while
somebody reads for long, or when a single write is larger."""
READERS_SECONDS = 0.2
"""How long writers wait for readers so that a log that has grown larger can be emptied,"""
AGAIN_SECONDS = 5.0
"""and how soon that is tried again."""
QUICK, WHOLE = "PRAGMA quick_check(5)", "PRAGMA integrity_check(5)"
SETTLE_SECONDS = 0.2
"""Who deletes a file deletes what lies beside it a moment later, and must not hit that of the new one."""


class Connection(apsw.Connection, Session):
    """Names that are hashes (UUIDs) are kept as hexadecimal digits."""

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        return self.execute(sql, tuple(values)).fetchall()

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        self.execute(sql, tuple(values))
        return self.changes()

    def each(self, sql: str, values: Sequence[Sequence[Any]]) -> None:
        self.executemany(sql, values)

    def load(self, into: str, values: Sequence[Sequence[Any]]) -> None:
        if values:
            self.executemany(f"INSERT INTO {into} VALUES({', '.join('?' * len(values[0]))})", values)


@dataclass(frozen=True, slots=True)
class Schema:
    """`upgrade` is called inside a write transaction with the version that was found, 0 for a new file."""

    version: int
    upgrade: Callable[[Connection, int], None]


class Database:
    def __init__(self, path: Path, schema: Schema, *, durable: bool, derived: bool, remedy: str) -> None:
        """`durable`: a commit survives a power cut. `remedy` tells a person what to do about a damaged file."""
        self.path = path
        self._schema = schema
        self._durable = durable
        self._derived = derived
        self._remedy = remedy
        self._lock = threading.Lock()
        self._replacing = FileLock(f"{path}.lock")
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._mine = threading.local()
        self._closed = False
        self._shrunk = -AGAIN_SECONDS
        self.renewals = 0
        """How often an empty file, or one that somebody put there, has taken the place of the one that was open."""
        self._birth = births.read(path)
        if derived or self._birth is None:
            create(path)
        self._identity = identity(path)
        try:
            self._connection()
        except Damaged:
            if derived:
                self.renew()
            # else whoever needs it is told, until it is there again

    def read(self, work: Callable[[Connection], T]) -> T:
        with self.reading() as connection:
            return work(connection)

    def write(self, work: Callable[[Connection], T]) -> T:
        with self.writing() as connection:
            return work(connection)

    def reading(self) -> AbstractContextManager[Connection]:
        """One consistent view of the data. Inside another block of the same thread it is that block's view."""
        return self._within() or self._block("BEGIN")

    def writing(self) -> AbstractContextManager[Connection]:
        return self._within() or self._block("BEGIN IMMEDIATE", commit=True)

    def _within(self) -> AbstractContextManager[Connection] | None:
        """The block around this one, which begins, ends and translates errors for both: a search opens twenty."""
        around: AbstractContextManager[Connection] | None = getattr(self._mine, "block", None)
        return around

    @contextlib.contextmanager
    def _block(self, begin: str, *, commit: bool = False) -> Iterator[Connection]:
        with self._translated():
            connection = self._connection()
            known = self._birth
            with transaction(connection, begin, commit=commit):
                if known is not None and (why := births.differing(known, birth(connection))):
                    raise self._lost(why)
                self._mine.block = contextlib.nullcontext(connection)
                changes = connection.total_changes()
                try:
                    yield connection
                finally:
                    self._mine.block = None
                if changed := known is not None and connection.total_changes() != changes:
                    connection.execute("UPDATE birth SET commits = commits + 1")
                    known = birth(connection)
            if changed and known is not None:
                births.advance(self.path, known)
                self._birth = known
            if commit:
                self.shrink_log()

    def shrink_log(self) -> None:
        """Empty the log if it is larger than it should be: a large write, or readers that were never all done at once,
        let it grow, and SQLite itself would leave the file as large as it is."""
        try:
            too_large = os.stat(f"{self.path}-wal").st_size > LOG_BYTES  # noqa: PTH116 - after every write
        except OSError:
            return
        if too_large and time.monotonic() > self._shrunk + AGAIN_SECONDS:
            self._shrunk = math.inf  # not by two threads at once
            try:
                self._empty_log(READERS_SECONDS)
            finally:
                self._shrunk = time.monotonic()

    def _empty_log(self, seconds: float) -> None:
        connection = self._connection()
        connection.set_busy_timeout(int(seconds * 1000))
        try:
            with contextlib.suppress(apsw.Error):  # what was written is safe in the log
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        finally:
            with contextlib.suppress(apsw.ConnectionClosedError):
                connection.set_busy_timeout(int(BUSY_SECONDS * 1000))

    def file(self) -> tuple[int, int] | None:
        """Which file this thread reads."""
        self._connection()
        file: tuple[int, int] | None = self._mine.file
        return file

    def scrub(self) -> None:
        """Take what was deleted out of the log as well, if no one is reading; else it goes a little later."""
        self._empty_log(BUSY_SECONDS)

    def sound(self) -> bool:
        """Whether the pages of the file fit together. Reads all of it."""
        return not self.faults()

    def faults(self) -> list[str]:
        """Asked on a connection of its own: one in use may take segments for lost that another has merged since."""
        try:
            self._connection()  # of the file that is there now
            with self._translated(), contextlib.closing(self._open()) as connection:
                said = [str(line) for (line,) in connection.execute(QUICK if self._derived else WHOLE)]
        except Damaged as error:
            return [str(error)]
        return [] if said == ["ok"] else said

    def renew(self) -> None:
        """Put a damaged file aside and begin an empty one. Only for derived data."""
        assert self._derived
        with self._replacing:
            if self.sound():
                return  # another process was quicker
            self._drop_connections()
            try:
                for ending in ("-wal", "-shm"):
                    Path(f"{self.path}{ending}").unlink(missing_ok=True)
                self.path.replace(f"{self.path}.damaged")
            except OSError as error:
                raise Damaged(
                    f"{self.path} is damaged and in use ({error}): stop every Everlore process, then {self._remedy}"
                ) from error
            self._begin()
            self._connection()

    def close(self) -> None:
        self._closed = True
        self._drop_connections()

    def _drop_connections(self) -> None:
        with self._lock:
            connections = list(self._connections)
            self._connections.clear()
            self._mine = threading.local()
        for connection in connections:
            # one that another thread is using right now goes away with that thread
            with contextlib.suppress(apsw.Error):
                connection.close()

    def _connection(self) -> Connection:
        old: Connection | None = getattr(self._mine, "connection", None)
        # what was opened while nothing could be written would stay read-only
        if old is not None and (old.in_transaction or self._mine.file == self._there()) and not old.readonly("main"):
            return old
        if self._closed:
            raise Unavailable(f"{self.path.name} is closed")
        if self._derived:
            self._follow()
        else:
            self._require()
        file = self._identity
        with self._translated():
            fresh = self._open()
        with self._lock:
            self._connections.add(fresh)
            self._mine.connection, self._mine.file = fresh, file
        return fresh

    def _there(self) -> tuple[int, int] | None:
        return None if self._birth is not None and births.gone(self.path) else identity(self.path)

    def _require(self) -> None:
        """Refuse to go on without the file that was born; another in its place tells who it is when it is opened."""
        if self._birth is not None and births.forgiven(self.path):
            self._birth = None
        if self._birth is not None and (why := births.gone(self.path)):
            self._drop_connections()
            raise self._lost(why)
        if identity(self.path) is None:
            create(self.path)
        self._identity = identity(self.path)

    def _lost(self, why: str) -> Damaged:
        return Damaged(f"{self.path} {why}: {self._remedy}")

    def _follow(self) -> None:
        """Go on with the file that is there now, an empty one if it was deleted; inside a block, with the old one."""
        if identity(self.path) == self._identity:
            return
        try:
            if not self.path.parent.is_dir():  # moved as a whole, and not ours to make again
                raise FileNotFoundError("its folder is not there")
            # the lock of this process too: who deletes the file may delete its lock with it
            with self._replacing, self._lock:
                if identity(self.path) == self._identity:
                    return  # another thread was quicker
                time.sleep(SETTLE_SECONDS)
                if not self.path.exists():
                    for ending in ("-wal", "-shm"):
                        Path(f"{self.path}{ending}").unlink(missing_ok=True)
                self._begin()
        except OSError as error:
            raise Unavailable(
                f"{self.path} was removed or moved while it was in use ({error}): put it back, or restart Everlore"
            ) from error

    def _begin(self) -> None:
        create(self.path)
        self._identity = identity(self.path)
        self.renewals += 1

    def _open(self) -> Connection:
        # one that was deleted a moment ago is not made here: what lies beside it must go first
        connection = Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.set_busy_timeout(int(BUSY_SECONDS * 1000))
            connection.convert_binding = hexadecimal
            use_wal(connection)
            connection.execute(f"PRAGMA synchronous={'FULL' if self._durable else 'NORMAL'}")
            if self._durable:
                # what people sent is not to be found in the file once it is deleted
                connection.execute("PRAGMA secure_delete=ON")
            if self._durable and sys.platform == "darwin":
                # elsewhere fsync reaches the disk; macOS needs a stronger call
                connection.execute("PRAGMA fullfsync=ON")
            connection.execute(f"PRAGMA cache_size=-{CACHE_KIB}")
            connection.execute("PRAGMA temp_store=MEMORY")
            connection.execute(f"PRAGMA journal_size_limit={LOG_BYTES}")
            if not self._derived:
                self._attend(connection)
            self._upgrade(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _attend(self, connection: Connection) -> None:
        """Give a new database its birth, or make sure that this is the one that was born."""
        if births.read(self.path) is None:
            with transaction(connection, "BEGIN IMMEDIATE", commit=True):
                connection.execute("CREATE TABLE IF NOT EXISTS birth(id TEXT NOT NULL, commits INTEGER NOT NULL)")
                if birth(connection) is None:
                    connection.execute("INSERT INTO birth VALUES(?, 1)", (uuid.uuid4().hex,))
                self._birth = birth(connection)
            if self._birth is not None:
                births.write(self.path, self._birth)
        mark, found = births.read(self.path), None
        if connection.value("SELECT 1 FROM sqlite_schema WHERE name = 'birth'"):
            found = birth(connection)
        if mark is not None and (why := births.differing(mark, found)):
            raise self._lost(why)
        self._birth = found

    def _upgrade(self, connection: Connection) -> None:
        if version(connection) == self._schema.version:
            return
        with transaction(connection, "BEGIN IMMEDIATE", commit=True):
            # another process may have been quicker while we waited for the lock
            found = version(connection)
            if found != self._schema.version:
                self._schema.upgrade(connection, found)
                connection.execute(f"PRAGMA user_version={self._schema.version}")

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (apsw.BusyError, apsw.LockedError) as error:
            raise Unavailable(f"{self.path.name} is busy with another process's work: try again") from error
        except apsw.FullError as error:
            raise Unavailable(f"the disk is full, {self.path} could not be written: make room and try again") from error
        except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError, apsw.IOError, apsw.NoLFSError) as error:
            raise Unavailable(f"{self.path} cannot be read and written ({error}): check the disk and rights") from error
        except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, UnicodeDecodeError) as error:
            raise Damaged(f"{self.path} is damaged ({error}): {self._remedy}") from error
        except (apsw.ConnectionClosedError, apsw.CursorClosedError) as error:
            raise Unavailable(f"{self.path.name} is closed") from error
        except (apsw.TooBigError, UnicodeEncodeError) as error:
            raise InvalidInput(f"a text cannot be stored: {error}") from error
        except apsw.SQLError as error:
            # our statements are fixed, so the file has another shape than the one we made
            raise Damaged(f"{self.path} is not as we wrote it ({error}): {self._remedy}") from error
