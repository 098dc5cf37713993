"""What the gateway takes: camelCase, turns of conversations, digests."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from everlore.surfaces.contracts.everme.gateway import Refusal
from everlore.surfaces.contracts.everme.gateway_shapes import Presign, SaveBody, Turn, message
from everlore.surfaces.contracts.everme.limits import CONTENT_MOST
from everlore.surfaces.contracts.everme.saving import Person
from everlore.types import Scope

PERSON = Person(Scope("a", "p"), "alice", "cursor")


def turned(**turn: Any) -> Any:
    return message(2, Turn.model_validate(turn), PERSON, 1000)


def test_a_turn_belongs_to_the_one_who_speaks() -> None:
    assert (turned(role="user", content="hi").sender_id, turned(role="assistant", content="hi").sender_id) == (
        "alice",
        "cursor",
    )
    told = turned(role="toolResult", content=["ok"], toolCallId="c")
    assert (told.role, told.content, told.timestamp) == ("tool", [{"type": "text", "text": "ok"}], 1002)


def test_calls_of_tools_come_in_either_form() -> None:
    calls = [
        {"id": "1", "name": "ls", "arguments": {"a": 1}},
        {"id": "2", "function": {"name": "rm", "arguments": "{}"}},
    ]
    found = turned(role="assistant", toolCalls=calls).tool_calls
    assert [call["function"] for call in found] == [
        {"name": "ls", "arguments": '{"a": 1}'},
        {"name": "rm", "arguments": "{}"},
    ]


@pytest.mark.parametrize(
    ("turn", "place"),
    [
        ({"role": "user"}, "messages.2.content"),
        ({"role": "tool", "content": "x"}, "messages.2.toolCallId"),
        ({"role": "user", "content": "x" * (CONTENT_MOST + 1)}, "messages.2.content"),
        ({"role": "user", "content": [{"text": "x"}]}, "type"),
    ],
)
def test_a_turn_that_cannot_be_saved_is_refused_by_its_place(turn: dict[str, Any], place: str) -> None:
    with pytest.raises(Refusal, match=place):
        turned(**turn)


def test_names_are_in_camel_case() -> None:
    body = SaveBody.model_validate({"conversationId": "c", "messages": [{"role": "user", "content": "x"}]})
    assert body.conversation_id == "c"


@pytest.mark.parametrize(("given", "good"), [("A" * 64, True), ("sha256:" + "0" * 64, True), ("0" * 63, False)])
def test_a_digest_is_64_hexadecimal_digits(given: str, good: bool) -> None:
    sent = {"fileName": "a.md", "contentType": "text/markdown", "sizeBytes": 1, "contentHash": given}
    if good:
        assert Presign.model_validate(sent).content_hash == given.lower().removeprefix("sha256:")
    else:
        with pytest.raises(ValidationError, match="SHA-256"):
            Presign.model_validate(sent)
