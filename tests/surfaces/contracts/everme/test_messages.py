"""Messages as a model passes them, in the gateway's form."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from everlore.errors import InvalidInput
from everlore.surfaces.contracts.everme.messages import (
    CONTENT_MOST,
    MESSAGES_MOST,
    SESSION_MOST,
    TOP_K,
    TOP_K_MOST,
    session,
    statements,
    trim,
    turns,
    wanted,
)

NOW = 1_780_000_000_000


def test_messages_get_a_time_each_and_empty_ones_are_left_out() -> None:
    given = [{"role": "user", "content": "a"}, {"role": "user", "content": " "}, {"role": "assistant", "text": "b"}]
    assert turns(given, None, {}, NOW) == [
        {"role": "user", "timestamp": NOW, "content": "a"},
        {"role": "assistant", "timestamp": NOW + 2, "content": "b"},
    ]


def test_the_older_form_is_one_message() -> None:
    single = {"text": "x" * 9000, "content": None, "timestamp": NOW - 5}
    (message,) = turns(None, None, single, NOW)
    assert (message["role"], message["timestamp"], len(message["content"])) == ("user", NOW - 5, CONTENT_MOST)


def test_calls_and_their_answers_belong_together() -> None:
    called = {"role": "assistant", "toolCalls": [{"id": "c", "name": "shell", "arguments": {"cmd": "ls"}}]}
    answered = {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "a"}, "b"]}
    first, second = turns([called, answered], None, {}, NOW)
    assert first["toolCalls"] == [{"id": "c", "type": "function", "name": "shell", "arguments": '{"cmd": "ls"}'}]
    assert (second["toolCallId"], second["content"]) == ("c", "a\nb")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([{"role": "tool", "content": "x"}], "toolCallId is required"),
        ([{"role": "user", "content": 7}], "text or a list"),
        ([{"role": "user", "content": [{"type": "image"}]}], "without text (image)"),
        ([{"role": "user", "content": "x", "timestamp": -1}], "Unix milliseconds"),
        ([{"role": "user", "content": "x"}] * (MESSAGES_MOST + 1), "at most 500"),
        ([{"role": "user", "content": ""}], "every message is empty"),
        ([], "non-empty `messages`"),
    ],
)
def test_what_cannot_be_saved_is_explained(given: Any, reason: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        turns(given, None, {}, NOW)
    assert reason in str(caught.value)


def test_a_fact_is_said_by_the_user() -> None:
    assert statements(None, "I row.", NOW) == [{"role": "user", "timestamp": NOW, "content": "I row."}]
    said = [{"role": "assistant", "content": "Noted."}]
    assert [one["role"] for one in statements(said, "I row.", NOW)] == ["assistant", "user"]
    for given, fact in ((None, " "), (said, None), ([{"role": "user", "content": "x", "toolCallId": "c"}], None)):
        with pytest.raises(InvalidInput, match="mem_save_fact"):
            statements(given, fact, NOW)


def test_the_conversation_has_a_name() -> None:
    assert [session(key) for key in (None, " ", " a ")] == ["default", "default", "a"]
    with pytest.raises(InvalidInput, match="sessionKey"):
        session("k" * (SESSION_MOST + 1))


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
