"""A gateway as its clients see it: keys made by the command line, tokens, envelopes; and an MCP process on stdio."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from embeddings import Endpoint
from serving import clean_env

from everlore.accounts.store import Accounts
from everlore.accounts.values import SCOPES, Key
from everlore.backends.files import FilesBackend

NO_KEY = "emk_" + "0" * 32
NO_TOKEN = "evt_" + "0" * 32


def everlore(root: Path, *args: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "everlore", *args],
        env=clean_env(root, env),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
    )


def quick(vectors: Endpoint) -> dict[str, str]:
    """Settings of a process that loads no model."""
    return {
        "EVEROS_EMBEDDING__BASE_URL": vectors.url,
        "EVEROS_EMBEDDING__MODEL": "test",
        "EVEROS_EMBEDDING__DIMENSION": str(vectors.dimension),
    }


@contextmanager
def store(root: Path) -> Iterator[Accounts]:
    """The accounts of a vault, as another process opens them."""
    accounts = FilesBackend(root).accounts(print)
    try:
        yield accounts
    finally:
        accounts.close()


def new_key(root: Path, name: str, scopes: Sequence[str] = SCOPES) -> tuple[Key, str]:
    with store(root) as accounts:
        return accounts.create_key(name, scopes=scopes)


def hidden_fields(page: str) -> dict[str, str]:
    """Of a form on a page."""
    found = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page)
    return {html.unescape(name): html.unescape(value) for name, value in found}


@dataclass(frozen=True)
class Gate:
    """The gateway's routes with one credential."""

    client: httpx.Client
    token: str = ""

    def post(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        bearer = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return self.client.post(f"/api/v1{path}", json={} if body is None else body, headers={**bearer, **headers})

    def ok(self, path: str, body: Any = None) -> dict[str, Any]:
        answer = self.post(path, body)
        assert answer.status_code == 200, answer.text
        envelope = answer.json()
        assert set(envelope) == {"error", "requestId", "status", "result"}
        assert (envelope["status"], envelope["error"]) == (0, "")
        assert envelope["requestId"] == answer.headers["x-request-id"]
        result: dict[str, Any] = envelope["result"]
        return result

    def refused(self, path: str, status: int, code: int, body: Any = None) -> str:
        answer = self.post(path, body)
        envelope = answer.json()
        assert (answer.status_code, envelope["status"]) == (status, code), answer.text
        assert set(envelope) == {"error", "requestId", "status", "result"}
        assert envelope["result"] is None
        assert envelope["error"].startswith("Err")
        error: str = envelope["error"]
        return error

    def agent(self, platform: str = "cursor", machine: str = "m1") -> Gate:
        """An agent of this account."""
        body = {"platform": platform, "name": platform, "machineFingerprint": machine}
        return Gate(self.client, self.ok("/agents", body)["agentToken"])


class Host:
    """An MCP host with one server process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._number = 0

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": dict(params or {})})
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert answer["id"] == self._number
        return answer

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def hello(self) -> dict[str, Any]:
        info = {"name": "host", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        answer: dict[str, Any] = self.ask("initialize", params)["result"]
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, name: str, **arguments: Any) -> tuple[bool, str]:
        """Whether it failed, and the text."""
        result = self.ask("tools/call", {"name": name, "arguments": arguments})["result"]
        assert [block["type"] for block in result["content"]] == ["text"]
        return bool(result.get("isError")), result["content"][0]["text"]

    def text(self, name: str, **arguments: Any) -> str:
        failed, text = self.call(name, **arguments)
        assert not failed, text
        return text

    def error(self, name: str, **arguments: Any) -> str:
        failed, text = self.call(name, **arguments)
        assert failed, text
        assert text.startswith("error: ")
        return text


@contextmanager
def host(root: Path, env: Mapping[str, str] | None = None) -> Iterator[Host]:
    given = env or {}
    kept = {n: v for n, v in clean_env(root, given).items() if n in given or not n.startswith("EVERME_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "everlore", "mcp", "--toolset", "everme"],
        env=kept,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield Host(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        process.wait(60)
        if process.stdout is not None:
            process.stdout.close()
