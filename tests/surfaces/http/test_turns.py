"""Files of one client wait for each other, and for nobody else does anything wait for them."""

from __future__ import annotations

import base64
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import Api, Server

from everlore.surfaces.http.turns import MOST

PAGE = "<table><tr><td>x</td></tr></table>" * 4000
"""Takes some seconds to be read."""
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")


def page(number: int, text: str = PAGE) -> dict[str, Any]:
    content = [{"type": "html", "base64": base64.b64encode(text.encode()).decode(), "ext": "html"}]
    return {"sender_id": "a", "role": "user", "timestamp": 1_780_000_000_000 + number, "content": content}


def parsers(server: Server) -> list[int]:
    """Children of the server that read files."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == server.process.pid and b"everlore.models.media.child" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except (OSError, ValueError):
            continue
    return found


def until(found: Any, seconds: float = 120.0) -> bool:
    deadline = time.monotonic() + seconds
    while not found() and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(found())


def test_text_is_taken_while_many_files_wait(start: Any) -> None:
    server = start()
    api = Api(server.client, server.root)
    statuses: list[int] = []

    def send(number: int) -> None:
        body = {"app_id": api.app_id, "project_id": "p", "session_id": f"f{number}", "messages": [page(number)]}
        try:
            with httpx.Client(base_url=server.url, timeout=600) as client:
                statuses.append(client.post("/api/v1/memory/add", json=body).status_code)
        except httpx.HTTPError:
            statuses.append(0)

    for number in range(MOST + 4):
        threading.Thread(target=send, args=(number,), daemon=True).start()
    assert until(lambda: parsers(server))
    assert until(lambda: statuses.count(429) == 4), "a queue has an end"
    read = statuses.count(200)
    for number in range(10):
        message = {
            "sender_id": "b",
            "role": "user",
            "timestamp": 1_780_000_000_000,
            "content": f"I like pears {number}.",
        }
        api.ok("add", session_id=f"t{number}", messages=[message])
        api.ok("flush", session_id=f"t{number}")
    assert statuses.count(200) - read < MOST - 2, "text did not wait for all the files"
    assert len(parsers(server)) <= 1, "one request of a client is read at a time"


def test_a_file_is_read_no_longer_when_its_client_has_gone(start: Any) -> None:
    server = start()
    body = {"session_id": "s", "messages": [page(1, PAGE * 20)]}
    with httpx.Client(base_url=server.url) as client, pytest.raises(httpx.TimeoutException):
        client.post("/api/v1/memory/add", json=body, timeout=10)
    assert until(lambda: not parsers(server), 30)
    assert server.client.get("/health").status_code == 200
