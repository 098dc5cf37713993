"""The gateway's envelope and its numeric codes: `{error, requestId, status, result}`, also for HTTP's own errors.

The codes are those that EverMe's clients sort by: 300xx to 303xx is about the credential, 30104 means slow down,
4xxxx is about a record, 5xxxx about the server. Everything else is the caller's request (2xxxx).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response

from everlore.accounts.base import Accounts, Event, Principal
from everlore.errors import Conflict, Denied, EverloreError, InvalidInput, NotFound, Unavailable, UnsupportedMedia
from everlore.redact import redact
from everlore.surfaces.http.threads import Threads
from everlore.types import Json

T = TypeVar("T")

PREFIXES = ("/api/v1/auth/", "/api/v1/agents/", "/api/v1/mem/")
CODES: Mapping[int, tuple[str, int]] = {
    20001: ("ErrInvalidParams", 400),
    20002: ("ErrNotFound", 404),
    20003: ("ErrMethodNotAllowed", 405),
    20004: ("ErrUnsupportedMedia", 415),
    20005: ("ErrRateLimited", 429),
    20006: ("ErrTooLarge", 413),
    30001: ("ErrUnauthorized", 401),
    30002: ("ErrForbidden", 403),
    30003: ("ErrTokenInvalid", 401),
    30101: ("ErrDeviceCodeInvalid", 400),
    30103: ("ErrDeviceDenied", 403),
    30104: ("ErrSlowDown", 429),
    30201: ("ErrApiKeyInvalid", 401),
    30202: ("ErrApiKeyRevoked", 401),
    30203: ("ErrApiKeyExpired", 401),
    30301: ("ErrAgentTokenInvalid", 401),
    30302: ("ErrAgentDisconnected", 401),
    30303: ("ErrScopeInsufficient", 403),
    30304: ("ErrAgentTokenExpired", 401),
    40005: ("ErrIdempotencyConflict", 409),
    40101: ("ErrRecordNotFound", 404),
    40102: ("ErrUploadNotFound", 404),
    40103: ("ErrUploadExpired", 403),
    40104: ("ErrUploadMismatch", 400),
    50000: ("ErrInternal", 500),
    50101: ("ErrUnavailable", 503),
}
DENIALS = {
    "missing": 30001,
    "malformed": 30003,
    "device": 30101,
    "slow": 30104,
    "key_invalid": 30201,
    "key_revoked": 30202,
    "key_expired": 30203,
    "agent_invalid": 30301,
    "agent_revoked": 30302,
    "scope": 30303,
    "agent_expired": 30304,
}
_OF_STATUS = {
    400: 20001,
    404: 20002,
    405: 20003,
    413: 20006,
    415: 20004,
    422: 20001,
    429: 20005,
    403: 30002,
    503: 50101,
}
_OF_ERROR: tuple[tuple[type[EverloreError], int], ...] = (
    (InvalidInput, 20001),
    (UnsupportedMedia, 20001),
    (NotFound, 40101),
    (Conflict, 40005),
    (Unavailable, 50101),
)


class Refusal(Exception):
    """An answer other than success, by its code."""

    def __init__(self, code: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.headers = dict(headers or {})


class Body(BaseModel):
    """A request: camelCase on the wire."""

    model_config = ConfigDict(alias_generator=to_camel, frozen=True, extra="ignore")


class Envelope(BaseModel):
    """Every answer of the gateway."""

    error: str
    request_id: str = Field(alias="requestId")
    status: int
    result: dict[str, Any] | None


ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"model": Envelope},
    "default": {"model": Envelope, "description": "`status` says what is wrong"},
}


def is_gateway(path: str) -> bool:
    return path.startswith(PREFIXES) or path == "/api/v1/agents"


def success(request: HTTPConnection, result: Json) -> JSONResponse:
    return JSONResponse({"error": "", "requestId": request.state.request_id, "status": 0, "result": result})


def refusal(
    connection: HTTPConnection, code: int, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    name, status = CODES[code]
    text = redact(f"{name}: {message}")
    body = {"error": text, "requestId": connection.state.request_id, "status": code, "result": None}
    extra = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse(body, status, {**extra, **(headers or {})})


def http_refusal(connection: HTTPConnection, status: int, message: str, headers: Mapping[str, str]) -> JSONResponse:
    """For errors that are about HTTP, not about the gateway's own matters."""
    code = _OF_STATUS.get(status, 20001 if status < 500 else 50000)
    return refusal(connection, code, message, headers)


def code_of(error: EverloreError) -> int:
    if isinstance(error, Denied):
        return DENIALS[error.why]
    return next((code for kind, code in _OF_ERROR if isinstance(error, kind)), 50000)


def principal(request: Request) -> Principal:
    known: Principal = request.state.principal
    return known


def accounts(request: HTTPConnection) -> Accounts:
    store: Accounts = request.app.state.accounts
    return store


async def run(request: Request, work: Callable[..., T], *args: object, lasting: bool = False, **named: object) -> T:
    threads: Threads = request.app.state.threads
    return await threads.run(partial(work, *args, **named), lasting=lasting)


def note(request: HTTPConnection, action: str, target: str, outcome: str = "ok", who: Principal | None = None) -> None:
    """A line in the audit log."""
    address = request.client.host if request.client else ""
    now: int = request.app.state.engine.clock.now()
    account, actor = (who.account.id, who.actor) if who else ("", "")
    accounts(request).record(Event(now, account, actor, action, redact(target)[:200], address, outcome))


def base_url(request: HTTPConnection) -> str:
    """Where the client reaches this server."""
    public: str = request.app.state.engine.settings.auth.public_url
    return public.rstrip("/") if public else f"{request.url.scheme}://{request.url.netloc}"


async def on_refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refusal)
    return refusal(request, error.code, error.message, error.headers)
