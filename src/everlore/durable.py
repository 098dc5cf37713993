"""Files that are whole or not there at all, also after a power cut: written apart, synced, put in place in one step.

with temporary(content, folder) as file:
    file.replace(target)
sync_folder(target.parent)
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

try:
    from fcntl import F_FULLFSYNC, fcntl  # type: ignore[attr-defined,unused-ignore]
except ImportError:
    F_FULLFSYNC = None


@contextlib.contextmanager
def temporary(content: bytes, folder: Path, mode: int = 0o600) -> Iterator[Path]:
    """A synced file with this content, which is gone afterwards unless it took another's place."""
    import tempfile  # writing is rare; what only reads starts without it

    descriptor, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=".tmp")
    file = Path(name)
    try:
        with open(descriptor, "wb") as opened:  # noqa: PTH123 - a descriptor has no path
            opened.write(content)
            opened.flush()
            if os.name != "nt":
                file.chmod(mode)
            _sync(opened.fileno())
        yield file
    finally:
        file.unlink(missing_ok=True)


def _sync(descriptor: int) -> None:
    if F_FULLFSYNC is not None:  # macOS: fsync alone stops at the drive's cache
        with contextlib.suppress(OSError):
            fcntl(descriptor, F_FULLFSYNC)
            return
    os.fsync(descriptor)


def sync_folder(folder: Path) -> None:
    """What appeared in a folder, or left it, stays so."""
    if os.name == "nt":
        return  # Windows has no such call
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network disks refuse it for folders
            raise
    finally:
        os.close(descriptor)


def make_folder(folder: Path, mode: int | None = None) -> None:
    """Create a folder durably, with those above it; each has the rights of the one that it is in."""
    if folder.is_dir():
        return
    make_folder(folder.parent, mode)
    rights = folder.parent.stat().st_mode & 0o777 if mode is None else mode
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        if os.name != "nt" and rights != 0o700:
            folder.chmod(rights)
        sync_folder(folder.parent)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "it is a file where a folder must be; move it away", str(folder))


def file_rights(folder: Path) -> int:
    """What a new file may have in a folder: whoever may look into the folder may read the file."""
    return folder.stat().st_mode & 0o666 | 0o600
