"""Every answer that is not 2xx: one envelope, made here and nowhere else, without secrets.

The gateway and the content server have envelopes of their own; which one it is, the path decides.

What the caller can change is a 4xx `HTTP_ERROR` with a reason; everything else is a 5xx `SYSTEM_ERROR`. The
details of an unexpected error go to the log, never to the client.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import h11
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match
from uvicorn.protocols.http.h11_impl import H11Protocol

from everlore.clock import Clock
from everlore.errors import (
    Conflict,
    Damaged,
    Denied,
    EverloreError,
    InvalidInput,
    NotFound,
    Obstructed,
    Unavailable,
    Unreadable,
    UnsupportedMedia,
)
from everlore.logs import get_logger
from everlore.surfaces.contracts.emcp.callers import CODES, Refused
from everlore.surfaces.contracts.everme.gateway import Refusal, code_of, code_of_status
from everlore.surfaces.contracts.everos.answers import Failure
from everlore.surfaces.contracts.everos.requests import ITEMS_TAG, TEXT_TAG
from everlore.surfaces.http.emcp_answers import is_content, refusal_response
from everlore.surfaces.http.gateway import is_gateway, on_refusal, refusal

INTERNAL = "Internal server error"
STATUSES = ((InvalidInput, 422), (UnsupportedMedia, 415), (NotFound, 404), (Conflict, 409))
METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")

log = get_logger("everlore.http")


def failure(
    connection: HTTPConnection, status: int, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    path: str = connection.scope["path"]
    if is_gateway(path):
        return refusal(connection, code_of_status(status), message, headers)
    if is_content(path):
        return refusal_response(connection, Refused(status, CODES.get(status, "internal_error"), message, headers))
    body = Failure.of(connection.state.request_id, status, message, path, connection.app.state.engine.clock)
    return JSONResponse(body.model_dump(), status, headers)


def unexpected(connection: HTTPConnection) -> JSONResponse:
    """For an `except` block around everything: the traceback goes to the log."""
    log.exception("unhandled error", path=connection.scope["path"])
    return failure(connection, 500, INTERNAL)


def install(app: FastAPI) -> None:
    """Exception handlers for all that routes raise on purpose."""
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(EverloreError, _everlore)
    app.add_exception_handler(Refusal, on_refusal)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = {"Allow": _allowed(request)} if error.status_code == 405 else error.headers
    return failure(request, error.status_code, str(error.detail), headers)


def _allowed(request: Request) -> str:
    """The methods of all routes of a path; the one that refused knows only its own."""

    def taken(method: str) -> bool:
        asked = {**request.scope, "method": method}
        return any(route.matches(asked)[0] is Match.FULL for route in request.app.routes)

    return ", ".join(filter(taken, METHODS))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return failure(request, 422, first_reason(error.errors()))


async def _everlore(request: Request, error: Exception) -> Response:
    assert isinstance(error, EverloreError)
    if is_gateway(request.url.path) and (code := code_of(error)) != 50000:
        return refusal(request, code, str(error))
    for kind, status in STATUSES:
        if isinstance(error, kind):
            return failure(request, status, str(error))
    match error:
        case Denied():
            return failure(request, 403 if error.why == "scope" else 401, str(error))
        case Unavailable():
            log.warning("unavailable", reason=str(error))
            return failure(request, 503, str(error))
        case Unreadable() | Obstructed():
            log.error("a file cannot be read", reason=str(error))
            return failure(request, 503, _unreadable(request, error))
        case Damaged():
            log.error("a part is damaged", reason=str(error))
            hidden = "a part of the server is damaged; `everlore doctor` on the server tells which"
            guarded = request.app.state.engine.settings.auth.enabled
            return failure(request, 503, hidden if guarded else str(error))
        case _:
            # a setting: for the owner of the installation, not for the client
            log.error("request failed", reason=str(error), exc_info=error)
            return failure(request, 500, INTERNAL)


def _unreadable(request: Request, error: EverloreError) -> str:
    """With accounts, a file may name its owner."""
    hidden = "a file of the vault cannot be read; `everlore doctor` on the server tells which"
    told = hidden if request.app.state.engine.settings.auth.enabled else str(error)
    return f"{told}. Nothing was lost: try again when it is corrected"


def first_reason(errors: Sequence[Mapping[str, Any]]) -> str:
    """`<msg>: <dotted-loc>` of the first error, without the leading `body` and the names of union branches."""
    first = errors[0]
    if first["type"] == "json_invalid":
        return f"{first['msg']}: {first['ctx']['error']}"
    loc = first["loc"][1:] if first["loc"][:1] == ("body",) else first["loc"]
    if first["type"] == "missing" and not loc:
        return "the request body is empty; send a JSON object"
    dotted = ".".join(str(part) for part in loc if part not in (TEXT_TAG, ITEMS_TAG))
    return f"{first['msg']}: {dotted}" if dotted else str(first["msg"])


class EnvelopeProtocol(H11Protocol):
    """Answers what is not even HTTP, and so never reaches the application."""

    def send_400_response(self, msg: str) -> None:
        request_id = secrets.token_hex(16)
        content = Failure.of(request_id, 400, msg, "", Clock()).model_dump_json().encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(content)).encode()),
            (b"x-request-id", request_id.encode()),
            (b"connection", b"close"),
        ]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=content),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event))
        self.transport.close()
