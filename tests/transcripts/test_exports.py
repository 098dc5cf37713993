"""Exports that are damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.transcripts import exports


def test_what_is_damaged_in_an_export_is_left_out(tmp_path: Path) -> None:
    talk = '{"uuid": "u", "chat_messages": [7, {"sender": "human", "text": "I keep bees."}]}'
    (tmp_path / "conversations.json").write_text(f"[5, {talk}, {{}}]", encoding="utf-8")
    (tmp_path / "conversations-2.json").write_text("[", encoding="utf-8")
    (found,) = exports.claude(tmp_path)
    assert [turn.text for turn in found.turns] == ["I keep bees."]
    assert list(exports.chatgpt(tmp_path)) == []
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"no zip")
    with pytest.raises(OSError, match="not a zip"):
        list(exports.chatgpt(broken))
