"""What a tool, a resource or a prompt is on the wire: plain dictionaries."""

from __future__ import annotations

import json
from typing import Any

from everlore.surfaces.contracts.toolset import Caller, Items, Prompt, Resource, Text, Tool
from everlore.surfaces.mcp.handshake import OBJECTS_ONLY
from everlore.types import Json


def tool(value: Tool) -> dict[str, Any]:
    hints = {
        "readOnlyHint": value.reads,
        "destructiveHint": value.destroys,
        "idempotentHint": value.repeatable or value.reads,
        "openWorldHint": False,
    }
    return _known(
        name=value.name,
        title=value.title or None,
        description=value.description,
        inputSchema=value.input_schema,
        outputSchema=value.output_schema,
        annotations=hints,
    )


def resource(value: Resource) -> dict[str, Any]:
    more = _known(name=value.name, description=value.description or None, mimeType=value.mime_type or None)
    return {"uriTemplate" if value.template else "uri": value.uri} | more


def _known(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def prompt(value: Prompt) -> dict[str, Any]:
    arguments = [
        {"name": one.name, "description": one.description, "required": one.required} for one in value.arguments
    ]
    return {"name": value.name, "description": value.description, "arguments": arguments}


def result(value: Json | Text | Items, caller: Caller) -> tuple[list[dict[str, Any]], Json]:
    """The content blocks of a tool's result, and its structured content (None: there is none)."""
    match value:
        case Text(text=text):
            return [block(text)], None
        case Items(items=items, links=links):
            plain = sound(list(items))
            objects_only = caller.protocol_version in OBJECTS_ONLY and not caller.bare
            structured: Json = {"items": plain} if objects_only else plain
            return [
                block(dumped(structured)),
                *({"type": "resource_link"} | resource(one) for one in links),
            ], structured
        case dict():
            structured = sound(value)
            return [block(dumped(structured))], structured
        case _:
            raise TypeError(f"a tool returned a {type(value).__name__}, which is not an object, Items or Text")


def block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text.encode("utf-8", "replace").decode("utf-8")}


def dumped(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def sound(value: Json) -> Json:
    """The value as JSON can carry it: half a character, which a file may hold, becomes a question mark."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-8", "replace"))
    return value
