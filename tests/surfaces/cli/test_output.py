"""How commands speak in pipes and terminals."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commanding import about, in_terminal
from serving import Api, clean_env, everlore, running


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with one episode, and no server on it any more."""
    root = tmp_path_factory.mktemp("cli") / "root"
    with running(root) as server:
        api = Api(server.client, root)
        api.tell("s", "I love climbing in Yosemite every spring.")
        api.until("get", lambda d: d["count"] == 1, user_id="alice", memory_type="episode")
    # the watcher may have seen the new files only when the server was stopping, and left them to the next one
    assert everlore("index", "sync", root=root).returncode == 0
    return root


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["code", "list"], "everlore code index"),
        (["code", "status"], "everlore code index"),
        (["keys", "list", "--format", "text"], "everlore keys create"),
        (["keys", "audit", "--format", "text"], "nothing"),
    ],
)
def test_an_empty_list_says_so_beside_the_result(tmp_path: Path, command: list[str], told: str) -> None:
    done = everlore(*command, root=tmp_path / "root")
    assert (done.returncode, done.stdout) == (0, "")
    assert told in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_findings_in_a_terminal_have_colours(vault: Path) -> None:
    terminal, inside = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "everlore", "doctor"],
        env=clean_env(vault, {"TERM": "xterm-256color"}),
        stdin=subprocess.DEVNULL,
        stdout=inside,
        stderr=inside,
    )
    os.close(inside)
    shown = b""
    with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error
        while chunk := os.read(terminal, 4096):
            shown += chunk
    os.close(terminal)
    assert process.wait(60) == 0
    assert b"\x1b[32m" in shown
    assert str(vault).encode() in shown, "no colours inside of names"


def test_a_reader_that_leaves_early_causes_no_traceback(vault: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "everlore", "index", "status"],
        env=clean_env(vault),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.wait(60)
    process.stderr.close()
    assert b"Traceback" not in errors


def test_a_memory_gives_no_orders_to_a_terminal(tmp_path: Path) -> None:
    root = tmp_path / "root"
    everlore("add", "My locker \x1b]0;owned\x07 has the \x9b31mnumber 12.", root=root)
    found = about(root, "locker")
    for shown in (
        everlore("search", "locker", root=root).stdout,
        everlore("show", found, root=root).stdout,
        everlore("forget", found, root=root).stderr,
        in_terminal(root, "search", "locker", NO_COLOR="1"),
    ):
        assert "number 12" in shown
        assert "\x1b]" not in shown
        assert "\x9b" not in shown
        assert "\x07" not in shown
