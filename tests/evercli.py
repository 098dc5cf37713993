"""`evercli` as a real process, in a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MODULE = "everlore.surfaces.cli.evercli"
KEPT = ("PATH", "PYTHONPATH", "SYSTEMROOT", "LANG", "VIRTUAL_ENV")


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
        places = {"HOME": str(self.home), "USERPROFILE": str(self.home)}
        return kept | places | self.env | dict(extra or {})

    def command(self, *args: str) -> list[str]:
        return [sys.executable, "-m", MODULE, *args]

    def __call__(
        self, *args: str, env: Mapping[str, str] | None = None, stdin: str = "", seconds: float = 60.0
    ) -> Done:
        done = subprocess.run(
            self.command(*args),
            env=self.environment(env),
            input=stdin.encode(),
            capture_output=True,
            timeout=seconds,
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
