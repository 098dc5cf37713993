"""The memory routes: each maps one wire shape to one engine verb, off the event loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, Literal, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from everlore.engine import Engine
from everlore.memory import NewMessage, flush, forget, listing, profile, remember, unprocessed
from everlore.search import Query, recall
from everlore.search.filters import compile_filter, session_of
from everlore.surfaces.http import present
from everlore.surfaces.http.guard import partition_of, seen_by
from everlore.surfaces.http.metrics import Metrics
from everlore.surfaces.http.models import (
    AddData,
    AddRequest,
    DeleteData,
    DeleteRequest,
    Failure,
    FilterNode,
    FlushData,
    FlushRequest,
    GetData,
    GetRequest,
    MessageItem,
    Owned,
    Scoped,
    SearchData,
    SearchRequest,
    Success,
)
from everlore.surfaces.http.wire import JsonRoute
from everlore.types import Json, Owner, Scope

T = TypeVar("T")

KINDS: Final[dict[str, tuple[str, ...]]] = {
    "episode": ("episode", "note", "record"),
    "profile": ("profile",),
    "agent_case": ("case",),
    "agent_skill": ("skill",),
}
"""Notes that were stored through other surfaces are shown as episodes, so that nothing is hidden here."""
ARRAYS: Final = {
    "episode": "episodes",
    "profile": "profiles",
    "agent_case": "agent_cases",
    "agent_skill": "agent_skills",
}
TIMELESS: Final = ("profile", "agent_skill")
"""Types without a timestamp of their own; they are always listed by when they were updated."""
LAST_PAGE: Final = 10**12
"""Pages beyond are as empty as this one, and their offset would not fit a database's integer."""

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

router = APIRouter(route_class=JsonRoute, tags=["memory"], responses=ERRORS)


@router.post("/api/v1/memory/add", response_model=Success[AddData])
async def add(body: AddRequest, request: Request) -> Response:
    """Append messages to a session's buffer; extraction runs when the conversation reaches a boundary."""
    messages = [_message(item) for item in body.messages]
    done = await _run(request, remember, _engine(request), _scope(request, body), body.session_id, messages)
    status: Literal["extracted", "accumulated"] = "extracted" if done else "accumulated"
    return _success(request, AddData(message_count=len(messages), status=status, **present.spent(done)))


@router.post("/api/v1/memory/flush", name="flush", response_model=Success[FlushData])
async def flush_session(body: FlushRequest, request: Request) -> Response:
    """Extract what a session has buffered, now."""
    done = await _run(request, flush, _engine(request), _scope(request, body), body.session_id)
    status: Literal["extracted", "no_extraction"] = "extracted" if done else "no_extraction"
    return _success(request, FlushData(status=status, **present.spent(done)))


@router.post("/api/v1/memory/search", response_model=Success[SearchData])
async def search(body: SearchRequest, request: Request) -> Response:
    """Ranked memories of one owner, grouped by kind."""
    owner = _owner(request, body)
    return _success(request, await _run(request, _search, _engine(request), owner, body, request.app.state.metrics))


@router.post("/api/v1/memory/get", response_model=Success[GetData])
async def get(body: GetRequest, request: Request) -> Response:
    """One page of an owner's memories of one kind, in order of time."""
    return _success(request, await _run(request, _get, _engine(request), _owner(request, body), body))


@router.post(
    "/api/v1/memory/delete",
    response_model=Success[DeleteData],
    responses={404: {"model": Failure, "description": "No such memory"}},
)
async def delete(body: DeleteRequest, request: Request) -> Response:
    """Remove one memory from the files and the index; an episode takes its facts with it."""
    owner = _owner(request, body)
    return _success(request, DeleteData(deleted=await _run(request, forget, _engine(request), owner, body.id)))


def _search(engine: Engine, owner: Owner, body: SearchRequest, metrics: Metrics) -> SearchData:
    filters = _raw(body.filters)
    query = Query(
        owner=owner,
        text=body.query,
        method=body.method,
        top_k=body.top_k,
        radius=body.radius,
        filter=compile_filter(filters, engine.clock),
        explain=body.explain,
        rerank=body.enable_llm_rerank,
    )
    with metrics.search_seconds.labels(body.method).time():
        result = recall(engine, query)
    known = profile(engine, owner) if body.include_profile and owner.track == "user" else None
    session_id = session_of(filters)
    waiting = [] if session_id is None else unprocessed(engine, owner.scope, session_id)
    return present.found(result, known, waiting, body.app_id, engine.clock, explain=body.explain)


def _get(engine: Engine, owner: Owner, body: GetRequest) -> GetData:
    by_update = body.sort_by == "updated_at" or body.memory_type in TIMELESS
    sort_by: Literal["timestamp", "updated"] = "updated" if by_update else "timestamp"
    page = listing(
        engine,
        owner,
        KINDS[body.memory_type],
        filter=compile_filter(_raw(body.filters), engine.clock),
        sort_by=sort_by,
        descending=body.sort_order == "desc",
        page=min(body.page, LAST_PAGE),
        page_size=body.page_size,
    )
    items = [present.listed(row, body.app_id, engine.clock) for row in page.rows]
    return GetData.model_validate({ARRAYS[body.memory_type]: items, "total_count": page.total, "count": len(items)})


def _message(item: MessageItem) -> NewMessage:
    content: str | list[dict[str, Json]]
    content = item.content if isinstance(item.content, str) else [part.as_sent() for part in item.content]
    return NewMessage(
        sender_id=item.sender_id,
        sender_name=item.sender_name,
        role=item.role,
        timestamp=item.timestamp,
        content=content,
        tool_calls=None if item.tool_calls is None else [call.as_sent() for call in item.tool_calls],
        tool_call_id=item.tool_call_id,
    )


def _scope(request: Request, body: Scoped) -> Scope:
    return partition_of(request.state.principal, body.app_id, body.project_id)


def _owner(request: Request, body: Owned) -> Owner:
    if body.user_id is not None:
        return Owner(_scope(request, body), "user", body.user_id)
    assert body.agent_id is not None
    return Owner(_scope(request, body), "agent", body.agent_id)


def _raw(filters: FilterNode | None) -> Json:
    return None if filters is None else filters.model_dump(exclude_unset=True)


def _engine(request: Request) -> Engine:
    return seen_by(request.app.state.engine, request.state.principal)


def _success(request: Request, data: BaseModel) -> Response:
    # made of our own models, so it need not be checked a second time on its way out
    body = Success(request_id=request.state.request_id, data=data).model_dump_json()
    return Response(body, media_type="application/json")


async def _run(request: Request, verb: Callable[..., T], *args: object) -> T:
    limiter: CapacityLimiter = request.app.state.workers
    return await to_thread.run_sync(partial(verb, *args), limiter=limiter)
