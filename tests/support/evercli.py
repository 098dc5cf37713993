"""`evercli` as a real process, in a home of its own; and servers that answer it with given bytes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

MODULE = "everlore.surfaces.cli.evercli"
KEPT = ("PATH", "PYTHONPATH", "SYSTEMROOT", "LANG", "VIRTUAL_ENV")
NOWHERE = {"EVERCLI_API_BASE_URL": "http://127.0.0.1:1"}
KEY = "emk_" + "a1b2" + "0" * 28
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals of POSIX")


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def envelope(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def data(self) -> Any:
        assert self.code == 0, (self.out, self.err)
        assert self.envelope["ok"] is True
        return self.envelope["data"]

    @property
    def error(self) -> dict[str, Any]:
        assert self.code != 0, self.out
        assert self.envelope["ok"] is False
        error: dict[str, Any] = self.envelope["error"]
        assert set(error) == {"type", "code", "message", "hint", "detail"}
        return error


@dataclass
class Evercli:
    """Runs commands with `home` as the home folder and nothing of this machine's settings."""

    home: Path
    env: dict[str, str] = field(default_factory=dict)

    def environment(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        places = {"HOME": str(self.home), "USERPROFILE": str(self.home), "EVEROS_MCP__USER_NAME": "User"}
        return kept | places | self.env | dict(extra or {})

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", MODULE, *args]

    def __call__(
        self, *args: str, env: Mapping[str, str] | None = None, stdin: str = "", seconds: float = 60.0
    ) -> Done:
        done = subprocess.run(
            self.command(*args), env=self.environment(env), input=stdin.encode(), capture_output=True, timeout=seconds
        )
        return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    def start(self, *args: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.command(*args),
            env=self.environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


def session_lines(turns: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(turn) + "\n" for turn in turns)


def url_of(server: socket.socket) -> str:
    return f"http://127.0.0.1:{server.getsockname()[1]}"


def answering(server: socket.socket, reply: bytes) -> None:
    """Answer every connection with these bytes."""

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                connection.sendall(reply)

    threading.Thread(target=serve, daemon=True).start()


def http(status: int, body: Any, headers: str = "") -> bytes:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return f"HTTP/1.1 {status} X\r\nContent-Length: {len(raw)}\r\n{headers}\r\n".encode() + raw


def gateway(code: int, error: str, status: int, headers: str = "") -> bytes:
    return http(status, {"status": code, "error": error, "requestId": "req_up", "result": None}, headers)
