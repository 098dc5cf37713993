"""What all answers of the content server have: a trace id, one form of refusal, and a line in the audit.

An audit line tells who, what, how long and how it ended, and never a secret.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Mapping
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse

from everlore.config import EmcpSection
from everlore.logs import get_logger
from everlore.surfaces.contracts.emcp.callers import Actor, Refused
from everlore.types import Json

PREFIX: Final = "/api/v1/mcp/"
TOOLSET: Final = "/mcp/evo"
"""The same server for any MCP client."""
TRACE: Final = "X-Trace-Id"
REDACTED: Final = "[REDACTED]"
SECRET_NAMES: Final = frozenset({"authorization", "token", "jwt", "secret", "cookie", "password", "api_key"})
SECRET_TEXT: Final = re.compile(
    r"(?:emk|evt)_[0-9a-f]{8,}|\bsk-[A-Za-z0-9_-]{16,}|\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}|(?i:\bbearer\s+)\S+"
)
LONGEST: Final = 300
MOST: Final = 50
SHORT_SECRET: Final = 32

log = get_logger("everlore.emcp")


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


def announce(settings: EmcpSection) -> None:
    """What an operator should know when the server starts."""
    secret = settings.jwt_secret.get_secret_value()
    if secret and len(secret.encode()) < SHORT_SECRET:
        log.warning(f"EVEROS_EMCP__JWT_SECRET is shorter than {SHORT_SECRET} bytes: it can be guessed from a token")


def audit(
    request: HTTPConnection, handle: str, message: Json, actor: Actor | None, status: int, started: float
) -> None:
    """`message` is whatever could be read of the request."""
    known = message if isinstance(message, Mapping) else {}
    params = known.get("params")
    tool = params.get("name") if known.get("method") == "tools/call" and isinstance(params, Mapping) else None
    log.info(
        "emcp.audit",
        trace_id=trace_of(request),
        server_handle=redact(handle),
        method=redact(known.get("method")),
        tool=redact(tool),
        status=status,
        actor_user_id=(actor.user_id or None) if actor else None,
        context="api",
        duration_ms=round((time.perf_counter() - started) * 1000, 1),
        task_id=None,
        rate_limit_identity=actor.identity if actor else None,
        extra=redact({"arguments": params.get("arguments")})
        if tool is not None and isinstance(params, Mapping)
        else {},
    )


def redact(value: Json, depth: int = 0) -> Json:
    """The value as it may be logged: no secrets, no long texts, not nested deep."""
    if isinstance(value, str):
        return SECRET_TEXT.sub(REDACTED, value)[:LONGEST]
    if isinstance(value, Mapping | list) and depth > 6:
        return "..."
    if isinstance(value, Mapping):
        return {
            str(redact(name)): REDACTED if str(name).lower() in SECRET_NAMES else redact(item, depth + 1)
            for name, item in list(value.items())[:MOST]
        }
    return [redact(item, depth + 1) for item in value[:MOST]] if isinstance(value, list) else value
