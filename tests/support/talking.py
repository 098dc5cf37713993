"""Raw JSON lines to a real MCP process on stdio."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from serving import clean_env

TINY = Path(__file__).parent / "tiny.py"
SECONDS = 60.0
CONTRACT_FORM = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "claude", "version": "1.0"}}
"""`initialize` as the Memory Server's contract shows it."""


class Talk:
    def __init__(self, process: subprocess.Popen[bytes], *logs: Path) -> None:
        self.process = process
        self.logs = logs
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._number = 0
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def say(self, line: bytes | str | Mapping[str, Any] | Sequence[Any]) -> None:
        assert self.process.stdin is not None
        text = line if isinstance(line, bytes | str) else json.dumps(line)
        self.process.stdin.write((text if isinstance(text, bytes) else text.encode()) + b"\n")
        self.process.stdin.flush()

    def hear(self, seconds: float = SECONDS) -> Any:
        try:
            return json.loads(self._lines.get(timeout=seconds))
        except queue.Empty:
            raise AssertionError(f"no answer; the log:\n{self.log()}") from None

    def silent(self, seconds: float = 0.3) -> bool:
        try:
            self._lines.get(timeout=seconds)
        except queue.Empty:
            return True
        return False

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """One request and its answer, alone on the wire."""
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method}
        self.say(request if params is None else request | {"params": params})
        answer: dict[str, Any] = self.hear()
        assert answer["id"] == self._number
        assert answer["jsonrpc"] == "2.0"
        return answer

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        answer = self.ask("tools/call", {"name": name, "arguments": arguments})
        result: dict[str, Any] = answer["result"]
        return result

    def shake(self, version: str = "2025-11-25", capabilities: Any = None) -> dict[str, Any]:
        client = {"name": "tests", "version": "1"}
        params = {"protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": client}
        result: dict[str, Any] = self.ask("initialize", params)["result"]
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def end(self, seconds: float = SECONDS) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(seconds)

    def log(self) -> str:
        return "".join(log.read_text(encoding="utf-8") for log in self.logs)


@contextmanager
def talking(
    root: Path, *args: str, env: Mapping[str, str] | None = None, command: Sequence[str] | None = None
) -> Iterator[Talk]:
    root.mkdir(parents=True, exist_ok=True)
    log = root.parent / f"{root.name}-{threading.get_ident()}-{len(list(root.parent.iterdir()))}.log"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command or [sys.executable, str(TINY), *args],
            env=clean_env(root, env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    try:
        yield Talk(process, log)
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
