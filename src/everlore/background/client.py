"""Finding a vault's server, starting it, and asking it: one request, one answer, over its socket.

HTTP/1.0 on purpose: an answer ends where the connection does, so there is nothing to take apart.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from everlore import __version__
from everlore.background.place import SYSTEM, Place, Server, registered
from everlore.lock import FileLock

if TYPE_CHECKING:
    import subprocess

START_SECONDS = 15.0
"""A server listens long before it can answer; that it takes so long means that it cannot start."""
STOP_SECONDS = 15.0
POLL_SECONDS = 0.01
OF_THE_CLIENT = ("EVEROS_MCP", "EVERME_", "EVERCLI_")
"""Variables that a server does not inherit: they are of one client, and come with its requests."""


class Reply:
    """What a server answers: `status`, and `body` to read from until it ends."""

    def __init__(self, connection: socket.socket, body: BinaryIO) -> None:
        self.body = body
        self._connection = connection
        words = body.readline().split()
        if len(words) < 2 or not words[1].isdigit():
            raise ConnectionResetError("the server closed the connection")
        self.status = int(words[1])
        while body.readline().strip():
            pass

    def abandon(self) -> None:
        """Called by another thread than the one that reads, which then finds the end."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)


def find(place: Place) -> Server | None:
    """The server of a place, if one runs."""
    server = registered(place)
    return server if server and _alive(server.pid) and _held(place) else None


def running(root: Path) -> Iterator[tuple[Place, Server]]:
    """All servers of a vault, also those of environments with other settings."""
    for file in sorted((root / SYSTEM).glob("server*.json")):
        place = Place(root, file.stem, may_start=False)
        if (server := find(place)) is not None:
            yield place, server


def _alive(pid: int) -> bool:
    """Whether there is a process of that number, which may be another one by now."""
    if sys.platform != "win32":  # there, it would end it
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True
    return True


def _held(place: Place) -> bool:
    """Whether the lock is: a server that was killed leaves all its files. The next one holds it, too, before it has
    registered itself."""
    if not place.file("lock").exists():
        return False
    lock = FileLock(place.file("lock"), seconds=0.0)
    try:
        lock.acquire()
    except TimeoutError:
        return True
    lock.release()
    return False


def ensure(place: Place, environ: Mapping[str, str] = os.environ, but: Server | None = None) -> Server | None:
    """The server, started if none runs. One of an older version that was started like this makes room for ours; a
    newer one is used. None where none runs and none can be started: then one's own process must do.

    `but`: one that did not answer. Its files stay until another has taken its place."""
    found = find(place)
    if found == but:
        found = None
    if found and not (found.background and is_older(found.version)):
        return found
    if not place.may_start or (found and not stop(place, found)):
        return found
    return _started(place, environ, but)


def is_older(version: str) -> bool:
    theirs, ours = ([int(part) if part.isdigit() else 0 for part in text.split(".")] for text in (version, __version__))
    return theirs < ours


def detached(command: Sequence[str], env: Mapping[str, str], folder: Path) -> subprocess.Popen[bytes]:
    """A process that outlives this one, and that nobody hears. Raises `OSError`."""
    import subprocess  # hooks and MCP processes that find a server start nothing, and are quicker without it

    flags = sum(getattr(subprocess, name, 0) for name in ("DETACHED_PROCESS", "CREATE_NEW_PROCESS_GROUP"))
    return subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        creationflags=flags,  # of Windows
    )


def _started(place: Place, environ: Mapping[str, str], but: Server | None) -> Server | None:
    from subprocess import TimeoutExpired  # the same

    kept = {name: value for name, value in environ.items() if not name.upper().startswith(OF_THE_CLIENT)}
    # -P: what lies in the vault is not to be imported
    command = [sys.executable, "-P", "-m", "everlore.background", str(place.root), place.name]
    try:
        place.root.mkdir(parents=True, exist_ok=True)
        process = detached(command, kept | {"EVEROS_MEMORY__ROOT": str(place.root)}, place.root)
    except OSError:
        return None
    deadline = time.monotonic() + START_SECONDS
    while (found := find(place)) in (None, but) and time.monotonic() < deadline:
        ended = process.poll()
        if ended or (ended == 0 and found and find(place) == but):  # it still is the server
            return None
        time.sleep(POLL_SECONDS)
    if found == but:
        return None
    if sys.platform != "win32":
        with contextlib.suppress(TimeoutExpired):
            process.wait(1.0)  # it has gone into the background by itself
    return found


@contextlib.contextmanager
def request(
    server: Server,
    method: str,
    path: str,
    body: bytes = b"",
    *,
    headers: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> Iterator[Reply]:
    """`seconds` may pass without a byte. Raises `OSError`: of `Unsent` nothing has reached the server."""
    given = {"Host": "localhost", "Authorization": f"Bearer {server.token}", "Content-Length": str(len(body))}
    lines = [f"{method} {path} HTTP/1.0", *(f"{name}: {value}" for name, value in {**given, **(headers or {})}.items())]
    with connected(server, seconds) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        with connection.makefile("rb") as answer:
            yield Reply(connection, answer)


class Unsent(ConnectionError):
    """There is no server any more where it was."""


def connected(server: Server, seconds: float | None = None) -> socket.socket:
    try:
        if server.socket and hasattr(socket, "AF_UNIX"):
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(seconds)
            try:
                connection.connect(server.socket)
            except OSError:
                connection.close()
                raise
            return connection
        host, _, port = server.url.rpartition("//")[2].rpartition(":")
        return socket.create_connection((host, int(port)), seconds)
    except OSError as error:
        raise Unsent(str(error)) from None


def stop(place: Place, server: Server, seconds: float = STOP_SECONDS) -> bool:
    """Ask a server to finish and leave; whether it has. One that does not listen is told by a signal."""
    try:
        with request(server, "POST", "/server/stop", seconds=seconds / 3) as reply:
            if reply.status != 200:
                raise ConnectionError(f"it answers {reply.status}")
    except OSError:
        with contextlib.suppress(OSError):
            os.kill(server.pid, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    while _held(place):
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_SECONDS)
    return True
