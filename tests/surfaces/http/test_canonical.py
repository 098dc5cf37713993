"""A database that nothing else could give back is missed when it is gone, damaged or older."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import httpx
import pytest
from serving import Server

Start = Callable[..., Server]
SYSTEM = ".everlore"


def add(server: Server, session: str, text: str) -> httpx.Response:
    message = {"sender_id": "alice", "role": "user", "timestamp": 1_780_000_000_000, "content": text}
    return server.client.post("/api/v1/memory/add", json={"session_id": session, "messages": [message]})


def flush(server: Server, session: str) -> httpx.Response:
    return server.client.post("/api/v1/memory/flush", json={"session_id": session})


def health(server: Server) -> dict[str, Any]:
    found: dict[str, Any] = server.client.get("/health").json()
    return found


def everlore(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"EVEROS_MEMORY__ROOT": str(root), "EVEROS_BACKGROUND__START": "false"}
    command = [sys.executable, "-m", "everlore", *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def settled(file: Path) -> Path:
    """All that the log has is in the file."""
    with contextlib.closing(apsw.Connection(str(file))) as db:
        db.execute("SELECT 1 FROM sqlite_schema").fetchall()  # else there is no log yet to be read
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    return file


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def removed(file: Path) -> None:
    file.unlink()


def flipped(file: Path) -> None:
    content = bytearray(file.read_bytes())
    for at in range(4096, len(content), 512):
        content[at] ^= 0xFF
    file.write_bytes(content)


HARMS = [emptied, removed, flipped]
NOTICED_SECONDS = 30.0
"""A database that changes is read for a twentieth of the time at most, which on a busy machine is not at once."""


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with every database that nothing else gives back, but for results of dispatched calls."""
    root, folder = tmp_path_factory.mktemp("used") / "root", tmp_path_factory.mktemp("site")
    (folder / "main.py").write_text("def greet():\n    return 'hello'\n", encoding="utf-8")
    (folder / "page.md").write_text("# A page\n", encoding="utf-8")
    for words in (
        ("keys", "create", "--name", "a"),
        ("code", "index", str(folder)),
        ("content", "import", str(folder)),
    ):
        done = everlore(root, *words)
        assert done.returncode == 0, done.stderr
    return root


@pytest.mark.parametrize("harm", HARMS)
def test_each_database_that_nothing_else_gives_back_is_missed(
    used: Path, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    root, names = tmp_path / "root", ("accounts.db", "content.db", "projects.db", "state.db")
    shutil.copytree(used, root)
    for name in names:
        harm(settled(root / SYSTEM / name))
    done = everlore(root, "doctor")
    assert done.returncode == 1
    errors = [line for line in done.stdout.splitlines() if line.startswith("error")]
    assert [name for name in names if not any(name in line for line in errors)] == [], done.stdout


@pytest.mark.parametrize("harm", HARMS)
def test_a_buffer_that_is_harmed_while_the_server_runs_is_told(start: Start, harm: Callable[[Path], None]) -> None:
    server = start()
    assert add(server, "s", "I keep bees.").status_code == 200
    assert health(server)["status"] == "ok"
    harm(settled(server.root / SYSTEM / "state.db"))
    deadline = time.monotonic() + NOTICED_SECONDS
    while (shown := health(server))["status"] == "ok" and time.monotonic() < deadline:
        time.sleep(0.1)
    assert shown["status"] == "degraded"
    assert any("state.db" in problem for problem in shown["problems"])
    ready = server.client.get("/readyz")
    assert ready.status_code == 503
    assert "state.db" in ready.json()["checks"]["databases"]
    for answer in (flush(server, "s"), add(server, "s", "More.")):
        assert answer.status_code == 503
        assert "doctor --repair" in answer.json()["error"]["message"]


@pytest.mark.parametrize("harm", HARMS)
def test_a_buffer_that_was_harmed_while_nobody_ran_is_told_and_repaired(
    start: Start, harm: Callable[[Path], None]
) -> None:
    server = start()
    for number in range(40):
        assert add(server, f"s{number}", f"I keep {number} bees. " * 20).status_code == 200
    root = server.root
    server.stop()
    harm(root / SYSTEM / "state.db")
    told = everlore(root, "doctor", "--json")
    assert told.returncode == 1
    assert any("state.db" in one["what"] for one in json.loads(told.stdout) if one["level"] == "error")
    server = start()
    assert any("state.db" in problem for problem in health(server)["problems"])
    assert flush(server, "s1").status_code == 503
    repaired = everlore(root, "doctor", "--repair")
    assert "lost" in repaired.stderr
    assert health(server)["status"] == "ok"
    assert add(server, "after", "I cook ramen.").status_code == 200
    assert flush(server, "after").json()["data"]["status"] == "extracted"
    kept = list((root / SYSTEM / "damaged").glob("*/state.db"))
    assert bool(kept) == (harm is not removed)


def test_a_buffer_that_is_older_than_it_was_is_told(start: Start) -> None:
    server = start()
    assert add(server, "s", "I keep bees.").status_code == 200
    root = server.root
    server.stop()
    shutil.copy(root / SYSTEM / "state.db", root / "old")
    server = start()
    assert add(server, "s", "I play the violin.").status_code == 200
    server.stop()
    for ending in ("-wal", "-shm"):
        Path(root / SYSTEM / f"state.db{ending}").unlink(missing_ok=True)
    shutil.copy(root / "old", root / SYSTEM / "state.db")
    server = start()
    assert any("older" in problem for problem in health(server)["problems"])
    assert "older" in flush(server, "s").json()["error"]["message"]
    everlore(root, "doctor", "--repair")
    assert health(server)["status"] == "ok"
    assert flush(server, "s").json()["data"]["status"] == "extracted"


def test_damaged_accounts_stop_nobody_else_and_the_doctor_names_them(start: Start) -> None:
    server = start()
    root = server.root
    server.stop()
    assert everlore(root, "keys", "create", "--name", "me").returncode == 0
    file = root / SYSTEM / "accounts.db"
    file.write_bytes(b"garbage " * 1000)
    server = start()
    assert any("accounts.db" in problem for problem in health(server)["problems"])
    assert add(server, "s", "I keep bees.").status_code == 200
    assert "accounts.db" in everlore(root, "doctor").stdout
    assert "accounts.db" in everlore(root, "doctor", "--repair").stderr
    assert health(server)["status"] == "ok"


def test_a_file_that_comes_back_is_used_again(start: Start) -> None:
    server = start()
    assert add(server, "s", "I keep bees.").status_code == 200
    file = server.root / SYSTEM / "state.db"
    file.rename(file.with_suffix(".away"))
    assert flush(server, "s").status_code == 503
    file.with_suffix(".away").rename(file)
    assert flush(server, "s").json()["data"]["status"] == "extracted"
    assert health(server)["status"] == "ok"
