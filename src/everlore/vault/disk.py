"""How files of the vault are read without being held up, who writes to one just now, and errors of a disk in our words.

What is in a file that another program has open for writing (an editor that saves slowly, a copy over the network) is
not what it will hold, and what is put in its place that program never sees. Linux tells: nobody gets a read lease on a
file that somebody writes to. Windows does not let such a file be replaced. Elsewhere, on disks that know no leases, and
on those of another machine, which alone would know, nobody is seen.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
import sys
import time
from collections.abc import Collection, Iterator
from io import FileIO
from pathlib import Path

from everlore.durable import make_folder, sync_folder, temporary
from everlore.errors import EverloreError, InvalidInput, Obstructed, Unavailable, Unreadable

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)

LARGEST = 16 * 2**20
READ_SECONDS = 20.0
STEP = 2**20
ATTEMPTS = 20
BIN = "bin"
REMOTE = ("nfs", "nfs4", "cifs", "smb3")
"""Disks that refuse a lease in the same words when their server did not hand the file over, which it need not do."""
MOUNTS = Path("/proc/self/mountinfo")


def load(file: Path, path: str, limit: int = LARGEST) -> tuple[bytes, os.stat_result] | None:
    """Content and stamp that belong together, also while an editor is writing; None where there is no such file.

    The only way in which a file of the vault is read. Nobody is held up by what is no plain file, is too large, or
    never ends: that is `Unreadable`, by its name.
    """
    for _ in range(ATTEMPTS):
        try:
            descriptor = os.open(file, _READ)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno == errno.ENXIO:  # a socket, or a device that is not there
                raise Unreadable(f"{path}, it is no plain file; move it away") from None
            raise
        with open(descriptor, "rb", buffering=0) as opened:  # noqa: PTH123 - a descriptor has no path
            before = os.fstat(descriptor)
            if stat.S_ISDIR(before.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
            if not stat.S_ISREG(before.st_mode):
                raise Unreadable(f"{path}, it is no plain file; move it away")
            content = _content(opened, before.st_size, path, limit)
            after = os.fstat(descriptor)
        if before.st_mtime_ns == after.st_mtime_ns and after.st_size == len(content):
            return content, after
        time.sleep(0.005)
    raise Unavailable(f"{path} is being written by another program; try again")


def _content(file: FileIO, size: int, path: str, limit: int) -> bytes:
    deadline = time.monotonic() + READ_SECONDS
    read, parts = 0, list[bytes]()
    while size <= limit and read <= limit:
        part = file.read(min(STEP, limit + 1 - read))
        if not part:
            return b"".join(parts)
        parts.append(part)
        read += len(part)
        if time.monotonic() > deadline:
            raise Unreadable(f"{path}, it cannot be read within {READ_SECONDS:.0f} s: check the disk")
    raise Unreadable(f"{path}, it is larger than {limit} bytes: split it, or raise EVEROS_MEMORY__MAX_FILE_BYTES")


@contextlib.contextmanager
def translated(path: str) -> Iterator[None]:
    """Give the operating system's errors a class and a sentence."""
    try:
        yield
    except EverloreError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ):
            raise InvalidInput(f"{path[:80]} cannot be a path on this disk ({reason}); use a shorter id") from None
        if error.errno in (errno.EXDEV, errno.ELOOP, errno.EISDIR, errno.ENOTDIR):
            raise Obstructed(f"{path}: {reason}; a vault is plain folders on one disk") from None
        raise Unavailable(f"{path} cannot be read or written: {reason}; nothing was lost") from None


class FolderShelf:
    """A folder of blobs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, content: bytes) -> None:
        with translated(name):
            make_folder(self._folder)
            with temporary(content, self._folder) as file:
                file.replace(self._folder / name)
            sync_folder(self._folder)

    def get(self, name: str) -> bytes | None:
        with translated(name):
            try:
                return (self._folder / name).read_bytes()
            except FileNotFoundError:
                return None

    def names(self) -> list[str]:
        with translated(str(self._folder)), contextlib.suppress(FileNotFoundError):
            return sorted(file.name for file in self._folder.iterdir() if not file.name.startswith("."))
        return []

    def drop(self, names: Collection[str]) -> None:
        with translated(str(self._folder)), contextlib.suppress(FileNotFoundError):
            for name in names:
                (self._folder / name).unlink(missing_ok=True)
            sync_folder(self._folder)


if sys.platform == "linux":
    from fcntl import F_RDLCK, F_SETLEASE, F_SETSIG, F_UNLCK, fcntl

    def being_written(file: Path) -> bool:
        try:
            descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return False
        try:
            # whoever opens the file in this very moment breaks the lease, and the usual signal for that ends a process
            fcntl(descriptor, F_SETSIG, signal.SIGURG)
            fcntl(descriptor, F_SETLEASE, F_RDLCK)
            fcntl(descriptor, F_SETLEASE, F_UNLCK)
        except OSError as error:
            return error.errno == errno.EAGAIN and not _remote(os.fstat(descriptor).st_dev)
        finally:
            os.close(descriptor)
        return False

    def _remote(device: int) -> bool:
        number = f"{os.major(device)}:{os.minor(device)}"
        with contextlib.suppress(OSError):
            for line in MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines():
                place, _, kind = line.partition(" - ")
                if place.split()[2] == number:
                    return kind.split()[0] in REMOTE
        return False

else:

    def being_written(file: Path) -> bool:  # noqa: ARG001
        return False
