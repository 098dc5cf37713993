"""Reading a request body: the right content type, a bounded size, real JSON or a form. Anything else is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from email.message import Message
from email.parser import BytesHeaderParser
from typing import Any

from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope
from starlette.types import Message as AsgiMessage


async def read_bounded(request: Request, limit: int, too_large: Exception) -> bytes:
    """The body; raises `too_large` as soon as it is known to have more than `limit` bytes."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced[:20]) > limit:
        raise too_large
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:  # a chunked body announces no length
            raise too_large
        chunks.append(chunk)
    return b"".join(chunks)


class JsonRequest(Request):
    """A request whose body is JSON text in UTF-8, at most `api.max_body_bytes` long."""

    async def body(self) -> bytes:
        if not hasattr(self, "_body"):
            limit: int = self.app.state.engine.settings.api.max_body_bytes
            too_large = HTTPException(413, f"the request body is larger than {limit} bytes; send it in parts")
            self._body = await read_bounded(self, limit, too_large)
        return self._body

    async def json(self) -> Any:
        body = await self.body()
        try:
            # stricter than the standard library: no NaN, no lone surrogates, bounded nesting
            return from_json(body, allow_inf_nan=False)
        except ValueError as error:
            raise json.JSONDecodeError(str(error), "", 0) from None


class JsonRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def read(request: Request) -> Response:
            if request.method == "POST":
                _require_json(request.headers)
            return await handle(JsonRequest(request.scope, request.receive))

        return read


def _require_json(headers: Mapping[str, str]) -> None:
    header = _parsed(headers.get("content-type") or "none/none")
    charset = str(header.get_param("charset", "utf-8"))
    if header.get_content_type() != "application/json" or charset.lower() not in ("utf-8", "utf8"):
        raise HTTPException(415, "Content-Type must be application/json, in UTF-8")
    if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise HTTPException(415, "the request body is compressed; send it as it is, without Content-Encoding")


def _parsed(content_type: str) -> Message:
    header = Message()
    header["content-type"] = content_type
    return header


def form_file(content_type: str, body: bytes, name: str) -> bytes | None:
    """The content of the file `name` of a `multipart/form-data` body; None when it has none, or is no such form.

    The body is split once at its boundary, and only the few lines before a part's content are looked at.
    """
    header = _parsed(content_type)
    boundary = header.get_boundary("").encode("latin-1", "replace")
    if header.get_content_type() != "multipart/form-data" or not boundary:
        return None
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary)
    for part in parts[1:-1] if parts[-1].startswith(b"--") else ():
        head, _, content = part.partition(b"\r\n\r\n")
        said = BytesHeaderParser().parsebytes(head.lstrip())
        if said.get_param("name", header="content-disposition") == name and said.get_filename() is not None:
            return content
    return None


async def answered(app: ASGIApp, scope: Scope, receive: Receive) -> Response:
    """The whole answer of `app`, an application that is called from within another, held back."""
    answer = Response()
    parts: list[bytes] = []

    async def keep(message: AsgiMessage) -> None:
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

    async def replay() -> AsgiMessage:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": more}

    return replay
