"""The gateway over HTTP: its envelope as a response, and what its routes have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response

from everlore.accounts.store import Accounts
from everlore.accounts.values import Event, Principal
from everlore.redact import redact
from everlore.surfaces.contracts.everme.gateway import CODES, Envelope, Refusal
from everlore.types import Json

PREFIXES = ("/api/v1/auth/", "/api/v1/agents/", "/api/v1/mem/")
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
    name, status, _ = CODES[code]
    text = redact(f"{name}: {message}")
    body = {"error": text, "requestId": connection.state.request_id, "status": code, "result": None}
    extra = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    return JSONResponse(body, status, {**extra, **(headers or {})})


def principal(request: Request) -> Principal:
    known: Principal = request.state.principal
    return known


def accounts(request: HTTPConnection) -> Accounts:
    store: Accounts = request.app.state.accounts
    return store


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
    return refusal(request, error.code, str(error), error.headers)
