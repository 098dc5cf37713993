"""Requests of the EverOS API as values; tests/surfaces/http/test_http_validation.py tries every edge over HTTP."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from everlore.errors import InvalidInput
from everlore.surfaces.contracts.everos.requests import AddRequest, File, GetRequest, ImportRequest, SearchRequest

MESSAGE = {"sender_id": "alice", "role": "user", "timestamp": 1_780_000_000_000, "content": "hello"}


def test_a_message_keeps_what_a_client_adds_to_its_parts() -> None:
    part = {"type": "text", "text": "hello", "lang": "en"}
    body = AddRequest.model_validate({"session_id": "s", "messages": [MESSAGE | {"content": [part], "more": 1}]})
    (message,) = (item.message("") for item in body.messages)
    assert message.content == [part]
    assert (message.sender_id, message.tool_calls) == ("alice", None)


def test_only_add_takes_fields_that_nobody_knows() -> None:
    for shape, body in ((SearchRequest, {"user_id": "u", "query": "q"}), (File, {"path": "a.md", "text": ""})):
        shape.model_validate(body)
        with pytest.raises(ValidationError, match="Extra inputs are not permitted"):
            shape.model_validate(body | {"team": "red"})


def test_an_owner_of_the_other_track_has_no_such_memories() -> None:
    with pytest.raises(ValidationError, match="'agent_case' requires agent_id"):
        GetRequest(user_id="u", memory_type="agent_case")


@pytest.mark.parametrize("content", [b"", "Ünder".encode(), b"\xff\x00"])
def test_a_file_travels_as_it_is(content: bytes) -> None:
    sent = File.of("user.md", content)
    assert (sent.base64 is None) == (content != b"\xff\x00")
    assert File.model_validate_json(sent.model_dump_json()).content() == content


def test_bad_files_are_refused() -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        File(path="a.md", base64="%%%").content()
    with pytest.raises(ValidationError, match="either text or base64"):
        File(path="a.md")
    with pytest.raises(ValidationError, match="is there twice"):
        ImportRequest(user_id="u", files=[File(path="a.md", text="x"), File(path="a.md", text="y")])
