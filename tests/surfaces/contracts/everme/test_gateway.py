"""The gateway's codes, of which every error of ours has one, and what its routes take: camelCase, turns, digests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

import everlore
from everlore.engine import Engine
from everlore.errors import Conflict, InvalidInput, Misconfigured, NotFound, Unavailable
from everlore.memory import profile
from everlore.surfaces.contracts.everme.gateway import (
    CODES,
    CONTENT_MOST,
    DENIALS,
    OF_STATUS,
    Presign,
    Refusal,
    SaveBody,
    Turn,
    code_of,
    code_of_status,
    message,
    save,
)
from everlore.surfaces.contracts.everme.reading import Person
from everlore.types import Scope

PERSON = Person(Scope("a", "p"), "alice", "cursor")


def test_every_code_that_is_given_is_known() -> None:
    assert {*DENIALS.values(), *OF_STATUS.values()} <= set(CODES)


def test_every_reason_to_deny_has_a_code_of_its_own() -> None:
    top = Path(everlore.__file__).parent
    source = [*top.glob("accounts/*.py"), *top.glob("surfaces/http/*.py")]
    reasons = {why for path in source for why in re.findall(r'Denied\("(\w+)"', path.read_text("utf-8"))}
    assert "key_revoked" in reasons
    assert reasons <= set(DENIALS)
    assert len(set(DENIALS.values())) == len(DENIALS)


@pytest.mark.parametrize(
    ("error", "status"),
    [(InvalidInput, 400), (NotFound, 404), (Conflict, 409), (Unavailable, 503), (Misconfigured, 500)],
)
def test_our_errors_have_the_statuses_that_clients_expect(error: type[Exception], status: int) -> None:
    assert CODES[code_of(error("x"))][1] == status  # type: ignore[arg-type]


@pytest.mark.parametrize(("status", "code"), [(422, 20001), (418, 20001), (403, 30002), (503, 50101), (502, 50000)])
def test_errors_of_http_have_codes_too(status: int, code: int) -> None:
    assert code_of_status(status) == code


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


def test_what_waits_is_not_extracted_and_a_fact_is_in_the_profile_when_the_answer_comes(engine: Engine) -> None:
    def saved(text: str, *, flush: bool, stating: bool) -> dict[str, Any]:
        said = [{"role": "user", "content": text, "timestamp": 1_780_000_000_000}]
        body = SaveBody.model_validate({"conversationId": "s", "messages": said, "flush": flush})
        return save(engine, PERSON, body, stating=stating)

    waits = {"status": "accumulated", "messageCount": 1, "flushed": False}
    assert saved("I row on Sundays.", flush=False, stating=False) == waits
    assert saved("I sail too.", flush=False, stating=True) == waits | {"extracted": False}
    assert saved("I swim too.", flush=True, stating=False)["status"] == "extracted"
    assert saved("I take my coffee iced.", flush=True, stating=True)["extracted"] is True
    row = profile(engine, PERSON.owner)
    assert row is not None
    assert "coffee iced" in str(row.data)
