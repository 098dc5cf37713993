"""What the content server answers when a call does not even become JSON-RPC: a status and its own error body."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse

PREFIX: Final = "/api/v1/mcp/"
TOOLSET: Final = "/mcp/evo"
"""The same server for any MCP client."""
TRACE: Final = "X-Trace-Id"
CODES: Final = {
    400: "invalid_payload",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "idempotency_conflict",
    413: "payload_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    503: "unavailable",
}


class Refused(Exception):
    """A call that is answered with a status. `code` is for programs, the text for people."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers or {}


def is_content(path: str) -> bool:
    return path.startswith(PREFIX) or path == TOOLSET


def trace_of(connection: HTTPConnection) -> str:
    """The caller's trace id when it is a plain one, else one of ours; the same for all of a request."""
    state = connection.scope.setdefault("state", {})
    if "trace_id" not in state:
        given = connection.headers.get(TRACE, "").strip()
        state["trace_id"] = given if re.fullmatch(r"[A-Za-z0-9._:/+=-]{1,128}", given) else str(uuid.uuid4())
    trace: str = state["trace_id"]
    return trace


def refusal(connection: HTTPConnection, error: Refused) -> JSONResponse:
    trace = trace_of(connection)
    body = {"error": {"code": error.code, "message": str(error), "trace_id": trace}}
    return JSONResponse(body, error.status, {**error.headers, TRACE: trace})


def refused(connection: HTTPConnection, status: int, message: str, headers: Mapping[str, str] | None) -> JSONResponse:
    """For errors that arise outside our routes: an unknown method, a foreign origin, a bug."""
    return refusal(connection, Refused(status, CODES.get(status, "internal_error"), message, headers))
