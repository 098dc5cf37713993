"""Messages as a model passes them, in the gateway's form."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from everlore.errors import InvalidInput
from everlore.surfaces.contracts.everme.gateway import CONTENT_MOST, TOP_K_MOST, wanted
from everlore.surfaces.contracts.everme.reading import TOP_K
from everlore.surfaces.contracts.everme.toolset import (
    MESSAGES_MOST,
    SESSION_MOST,
    converted,
    mem_save_fact,
    mem_save_turn,
    trim,
)
from everlore.surfaces.contracts.toolset import Caller

NOW = 1_780_000_000_000
NOBODY = Caller(lambda _: pytest.fail("no engine is needed"))


def test_messages_get_a_time_each_and_empty_ones_are_left_out() -> None:
    given = [{"role": "user", "content": "a"}, {"role": "user", "content": " "}, {"role": "assistant", "text": "b"}]
    assert converted(given, NOW) == [
        {"role": "user", "timestamp": NOW, "content": "a"},
        {"role": "assistant", "timestamp": NOW + 2, "content": "b"},
    ]


def test_a_long_text_is_trimmed_and_a_time_may_be_seconds() -> None:
    (message,) = converted([{"content": "x" * 9000, "timestamp": NOW // 1000}], NOW)
    assert (message["role"], message["timestamp"], len(message["content"])) == ("user", NOW, CONTENT_MOST)


def test_calls_and_their_answers_belong_together() -> None:
    called = {"role": "assistant", "toolCalls": [{"id": "c", "name": "shell", "arguments": {"cmd": "ls"}}]}
    answered = {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "a"}, "b"]}
    first, second = converted([called, answered], NOW)
    assert first["toolCalls"] == [{"id": "c", "type": "function", "name": "shell", "arguments": '{"cmd": "ls"}'}]
    assert (second["toolCallId"], second["content"]) == ("c", "a\nb")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"messages": [{"role": "robot", "content": "x"}]}, "role must be one of"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "toolCallId is required"),
        ({"messages": [{"role": "user", "content": 7}]}, "text or a list"),
        ({"messages": [{"role": "user", "content": [{"type": "image"}]}]}, "without text (image)"),
        ({"messages": [{"role": "user", "content": "x", "timestamp": True}]}, "timestamp must be an integer"),
        ({"messages": [{"role": "user", "content": "x", "timestamp": -1}]}, "Unix milliseconds"),
        ({"messages": [{"role": "user", "content": "x"}] * (MESSAGES_MOST + 1)}, "at most 500"),
        ({"messages": [{"role": "user", "content": ""}]}, "every message is empty"),
        ({"messages": []}, "non-empty `messages`"),
        ({"text": "x", "sessionKey": "k" * (SESSION_MOST + 1)}, "sessionKey"),
    ],
)
def test_what_cannot_be_saved_is_explained(given: Any, reason: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        mem_save_turn.call(NOBODY, given)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        {"fact": " "},
        {"messages": [{"role": "assistant", "content": "Noted."}]},
        {"messages": [{"role": "user", "content": "x", "toolCallId": "c"}]},
        {"messages": [{"role": "user", "content": "x", "toolCalls": [{"id": "c"}]}]},
    ],
)
def test_a_fact_is_said_by_the_user(given: Any) -> None:
    with pytest.raises(InvalidInput, match="mem_save_fact"):
        mem_save_fact.call(NOBODY, given)


@settings(max_examples=200, deadline=None)
@drawn(st.text(max_size=400), st.integers(60, 200))
def test_trimmed_text_fits_and_keeps_both_ends(text: str, most: int) -> None:
    short = trim(text, most)
    assert len(short) <= most
    if len(text) <= most:
        assert short == text
    else:
        assert "characters left out" in short
        head, _, tail = short.partition("\n[... ")
        assert text.startswith(head)
        assert text.endswith(tail.partition(" ...]\n")[2])
        assert 0.6 < len(head) / (len(head) + len(tail.partition(" ...]\n")[2])) < 0.8


@pytest.mark.parametrize(
    ("given_", "found"),
    [
        (3, 3),
        (51, 50),
        (10**9, 50),
        ("7", 7),
        (4.0, 4),
        (0, 5),
        (-1, 5),
        (None, 5),
        ("x", 5),
        (1.5, 5),
        (True, 5),
        ([], 5),
    ],
)
def test_how_many_results(given_: Any, found: int) -> None:
    assert wanted(given_, TOP_K) == found
    assert TOP_K <= TOP_K_MOST
