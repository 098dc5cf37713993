"""Transcripts of a host for `evercli import`, and the memories that came of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evercli import Evercli, session_lines
from serving import Server


class ForUser(Evercli):
    """Imports for a user of its own, so that tests share a server and not their memories."""

    def command(self, *args: str) -> list[str]:
        return super().command(*args, *(("--user", self.home.parent.name) if args[:2] == ("import", "run") else ()))


@dataclass
class Own:
    """The memories of that user."""

    server: Server
    user: str


def claude_line(role: str, content: Any, at: str, **more: Any) -> dict[str, Any]:
    return {"type": role, "timestamp": at, "message": {"role": role, "content": content}, **more}


def claude_project(home: Path, name: str, lines: list[dict[str, Any]], tail: str = "") -> Path:
    path = home / ".claude" / "projects" / "-home-me-app" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(session_lines(lines) + tail, encoding="utf-8")
    return path


def episodes(own: Own) -> list[dict[str, Any]]:
    body = {"user_id": own.user, "memory_type": "episode", "page_size": 100, "sort_order": "asc"}
    found: list[dict[str, Any]] = own.server.client.post("/api/v1/memory/get", json=body).json()["data"]["episodes"]
    return found


def until(own: Own, count: int) -> list[dict[str, Any]]:
    deadline = time.monotonic() + 120
    while len(episodes(own)) < count and time.monotonic() < deadline:
        time.sleep(0.1)
    return episodes(own)
