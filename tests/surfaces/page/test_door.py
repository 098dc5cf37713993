"""Who comes in at the page, and what a server costs that nobody looks at."""

from __future__ import annotations

import base64
import os
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import Server, running

HTML = {"Accept": "text/html"}
UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}


def _modules(server: Server) -> str:
    return Path(f"/proc/{server.process.pid}/maps").read_text()


def _resident(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) // 1024


def _socket(server: Server, **headers: str) -> int:
    """The status that a client gets which wants a WebSocket."""
    given = {
        **UPGRADE,
        "Host": f"127.0.0.1:{server.port}",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
    }
    lines = [f"{name}: {value}" for name, value in {**given, **headers}.items()]
    request = "\r\n".join(["GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1", *lines, "", ""])
    with socket.create_connection(("127.0.0.1", server.port), 60) as connection:
        connection.sendall(request.encode())
        return int(connection.recv(100).split()[1])


def test_nobody_looking_costs_nothing_and_a_browser_gets_a_page(tmp_path: Path) -> None:
    with running(tmp_path / "root") as server:
        assert "is running" in server.client.get("/").text
        assert server.client.head("/", headers=HTML).status_code == 200
        before = _resident(server)
        answer = server.client.get("/", headers=HTML)
        assert answer.status_code == 200
        assert "importmap" in answer.text
        assert _resident(server) - before < 60, "MB that the page adds"
        policy = answer.headers["content-security-policy"]
        nonce = policy.split("'nonce-")[1].split("'")[0]
        assert answer.text.count("<script") == answer.text.count(f'<script nonce="{nonce}"') > 3
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy.split("script-src")[1].split(";")[0]
        assert nonce not in server.client.get("/timeline", headers=HTML).headers["content-security-policy"]
        for name, value in {
            "x-frame-options": "DENY",
            "cache-control": "no-store",
            "x-content-type-options": "nosniff",
        }.items():
            assert answer.headers[name] == value
        assert server.client.post("/timeline").status_code == 405
        assert server.client.get("/nothing/of/ours", headers=HTML).json()["error"]["code"] == "HTTP_ERROR"
        going = {**HTML, "Sec-Fetch-Mode": "navigate"}
        lost = server.client.get("/nothing/of/ours", headers=going)
        assert (lost.status_code, "importmap" in lost.text) == (404, True), "a person is shown the page"
        assert server.client.get("/api/v1/nothing", headers=going).json()["error"]["code"] == "HTTP_ERROR"


def test_pages_from_elsewhere_reach_nothing(told: Server) -> None:
    evil = {"Origin": "http://evil.example"}
    assert _socket(told, Origin=told.url) == 101
    assert _socket(told) == 403, "browsers always say where they come from"
    assert _socket(told, **evil) == 403
    assert _socket(told, Origin="http://127.0.0.1:1") == 403, "another port is another origin"
    assert _socket(told, Host="evil.example", Origin="http://evil.example") == 403, "DNS rebinding"
    poll = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    assert told.client.get(poll, headers=evil).status_code == 403
    assert told.client.get(poll, headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert told.client.get("/memories", headers={**HTML, "Host": "evil.example"}).status_code == 403
    assert told.client.get("/memories", headers={**HTML, "Sec-Fetch-Site": "cross-site"}).status_code == 403
    followed = {**HTML, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert told.client.get("/memories", headers=followed).status_code == 200, "a link may be followed"


def test_without_the_extra_the_first_page_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "hidden").mkdir()
    blocker = tmp_path / "hidden" / "sitecustomize.py"
    blocker.write_text(
        "import importlib.util as u\nfound = u.find_spec\n"
        "u.find_spec = lambda name, package=None: None if name == 'nicegui' else found(name, package)\n"
    )
    with running(tmp_path / "root", {"PYTHONPATH": str(blocker.parent)}) as server:
        page = server.client.get("/", headers=HTML)
        assert "everlore[page]" in page.text
        assert server.client.get("/timeline", headers=HTML).status_code == 404
        assert _socket(server, Origin=server.url) != 101


@pytest.mark.parametrize("path", ["/", "/memories", "/settings", "/_nicegui_ws/socket.io/?EIO=4&transport=polling"])
def test_with_accounts_nobody_comes_in_without_signing_in(path: str, guarded: Server) -> None:
    answer = guarded.client.get(path, headers=HTML)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sign-in")
    assert _socket(guarded, Origin=guarded.url) == 403
    forged = {"Cookie": "everlore=" + "A" * 43}
    assert guarded.client.get(path, headers={**HTML, **forged}).status_code == 303


def test_a_ticket_of_the_owner_opens_once(guarded: Server) -> None:
    [registered] = guarded.root.glob(".everlore/server*.json")
    token = httpx.Response(200, content=registered.read_bytes()).json()["token"]
    assert guarded.client.post("/server/ticket").status_code == 403
    made: Any = guarded.client.post("/server/ticket", headers={"Authorization": f"Bearer {token}"}).json()
    first = guarded.client.get(made["path"])
    assert first.status_code == 303
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    guarded.client.cookies.clear()
    again = guarded.client.get(made["path"])
    assert "used already" in again.text
    assert "set-cookie" not in again.headers
    let_in = {**HTML, "Cookie": cookie.split(";")[0]}
    assert guarded.client.get("/settings", headers=let_in).status_code == 200
