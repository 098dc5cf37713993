"""What makes a process the server of its vault: a lock that dies with it, sockets, and a file that tells clients.

The lock is held and the sockets listen before anything heavy is imported: clients that come meanwhile wait in line.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import stat
import tempfile
import time
from pathlib import Path

from everlore import __version__
from everlore.background.place import Place, Server, registered
from everlore.lock import FileLock

PRIVATE = 0o600
LONGEST_ADDRESS = 100
"""Bytes of a Unix socket's path; systems take 104 or 108 with the end."""
BACKLOG = 512
POLL_SECONDS = 0.02
A_MOMENT = 0.3
LARGEST_LOG = 2 << 20


class Claim:
    """Of a process to be the server of a place. Made by `take`."""

    def __init__(self, place: Place, lock: FileLock) -> None:
        self.place = place
        self.token = os.urandom(16).hex()
        self.background = False
        self._lock = lock
        self._seen = place.file("lock").stat()
        self._socket: Path | None = None
        self._registered = False

    def listen(self) -> socket.socket | None:
        """On a socket of the operating system; None where there is none, or none can be made."""
        if not hasattr(socket, "AF_UNIX"):
            return None
        beside = self.place.file("sock")
        for place in (lambda path: path, _elsewhere):
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                path = place(beside)
                if len(os.fsencode(path)) > LONGEST_ADDRESS:
                    raise OSError("its path is too long")
                path.unlink(missing_ok=True)  # of a server that was killed: the lock is ours
                listener.bind(str(path))
                path.chmod(PRIVATE)
                listener.listen(BACKLOG)
            except OSError:
                listener.close()
                continue
            self._socket = path
            return listener
        return None

    def register(self, url: str, *, background: bool) -> None:
        """Tell clients. `background`: one of them started it. Raises `OSError` when it cannot be written."""
        self.background = background
        told = Server(
            pid=os.getpid(),
            version=__version__,
            vault=os.path.realpath(self.place.root),
            socket=str(self._socket or ""),
            url=url,
            token=self.token,
            started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            background=background,
        )
        descriptor, name = tempfile.mkstemp(dir=self.place.file("json").parent, prefix=".server-")  # for its owner only
        try:
            with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor has no path
                json.dump(told._asdict(), file)
            Path(name).replace(self.place.file("json"))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        self._registered = True

    def in_place(self) -> bool:
        """Whether the vault is where it was: somebody may have moved or deleted it."""
        try:
            return os.path.samestat(self.place.file("lock").stat(), self._seen)
        except OSError:
            return False

    def withdraw(self) -> None:
        """Before it stops: nobody new is to come. What is registered elsewhere by now is left alone."""
        if self.in_place() and self._registered:
            self._registered = False
            with contextlib.suppress(OSError):
                self.place.file("json").unlink(missing_ok=True)
                if self._socket is not None:
                    self._socket.unlink(missing_ok=True)

    def release(self) -> None:
        self.withdraw()
        with contextlib.suppress(OSError):
            self._lock.release()


def take(place: Place, seconds: float) -> Claim | None:
    """None when another process is the server, or does not let go of it for so long. Raises `OSError` where nothing
    can be written."""
    place.file("lock").parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(place.file("lock"), seconds=0.0)
    began = time.monotonic()
    while True:
        try:
            lock.acquire()
        except TimeoutError:
            # a client that only looks holds it for less than a moment; without a file, somebody begins or ends
            patience = min(seconds, A_MOMENT) if registered(place) else seconds
            if time.monotonic() >= began + patience:
                return None
            time.sleep(POLL_SECONDS)
        else:
            with contextlib.suppress(OSError):
                place.file("json").unlink(missing_ok=True)  # of one that was killed
            return Claim(place, lock)


def _elsewhere(beside: Path) -> Path:
    """A private folder for sockets whose own path is too long, or on a disk that has none."""
    user = os.getuid()
    folder = Path(tempfile.gettempdir()) / f"everlore-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != user or stat.S_IMODE(found.st_mode) & 0o077:
        raise OSError(f"{folder} is not this user's alone")
    return folder / f"{hashlib.sha256(os.fsencode(beside)).hexdigest()[:16]}.sock"


def log_to(path: Path) -> None:
    """What this process writes to standard output and error goes to a file. Called again, it begins a new one when that
    has grown large."""
    with contextlib.suppress(FileNotFoundError):
        if (found := path.stat()).st_size > LARGEST_LOG:
            path.replace(path.with_name(f"{path.name}.1"))
        elif os.path.samestat(found, os.fstat(2)):
            return
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE)
    for standard in (1, 2):
        os.dup2(descriptor, standard)
    os.close(descriptor)
