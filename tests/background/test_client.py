"""The server of a vault as its clients find it: real processes, started, shared, killed, replaced."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import running as foreground

from everlore.background import client
from everlore.background.claim import take
from everlore.background.client import Unsent, ensure, find, request, stop
from everlore.background.place import Place, Server

Where = Callable[..., tuple[Place, dict[str, str]]]
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals as on POSIX")


def until(true: Callable[[], Any], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def begun(where: tuple[Place, dict[str, str]]) -> Server:
    server = ensure(*where)
    assert server is not None
    return server


def asked(server: Server, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
    headers = {"Content-Type": "application/json"} if body is not None else {}
    content = b"" if body is None else json.dumps(body).encode()
    with request(server, "GET" if body is None else "POST", path, content, headers=headers, seconds=60) as reply:
        return reply.status, json.loads(reply.body.read())


def is_alive(server: Server) -> bool:
    try:
        os.kill(server.pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_is_started_once_found_again_and_survives_who_started_it(where: Where) -> None:
    place, env = where()
    code = "from everlore.background import client, place; print(client.ensure(place.place_of()).pid)"
    done = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True, timeout=60)
    server = begun((place, env))
    assert server.pid == int(done.stdout)
    assert asked(server, "/health")[1]["status"] == "ok"
    assert stop(place, server)
    until(lambda: not is_alive(server))
    assert find(place) is None


def test_many_at_once_get_one(where: Where) -> None:
    place, env = where()
    with ThreadPoolExecutor(8) as pool:
        servers = list(pool.map(lambda _: begun((place, env)), range(8)))
    assert len({server.pid for server in servers}) == 1
    assert {asked(server, "/health")[0] for server in servers} == {200}
    assert "error" not in place.file("log").read_text(encoding="utf-8")


@posix_only
def test_a_killed_one_is_not_taken_for_a_living(where: Where) -> None:
    place, env = where()
    server = begun((place, env))
    os.kill(server.pid, signal.SIGKILL)
    until(lambda: find(place) is None)
    assert place.file("json").exists()
    with pytest.raises(Unsent), request(server, "GET", "/health"):
        pass
    assert begun((place, env)).pid != server.pid


def test_one_that_did_not_answer_is_not_found_again(where: Where) -> None:
    """Its files stay after a kill until the next server, which holds the lock by then, has removed them."""
    place, env = where()
    claim = take(place, 0)
    assert claim is not None
    claim.register("http://127.0.0.1:1", background=True)
    silent = begun((place, env))
    assert silent.pid == os.getpid()
    assert ensure(place, env, silent) is None, "it is the server all the same"
    with ThreadPoolExecutor(1) as pool:
        replaced = pool.submit(ensure, place, env, silent)
        time.sleep(0.2)
        claim.release()
        server = replaced.result()
    assert server is not None
    assert asked(server, "/health")[0] == 200


def test_only_who_can_read_its_token_is_let_in(where: Where) -> None:
    server = begun(where())
    body = {"user_id": "anna", "query": "tea"}
    assert asked(server, "/api/v1/memory/search", body)[0] == 200
    assert httpx.post(f"{server.url}/api/v1/memory/search", json=body).status_code == 401
    assert httpx.post(f"{server.url}/server/stop").status_code == 403
    told = {"Authorization": f"Bearer {server.token}"}
    assert httpx.post(f"{server.url}/api/v1/memory/search", json=body, headers=told).status_code == 200
    assert asked(server._replace(token="x"), "/api/v1/memory/search", body)[0] == 401
    assert asked(server, "/api/v1/mem/search", body)[0] == 401, "the gateway knows accounts only"
    assert httpx.get(f"{server.url}/health").json()["status"] == "ok"


def test_it_leaves_when_nobody_asks_but_not_while_messages_wait(where: Where) -> None:
    place, env = where({"EVEROS_BACKGROUND__IDLE_MINUTES": "0.03"})
    server = begun((place, env))
    said = {"sender_id": "anna", "role": "user", "timestamp": 1_780_000_000_000, "content": "I like tea."}
    assert asked(server, "/api/v1/memory/add", {"session_id": "s", "messages": [said]})[0] == 200
    time.sleep(4)
    assert find(place) == server
    assert asked(server, "/api/v1/memory/flush", {"session_id": "s"})[0] == 200
    until(lambda: not is_alive(server))
    assert find(place) is None
    assert "nobody has asked" in place.file("log").read_text(encoding="utf-8")


def test_an_older_one_makes_room_and_a_newer_one_is_used(where: Where) -> None:
    place, env = where()
    server = begun((place, env))
    told = json.loads(place.file("json").read_bytes())
    place.file("json").write_text(json.dumps(told | {"version": "99.0.0"}), encoding="utf-8")
    assert begun((place, env)).pid == server.pid
    place.file("json").write_text(json.dumps(told | {"version": "0.0.9"}), encoding="utf-8")
    newer = begun((place, env))
    assert newer.pid != server.pid
    until(lambda: not is_alive(server))
    assert asked(newer, "/health")[0] == 200


def test_another_store_has_another_server(where: Where) -> None:
    plain = begun(where())
    place, env = where({"EVEROS_SEARCH__DEFAULT_RADIUS": "0.5"})
    other = begun((place, env))
    assert other.pid != plain.pid
    assert [server for _, server in client.running(place.root)] == [other, plain]


def test_who_may_not_start_one_uses_one_that_runs(where: Where) -> None:
    place, env = where({"EVEROS_BACKGROUND__START": "false"})
    assert ensure(place, env) is None
    assert not place.root.exists()
    server = begun((place._replace(may_start=True), env))
    assert ensure(place, env) == server


def test_where_none_can_start_that_is_soon_known(where: Where, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert ensure(*where(root=tmp_path / "file" / "vault")) is None
    place, env = where()
    place.file("json").mkdir(parents=True)
    began = time.monotonic()
    assert ensure(place, env) is None
    assert time.monotonic() - began < client.START_SECONDS


def test_a_setting_that_is_wrong_ends_it_with_a_sentence(where: Where) -> None:
    place, env = where({"EVEROS_SEARCH__DEFAULT_RADIUS": "wide"})
    server = ensure(place, env)
    if server is not None:  # it listens before it reads its settings
        with pytest.raises(OSError), request(server, "GET", "/health"):  # noqa: PT011 - refused or reset
            pass
    until(lambda: find(place) is None)
    log = place.file("log").read_text(encoding="utf-8")
    assert "error: setting EVEROS_SEARCH__DEFAULT_RADIUS" in log
    assert "Traceback" not in log


def test_what_is_of_one_client_is_not_inherited(where: Where) -> None:
    place, env = where({"EVEROS_MCP__USER": "anna", "EVERME_API_BASE": "http://x", "EVEROS_API__PORT": "1"})
    server = begun((place, env))
    inherited = Path(f"/proc/{server.pid}/environ")
    if not inherited.exists():
        pytest.skip("needs /proc")
    names = {part.partition(b"=")[0] for part in inherited.read_bytes().split(b"\0")}
    assert {b"EVEROS_MCP__USER", b"EVERME_API_BASE"}.isdisjoint(names)
    assert not server.url.endswith(":1")


@pytest.mark.parametrize("how", ["moved", "deleted"])
def test_it_leaves_a_vault_that_is_not_there_any_more(where: Where, tmp_path: Path, how: str) -> None:
    place, env = where()
    server = begun((place, env))
    assert asked(server, "/health")[0] == 200
    elsewhere = tmp_path / "elsewhere"
    place.root.rename(elsewhere)
    if how == "deleted":
        for file in sorted(elsewhere.rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        elsewhere.rmdir()
    else:
        moved = begun(where(root=elsewhere))
        assert moved.pid != server.pid
        assert moved.vault == str(elsewhere)
    until(lambda: not is_alive(server))
    assert not place.root.exists(), "nothing is written where the vault was"


def test_one_in_a_terminal_takes_over_and_a_second_one_stands_beside(where: Where) -> None:
    place, env = where()
    server = begun((place, env))
    with foreground(place.root) as first:
        until(lambda: not is_alive(server))
        found = begun((place, env))
        assert (found.pid, found.url, found.background) == (first.process.pid, first.url, False)
        told = json.loads(place.file("json").read_bytes())
        place.file("json").write_text(json.dumps(told | {"version": "0.0.9"}), encoding="utf-8")
        assert begun((place, env)).pid == found.pid, "who started it decides when it ends"
        body = {"user_id": "anna", "query": "tea"}
        assert first.client.post("/api/v1/memory/search", json=body).status_code == 200, "its port is open, as ever"
        with foreground(place.root) as second:
            assert second.client.get("/health").status_code == 200
            assert begun((place, env)).pid == found.pid
        assert find(place) is not None
    assert find(place) is None


@pytest.mark.parametrize(("version", "older"), [("0.0.9", True), ("0.1.0", False), ("0.10", False), ("dev", True)])
def test_versions_are_compared_by_their_numbers(version: str, older: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "__version__", "0.1.0")
    assert client.is_older(version) is older
