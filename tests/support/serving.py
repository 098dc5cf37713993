"""A real server process on a real socket, and a client that speaks the contract to it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

START_SECONDS = 120.0
INDEX_SECONDS = 120.0
IDLE_MINUTES = "0.2"
"""A server that a test's processes started in the background is gone soon after the last of them."""
SERVER = (sys.executable, "-m", "everlore", "server", "start", "--port", "0")


def clean_env(root: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment without settings of the machine the tests run on."""
    foreign = ("ENV", "DATABASE_URL")
    kept = {n: value for n, value in os.environ.items() if not n.startswith("EVEROS_") and n not in foreign}
    ours = {
        "EVEROS_MEMORY__ROOT": str(root),
        "PYTHONUNBUFFERED": "1",
        "EVEROS_MCP__USER_NAME": "User",
        "EVEROS_BACKGROUND__IDLE_MINUTES": IDLE_MINUTES,
    }
    return kept | ours | dict(extra or {})


def everlore(
    *args: str, root: Path | None = None, env: Mapping[str, str] | None = None, module: str = "everlore"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *args],
        env=clean_env(root or Path("/nonexistent"), env),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


@dataclass
class Server:
    root: Path
    log_path: Path
    process: subprocess.Popen[bytes]
    client: httpx.Client
    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def log(self) -> list[dict[str, Any]]:
        return read_log(self.log_path)

    def stop(self, how: int = signal.SIGTERM, seconds: float = 60.0) -> int:
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


def read_log(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]


@contextmanager
def running(
    root: Path, env: Mapping[str, str] | None = None, args: Sequence[str] = (), program: Sequence[str] = SERVER
) -> Iterator[Server]:
    root.mkdir(parents=True, exist_ok=True)
    log_path = root.parent / f"{root.name}-{uuid.uuid4().hex[:6]}.log"
    with log_path.open("wb") as log:
        process = subprocess.Popen([*program, *args], env=clean_env(root, env), stderr=log, stdout=log)
    try:
        listening = _await_listening(process, log_path)
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(listening["host"], listening["host"])
        with httpx.Client(base_url=f"http://{host}:{listening['port']}", timeout=120) as client:
            server = Server(root, log_path, process, client, host, listening["port"])
            yield server
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _await_listening(process: subprocess.Popen[bytes], log_path: Path) -> dict[str, Any]:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        for record in read_log(log_path):
            if record.get("event") == "listening":
                return record
        if process.poll() is not None:
            break
        time.sleep(0.02)
    raise AssertionError(f"the server did not start:\n{log_path.read_text(encoding='utf-8')}")


@dataclass
class Api:
    """The four routes in a scope of one's own, so that tests share a server and not their memories."""

    client: httpx.Client
    root: Path
    app_id: str = field(default_factory=lambda: f"app-{uuid.uuid4().hex[:12]}")
    project_id: str = "p"

    def post(self, route: str, **body: Any) -> httpx.Response:
        scope = {"app_id": self.app_id, "project_id": self.project_id}
        return self.client.post(f"/api/v1/memory/{route}", json=scope | body)

    def ok(self, route: str, **body: Any) -> dict[str, Any]:
        answer = self.post(route, **body)
        assert answer.status_code == 200, answer.text
        data: dict[str, Any] = answer.json()["data"]
        return data

    def refused(self, route: str, status: int, **body: Any) -> str:
        answer = self.post(route, **body)
        assert answer.status_code == status, answer.text
        message: str = answer.json()["error"]["message"]
        return message

    def tell(self, session_id: str, *texts: str, sender: str = "alice", at: int = 1_780_000_000_000) -> None:
        """Messages of one user, ten seconds apart, extracted at once."""
        messages = [
            {"sender_id": sender, "role": "user", "timestamp": at + 10_000 * number, "content": text}
            for number, text in enumerate(texts)
        ]
        self.ok("add", session_id=session_id, messages=messages)
        assert self.ok("flush", session_id=session_id)["status"] == "extracted"

    def until(self, route: str, enough: Callable[[dict[str, Any]], bool], **body: Any) -> dict[str, Any]:
        """Read with retries: the index may lag behind the files, as the contract says."""
        deadline = time.monotonic() + INDEX_SECONDS
        while True:
            data = self.ok(route, **body)
            if enough(data) or time.monotonic() > deadline:
                assert enough(data), data
                return data
            time.sleep(0.1)

    def files(self, pattern: str) -> list[Path]:
        return sorted((self.root / self.app_id / self.project_id).glob(pattern))
