"""What toolsets answer, without a process around them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import tiny

from everlore.errors import NotFound
from everlore.surfaces.contracts.toolset import Caller, Content
from everlore.surfaces.mcp.answer import answer, offer_of
from everlore.surfaces.mcp.protocol import Refused


def no_engine(_: Caller) -> Any:
    raise AssertionError("no tool here needs one")


def asked(method: str, **params: Any) -> dict[str, Any]:
    return answer([tiny.toolset()], method, params, Caller(no_engine, protocol_version="2025-11-25"))


def test_a_result_is_content_and_structure() -> None:
    found = asked("tools/call", name="items")
    assert found["structuredContent"] == {"items": [{"id": "1"}, {"id": "2"}]}
    assert [block["type"] for block in found["content"]] == ["text", "resource_link"]
    plain = Caller(no_engine, protocol_version="2024-11-05")
    assert answer([tiny.toolset()], "tools/call", {"name": "items"}, plain)["structuredContent"] == [
        {"id": "1"},
        {"id": "2"},
    ]
    assert "structuredContent" not in asked("tools/call", name="text")


def test_what_cannot_be_answered_is_refused() -> None:
    for method, params, code in (
        ("tools/call", {"name": "none"}, -32602),
        ("prompts/get", {"name": "none"}, -32602),
        ("prompts/get", {"name": "greet"}, -32602),
        ("resources/read", {"uri": "tiny://item/none"}, -32002),
        ("nothing", {}, -32601),
    ):
        with pytest.raises(Refused) as caught:
            asked(method, **params)
        assert caught.value.code == code


def test_lists_are_those_of_the_offer() -> None:
    offer = offer_of([tiny.toolset()])
    for method, found in offer.lists["handshake"].items():
        assert asked(method) == found
    assert set(offer.asked) == {"tools/call", "resources/read", "prompts/get"}
    assert offer.asked["tools/call"]["wait"] == {
        "reads": False,
        "repeatable": True,
        "failures": "result",
        "error_prefix": "",
    }


def test_of_several_toolsets_the_one_that_knows_a_thing_answers() -> None:
    def read(_: Caller, uri: str) -> Content:
        if uri != "other://thing":
            raise NotFound("not here")
        return Content("there", "text/plain")

    other = replace(tiny.toolset(), name="other", tools=(), read=read, resources=(), error_prefix="", prompts=())
    both, caller = [other, tiny.toolset("rpc")], Caller(no_engine)
    assert answer(both, "resources/read", {"uri": "other://thing"}, caller)["contents"][0]["text"] == "there"
    assert "tiny://fixed" in answer(both, "resources/read", {"uri": "tiny://fixed"}, caller)["contents"][0]["text"]
    with pytest.raises(Refused, match="this cannot be"):
        answer(both, "tools/call", {"name": "refuse"}, caller)
