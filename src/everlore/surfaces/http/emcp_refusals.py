"""Refusals of the content server as responses: which paths are its own, and the trace id that every answer has."""

from __future__ import annotations

import re
import uuid
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse

from everlore.surfaces.contracts.emcp.callers import Refused

PREFIX: Final = "/api/v1/mcp/"
TOOLSET: Final = "/mcp/evo"
"""The same server for any MCP client."""
TRACE: Final = "X-Trace-Id"


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


def refusal_response(connection: HTTPConnection, error: Refused) -> JSONResponse:
    trace = trace_of(connection)
    body = {"error": {"code": error.code, "message": str(error), "trace_id": trace}}
    return JSONResponse(body, error.status, {**error.headers, TRACE: trace})
