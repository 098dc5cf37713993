"""What stands before the SDK on streamable HTTP: bodies are read and refused as on stdio, batches are answered,
and so are requests whose ids the SDK mixes up.

The SDK knows no batches and tells what is wrong with a body in words that are meant for its programmers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import anyio
from pydantic_core import from_json
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from everlore.surfaces.contracts.identity import Identity
from everlore.surfaces.http.body import answered, replaying
from everlore.surfaces.mcp.protocol import (
    EMPTY_BATCH,
    INVALID_REQUEST,
    Object,
    Refused,
    checked,
    dumped,
    is_request,
    read,
)
from everlore.types import Json

JSON: Final = "application/json"
BARE: Final = "everlore/bare-handshake"
"""Put into `_meta` of an `initialize` that came without capabilities."""


def front(app: ASGIApp, identity: Identity, largest: int) -> ASGIApp:
    """`app` refuses bodies of more than `largest` bytes itself."""
    turns = _Turns()

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        kind = HTTPConnection(scope).headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] != "POST" or kind != JSON:
            await app(scope, receive, send)
            return
        body, more = await _body(receive, largest)
        if more:
            await app(scope, replaying(body, receive, more=True), send)
            return
        try:
            value = read(body)
            if isinstance(value, list):
                response = await _batch(app, turns, scope, value)
            else:
                message = _completed(checked(value), identity)
                async with turns.of(scope, message):
                    await app(scope, replaying(dumped(message), receive), send)
                return
        except Refused as error:
            response = Response(dumped(error.answer()), 400, media_type=JSON)
        await response(scope, receive, send)

    return wrapped


def _completed(message: Object, identity: Identity) -> Object:
    """An `initialize` with what the client left out, which the SDK would refuse; that it did is known for the whole
    session."""
    if message.get("method") != "initialize":
        return message
    params = dict(message.get("params", {}))
    if "capabilities" not in params:
        meta = params.get("_meta")
        params |= {"capabilities": {}, "_meta": {**(meta if isinstance(meta, dict) else {}), BARE: True}}
    filled = {"protocolVersion": identity.version, "clientInfo": {"name": "unknown", "version": ""}} | params
    return {**message, "params": filled}


class _Turns:
    """Requests of one session that the SDK takes for the same wait for each other.

    It knows an open request by its session and the text of its id: of 1 and "1", or a request that was sent twice,
    one would get the other's answer, and the other none.
    """

    def __init__(self) -> None:
        self._taken: dict[tuple[str, str], tuple[anyio.Lock, int]] = {}

    @asynccontextmanager
    async def of(self, scope: Scope, message: Object) -> AsyncIterator[None]:
        session = HTTPConnection(scope).headers.get("mcp-session-id")
        if session is None or not is_request(message):
            yield
            return
        key = (session, str(message["id"]))
        lock, waiting = self._taken.get(key, (anyio.Lock(), 0))
        self._taken[key] = (lock, waiting + 1)
        try:
            async with lock:
                yield
        finally:
            lock, waiting = self._taken.pop(key)
            if waiting > 1:
                self._taken[key] = (lock, waiting - 1)


async def _body(receive: Receive, largest: int) -> tuple[bytes, bool]:
    """What was sent, and whether that is not all: it is too large, or the client went away."""
    parts: list[bytes] = []
    size, more = 0, True
    while more and size <= largest:
        message = await receive()
        if message["type"] != "http.request":
            break
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
    return b"".join(parts), more


async def _batch(app: ASGIApp, turns: _Turns, scope: Scope, values: list[Json]) -> Response:
    """Every message as a request of its own, one after the other, and their answers in one array."""
    if not values:
        raise EMPTY_BATCH
    answers: list[bytes] = []
    for value in values:
        try:
            message = checked(value)
            if message.get("method") == "initialize":
                told = "Invalid request: initialize cannot be in a batch"
                raise Refused(INVALID_REQUEST, told, id_=message.get("id"))
        except Refused as error:
            answers.append(dumped(error.answer()))
            continue
        async with turns.of(scope, message):
            whole = await answered(app, dict(scope), replaying(dumped(message), _nothing_more))
        if is_request(message) and _reply(whole).get("id") == message["id"]:
            answers.append(_text(whole))
        elif whole.status_code >= 400:
            return whole  # the session or a header is wrong, which holds for all of them
    if not answers:
        return Response(status_code=202)
    return Response(b"[" + b",".join(answers) + b"]", media_type=JSON)


def _reply(whole: Response) -> dict[str, Any]:
    try:
        value = from_json(_text(whole))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _text(whole: Response) -> bytes:
    """The answer, which is all of the body or the last event of a stream."""
    if not whole.headers.get("content-type", "").startswith("text/event-stream"):
        return bytes(whole.body)
    events = [line[6:] for line in bytes(whole.body).splitlines() if line.startswith(b"data: {")]
    return events[-1] if events else b""


async def _nothing_more() -> Message:
    await anyio.sleep_forever()
    raise AssertionError
