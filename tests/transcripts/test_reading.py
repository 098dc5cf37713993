"""What a hook was told, as conversations."""

from __future__ import annotations

from typing import Any

import pytest

from everlore.transcripts.reading import heard

TOLD: dict[str, Any] = {"session": "s", "folder": "/home/me", "path": "", "prompt": "", "answer": "", "messages": []}


def test_the_event_itself_where_a_host_keeps_no_transcript() -> None:
    (asked,) = heard({**TOLD, "host": "cursor", "event": "said", "prompt": "I keep bees.", "at": 5})
    (answered,) = heard({**TOLD, "host": "cursor", "event": "said", "answer": "Noted.", "at": 6})
    assert [(talk.session, talk.folder, turn.role, turn.at) for talk in (asked, answered) for turn in talk.turns] == [
        ("cursor-s", "/home/me", "user", 5),
        ("cursor-s", "/home/me", "assistant", 6),
    ]
    assert list(heard({**TOLD, "host": "cursor", "event": "session-end", "at": 7})) == []


def test_messages_that_a_plugin_hands_over_without_what_it_added_itself() -> None:
    parts = [{"type": "text", "text": "I keep bees."}, {"type": "text", "text": "recalled", "synthetic": True}]
    messages = [{"info": {"role": "user", "time": {"created": 1777629600000}}, "parts": parts}, "odd"]
    (talk,) = heard({**TOLD, "host": "opencode", "event": "stop", "messages": messages, "at": 8})
    assert [(turn.role, turn.text) for turn in talk.turns] == [("user", "I keep bees.")]


def test_a_transcript_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        list(heard({**TOLD, "host": "codex", "event": "stop", "path": "/nowhere", "at": 9}))
