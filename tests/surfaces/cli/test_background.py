"""`everlore status`, `start` and `stop`, as a person types them."""

from __future__ import annotations

import json
import webbrowser
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from commanding import answering
from serving import everlore, running

from everlore.background import client
from everlore.errors import Unavailable
from everlore.surfaces.cli.background import open_page


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "vault"
    everlore("stop", root=tmp_path / "vault")


def test_a_server_from_start_to_stop(root: Path) -> None:
    before = everlore("status", root=root)
    assert (before.returncode, before.stderr) == (0, "")
    assert "none runs" in before.stdout
    assert not root.exists(), "looking changes nothing"
    started = everlore("start", root=root)
    assert started.returncode == 0, started.stderr
    assert "in the background" in started.stdout
    told = json.loads(everlore("status", "--json", root=root).stdout)
    assert (told["vault"], told["running"]) == (str(root), True)
    (server,) = told["servers"]
    assert server["health"]["status"] == "ok"
    assert "token" not in server
    assert str(server["pid"]) in everlore("start", root=root).stdout, "the same one"
    stopped = everlore("stop", root=root)
    assert (stopped.returncode, stopped.stdout) == (0, f"stopped\tprocess {server['pid']}, {server['url']}\n")
    assert json.loads(everlore("stop", "--json", root=root).stdout) == {"vault": str(root), "stopped": []}
    again = everlore("stop", root=root)
    assert (again.returncode, again.stdout) == (0, "")
    assert f"no server runs for {root}" in again.stderr
    assert json.loads(everlore("status", "--json", root=root).stdout)["running"] is False


def test_one_in_a_terminal_is_told_and_stopped_as_well(root: Path) -> None:
    with running(root) as server:
        told = everlore("status", root=root).stdout
        assert server.url in told
        assert "in a terminal or by a service" in told
        assert everlore("stop", root=root).returncode == 0
        assert server.process.wait(60) == 0


def test_what_keeps_it_from_starting_is_said(root: Path) -> None:
    done = everlore("start", root=root, env={"EVEROS_SEARCH__DEFAULT_RADIUS": "wide"})
    assert done.returncode == 1
    assert "EVEROS_SEARCH__DEFAULT_RADIUS" in done.stderr
    assert "Traceback" not in done.stderr
    root.parent.joinpath("file").write_text("x", encoding="utf-8")
    blocked = everlore("start", root=root.parent / "file" / "vault")
    assert blocked.returncode == 1
    assert blocked.stderr.startswith("error: no server could be started for ")


@pytest.mark.parametrize("browser", [True, False])
def test_the_page_is_opened_with_a_ticket(
    browser: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def start(address: str) -> bool:
        opened.append(address)
        return browser

    monkeypatch.setattr(webbrowser, "open", start)
    listener, server = answering(b'HTTP/1.0 200 OK\r\n\r\n{"path": "/sign-in?ticket=t1"}')
    monkeypatch.setattr(client, "ensure", lambda _: server)
    with closing(listener):
        open_page(as_json=False)
    assert opened == [f"{server.url}/sign-in?ticket=t1"]
    told = capsys.readouterr()
    assert told.out == (f"opened {server.url}\n" if browser else f"{opened[0]}\n")
    assert ("no browser" in told.err) == (not browser)


def test_a_server_without_a_page_is_told_from_one_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    listener, server = answering(b"HTTP/1.0 404 Not Found\r\n\r\n")
    monkeypatch.setattr(client, "ensure", lambda _: server)
    with closing(listener), pytest.raises(Unavailable, match="everlore stop"):
        open_page(as_json=False)
