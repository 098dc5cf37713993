"""A toolset on the SDK's low-level server, which knows the HTTP transports of both eras of the protocol.

It is asked for that alone: every request is answered by our own protocol and answers, in the one middleware around it,
so that HTTP and stdio say the same. Only `initialize` is also the SDK's, since its sessions begin with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anyio import CapacityLimiter, to_thread
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError
from starlette.types import ASGIApp

from everlore.engine import Engine
from everlore.surfaces.contracts.toolset import Caller, Toolset
from everlore.surfaces.http.guard import seen_by
from everlore.surfaces.http.mcp_proxy import BARE, front
from everlore.surfaces.mcp.answer import answer, offer_of
from everlore.surfaces.mcp.protocol import INVALID_PARAMS, STATELESS, Object, Refused, Session, greeting

Context = ServerRequestContext[Any, Any]
Engines = Callable[[Caller], Engine]


def served(toolset: Toolset, engine: Engine) -> tuple[ASGIApp, StreamableHTTPSessionManager]:
    """An application that answers while its manager runs. Whose token a request carries decides what its tool sees."""
    api = engine.settings.api
    server = build(toolset, lambda caller: seen_by(engine, caller.principal), api.threads)
    manager = StreamableHTTPSessionManager(server, max_request_body_size=api.max_body_bytes)
    return front(manager.asgi_app, toolset.identity, api.max_body_bytes), manager


def build(toolset: Toolset, engines: Engines, at_once: int) -> Server[Any]:
    identity = toolset.identity
    server: Server[Any] = Server(identity.server_name, version=identity.server_version)
    server.middleware[:] = [_Around(toolset, engines, CapacityLimiter(at_once))]
    schemas = {tool.name: tool.input_schema for tool in toolset.tools}
    server.get_tool_input_schema = schemas.get  # for headers that repeat arguments
    return server


class _Around:
    def __init__(self, toolset: Toolset, engines: Engines, limiter: CapacityLimiter) -> None:
        self._toolset = toolset
        self._offer = offer_of([toolset])
        self._engines = engines
        self._limiter = limiter

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if ctx.request_id is None:
            return await call_next(ctx)
        try:
            if ctx.method == "initialize":
                begun: Object = await call_next(ctx)  # type: ignore[assignment]  # the SDK has made it a dict
                return begun | greeting(self._toolset.identity, begun["protocolVersion"])
            return await self._answered(ctx)
        except Refused as error:
            told = error.answer()["error"]
            raise MCPError(told["code"], told["message"], told.get("data")) from None
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise MCPError(INVALID_PARAMS, f"Invalid request parameters: {where}: {first['msg']}") from None

    async def _answered(self, ctx: Context) -> Object:
        client = ctx.session.client_params
        shaken = client is not None or ctx.protocol_version == STATELESS
        meta: Any = (client.meta if client else None) or {}
        name = client.client_info.name if client and client.client_info else ""
        bare = meta.get(BARE) is True
        session = Session(self._offer, ctx.protocol_version if shaken else "", name, bare=bare)
        params = dict(ctx.params or {})
        result = session.take(ctx.method, params)
        if result is not None:
            return result
        caller = Caller(
            self._engines,
            protocol_version=session.version,
            client_name=session.client,
            bare=bare,
            headers=dict(ctx.request.headers) if ctx.request is not None else {},
            principal=getattr(ctx.request.state, "principal", None) if ctx.request is not None else None,
        )
        return session.stamped(
            await to_thread.run_sync(
                lambda: answer([self._toolset], ctx.method, params, caller),
                abandon_on_cancel=True,
                limiter=self._limiter,
            )
        )
