"""A database whose disk is full: a clear error, nothing acknowledged is lost, and with room again all goes on.

The disk is real: a file system of a few megabytes in memory that holds the tables of the database, not its log.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from databases import QUICK, Postgres, postgres
from embeddings import Endpoint
from gates import quick
from serving import Api, Server, running

SIZE = 40
"""Megabytes. An empty database takes about ten."""
ROOM = 2**20
"""Left free, so that some requests still succeed before one does not."""
MOST = 200
TEA = "I drink Lapsang tea every morning."


@contextmanager
def small_disk() -> Iterator[Path]:
    # not below a test's own folder, which the user that runs the database may not enter
    folder = Path(tempfile.mkdtemp(prefix="small-"))
    folder.chmod(0o755)
    try:
        if sys.platform != "linux" or os.geteuid() != 0:
            pytest.skip("NOT TESTED: a full database; mounting a small disk needs root on Linux")
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={SIZE}m,mode=755", "tmpfs", folder], capture_output=True, text=True
        )
        if done.returncode:
            pytest.skip(f"NOT TESTED: a full database; a small disk could not be mounted: {done.stderr.strip()}")
        try:
            yield folder
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Ballast:
    """A file that takes what room there is."""

    def __init__(self, disk: Path) -> None:
        self._path = disk / "ballast"

    def fill(self, leave: int) -> None:
        with self._path.open("ab", buffering=0) as file:
            with suppress(OSError):
                while True:
                    file.write(bytes(2**12))
            assert os.statvfs(self._path).f_bavail == 0
            os.ftruncate(file.fileno(), file.tell() - leave)

    def drop(self) -> None:
        self._path.unlink()


@pytest.fixture
def disk() -> Iterator[Path]:
    with small_disk() as mounted:
        yield mounted


@pytest.fixture
def own(disk: Path) -> Iterator[Postgres]:
    with postgres(*QUICK) as running_database:
        yield running_database


@pytest.fixture
def server(own: Postgres, disk: Path, vectors: Endpoint, tmp_path: Path) -> Iterator[Server]:
    place = disk / "tables"
    place.mkdir()
    os.chown(place, Path(f"/proc/{own.process.pid}").stat().st_uid, -1)
    own.run(f"CREATE TABLESPACE small LOCATION '{place}'")
    own.run("CREATE DATABASE small TABLESPACE small")
    with running(tmp_path / "root", {"DATABASE_URL": own.url("small")} | quick(vectors)) as started:
        yield started


def said(text: str, at: int = 1_780_000_000_000) -> list[dict[str, object]]:
    return [{"sender_id": "alice", "role": "user", "timestamp": at, "content": text}]


def long(name: str) -> str:
    """A text that does not compress to less."""
    return f"{name} {secrets.token_hex(20_000)}"


def test_a_full_database_says_so_loses_nothing_and_goes_on_when_there_is_room(
    server: Server, disk: Path, own: Postgres
) -> None:
    api, ballast = Api(server.client, server.root), Ballast(disk)
    api.tell("before", TEA)
    talk = [f"Day {number} in the garden. {secrets.token_hex(2_000)}" for number in range(5)]
    for number, text in enumerate(talk):
        api.ok("add", session_id="talk", messages=said(text, 1_780_000_000_000 + number * 1000))
    ballast.fill(leave=ROOM)

    acknowledged: dict[str, str] = {}
    for number in range(MOST):
        session, text = f"s{number}", long(f"n{number}")
        answer = api.post("add", session_id=session, messages=said(text))
        if answer.status_code != 200:
            break
        acknowledged[session] = text
    assert 0 < len(acknowledged) < MOST, "some went in, and then the disk was full"
    ballast.fill(leave=0)

    for refused in (answer, api.post("flush", session_id="talk")):
        assert refused.status_code == 503, refused.text
        error = refused.json()["error"]
        assert error["code"] == "SYSTEM_ERROR"
        assert "is full" in error["message"]
        assert "make room and try again" in error["message"]
        assert own.password not in refused.text
    assert len(api.ok("search", user_id="alice", query="Lapsang tea")["episodes"]) == 1, "reading goes on"

    def waiting(session: str) -> list[str]:
        found = api.ok("search", user_id="alice", query="x", filters={"session_id": session})
        return sorted(message["content"] for message in found["unprocessed_messages"])

    assert waiting(session) == [], "what was refused is not there"
    assert waiting("talk") == talk, "what was acknowledged still is"

    ballast.drop()
    for _ in range(2):  # the client tries again, and once more because it is careful
        api.ok("add", session_id=session, messages=said(text))
    assert waiting(session) == [text]
    assert api.ok("flush", session_id="talk")["status"] == "extracted"
    assert api.ok("flush", session_id="talk")["status"] == "no_extraction"
    for name, kept in acknowledged.items():
        assert waiting(name) == [kept]
    episodes = api.ok("get", user_id="alice", memory_type="episode", page_size=100)["episodes"]
    told = [one["episode"] for one in episodes]
    for text in (TEA, *talk):
        assert sum(text[:60] in one for one in told) == 1, "each is remembered once"
    api.tell("after", "My sister Maria moved to Porto.")
    assert server.process.poll() is None, "it is the same process"
    log = server.log_path.read_text(encoding="utf-8")
    assert "Traceback" not in log
    assert own.password not in log
