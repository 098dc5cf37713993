"""The content server over HTTP: JSON-RPC at `/api/v1/mcp/{server}`, and with kept results at `.../dispatch`.

MCP clients have `/mcp/evo`, which the SDK serves behind the same gates (`gated`).

A call passes the gates in this order: token, content type, size, scope, rate. What goes wrong there is an HTTP
status; what goes wrong behind them is a JSON-RPC error with status 200. Each call leaves one audit line.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from everlore.engine import Engine
from everlore.surfaces.contracts.emcp import toolset as content
from everlore.surfaces.contracts.emcp.callers import Actor, Refused, identify, scope_of
from everlore.surfaces.contracts.emcp.toolset import HANDLE, too_large
from everlore.surfaces.http.body import answered, read_bounded, replaying
from everlore.surfaces.http.emcp_answers import TRACE, announce, audit, refusal_response, trace_of
from everlore.surfaces.http.emcp_results import Results, payload_hash
from everlore.surfaces.http.guard import Meter
from everlore.surfaces.http.threads import run
from everlore.surfaces.mcp.protocol import Refused as Unreadable
from everlore.surfaces.mcp.protocol import read
from everlore.types import Json
from everlore.vault.folder import SYSTEM

SESSION: Final = "MCP-Session-Id"
KEY: Final = "Idempotency-Key"

router = APIRouter(tags=["content"], include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Server:
    """What the routes share: one per application."""

    engine: Engine
    rate: Meter | None
    """None: as often as they like."""
    results: Results


@asynccontextmanager
async def content_server(engine: Engine) -> AsyncIterator[Server]:
    settings = engine.settings.emcp
    results = Results(engine.settings.memory.root / SYSTEM / "dispatch.db", settings.idempotency_seconds)
    per_minute = settings.rate_limit_per_minute
    server = Server(engine, Meter(per_minute) if per_minute else None, results)
    announce(settings)
    try:
        yield server
    finally:
        server.results.close()


@dataclass(slots=True)
class Call:
    """One request on its way through the gates; the audit line tells how far it came."""

    handle: str
    trace_id: str
    session_id: str
    actor: Actor | None = None
    body: bytes = b""
    message: Json = None
    unreadable: Unreadable | None = None
    started: float = field(default_factory=time.perf_counter)

    @property
    def method(self) -> str:
        return content.method_of(self.message)

    @property
    def messages(self) -> list[Json]:
        """Those of a batch, or the one."""
        return self.message if isinstance(self.message, list) and self.message else [self.message]


@router.post("/api/v1/mcp/{server}")
async def post(server: str, request: Request) -> Response:
    return await _answered(request, server, _call)


@router.post("/api/v1/mcp/{server}/dispatch")
async def dispatch(server: str, request: Request) -> Response:
    return await _answered(request, server, _dispatch)


async def _answered(
    request: Request, handle: str, handle_call: Callable[[Server, Request, Call], Awaitable[Response]]
) -> Response:
    server: Server = request.app.state.content
    session = request.headers.get(SESSION, "")
    call = Call(handle, trace_of(request), session if re.fullmatch(r"[!-~]{1,128}", session) else "")
    response: Response
    try:
        await _gates(server, request, call)
        response = await handle_call(server, request, call)
        _check_size(server, response.body)
    except Refused as error:
        response = refusal_response(request, error)
    response.headers[TRACE] = call.trace_id
    if call.method == "initialize" and not call.session_id and response.status_code == 200:
        call.session_id = uuid.uuid4().hex
    if call.session_id:
        response.headers[SESSION] = call.session_id
    audit(request, call.handle, call.message, call.actor, response.status_code, call.started)
    return response


def gated(app: ASGIApp) -> ASGIApp:
    """`app` for those who may call the content server, with its limits and its audit."""

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        server: Server = request.app.state.content
        call = Call(HANDLE, trace_of(request), "")
        try:
            if request.method != "POST":  # the session's stream or its end: there is no message in it
                _check_scope(_admit(server, request, call), "ping")
                await app(scope, receive, send)
                return
            await _gates(server, request, call)
            answer = await answered(app, scope, replaying(call.body, receive))
            answer.headers[TRACE] = call.trace_id
            _check_size(server, answer.body)
        except Refused as error:
            answer = refusal_response(request, error)
        for message in call.messages if request.method == "POST" else ():
            audit(request, call.handle, message, call.actor, answer.status_code, call.started)
        await answer(scope, receive, send)

    return wrapped


def _check_size(server: Server, body: bytes | memoryview) -> None:
    limit = server.engine.settings.emcp.max_result_bytes
    if len(body) > limit:
        raise Refused(413, "result_too_large", too_large(limit))


def _check_scope(actor: Actor, method: str) -> None:
    if not actor.may(method):
        raise Refused(403, "scope_denied", f"the token lacks the scope {scope_of(method)}, which this method needs")


def _admit(server: Server, request: Request, call: Call) -> Actor:
    address = request.client.host if request.client else "unknown"
    settings = server.engine.settings.emcp
    call.actor = identify(request.headers.get("authorization"), address, settings, request.state.principal)
    return call.actor


async def _gates(server: Server, request: Request, call: Call) -> None:
    actor = _admit(server, request, call)
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/json":
        raise Refused(415, "unsupported_media_type", "send JSON, with Content-Type: application/json")
    limit = server.engine.settings.emcp.max_payload_kb * 1024
    too_large = Refused(413, "payload_too_large", f"the request is larger than {limit} bytes")
    call.body = await read_bounded(request, limit, too_large)
    try:
        call.message = read(call.body)
    except Unreadable as error:
        call.unreadable = error
    for method in map(content.method_of, call.messages):
        if method:
            _check_scope(actor, method)
        if server.rate and (wait := server.rate.wait(f"{call.handle[:100]}:{method[:100]}:{actor.identity}")):
            raise Refused(429, "rate_limited", f"too many calls; wait {wait} seconds", {"Retry-After": str(wait)})


async def _call(server: Server, request: Request, call: Call) -> Response:
    answer = await run(request, _execute, server, call)
    return Response(status_code=202) if answer is None else _json(answer)


async def _dispatch(server: Server, request: Request, call: Call) -> Response:
    """Run a call and keep its answer: the same key and payload get the same answer again, whatever happens between."""
    if not isinstance(call.message, dict) or not call.method.strip():
        raise Refused(400, "invalid_payload", "send one JSON-RPC request with a method")
    if call.handle != HANDLE:
        return _json(content.no_server(call.message, call.handle))
    assert call.actor is not None
    digest = payload_hash(call.handle, call.method, call.message.get("params"), call.actor.identity)
    key = _key(request, call.message) or f"sync:{digest[:40]}"
    kept = await run(request, server.results.find, key)
    reused = kept is not None
    if kept is None:
        answer = await run(request, _execute, server, call)
        result = {
            "http_status": 202 if answer is None else 200,
            "session_id": call.session_id or None,
            "trace_id": call.trace_id,
            "response": answer,
        }
        kept = {"payload_hash": digest, "result": result}
        # a failure on our side must not be kept as the answer of a day
        if not content.internal(answer):
            first = await run(request, server.results.keep, key, kept)
            reused, kept = first is not None, first or kept
    if kept["payload_hash"] != digest:
        raise Refused(
            409, "idempotency_conflict", "this idempotency key was used with another payload; choose a new one"
        )
    body = {
        "status": "completed",
        "task_id": None,
        "trace_id": kept["result"]["trace_id"],
        "idempotency_key": key,
        "reused": reused,
        "result": kept["result"],
    }
    return _json(body)


def _key(request: Request, message: dict[str, Json]) -> str:
    given = request.headers.get(KEY) or message.get("idempotency_key") or ""
    if not isinstance(given, str) or len(given) > 255 or "\x00" in given:
        raise Refused(400, "invalid_payload", "an idempotency key is a text of at most 255 characters")
    return given.strip()


def _execute(server: Server, call: Call) -> Json:
    assert call.actor is not None
    if call.unreadable is not None:
        return content.failure(call.unreadable.id, call.unreadable.code, str(call.unreadable))
    return content.answer(server.engine, call.actor.user_id, call.handle, call.message)


def _json(value: Json) -> Response:
    return Response(json.dumps(value, ensure_ascii=False, separators=(",", ":")), media_type="application/json")
