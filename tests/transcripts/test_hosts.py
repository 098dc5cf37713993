"""Transcripts that are damaged."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from everlore.transcripts import hosts


def claude_line(role: str, content: Any, at: str, **more: Any) -> dict[str, Any]:
    return {"type": role, "timestamp": at, "message": {"role": role, "content": content}, **more}


def test_damaged_transcripts_lose_only_what_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    good = json.dumps(claude_line("user", "Still here.", "2026-03-01T09:00:00Z"))
    path.write_bytes(
        b'null\n[]\n{"type": "user"}\n\xff\xfe\n{"type": "user", "message": {"content": 7}}\n' + good.encode()
    )
    (talk,) = hosts.claude_code(path)
    assert [turn.text for turn in talk.turns] == ["Still here."]


def test_gemini_in_both_of_its_forms(tmp_path: Path) -> None:
    """The last state of a message counts; its folder stands beside its chats."""
    folder = tmp_path / "tmp" / "app" / "chats"
    folder.mkdir(parents=True)
    (folder.parent / ".project_root").write_text("/home/me/app\n", encoding="utf-8")
    user = {"id": "1", "timestamp": "2026-05-01T10:00:00Z", "type": "user", "content": [{"text": "I keep bees."}]}
    half = {"id": "2", "timestamp": "2026-05-01T10:00:01Z", "type": "gemini", "content": "No"}
    call = {
        "id": "c",
        "name": "ls",
        "args": {"p": "."},
        "result": [{"functionResponse": {"response": {"output": "a"}}}],
    }
    whole = {**half, "content": "Noted.", "toolCalls": [call]}
    (folder / "session-1.json").write_text(json.dumps({"sessionId": "s", "messages": [user, whole]}), encoding="utf-8")
    lines = [{"sessionId": "s", "startTime": "x"}, user, half, whole, {"$set": {"lastUpdated": "y"}}]
    (folder / "session-1.jsonl").write_text("\n".join(map(json.dumps, lines)) + '\n{"id', encoding="utf-8")
    for name in ("session-1.json", "session-1.jsonl"):
        (talk,) = hosts.gemini(folder / name)
        assert (talk.session, talk.folder) == ("gemini-s", "/home/me/app")
        assert [(turn.role, turn.text) for turn in talk.turns if turn.role != "tool"] == [
            ("user", "I keep bees."),
            ("assistant", ""),
            ("assistant", "Noted."),
        ]


def test_copilot_and_the_database_of_opencode(tmp_path: Path) -> None:
    events = tmp_path / "abc" / "events.jsonl"
    events.parent.mkdir()
    lines: list[dict[str, Any]] = [
        {"type": "session.start", "data": {"sessionId": "abc", "context": {"cwd": "/home/me"}}},
        {"type": "user.message", "timestamp": "2026-05-01T10:00:00Z", "data": {"content": "I keep bees."}},
        {"type": "tool.execution_start", "data": 7},
        {"type": "assistant.message", "data": {"content": "Noted."}},
    ]
    events.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    (talk,) = hosts.copilot(events)
    assert (talk.session, talk.folder, len(talk.turns)) == ("copilot-abc", "/home/me", 2)
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE session(id, directory, parent_id)")
        database.execute("CREATE TABLE message(id, session_id, data)")
        database.execute("CREATE TABLE part(id, message_id, data)")
        database.execute("INSERT INTO session VALUES('ses', '/home/me', NULL), ('sub', '/home/me', 'ses')")
        message = json.dumps({"role": "user", "time": {"created": 1777629600000}})
        database.execute("INSERT INTO message VALUES('m', 'ses', ?), ('n', 'ses', 'damaged')", (message,))
        for part in ({"type": "text", "text": "I keep bees."}, {"type": "text", "text": "recalled", "synthetic": True}):
            database.execute("INSERT INTO part VALUES(?, 'm', ?)", (str(part), json.dumps(part)))
    (talk,) = hosts.opencode(path)
    assert [(turn.role, turn.at, turn.text) for turn in talk.turns] == [("user", 1777629600000, "I keep bees.")]
    path.write_bytes(b"not a database")
    with pytest.raises(OSError, match="not a database"):
        list(hosts.opencode(path))
