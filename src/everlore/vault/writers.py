"""Whether another program has a file open for writing just now: an editor that saves slowly, a copy over the network.

What is in such a file is not what it will hold, and what is put in its place the other program never sees. Linux tells:
nobody gets a read lease on a file that somebody writes to. Windows does not let such a file be replaced. Elsewhere, and
on disks that know no leases, nobody is seen.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path

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
            return error.errno == errno.EAGAIN
        finally:
            os.close(descriptor)
        return False

else:

    def being_written(file: Path) -> bool:  # noqa: ARG001
        return False
