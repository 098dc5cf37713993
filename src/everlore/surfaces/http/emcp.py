"""The content server over HTTP: JSON-RPC at `/api/v1/mcp/{server}`, and with kept results at `.../dispatch`.

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
from functools import partial
from typing import Any, Final

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import Response

from everlore.engine import Engine
from everlore.surfaces.http import emcp_audit, emcp_rpc
from everlore.surfaces.http.emcp_auth import Actor, RateLimit, identify, scope_of
from everlore.surfaces.http.emcp_dispatch import Results, payload_hash
from everlore.surfaces.http.emcp_errors import TRACE, Refused, refusal, trace_of
from everlore.surfaces.mcp.evo import Opener
from everlore.types import Json
from everlore.vault.files import SYSTEM

SESSION: Final = "MCP-Session-Id"
KEY: Final = "Idempotency-Key"
UNREADABLE: Final = object()

router = APIRouter(tags=["content"], include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Server:
    """What the routes share: one per application."""

    engine: Engine
    opener: Opener
    rate: RateLimit
    results: Results


@asynccontextmanager
async def content_server(engine: Engine) -> AsyncIterator[Server]:
    settings = engine.settings.emcp
    results = Results(engine.settings.memory.root / SYSTEM / "dispatch.db", settings.idempotency_seconds)
    server = Server(engine, Opener(), RateLimit(settings.rate_limit_per_minute), results)
    emcp_audit.announce(settings)
    try:
        yield server
    finally:
        server.opener.close()
        server.results.close()


@dataclass(slots=True)
class Call:
    """One request on its way through the gates; the audit line tells how far it came."""

    handle: str
    trace_id: str
    session_id: str
    actor: Actor | None = None
    message: Json = UNREADABLE
    started: float = field(default_factory=time.perf_counter)

    @property
    def method(self) -> str:
        method = self.message.get("method") if isinstance(self.message, dict) else None
        return method if isinstance(method, str) else ""


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
        limit = server.engine.settings.emcp.max_result_bytes
        if len(response.body) > limit:
            raise Refused(413, "result_too_large", f"the answer is larger than {limit} bytes: ask for fewer items")
    except Refused as error:
        response = refusal(request, error)
    response.headers[TRACE] = call.trace_id
    if call.method == "initialize" and not call.session_id and response.status_code == 200:
        call.session_id = uuid.uuid4().hex
    if call.session_id:
        response.headers[SESSION] = call.session_id
    emcp_audit.record(request, call.handle, call.message, call.actor, response.status_code, call.started)
    return response


async def _gates(server: Server, request: Request, call: Call) -> None:
    settings = server.engine.settings.emcp
    address = request.client.host if request.client else "unknown"
    call.actor = identify(request.headers.get("authorization"), address, settings, request.state.principal)
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/json":
        raise Refused(415, "unsupported_media_type", "send JSON, with Content-Type: application/json")
    call.message = _parsed(await _body(request, settings.max_payload_kb * 1024))
    method = call.method
    if method and not call.actor.may(method):
        raise Refused(403, "scope_denied", f"the token lacks the scope {scope_of(method)}, which this method needs")
    wait = server.rate.count(f"{call.handle[:100]}:{method[:100]}:{call.actor.identity}")
    if wait:
        raise Refused(429, "rate_limited", f"too many calls; wait {wait} seconds", {"Retry-After": str(wait)})


async def _call(server: Server, request: Request, call: Call) -> Response:
    answer = await _run(request, _execute, server, call)
    return Response(status_code=202) if answer is None else _json(answer)


async def _dispatch(server: Server, request: Request, call: Call) -> Response:
    """Run a call and keep its answer: the same key and payload get the same answer again, whatever happens between."""
    if not isinstance(call.message, dict) or not call.method.strip():
        raise Refused(400, "invalid_payload", "send one JSON-RPC request with a method")
    if not emcp_rpc.known_server(call.handle):
        return _json(emcp_rpc.no_server(call.message, call.handle))
    assert call.actor is not None
    digest = payload_hash(call.handle, call.method, call.message.get("params"), call.actor.identity)
    key = _key(request, call.message) or f"sync:{digest[:40]}"
    kept = await _run(request, server.results.find, key)
    reused = kept is not None
    if kept is None:
        answer = await _run(request, _execute, server, call)
        kept = _result(call, answer, digest)
        # a failure on our side must not be kept as the answer of a day
        if not emcp_rpc.internal(answer):
            first = await _run(request, server.results.keep, key, kept)
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


def _result(call: Call, answer: Json, digest: str) -> dict[str, Json]:
    status = 202 if answer is None else 200
    result = {
        "http_status": status,
        "session_id": call.session_id or None,
        "trace_id": call.trace_id,
        "response": answer,
    }
    return {"payload_hash": digest, "result": result}


def _key(request: Request, message: dict[str, Json]) -> str:
    given = request.headers.get(KEY) or message.get("idempotency_key") or ""
    if not isinstance(given, str) or len(given) > 255 or "\x00" in given:
        raise Refused(400, "invalid_payload", "an idempotency key is a text of at most 255 characters")
    return given.strip()


def _execute(server: Server, call: Call) -> Json:
    assert call.actor is not None
    if call.message is UNREADABLE:
        return emcp_rpc.failure(None, emcp_rpc.PARSE_ERROR, "the body is not JSON")
    return emcp_rpc.answer(server.opener, server.engine, call.actor.user_id, call.handle, call.message)


async def _body(request: Request, limit: int) -> bytes:
    too_large = Refused(413, "payload_too_large", f"the request is larger than {limit} bytes")
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > limit:
        raise too_large
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise too_large
        chunks.append(chunk)
    return b"".join(chunks)


def _parsed(body: bytes) -> Any:
    try:
        return from_json(body, allow_inf_nan=False)
    except ValueError:
        return UNREADABLE


def _json(value: Json) -> Response:
    return Response(json.dumps(value, ensure_ascii=False, separators=(",", ":")), media_type="application/json")


async def _run(request: Request, work: Callable[..., Any], *args: object) -> Any:
    limiter: CapacityLimiter = request.app.state.workers
    return await to_thread.run_sync(partial(work, *args), limiter=limiter)
