"""Whether another program has a file open for writing just now: an editor that saves slowly, a copy over the network.

What is in such a file is not what it will hold, and what is put in its place the other program never sees. Linux tells:
nobody gets a read lease on a file that somebody writes to. Windows does not let such a file be replaced. Elsewhere, on
disks that know no leases, and on those of another machine, which alone would know, nobody is seen.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

REMOTE = ("nfs", "nfs4", "cifs", "smb3")
"""Disks that refuse a lease in the same words when their server did not hand the file over, which it need not do."""
MOUNTS = Path("/proc/self/mountinfo")

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
        with suppress(OSError):
            for line in MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines():
                place, _, kind = line.partition(" - ")
                if place.split()[2] == number:
                    return kind.split()[0] in REMOTE
        return False

else:

    def being_written(file: Path) -> bool:  # noqa: ARG001
        return False
