"""A SQLite file as Everlore opens it: WAL, one connection for each thread, errors in our own words.

Many threads and processes use the same file at once. Readers see one snapshot for the length of a `read` block;
writers queue up for `write` blocks, which commit as a whole or leave no trace. A file that is derived from other
data may be put aside when it is damaged, and is begun anew when somebody deletes it; a canonical one never is.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from everlore.durable import sync_folder
from everlore.errors import Damaged, InvalidInput, Unavailable
from everlore.lock import FileLock
from everlore.sql import Row, Session, T

BUSY_SECONDS = 10.0
CACHE_KIB = 32 * 1024
LOG_BYTES = 8 * 2**20
"""What the write-ahead log may hold, twice what SQLite gathers before it copies it to the file: more only while
somebody reads for long, or when a single write is larger."""
READERS_SECONDS = 0.2
"""How long writers wait for readers so that a log that has grown larger can be emptied,"""
AGAIN_SECONDS = 5.0
"""and how soon that is tried again."""
SETTLE_SECONDS = 0.2
"""Who deletes a file deletes what lies beside it a moment later, and must not hit that of the new one."""


@dataclass(frozen=True, slots=True)
class Schema:
    """`upgrade` is called inside a write transaction with the version that was found, 0 for a new file."""

    version: int
    upgrade: Callable[[apsw.Connection, int], None]


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
        self._connections: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._mine = threading.local()
        self._closed = False
        self._shrunk = -AGAIN_SECONDS
        self.renewals = 0
        """How often an empty file, or one that somebody put there, has taken the place of the one that was open."""
        _create(path)
        self._identity = _identity(path)
        try:
            self._connection()
        except Damaged:
            if not derived:
                raise
            self.renew()

    def read(self) -> AbstractContextManager[apsw.Connection]:
        """One consistent view of the data. Inside another block of the same thread it is that block's view."""
        return self._within() or self._block("BEGIN")

    def write(self) -> AbstractContextManager[apsw.Connection]:
        return self._within() or self._block("BEGIN IMMEDIATE", commit=True)

    def _within(self) -> AbstractContextManager[apsw.Connection] | None:
        """The block around this one, which begins, ends and translates errors for both: a search opens twenty."""
        around: AbstractContextManager[apsw.Connection] | None = getattr(self._mine, "block", None)
        return around

    @contextlib.contextmanager
    def _block(self, begin: str, *, commit: bool = False) -> Iterator[apsw.Connection]:
        with self._translated():
            connection = self._connection()
            with _transaction(connection, begin, commit=commit):
                self._mine.block = contextlib.nullcontext(connection)
                try:
                    yield connection
                finally:
                    self._mine.block = None
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

    def require_place(self) -> None:
        """Refuse to go on when the file was removed or moved away: what is written to it then may be gone with us."""
        if _identity(self.path) != self._identity:
            raise Unavailable(
                f"{self.path} was removed or moved while it was in use: put it back, or restart Everlore to begin anew"
            )

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
        """Asked on a connection of its own: one in use may remember segments of the text index that another connection
        has merged since, and SQLite's check takes those for lost."""
        try:
            self._connection()  # of the file that is there now
            with self._translated(), contextlib.closing(self._open()) as connection:
                said = [str(line) for (line,) in connection.execute("PRAGMA quick_check(5)")]
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

    def _connection(self) -> apsw.Connection:
        known: apsw.Connection | None = getattr(self._mine, "connection", None)
        if known is not None and (not self._derived or known.in_transaction or self._mine.file == _identity(self.path)):
            return known
        if self._closed:
            raise Unavailable(f"{self.path.name} is closed")
        if self._derived:
            self._follow()
        else:
            self.require_place()  # a thread must not begin another file than the others have open
        file = self._identity
        with self._translated():
            fresh = self._open()
        with self._lock:
            self._connections.add(fresh)
            self._mine.connection, self._mine.file = fresh, file
        return fresh

    def _follow(self) -> None:
        """Go on with the file that is there now, an empty one if it was deleted. Threads that are inside a block
        finish it with the old one."""
        if _identity(self.path) == self._identity:
            return
        try:
            if not self.path.parent.is_dir():  # moved as a whole, and not ours to make again
                raise FileNotFoundError("its folder is not there")
            # the lock of this process too: who deletes the file may delete its lock with it
            with self._replacing, self._lock:
                if _identity(self.path) == self._identity:
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
        _create(self.path)
        self._identity = _identity(self.path)
        self.renewals += 1

    def _open(self) -> apsw.Connection:
        # one that was deleted a moment ago is not made here: what lies beside it must go first
        connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.set_busy_timeout(int(BUSY_SECONDS * 1000))
            _use_wal(connection)
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
            self._upgrade(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _upgrade(self, connection: apsw.Connection) -> None:
        if _version(connection) == self._schema.version:
            return
        with _transaction(connection, "BEGIN IMMEDIATE", commit=True):
            # another process may have been quicker while we waited for the lock
            found = _version(connection)
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
        except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError) as error:
            raise Damaged(f"{self.path} is damaged ({error}): {self._remedy}") from error
        except (apsw.ConnectionClosedError, apsw.CursorClosedError) as error:
            raise Unavailable(f"{self.path.name} is closed") from error
        except (apsw.TooBigError, UnicodeEncodeError) as error:
            raise InvalidInput(f"a text cannot be stored: {error}") from error
        except apsw.SQLError as error:
            # our statements are fixed, so the file has another shape than the one we made
            raise Damaged(f"{self.path} is not as we wrote it ({error}): {self._remedy}") from error


def _create(path: Path) -> None:
    """An empty file that only its owner can read, durably in its folder."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            # opening it and closing that handle would drop SQLite's locks in this process
            return
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    except OSError as error:
        if path.exists():
            return  # another process was quicker
        why = error.strerror or error
        raise Unavailable(f"{path} cannot be created ({why}): check its folder (EVEROS_MEMORY__ROOT)") from error
    os.close(handle)
    sync_folder(path.parent)


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file is there, whatever it is called."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _use_wal(connection: apsw.Connection) -> None:
    """Several processes that open a new file at once get in each other's way here, and SQLite does not wait."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except (apsw.BusyError, apsw.LockedError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _version(connection: apsw.Connection) -> int:
    return int(value(connection, "PRAGMA user_version"))


@contextlib.contextmanager
def _transaction(connection: apsw.Connection, begin: str, *, commit: bool) -> Iterator[None]:
    """Leaves no transaction open, whatever happened; SQLite itself ends it after some errors."""
    connection.execute(begin)
    try:
        yield
        if commit:
            connection.execute("COMMIT")
    finally:
        with contextlib.suppress(apsw.ConnectionClosedError):
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def rows(connection: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    return connection.execute(sql, tuple(values)).fetchall()


def row(connection: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
    """The first row, if there is one."""
    return next(iter(rows(connection, sql, values)), None)


def value(connection: apsw.Connection, sql: str, values: Sequence[Any] = ()) -> Any:
    """The first column of the first row, None if there is no row."""
    found = row(connection, sql, values)
    return found[0] if found else None


class SqliteTables:
    """A file for statements that every database understands."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def read(self, work: Callable[[Session], T]) -> T:
        with self.db.read() as connection:
            return work(_Session(connection))

    def write(self, work: Callable[[Session], T]) -> T:
        with self.db.write() as connection:
            return work(_Session(connection))

    def check(self) -> list[str]:
        return self.db.faults()

    def close(self) -> None:
        self.db.close()


class _Session:
    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        return rows(self._connection, sql, values)

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        self._connection.execute(sql, tuple(values))
        return self._connection.changes()

    def each(self, sql: str, values: Sequence[Row]) -> None:
        self._connection.executemany(sql, values)
