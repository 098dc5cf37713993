"""What toolsets answer, whatever carries it: plain dictionaries, redacted, errors as `Refused`.

Runs in a worker thread. Of an error that nobody foresaw the client reads a sentence, and the log gets the place but not
the text.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

from everlore.errors import EverloreError, InvalidInput, NotFound
from everlore.logs import get_logger
from everlore.redact import redact_deep
from everlore.surfaces.contracts.quoting import as_json
from everlore.surfaces.contracts.toolset import Caller, Items, Prompt, Resource, Text, Tool, Toolset
from everlore.surfaces.mcp.protocol import (
    FAILED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    LISTS,
    LISTS_LAST_MS,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    STATELESS,
    Object,
    Offer,
    Refused,
)
from everlore.surfaces.mcp.toolsets import joined
from everlore.types import Json

UNEXPECTED = "Something went wrong on our side; the server's log says where. Please try again."
"""What the client reads when an error was not foreseen."""
OBJECTS_ONLY = frozenset({"2025-06-18", "2025-11-25"})
"""Versions whose clients refuse structured content that is not an object."""

log = get_logger("everlore.mcp")


def offer_of(toolsets: Sequence[Toolset]) -> Offer:
    """All that a client is told before an engine is needed."""
    return joined([(toolset.identity, offered(toolset)) for toolset in toolsets])


def offered(toolset: Toolset) -> Object:
    """What is kept of a toolset as data."""
    lists = _lists([toolset])
    asked: Object = {
        "tools/call": {
            tool.name: {"reads": tool.reads, "repeatable": tool.repeatable or tool.reads} for tool in toolset.tools
        }
    }
    asked |= {"resources/read": {}} if toolset.read is not None else {}
    asked |= {"prompts/get": {}} if toolset.prompts else {}
    kept = {"cacheScope": "public", "resultType": "complete", "ttlMs": LISTS_LAST_MS}
    return {
        "handshake": lists,
        STATELESS: {method: dict(sorted((found | kept).items())) for method, found in lists.items()},
        "asked": asked,
        "failures": toolset.failures,
        "error_prefix": toolset.error_prefix,
    }


def _lists(toolsets: Sequence[Toolset]) -> dict[str, Object]:
    found: dict[str, Object] = {"tools/list": {"tools": [_tool(one) for toolset in toolsets for one in toolset.tools]}}
    if any(toolset.read is not None for toolset in toolsets):
        resources = [one for toolset in toolsets for one in toolset.resources]
        found["resources/list"] = {"resources": [_resource(one) for one in resources if not one.template]}
        found["resources/templates/list"] = {"resourceTemplates": [_resource(one) for one in resources if one.template]}
    if any(toolset.prompts for toolset in toolsets):
        found["prompts/list"] = {"prompts": [_prompt(one) for toolset in toolsets for one in toolset.prompts]}
    return found


def _tool(value: Tool) -> Object:
    hints = {
        "destructiveHint": value.destroys,
        "idempotentHint": value.repeatable or value.reads,
        "openWorldHint": False,
        "readOnlyHint": value.reads,
    }
    return _known(
        annotations=hints,
        description=value.description,
        inputSchema=value.input_schema,
        name=value.name,
        outputSchema=value.output_schema,
        title=value.title or None,
    )


def _resource(value: Resource) -> Object:
    uri = {"uriTemplate" if value.template else "uri": value.uri}
    return _known(description=value.description or None, mimeType=value.mime_type or None, name=value.name, **uri)


def _known(**fields: Any) -> Object:
    return {name: value for name, value in fields.items() if value is not None}


def _prompt(value: Prompt) -> Object:
    arguments = [
        {"description": one.description, "name": one.name, "required": one.required} for one in value.arguments
    ]
    return {"arguments": arguments, "description": value.description, "name": value.name}


def answer(toolsets: Sequence[Toolset], method: str, params: Object, caller: Caller) -> Object:
    """The result of a request that was found to be as the protocol says. Raises `Refused`."""
    try:
        found: Object = redact_deep(_answer(toolsets, method, params, caller))
    except Refused:
        raise
    except Exception as error:
        report(error, method=method)
        raise Refused(INTERNAL_ERROR, UNEXPECTED) from None
    return found


def _answer(toolsets: Sequence[Toolset], method: str, params: Object, caller: Caller) -> Object:
    match method:
        case "tools/call":
            return _called(toolsets, params["name"], params.get("arguments") or {}, caller)
        case "resources/read":
            return _read(toolsets, params["uri"], caller)
        case "prompts/get":
            return _rendered(toolsets, params["name"], params.get("arguments") or {})
        case _ if method in LISTS and method in (lists := _lists(toolsets)):
            return lists[method]
    raise Refused(METHOD_NOT_FOUND, "Method not found", method)


def _called(toolsets: Sequence[Toolset], name: str, arguments: Mapping[str, Json], caller: Caller) -> Object:
    toolset, tool = next(((one, tool) for one in toolsets for tool in one.tools if tool.name == name), (None, None))
    if toolset is None or tool is None:
        return _unknown(toolsets[0], name)
    if not tool.reads and caller.principal is not None and "mem:write" not in caller.principal.scopes:
        return failed(toolset, f"{name} changes memories, and this token may only read; it lacks mem:write", FAILED)
    try:
        return _shown(tool.call(caller, arguments), caller)
    except InvalidInput as error:
        return failed(toolset, str(error), toolset.invalid_code)
    except NotFound as error:
        return failed(toolset, str(error), toolset.missing_code)
    except EverloreError as error:
        return failed(toolset, str(error), FAILED)
    except Refused:
        raise
    except Exception as error:
        report(error, tool=name)
        return failed(toolset, UNEXPECTED, FAILED)


def _unknown(toolset: Toolset, name: str) -> Object:
    if toolset.error_prefix:
        return failed(toolset, f"unknown tool: {name[:100]}", FAILED)
    code = METHOD_NOT_FOUND if toolset.failures == "rpc" else INVALID_PARAMS
    raise Refused(code, f"Unknown tool: {name[:100]}")


def failed(toolset: Toolset, message: str, code: int) -> Object:
    if toolset.failures == "rpc":
        raise Refused(code, message)
    return {"content": [_block(f"{toolset.error_prefix}{message}")], "isError": True}


def _shown(value: Json | Text | Items, caller: Caller) -> Object:
    """A tool's result: content blocks, and structured content where there is some."""
    links: list[Object] = []
    match value:
        case Text(text=text):
            return {"content": [_block(text)], "isError": False}
        case Items(items=items):
            links = [{"type": "resource_link"} | _resource(one) for one in value.links]
            objects_only = caller.protocol_version in OBJECTS_ONLY and not caller.bare
            structured = _sound({"items": list(items)} if objects_only else list(items))
        case dict():
            structured = _sound(value)
        case _:
            raise TypeError(f"a tool returned a {type(value).__name__}, which is not an object, Items or Text")
    mirrored = _block(as_json(structured))
    return {"content": [mirrored, *links], "isError": False, "structuredContent": structured}


def _block(text: str) -> Object:
    return {"type": "text", "text": text.encode("utf-8", "replace").decode("utf-8")}


def _sound(value: Json) -> Json:
    """The value as JSON can carry it: half a character, which a file may hold, becomes a question mark."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-8", "replace"))
    return value


def _read(toolsets: Sequence[Toolset], uri: str, caller: Caller) -> Object:
    """By the first toolset that knows the address."""
    refused: Refused | None = None
    for toolset in (one for one in toolsets if one.read is not None):
        assert toolset.read is not None
        try:
            content = toolset.read(caller, uri)
        except NotFound as error:
            refused = refused or Refused(_missing_code(toolset, caller.protocol_version), str(error), {"uri": uri})
        except InvalidInput as error:
            code = toolset.invalid_code if toolset.failures == "rpc" else INVALID_PARAMS
            refused = refused or Refused(code, str(error))
        except EverloreError as error:
            raise Refused(FAILED, str(error)) from None
        else:
            return {"contents": [{"uri": uri, "mimeType": content.mime_type, "text": _block(content.text)["text"]}]}
    raise refused or Refused(METHOD_NOT_FOUND, "Method not found", "resources/read")


def _missing_code(toolset: Toolset, version: str) -> int:
    """-32002 is the protocol's own code for it until 2025-11-25, but some contracts use that one for another thing."""
    if toolset.failures == "rpc":
        return FAILED
    return INVALID_PARAMS if version == STATELESS else NOT_INITIALIZED


def _rendered(toolsets: Sequence[Toolset], name: str, given: Mapping[str, str]) -> Object:
    prompts = {prompt.name: prompt for toolset in toolsets for prompt in toolset.prompts}
    prompt = prompts.get(name)
    if prompt is None:
        raise Refused(INVALID_PARAMS, f"Unknown prompt: {name[:100]}; there are: {', '.join(prompts)}")
    for argument in prompt.arguments:
        if argument.required and not given.get(argument.name):
            raise Refused(INVALID_PARAMS, f"{argument.name} is required by the prompt {prompt.name}")
    message = {"role": "user", "content": _block(prompt.render(given))}
    return {"description": prompt.description, "messages": [message]}


def report(error: BaseException, **where: Any) -> None:
    """Log an error that nobody foresaw: its type and place. Its text may hold what people stored, and is left out."""
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    log.error("unexpected error", error=type(error).__name__, places=places, **where)
