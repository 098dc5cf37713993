"""Commands are carried to the vault's server, and work without one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from commanding import answering
from serving import clean_env, everlore

from everlore.background import client
from everlore.errors import Unavailable
from everlore.surfaces.cli.asking import asking


@pytest.mark.parametrize("start", ["true", "false"])
def test_it_works_with_and_without_a_server(tmp_path: Path, start: str) -> None:
    root, env = tmp_path / "root", {"EVEROS_BACKGROUND__START": start}
    assert everlore("add", "I live in Wels.", root=root, env=env).returncode == 0
    assert "Wels" in everlore("search", "where do I live?", root=root, env=env).stdout
    running = json.loads(everlore("status", "--json", root=root, env=env).stdout)["running"]
    assert running == (start == "true")


def test_with_a_server_a_command_loads_no_engine(tmp_path: Path) -> None:
    root = tmp_path / "root"
    everlore("add", "My dentist is Dr. Huber.", root=root)
    script = (
        "import sys, runpy\nsys.argv = ['everlore', 'search', 'dentist']\n"
        "try:\n    runpy.run_module('everlore', run_name='__main__')\nexcept SystemExit:\n    pass\n"
        "heavy = {'fastapi', 'numpy', 'apsw', 'onnxruntime', 'everlore.engine', 'rich', 'httpx'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=clean_env(root), capture_output=True, encoding="utf-8", check=True)
    assert "dentist" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
def test_a_server_that_was_killed_is_replaced(tmp_path: Path) -> None:
    root = tmp_path / "root"
    everlore("add", "I live in Wels.", root=root)
    [server] = json.loads(everlore("status", "--json", root=root).stdout)["servers"]
    os.kill(server["pid"], signal.SIGKILL)
    assert "Wels" in everlore("search", "where do I live?", root=root).stdout
    [other] = json.loads(everlore("status", "--json", root=root).stdout)["servers"]
    assert other["pid"] != server["pid"]


@pytest.mark.parametrize(
    ("answer", "lost"), [(b"", True), (b"HTTP/1.0 500 No\r\n\r\n", True), (b"HTTP/1.0 404 No\r\n\r\n", False)]
)
def test_nothing_is_done_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes, lost: bool) -> None:
    """Of what changes something, a server that dies in the middle leaves nobody sure; one that knows nothing of it
    did nothing, and what only reads is asked here."""
    listener, server = answering(answer)
    monkeypatch.setattr(client, "ensure", lambda *_, **__: server)
    for name, value in clean_env(tmp_path / "root").items():
        monkeypatch.setenv(name, value)
    with closing(listener), asking() as ask:
        if lost:
            with pytest.raises(Unavailable, match="nobody knows"):
                ask("add", changes=True, text="I live in Wels.")
            assert ask("log")["rows"] == []
        else:
            assert ask("add", changes=True, text="I live in Wels.")["learnt"] == ["User lives in Wels."]
