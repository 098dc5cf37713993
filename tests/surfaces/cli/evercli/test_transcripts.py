"""Transcripts that are damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from everlore.surfaces.cli.evercli import transcripts


def claude_line(role: str, content: Any, at: str, **more: Any) -> dict[str, Any]:
    return {"type": role, "timestamp": at, "message": {"role": role, "content": content}, **more}


def test_damaged_transcripts_lose_only_what_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    good = json.dumps(claude_line("user", "Still here.", "2026-03-01T09:00:00Z"))
    path.write_bytes(
        b'null\n[]\n{"type": "user"}\n\xff\xfe\n{"type": "user", "message": {"content": 7}}\n' + good.encode()
    )
    (talk,) = transcripts.claude_code(path)
    assert [turn.text for turn in talk.turns] == ["Still here."]
