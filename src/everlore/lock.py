"""A lock that is a file: held against every other thread and process, and released by the system when a process dies.

Who waits for it has it open, and would hold nothing if another took its place: so whoever gets it looks whether it is
still the one that the next would open. That lets a `fleeting` one go with its last holder.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from pathlib import Path
from types import TracebackType

POLL_SECONDS = 0.005

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _unlock(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


class FileLock:
    """A context manager. A thread that holds it may take it again; it is free after as many releases."""

    def __init__(self, path: Path | str, seconds: float | None = None, *, fleeting: bool = False) -> None:
        """`seconds`: how long to wait before `TimeoutError`; None waits for ever. A `fleeting` file is deleted when it
        is free again: there may be any number of such names."""
        self._fleeting = fleeting and sys.platform != "win32"
        self._path = Path(path)
        self._seconds = seconds
        self._mine = threading.local()

    def acquire(self) -> None:
        if not getattr(self._mine, "depth", 0):
            self._mine.handle = self._wait()
            self._mine.depth = 0
        self._mine.depth += 1

    def release(self) -> None:
        self._mine.depth -= 1
        if not self._mine.depth:
            try:
                if self._fleeting:
                    self._path.unlink(missing_ok=True)
                _unlock(self._mine.handle)  # a child that was forked meanwhile has it open, too
            finally:
                os.close(self._mine.handle)

    def take_away(self) -> None:
        """Delete the file of one that nobody holds; `OSError` if somebody does."""
        self.acquire()
        self.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _wait(self) -> int:
        deadline = None if self._seconds is None else time.monotonic() + self._seconds
        while (handle := self._try()) is None:
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(f"{self._path} is held by another thread or process")
            time.sleep(POLL_SECONDS)
        return handle

    def _try(self) -> int | None:
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            _try_lock(handle)
            if self._in_place(handle):
                return handle
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                os.close(handle)
                raise
        os.close(handle)
        return None

    def _in_place(self, handle: int) -> bool:
        """Whether the file we locked is the one that the next process would open: somebody may have deleted it."""
        try:
            return os.path.samestat(os.fstat(handle), self._path.stat())
        except FileNotFoundError:
            return False
