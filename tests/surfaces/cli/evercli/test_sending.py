"""What was sent is known, whenever the process was killed."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from evercli import Evercli
from serving import Server
from transcripts import ForUser, Own, claude_line, claude_project, until

from everlore.surfaces.cli.evercli.sending import BATCH_MESSAGES


@pytest.fixture
def own(server: Server, tmp_path: Path) -> Own:
    return Own(server, tmp_path.name)


@pytest.fixture
def cli(evercli: Evercli, server: Server) -> Evercli:
    return ForUser(evercli.home, {"EVERCLI_API_BASE_URL": server.url})


class _Gate(ThreadingHTTPServer):
    """Stands between evercli and the server: counts, and breaks the connection when told."""

    daemon_threads = True

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), _Through)
        self.target = target
        self.bodies: list[dict[str, Any]] = []
        self.swallow_after = 10**9
        self.reached = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Through(BaseHTTPRequestHandler):
    server: _Gate

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = httpx.post(
            f"{self.server.target}{self.path}", content=body, headers={"Content-Type": "application/json"}
        )
        if self.path.endswith("/add"):
            self.server.bodies.append(json.loads(body))
        if len(self.server.bodies) > self.server.swallow_after:
            self.server.reached.set()  # the server has it, and the caller never hears so
            time.sleep(30)
            return
        self.send_response(answer.status_code)
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def gate(own: Own) -> Iterator[_Gate]:
    with _Gate(own.server.url) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield served
        served.shutdown()


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
def test_a_killed_import_goes_on_where_it_stopped_and_doubles_nothing(cli: Evercli, own: Own, gate: _Gate) -> None:
    lines = [
        claude_line(
            "user" if number % 2 == 0 else "assistant",
            f"Remark {number} about the harbour.",
            f"2026-03-01T09:{number // 60:02}:{number % 60:02}Z",
        )
        for number in range(BATCH_MESSAGES * 2 + 10)
    ]
    claude_project(cli.home, "long", lines)
    here = {"EVERCLI_API_BASE_URL": gate.url}
    gate.swallow_after = 1
    process = cli.start("import", "run", "claude-code", env=here)
    assert gate.reached.wait(60)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    first = len(gate.bodies[0]["messages"])
    assert first == BATCH_MESSAGES
    gate.bodies.clear()
    gate.swallow_after = 10**9
    done = cli("import", "run", "--resume", env=here)
    assert done.data["imports"][0]["messages"] == len(lines) - first, "what was acknowledged is not sent again"
    told = " ".join(item["episode"] for item in until(own, 1))
    for number in (0, BATCH_MESSAGES - 1, BATCH_MESSAGES, BATCH_MESSAGES + 1, len(lines) - 1):
        assert told.count(f"Remark {number} about") == 1
    assert cli("import", "run", "claude-code", env=here).data["imports"][0]["messages"] == 0


def test_a_server_that_goes_away_is_a_network_error_that_says_how_to_go_on(cli: Evercli, own: Own) -> None:
    claude_project(cli.home, "x", [claude_line("user", "I like rain.", "2026-03-01T09:00:00Z")])
    done = cli("import", "run", env={"EVERCLI_API_BASE_URL": "http://127.0.0.1:1"})
    assert (done.code, done.error["type"]) == (4, "network")
    assert "--resume" in done.error["hint"]
