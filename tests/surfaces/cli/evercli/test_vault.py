"""Hooks without a server."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from evercli import Evercli


@pytest.fixture
def user() -> str:
    return f"u{uuid.uuid4().hex[:10]}"


def transcript(path: Path, *turns: tuple[str, Any], start: int = 0) -> None:
    lines = [
        {"type": role, "timestamp": f"2026-05-01T10:00:{start + number:02}.000Z", "message": {"content": content}}
        for number, (role, content) in enumerate(turns)
    ]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def test_hooks_without_a_server_use_the_vault_itself(evercli: Evercli, tmp_path: Path) -> None:
    path = tmp_path / "7e1a.jsonl"
    transcript(path, ("user", "My boat is called Kestrel."), ("assistant", "Noted."))
    nowhere = {"EVERCLI_API_BASE_URL": "http://127.0.0.1:1"}
    vault = ("--vault", str(tmp_path / "vault"))
    saved = evercli("hook", "stop", *vault, stdin=json.dumps({"transcript_path": str(path)}), env=nowhere)
    assert (saved.code, saved.out, saved.err) == (0, "", "")
    assert not list(evercli.home.rglob("evercli.log"))
    asked = evercli("hook", "prompt", *vault, stdin=json.dumps({"prompt": "my boat"}), env=nowhere)
    assert "Kestrel" in json.loads(asked.out)["hookSpecificOutput"]["additionalContext"]
