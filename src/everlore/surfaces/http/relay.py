"""An ASGI application called from within another: it gets a body that was read already, and its answer is held back."""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope


async def answered(app: ASGIApp, scope: Scope, receive: Receive) -> Response:
    """The whole answer of `app`."""
    answer = Response()
    parts: list[bytes] = []

    async def keep(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status_code, answer.raw_headers = message["status"], list(message.get("headers", ()))
        elif message["type"] == "http.response.body":
            parts.append(message.get("body", b""))

    await app(scope, receive, keep)
    answer.body = b"".join(parts)
    return answer


def replaying(body: bytes, receive: Receive, *, more: bool = False) -> Receive:
    """`body`, then what `receive` gives; `more` when that goes on with the body."""
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": more}

    return replay
