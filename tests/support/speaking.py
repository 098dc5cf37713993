"""A client of a toolset over stdio, `knowledge` unless told: a real process, spoken to line by line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from serving import clean_env

HELLO = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


class Client:
    def __init__(self, root: Path, env: Mapping[str, str], toolset: str = "knowledge") -> None:
        self.root = root
        self._ids = count(1)
        self._errors = (root.parent / f"{root.name}.stderr").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "everlore", "mcp", "--toolset", toolset],
            env=clean_env(root, env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self.request("initialize", HELLO)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, "the process ended"
        message: dict[str, Any] = json.loads(line)
        return message

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        number = next(self._ids)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        while (answer := self.receive()).get("id") != number:
            pass
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        result: dict[str, Any] = answer["result"]
        return result

    def ok(self, tool: str, **arguments: Any) -> Any:
        """The result, which is mirrored as text."""
        result = self.call(tool, **arguments)
        assert not result.get("isError"), result
        said = json.loads(result["content"][0]["text"])
        assert result.get("structuredContent", said) == said
        return said

    def refused(self, tool: str, **arguments: Any) -> str:
        result = self.call(tool, **arguments)
        assert result.get("isError") is True, result
        assert [part["type"] for part in result["content"]] == ["text"]
        text: str = result["content"][0]["text"]
        assert "Traceback" not in text
        return text

    def store(self, content: str, **more: Any) -> str:
        ident: str = self.ok("store_memory", content=content, **more)["id"]
        return ident

    def contents(self, tool: str, query: str, **more: Any) -> list[str]:
        return [one["content"] for one in self.ok(tool, query=query, **more)["results"]]

    def close(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        try:
            self.process.wait(30)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self._errors.close()


@contextmanager
def speaking(root: Path, url: str, env: Mapping[str, str] | None = None) -> Iterator[Client]:
    """With an embedder that loads nothing."""
    given = {
        "EVEROS_EMBEDDING__BASE_URL": url,
        "EVEROS_EMBEDDING__MODEL": "test",
        "EVEROS_EMBEDDING__DIMENSION": "64",
        "EVEROS_EMBEDDING__TIMEOUT_SECONDS": "2",
    }
    root.mkdir(parents=True, exist_ok=True)
    client = Client(root, given | dict(env or {}))
    try:
        yield client
    finally:
        client.close()
