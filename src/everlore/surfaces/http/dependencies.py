"""What the memory routes have in common: whose memories are meant, work off the event loop, and the envelope."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from everlore.engine import Engine
from everlore.surfaces.http.guard import partition_of, seen_by
from everlore.surfaces.http.models import Failure, Owned, Scoped, Success
from everlore.surfaces.http.threads import Threads
from everlore.types import Owner, Scope

ERRORS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": Failure, "description": text}
    for status, text in (
        (401, "A token is needed, or the one sent is not good"),
        (403, "The request came from another origin, or the token may not do this"),
        (413, "The body is too large"),
        (415, "Not JSON, or a content item that cannot be read"),
        (422, "The request is not valid"),
        (429, "Too many requests; Retry-After says when to come back"),
        (500, "Internal server error"),
        (503, "A part is busy or out of reach; nothing was lost"),
    )
}


def scope_of(request: Request, body: Scoped) -> Scope:
    return partition_of(request.state.principal, body.app_id, body.project_id)


def owner_of(request: Request, body: Owned) -> Owner:
    if body.user_id is not None:
        return Owner(scope_of(request, body), "user", body.user_id)
    assert body.agent_id is not None
    return Owner(scope_of(request, body), "agent", body.agent_id)


def engine_of(request: Request) -> Engine:
    return seen_by(request.app.state.engine, request.state.principal)


def success(request: Request, data: BaseModel) -> Response:
    # made of our own models, so it need not be checked a second time on its way out
    body = Success(request_id=request.state.request_id, data=data).model_dump_json()
    return Response(body, media_type="application/json")


def threads_of(request: Request) -> Threads:
    threads: Threads = request.app.state.threads
    return threads
