"""What toolsets answer, whatever carries it: plain dictionaries, redacted, errors as `Refused`.

Runs in a worker thread. Of an error that nobody foresaw the client reads a sentence, and the log gets the place but not
the text.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from everlore.errors import EverloreError, InvalidInput, NotFound
from everlore.logs import get_logger
from everlore.redact import redact_deep
from everlore.surfaces.contracts.quoting import as_json
from everlore.surfaces.contracts.toolset import Caller, Items, Prompt, Resource, Text, Tool, Toolset
from everlore.surfaces.mcp import protocol
from everlore.surfaces.mcp.protocol import STATELESS, Object, Offer, Refused
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
    lists: dict[str, Object] = {"tools/list": {"tools": [_tool(one) for one in toolset.tools]}}
    style = {"failures": toolset.failures, "error_prefix": toolset.error_prefix}
    tools = {
        one.name: {"reads": one.reads, "repeatable": one.repeatable or one.reads, **style} for one in toolset.tools
    }
    asked: dict[str, Object] = {"tools/call": tools}
    if toolset.read is not None:
        templates = [_resource(one) for one in toolset.resources if one.template]
        lists["resources/list"] = {"resources": [_resource(one) for one in toolset.resources if not one.template]}
        lists["resources/templates/list"] = {"resourceTemplates": templates}
        asked["resources/read"] = {}
    if toolset.prompts:
        lists["prompts/list"] = {"prompts": [_prompt(one) for one in toolset.prompts]}
        asked["prompts/get"] = {}
    kept = {"cacheScope": "public", "resultType": "complete", "ttlMs": protocol.LISTS_LAST_MS}
    lasting = {method: dict(sorted((found | kept).items())) for method, found in lists.items()}
    return {"handshake": lists, STATELESS: lasting, "asked": asked}


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
        title=value.title,
    )


def _resource(value: Resource) -> Object:
    uri = {"uriTemplate" if value.template else "uri": value.uri}
    return _known(description=value.description, mimeType=value.mime_type, name=value.name, **uri)


def _prompt(value: Prompt) -> Object:
    arguments = [dict(sorted(asdict(one).items())) for one in value.arguments]
    return {"arguments": arguments, "description": value.description, "name": value.name}


def _known(**fields: Any) -> Object:
    return {name: value for name, value in fields.items() if value}


def answer(toolsets: Sequence[Toolset], method: str, params: Object, caller: Caller) -> Object:
    """The result of a request that was found to be as the protocol says. Raises `Refused`."""
    try:
        found: Object = redact_deep(_answer(toolsets, method, params, caller))
    except Refused:
        raise
    except Exception as error:
        _report(error, method=method)
        raise Refused(protocol.INTERNAL_ERROR, UNEXPECTED) from None
    return found


def _answer(toolsets: Sequence[Toolset], method: str, params: Object, caller: Caller) -> Object:
    match method:
        case "tools/call":
            return _called(toolsets, params["name"], params.get("arguments") or {}, caller)
        case "resources/read":
            return _read(toolsets, params["uri"], caller)
        case "prompts/get":
            return _rendered(toolsets, params["name"], params.get("arguments") or {})
    lists = offer_of(toolsets).lists["handshake"]
    if method not in lists:
        raise Refused(protocol.METHOD_NOT_FOUND, "Method not found", method)
    return lists[method]


def _called(toolsets: Sequence[Toolset], name: str, arguments: Mapping[str, Json], caller: Caller) -> Object:
    toolset, tool = next(((one, tool) for one in toolsets for tool in one.tools if tool.name == name), (None, None))
    if toolset is None or tool is None:
        first = toolsets[0]
        if first.error_prefix:
            return _failed(first, f"unknown tool: {name[:100]}")
        code = protocol.METHOD_NOT_FOUND if first.failures == "rpc" else protocol.INVALID_PARAMS
        raise Refused(code, f"Unknown tool: {name[:100]}")
    if not tool.reads and caller.principal is not None and "mem:write" not in caller.principal.scopes:
        return _failed(toolset, f"{name} changes memories, and this token may only read; it lacks mem:write")
    try:
        return _shown(tool.call(caller, arguments), caller)
    except EverloreError as error:
        known = {InvalidInput: toolset.invalid_code, NotFound: toolset.missing_code}
        code = next((code for kind, code in known.items() if isinstance(error, kind)), protocol.FAILED)
        return _failed(toolset, toolset.told(error), code)
    except Exception as error:
        _report(error, tool=name)
        return _failed(toolset, UNEXPECTED)


def _failed(toolset: Toolset, message: str, code: int = protocol.FAILED) -> Object:
    if toolset.failures == "rpc":
        raise Refused(code, message)
    return {"content": [_block(f"{toolset.error_prefix}{message}")], "isError": True}


def _shown(value: Json | Text | Items, caller: Caller) -> Object:
    if isinstance(value, Text):
        return {"content": [_block(value.text)], "isError": False}
    links: list[Object] = []
    if isinstance(value, Items):
        links = [{"type": "resource_link"} | _resource(one) for one in value.links]
        objects_only = caller.protocol_version in OBJECTS_ONLY and not caller.bare
        value = {"items": list(value.items)} if objects_only else list(value.items)
    structured = _sound(value)
    return {"content": [_block(as_json(structured)), *links], "isError": False, "structuredContent": structured}


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
    """By the first toolset that knows the address; of those that do not, the first one says why."""
    refused: Refused | None = None
    for toolset in toolsets:
        if toolset.read is None:
            continue
        try:
            content = toolset.read(caller, uri)
        except (InvalidInput, NotFound) as error:
            refused = refused or _unread(toolset, error, uri, caller.protocol_version)
        except EverloreError as error:
            raise Refused(protocol.FAILED, toolset.told(error)) from None
        else:
            return {"contents": [{"uri": uri, "mimeType": content.mime_type, "text": _block(content.text)["text"]}]}
    raise refused or Refused(protocol.METHOD_NOT_FOUND, "Method not found", "resources/read")


def _unread(toolset: Toolset, error: EverloreError, uri: str, version: str) -> Refused:
    invalid = isinstance(error, InvalidInput)
    code = toolset.invalid_code if invalid else protocol.FAILED
    if toolset.failures != "rpc":  # until 2025-11-25 the protocol has one of its own for what is not there
        code = protocol.INVALID_PARAMS if invalid or version == STATELESS else protocol.NOT_INITIALIZED
    return Refused(code, str(error), None if invalid else {"uri": uri})


def _rendered(toolsets: Sequence[Toolset], name: str, given: Mapping[str, str]) -> Object:
    prompts = {prompt.name: prompt for toolset in toolsets for prompt in toolset.prompts}
    if name not in prompts:
        raise Refused(protocol.INVALID_PARAMS, f"Unknown prompt: {name[:100]}; there are: {', '.join(prompts)}")
    prompt = prompts[name]
    for argument in prompt.arguments:
        if argument.required and not given.get(argument.name):
            raise Refused(protocol.INVALID_PARAMS, f"{argument.name} is required by the prompt {prompt.name}")
    message = {"role": "user", "content": _block(prompt.render(given))}
    return {"description": prompt.description, "messages": [message]}


def _report(error: BaseException, **where: Any) -> None:
    """Log an error that nobody foresaw: its type and place. Its text may hold what people stored, and is left out."""
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    log.error("unexpected error", error=type(error).__name__, places=places, **where)
