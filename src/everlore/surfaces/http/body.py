"""Reading a request body: the right content type, a bounded size, real JSON. Anything else is refused here."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from email.message import Message
from typing import Any

from fastapi.routing import APIRoute
from pydantic_core import from_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response


class JsonRequest(Request):
    """A request whose body is JSON text in UTF-8, at most `limit` bytes long."""

    async def body(self) -> bytes:
        if not hasattr(self, "_body"):
            limit: int = self.app.state.engine.settings.api.max_body_bytes
            announced = self.headers.get("content-length", "")
            if announced.isdecimal() and int(announced) > limit:
                raise _too_large(limit)
            chunks: list[bytes] = []
            size = 0
            async for chunk in self.stream():
                size += len(chunk)
                if size > limit:  # a chunked body announces no length
                    raise _too_large(limit)
                chunks.append(chunk)
            self._body = b"".join(chunks)
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
    header = Message()
    header["content-type"] = headers.get("content-type") or "none/none"
    charset = str(header.get_param("charset", "utf-8"))
    if header.get_content_type() != "application/json" or charset.lower() not in ("utf-8", "utf8"):
        raise HTTPException(415, "Content-Type must be application/json, in UTF-8")
    if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise HTTPException(415, "the request body is compressed; send it as it is, without Content-Encoding")


def _too_large(limit: int) -> HTTPException:
    return HTTPException(413, f"the request body is larger than {limit} bytes; send it in parts")
