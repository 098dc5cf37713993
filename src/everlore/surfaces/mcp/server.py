"""A toolset on the SDK's low-level server, for both eras of the protocol and any transport.

Every answer passes `_Around`, the one place for redaction and for what the SDK drops, refuses or tells too much about:
further fields of `serverInfo` and capabilities, structured content that is a list, -32002 before the handshake, and
errors that nobody foresaw, of which the client reads a sentence and the log gets the place but not the text.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import mcp_types as types
import structlog
from anyio import CapacityLimiter, to_thread
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from everlore.errors import EverloreError, InvalidInput, NotFound
from everlore.redact import redact, redact_deep
from everlore.surfaces.contracts.identity import HANDSHAKE_VERSIONS
from everlore.surfaces.contracts.toolset import Caller, Toolset
from everlore.surfaces.mcp import present
from everlore.surfaces.mcp.handshake import BARE, answer
from everlore.types import Json

if TYPE_CHECKING:
    from everlore.engine import Engine

Engines = Callable[[Caller], "Engine"]

AT_ONCE = 16
"""Tools that may run at the same time."""
LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list", "server/discover")
LISTS_LAST_MS = 3_600_000
"""Lists change only with a new version of the server; 2026-07-28 clients are told how long they may keep them."""

UNEXPECTED = "Something went wrong on our side; the server's log says where. Please try again."
"""What the client reads when an error was not foreseen."""
NOT_INITIALIZED = -32002
FAILED = -32000
COMPLETE: dict[str, Any] = {"resultType": "complete"}
"""Demanded by 2026-07-28 of every result; the SDK takes it out for clients that do not know it."""
BEFORE_HANDSHAKE = frozenset({"initialize", "ping"})

Context = ServerRequestContext[Any, Any]

log = structlog.get_logger("everlore.mcp")

_STRUCTURED: ContextVar[list[Json]] = ContextVar("everlore_mcp_structured")
"""Where a call leaves its structured content for `_Around`, since the SDK would refuse or drop it."""


def build(toolset: Toolset, engine: Engines, at_once: int = AT_ONCE) -> Server[Any]:
    """`engine` is called in a worker thread, by the first tool that needs it."""
    kept: dict[Any, CacheHint] = dict.fromkeys(LISTS, CacheHint(ttl_ms=LISTS_LAST_MS, scope="public"))
    server: Server[Any] = Server(
        toolset.identity.server_name,
        version=toolset.identity.server_version,
        instructions=toolset.identity.instructions or None,
        cache_hints={**kept, "resources/read": CacheHint(ttl_ms=0, scope="private")},
    )
    limiter = CapacityLimiter(at_once)
    _add_tools(server, toolset, engine, limiter)
    if toolset.read is not None:
        _add_resources(server, toolset, engine, limiter)
    if toolset.prompts:
        _add_prompts(server, toolset)
    server.middleware[:] = [_Around(toolset)]
    return server


class _Around:
    """The middleware around every request."""

    def __init__(self, toolset: Toolset) -> None:
        self._identity = toolset.identity

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.request_id is None:
            return await call_next(ctx)
        handshake = ctx.protocol_version in HANDSHAKE_VERSIONS
        if handshake and ctx.session.client_params is None and ctx.method not in BEFORE_HANDSHAKE:
            raise MCPError(NOT_INITIALIZED, "Server not initialized")
        structured: list[Json] = []
        token = _STRUCTURED.set(structured)
        try:
            result = await call_next(ctx)
        except MCPError as error:
            raise MCPError(error.code, redact(error.message), redact_deep(error.data)) from None
        except ValidationError as error:
            raise MCPError(types.INVALID_PARAMS, _first_reason(error)) from None
        except Exception as error:
            report(error, method=ctx.method)
            raise MCPError(types.INTERNAL_ERROR, UNEXPECTED) from None
        finally:
            _STRUCTURED.reset(token)
        assert isinstance(result, dict)
        finished: dict[str, Any] = redact_deep(self._finished(ctx, result, structured))
        return finished

    def _finished(self, ctx: Context, result: dict[str, Any], structured: list[Json]) -> dict[str, Any]:
        if ctx.method == "initialize":
            return result | answer(self._identity, result["protocolVersion"])
        if ctx.method == "server/discover":
            result["capabilities"] = dict(self._identity.capabilities)
        if structured:
            result["structuredContent"] = structured[0]
        meta = result.get("_meta")
        if isinstance(meta, dict) and isinstance(meta.get(types.SERVER_INFO_META_KEY), dict):
            meta[types.SERVER_INFO_META_KEY] |= self._identity.server_fields
        return result


def _add_tools(server: Server[Any], toolset: Toolset, engine: Engines, limiter: CapacityLimiter) -> None:
    tools = {tool.name: tool for tool in toolset.tools}

    async def call(ctx: Context, params: types.CallToolRequestParams) -> HandlerResult:
        tool = tools.get(params.name)
        if tool is None and toolset.error_prefix:
            return _failed(toolset, f"unknown tool: {params.name[:100]}", FAILED)
        if tool is None:
            code = types.METHOD_NOT_FOUND if toolset.failures == "rpc" else types.INVALID_PARAMS
            raise MCPError(code, f"Unknown tool: {params.name[:100]}")
        caller = _caller(ctx, engine)

        def work() -> tuple[list[dict[str, Any]], Json]:
            return present.result(tool.call(caller, params.arguments or {}), caller)

        try:
            content, structured = await to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)
        except InvalidInput as error:
            return _failed(toolset, str(error), toolset.invalid_code)
        except NotFound as error:
            return _failed(toolset, str(error), toolset.missing_code)
        except EverloreError as error:
            return _failed(toolset, str(error), FAILED)
        except MCPError:
            raise
        except Exception as error:
            report(error, tool=tool.name)
            return _failed(toolset, UNEXPECTED, FAILED)
        if structured is not None:
            _STRUCTURED.get().append(structured)
        return COMPLETE | {"content": content, "isError": False}

    _add_list(server, "tools/list", "tools", [present.tool(tool) for tool in toolset.tools])
    server.add_request_handler("tools/call", types.CallToolRequestParams, call)
    server.get_tool_input_schema = lambda name: tools[name].input_schema if name in tools else None


def _failed(toolset: Toolset, message: str, code: int) -> HandlerResult:
    if toolset.failures == "rpc":
        raise MCPError(code, message)
    return COMPLETE | {"content": [present.block(f"{toolset.error_prefix}{message}")], "isError": True}


def _add_resources(server: Server[Any], toolset: Toolset, engine: Engines, limiter: CapacityLimiter) -> None:
    read_one = toolset.read
    assert read_one is not None

    async def read(ctx: Context, params: types.ReadResourceRequestParams) -> HandlerResult:
        uri = str(params.uri)
        caller = _caller(ctx, engine)
        try:
            content = await to_thread.run_sync(lambda: read_one(caller, uri), abandon_on_cancel=True, limiter=limiter)
        except NotFound as error:
            raise MCPError(_missing_code(toolset, ctx.protocol_version), str(error), {"uri": uri}) from None
        except InvalidInput as error:
            code = toolset.invalid_code if toolset.failures == "rpc" else types.INVALID_PARAMS
            raise MCPError(code, str(error)) from None
        except EverloreError as error:
            raise MCPError(FAILED, str(error)) from None
        text = present.block(content.text)["text"]
        return COMPLETE | {"contents": [{"uri": uri, "mimeType": content.mime_type, "text": text}]}

    fixed = [present.resource(one) for one in toolset.resources if not one.template]
    _add_list(server, "resources/list", "resources", fixed)
    templates = [present.resource(one) for one in toolset.resources if one.template]
    _add_list(server, "resources/templates/list", "resourceTemplates", templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read)


def _missing_code(toolset: Toolset, version: str) -> int:
    """-32002 is the protocol's own code for it until 2025-11-25, but some contracts use that one for another thing."""
    if toolset.failures == "rpc":
        return FAILED
    return NOT_INITIALIZED if version in HANDSHAKE_VERSIONS else types.INVALID_PARAMS


def _add_prompts(server: Server[Any], toolset: Toolset) -> None:
    prompts = {prompt.name: prompt for prompt in toolset.prompts}

    async def get(_: Context, params: types.GetPromptRequestParams) -> HandlerResult:
        prompt = prompts.get(params.name)
        if prompt is None:
            known = ", ".join(prompts)
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name[:100]}; there are: {known}")
        given = params.arguments or {}
        for argument in prompt.arguments:
            if argument.required and not given.get(argument.name):
                raise MCPError(types.INVALID_PARAMS, f"{argument.name} is required by the prompt {prompt.name}")
        message = {"role": "user", "content": present.block(prompt.render(given))}
        return COMPLETE | {"description": prompt.description, "messages": [message]}

    _add_list(server, "prompts/list", "prompts", [present.prompt(prompt) for prompt in toolset.prompts])
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, get)


def _add_list(server: Server[Any], method: str, name: str, shown: list[dict[str, Any]]) -> None:
    async def list_(_: Context, params: types.PaginatedRequestParams) -> HandlerResult:
        if params.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, "Unknown cursor: the whole list is on the first page")
        return COMPLETE | {name: shown}

    server.add_request_handler(method, types.PaginatedRequestParams, list_)


def _caller(ctx: Context, engine: Engines) -> Caller:
    client = ctx.session.client_params
    meta: Mapping[str, Any] = (client.meta if client else None) or {}
    return Caller(
        engine,
        protocol_version=ctx.protocol_version,
        client_name=client.client_info.name if client else "",
        bare=meta.get(BARE) is True,
        headers=dict(ctx.request.headers) if ctx.request is not None else {},
        principal=getattr(ctx.request.state, "principal", None) if ctx.request is not None else None,
    )


def _first_reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"Invalid request parameters: {where}: {first['msg']}"


def report(error: BaseException, **where: str) -> None:
    """Log an error that nobody foresaw: its type and place. Its text may hold what people stored, and is left out."""
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    log.error("unexpected error", error=type(error).__name__, places=places, **where)
