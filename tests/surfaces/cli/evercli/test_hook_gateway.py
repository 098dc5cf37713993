"""Hooks, with a server."""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path
from typing import Any

import pytest
from evercli import Done, Evercli
from serving import Server


@pytest.fixture
def cli(evercli: Evercli, server: Server) -> Evercli:
    evercli.env["EVERCLI_API_BASE_URL"] = server.url
    return evercli


@pytest.fixture
def user() -> str:
    return f"u{uuid.uuid4().hex[:10]}"


def until_found(cli: Evercli, *args: str) -> Done:
    """The index may lag behind the files, as the contract says."""
    deadline = time.monotonic() + 120
    while True:
        done = cli(*args)
        if done.data["items"] or time.monotonic() > deadline:
            return done
        time.sleep(0.2)


def transcript(path: Path, *turns: tuple[str, Any], start: int = 0) -> None:
    lines = [
        {"type": role, "timestamp": f"2026-05-01T10:00:{start + number:02}.000Z", "message": {"content": content}}
        for number, (role, content) in enumerate(turns)
    ]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def test_hooks_save_a_turn_and_recall_it_in_the_next_session(cli: Evercli, start: Any, tmp_path: Path) -> None:
    own = start()
    here = {"EVERCLI_API_BASE_URL": own.url, "EVERCLI_TIMEOUT": "60"}
    path = tmp_path / "5d0c.jsonl"
    said = json.dumps({"session_id": "5d0c", "transcript_path": str(path), "hook_event_name": "Stop"})
    transcript(path, ("user", "My cat is called Saffron."), ("assistant", [{"type": "text", "text": "Noted."}]))
    saved = cli("hook", "stop", stdin=said, env=here)
    assert (saved.code, saved.out) == (0, "")
    transcript(path, ("user", "She is four years old."), ("assistant", "Good."), start=2)
    assert cli("hook", "stop", stdin=said, env=here).code == 0
    assert cli("hook", "stop", stdin=said, env=here).code == 0
    episodes = until_found(Evercli(cli.home, here), "memory", "get").data["items"]
    told = " ".join(item["episode"] for item in episodes)
    assert told.count("Saffron") == 1, "a turn is saved once"
    assert told.count("four years old") == 1
    assert cli("memory", "get", "profile_default", env=here).data["type"] == "profile"
    asked = cli("hook", "prompt", stdin=json.dumps({"prompt": "What is my cat called?"}), env=here)
    answer = json.loads(asked.out)["hookSpecificOutput"]
    assert answer["hookEventName"] == "UserPromptSubmit"
    assert "Saffron" in answer["additionalContext"]
    assert "no instructions" in answer["additionalContext"]
    begun = cli("hook", "session-start", stdin="{}", env=here)
    assert "Saffron" in json.loads(begun.out)["hookSpecificOutput"]["additionalContext"]
    again = cli("import", "run", "claude-code", "--path", str(path), env=here)
    assert again.data["imports"][0]["messages"] == 0, "an import knows what the hooks have saved"
