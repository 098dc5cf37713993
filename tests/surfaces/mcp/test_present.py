"""Tools, resources, prompts and results on the wire."""

from __future__ import annotations

import pytest
import tiny

from everlore.surfaces.contracts.toolset import Caller, Items, Resource, Text
from everlore.surfaces.mcp import present

OLD = Caller(lambda _: pytest.fail("no engine is needed"), "2024-11-05")
STRICT = Caller(OLD.open_engine, "2025-11-25")
BARE = Caller(OLD.open_engine, "2025-11-25", bare=True)


def test_a_tool_tells_only_what_it_has() -> None:
    shown = present.tool(tiny.wait)
    assert list(shown) == ["name", "title", "description", "inputSchema", "annotations"]
    assert "title" not in present.tool(tiny.echo)
    assert present.tool(tiny.echo)["annotations"]["idempotentHint"] is True, "what only reads can be repeated"


def test_resources_and_prompts() -> None:
    fixed, template = (present.resource(one) for one in tiny.toolset().resources)
    assert (list(fixed), list(template)) == (["uri", "name", "description", "mimeType"], ["uriTemplate", "name"])
    (prompt,) = (present.prompt(one) for one in tiny.toolset().prompts)
    assert prompt["arguments"] == [{"name": "name", "description": "Whom", "required": True}]


@pytest.mark.parametrize(("caller", "wrapped"), [(OLD, False), (STRICT, True), (BARE, False)])
def test_a_list_is_wrapped_for_those_who_need_an_object(caller: Caller, wrapped: bool) -> None:
    content, structured = present.result(Items(({"id": 1},), (Resource("a:b", "b"),)), caller)
    assert structured == ({"items": [{"id": 1}]} if wrapped else [{"id": 1}])
    assert content[1] == {"type": "resource_link", "uri": "a:b", "name": "b", "mimeType": "application/json"}


def test_texts_and_objects() -> None:
    assert present.result(Text("x"), OLD) == ([{"type": "text", "text": "x"}], None)
    assert present.result({"half": "\ud800"}, OLD)[1] == {"half": "?"}
    with pytest.raises(TypeError, match="a tool returned a int"):
        present.result(7, OLD)
