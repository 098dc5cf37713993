"""What is a JSON-RPC message, and what is answered when it is none."""

from __future__ import annotations

import json

import pytest

from everlore.surfaces.contracts.identity import Identity
from everlore.surfaces.mcp.messages import INVALID_REQUEST, PARSE_ERROR, Unreadable, message_of, read, refusal

SERVER = Identity("server", "1")


def test_half_a_character_becomes_a_question_mark() -> None:
    assert read(b'{"a": "x\\ud83d"}') == {"a": "x?"}
    assert read('{"a": "\U0001f98a"}'.encode()) == {"a": "\U0001f98a"}


@pytest.mark.parametrize(
    ("text", "code", "id_"),
    [
        (b"{", PARSE_ERROR, None),
        (b'{"a": NaN}', PARSE_ERROR, None),
        (b'{"id": 3, "a": ' + b"9" * 5000 + b"}", INVALID_REQUEST, 3),
        (b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b', "id": "x"}', INVALID_REQUEST, "x"),
    ],
)
def test_what_cannot_be_read(text: bytes, code: int, id_: object) -> None:
    with pytest.raises(Unreadable) as caught:
        read(text)
    assert (caught.value.code, caught.value.id) == (code, id_)
    answer = json.loads(refusal(caught.value))
    assert (answer["error"]["code"], answer["id"]) == (code, id_)


def test_an_initialize_is_completed_on_its_way() -> None:
    message = message_of({"jsonrpc": "2.0", "id": 1, "method": "initialize"}, SERVER)
    assert getattr(message, "params", {})["protocolVersion"] == SERVER.version


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (7, "a message is a JSON object"),
        ({"jsonrpc": "2.0", "method": 5}, "method must be a string"),
        ({"jsonrpc": "2.0", "method": "ping", "id": 1.5}, "id must be"),
        ({"jsonrpc": "2.0", "method": "ping", "params": []}, "params must be"),
        ({"jsonrpc": "2.0"}, "neither a request"),
    ],
)
def test_what_is_no_message(value: object, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        message_of(value, SERVER)
