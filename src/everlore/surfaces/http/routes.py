"""The memory routes: each maps one wire shape to one engine verb, off the event loop."""

from __future__ import annotations

from functools import partial
from typing import Final, Literal

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from everlore.engine import Engine
from everlore.memory import NewMessage, flush, listing, profile, remember, unprocessed
from everlore.search import METHODS, Query, recall
from everlore.search.filters import compile_filter, session_of
from everlore.surfaces.http import responses
from everlore.surfaces.http.body import JsonRoute
from everlore.surfaces.http.dependencies import ERRORS, engine_of, owner_of, scope_of, success, threads_of
from everlore.surfaces.http.metrics import Metrics
from everlore.surfaces.http.models import (
    AddData,
    AddRequest,
    FilterNode,
    FlushData,
    FlushRequest,
    GetData,
    GetRequest,
    MessageItem,
    SearchData,
    SearchRequest,
    Success,
)
from everlore.types import Json, Owner

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

router = APIRouter(route_class=JsonRoute, tags=["memory"], responses=ERRORS)


@router.post("/api/v1/memory/add", response_model=Success[AddData])
async def add(body: AddRequest, request: Request) -> Response:
    """Append messages to a session's buffer; extraction runs when the conversation reaches a boundary."""
    engine = engine_of(request)
    messages = [_message(item) for item in body.messages]
    lasting = engine.llm is not None or any(not isinstance(message.content, str) for message in messages)
    verb = partial(remember, engine, scope_of(request, body), body.session_id, messages)
    done = await threads_of(request).run(verb, lasting=lasting)
    status: Literal["extracted", "accumulated"] = "extracted" if done else "accumulated"
    return success(request, AddData(message_count=len(messages), status=status, **responses.spent(done)))


@router.post("/api/v1/memory/flush", name="flush", response_model=Success[FlushData])
async def flush_session(body: FlushRequest, request: Request) -> Response:
    """Extract what a session has buffered, now."""
    verb = partial(flush, engine_of(request), scope_of(request, body), body.session_id)
    done = await threads_of(request).run(verb, lasting=True)
    status: Literal["extracted", "no_extraction"] = "extracted" if done else "no_extraction"
    return success(request, FlushData(status=status, **responses.spent(done)))


@router.post("/api/v1/memory/search", response_model=Success[SearchData])
async def search(body: SearchRequest, request: Request) -> Response:
    """Ranked memories of one owner, grouped by kind."""
    engine = engine_of(request)
    lasting = engine.llm is not None and (body.method == "agentic" or body.enable_llm_rerank)
    verb = partial(_search, engine, owner_of(request, body), body, request.app.state.metrics)
    return success(request, await threads_of(request).run(verb, lasting=lasting))


@router.post("/api/v1/memory/get", response_model=Success[GetData])
async def get(body: GetRequest, request: Request) -> Response:
    """One page of an owner's memories of one kind, in order of time."""
    verb = partial(_get, engine_of(request), owner_of(request, body), body)
    return success(request, await threads_of(request).run(verb))


def _search(engine: Engine, owner: Owner, body: SearchRequest, metrics: Metrics) -> SearchData:
    filters = _raw(body.filters)
    query = Query(
        owner=owner,
        text=body.query,
        top_k=body.top_k,
        radius=body.radius,
        filter=compile_filter(filters, engine.clock),
        explain=body.explain,
        rerank=body.enable_llm_rerank,
    )
    session_id = session_of(filters)
    # before the memories: what is extracted meanwhile is then in both, and never in neither
    waiting = [] if session_id is None else unprocessed(engine, owner.scope, session_id)
    with metrics.search_seconds.labels(body.method).time():
        result = recall(engine, query, METHODS[body.method])
    known = profile(engine, owner) if body.include_profile and owner.track == "user" else None
    return responses.found(result, known, waiting, body.app_id, engine.clock, explain=body.explain)


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
    items = [responses.listed(row, body.app_id, engine.clock) for row in page.rows]
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


def _raw(filters: FilterNode | None) -> Json:
    return None if filters is None else filters.model_dump(exclude_unset=True)
