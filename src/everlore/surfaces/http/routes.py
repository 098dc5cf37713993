"""The memory routes: each maps one shape of the contract to one verb of the engine, off the event loop.

After the contract's four come those beside it, which change nothing of it: what held when, and taking an owner's files
along. docs/http-api.md tells how to use them.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Final, Literal

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from everlore import memory
from everlore.engine import Engine
from everlore.memory.remember import located_at
from everlore.models.media.reader import has_files
from everlore.search import METHODS, Query, recall
from everlore.search.filters import compile_filter, session_of
from everlore.surfaces.contracts.everos import answers, presentation
from everlore.surfaces.contracts.everos import requests as asked
from everlore.surfaces.http.body import JsonRoute
from everlore.surfaces.http.guard import partition_of, seen_by
from everlore.surfaces.http.metrics import Metrics
from everlore.surfaces.http.threads import run
from everlore.temporal import valid_at
from everlore.types import Json, Owner, Scope

if TYPE_CHECKING:
    from everlore.surfaces.http.searchers import Searchers

LAST_PAGE: Final = 10**12
"""Pages beyond are as empty as this one, and their offset would not fit a database's integer."""
ERRORS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": answers.Failure, "description": text}
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
NOT_FOUND: Final[dict[int | str, dict[str, Any]]] = {404: {"model": answers.Failure, "description": "No such memory"}}
CONFLICT: Final[dict[int | str, dict[str, Any]]] = {
    409: {"model": answers.Failure, "description": "A file holds something else here"}
}

router = APIRouter(prefix="/api/v1/memory", route_class=JsonRoute, tags=["memory"], responses=ERRORS)
extra = APIRouter(prefix="/api/v1/memory", route_class=JsonRoute, tags=["beyond the contract"], responses=ERRORS)


@router.post("/add", response_model=answers.Success[answers.AddData])
async def add(body: asked.AddRequest, request: Request) -> Response:
    """Append messages to a session's buffer; extraction runs when the conversation reaches a boundary."""
    engine = engine_of(request)
    messages = [item.message(body.project or "") for item in body.messages]
    given = (engine, scope_of(request, body), body.session_id, messages)
    if any(has_files(message.content) for message in messages):
        done = await request.app.state.turns.run(request, memory.remember, *given)
    else:
        done = await run(request, memory.remember, *given, lasting=engine.llm is not None)
    status: Literal["extracted", "accumulated"] = "extracted" if done else "accumulated"
    return _success(request, answers.AddData(message_count=len(messages), status=status, **presentation.spent(done)))


@router.post("/flush", name="flush", response_model=answers.Success[answers.FlushData])
async def flush_session(body: asked.FlushRequest, request: Request) -> Response:
    """Extract what a session has buffered, now."""
    done = await run(request, memory.flush, engine_of(request), scope_of(request, body), body.session_id, lasting=True)
    status: Literal["extracted", "no_extraction"] = "extracted" if done else "no_extraction"
    return _success(request, answers.FlushData(status=status, **presentation.spent(done)))


@router.post("/search", response_model=answers.Success[answers.SearchData])
async def search(body: asked.SearchRequest, request: Request) -> Response:
    """Ranked memories of one owner, grouped by kind."""
    engine = engine_of(request)
    lasting = engine.llm is not None and (body.method == "agentic" or body.enable_llm_rerank)
    metrics: Metrics = request.app.state.metrics
    searchers: Searchers | None = request.app.state.searchers
    owner = owner_of(request, body)
    if searchers and not lasting:
        found, seconds = await searchers.ask(_search, owner, body)
    else:
        found, seconds = await run(request, _search, engine, owner, body, lasting=lasting, searching=True)
    metrics.searched(body.method, seconds)
    return _answer(request, found)


@router.post("/get", response_model=answers.Success[answers.GetData])
def get(body: asked.GetRequest, request: Request) -> Response:
    """One page of an owner's memories of one kind, in order of time."""
    engine = engine_of(request)
    shape = presentation.SHAPES[body.memory_type]
    page = memory.listing(
        engine,
        owner_of(request, body),
        shape.kinds,
        filter=compile_filter(_raw(body.filters), engine.clock),
        sort_by="timestamp" if body.sort_by == "timestamp" and shape.timed else "updated",
        descending=body.sort_order == "desc",
        page=min(body.page, LAST_PAGE),
        page_size=body.page_size,
    )
    return _success(request, presentation.listed(body.memory_type, page.rows, page.total, body.app_id, engine.clock))


@extra.post("/history", name="history", response_model=answers.Success[answers.HistoryData], responses=NOT_FOUND)
def what_held(body: asked.HistoryRequest, request: Request) -> Response:
    """What an owner's memory states and stated, each with the time in which it held."""
    return _success(request, _history(engine_of(request), owner_of(request, body), body))


@extra.post("/export", name="export", response_model=answers.Success[answers.ExportData])
def export_files(body: asked.Paged, request: Request) -> Response:
    """A page of an owner's markdown files."""
    owner, page, page_size = owner_of(request, body), body.page, body.page_size
    found = memory.export_owner(engine_of(request), owner, page=page, page_size=page_size)
    files = [asked.File.of(path, content) for path, content in found.files.items()]
    return _success(
        request, answers.ExportData(files=files, total_count=found.total, count=len(files), refused=list(found.refused))
    )


@extra.post("/import", name="import", response_model=answers.Success[answers.ImportData], responses=CONFLICT)
async def import_files(body: asked.ImportRequest, request: Request) -> Response:
    """Files of an export, all of them or none."""
    files = {file.path: file.content() for file in body.files}
    owner, overwrite = owner_of(request, body), body.overwrite
    done = await run(request, memory.import_owner, engine_of(request), owner, files, overwrite=overwrite, lasting=True)
    return _success(request, answers.ImportData(written=done.written, unchanged=done.unchanged, bin=done.bin))


def _search(engine: Engine, owner: Owner, body: asked.SearchRequest) -> tuple[str, float]:
    """The answer in JSON, and the seconds that recall took."""
    filters = _raw(body.filters)
    query = Query(
        owner=owner,
        text=body.query,
        top_k=body.top_k,
        radius=body.radius,
        filter=compile_filter(filters, engine.clock),
        explain=body.explain,
        rerank=body.enable_llm_rerank,
        project=body.project,
    )
    session_id = session_of(filters)
    # before the memories: what is extracted meanwhile is then in both, and never in neither
    waiting = [] if session_id is None else memory.unprocessed(engine, owner.scope, session_id)
    started = time.perf_counter()
    result = recall(engine, query, METHODS[body.method])
    seconds = time.perf_counter() - started
    known = memory.profile(engine, owner) if body.include_profile and owner.track == "user" else None
    found = presentation.found(result, known, waiting, body.app_id, engine.clock)
    return json.dumps(
        presentation.compact(found), ensure_ascii=False
    ) if body.compact else found.model_dump_json(), seconds


def _history(engine: Engine, owner: Owner, body: asked.HistoryRequest) -> answers.HistoryData:
    with located_at("at"):
        at = None if body.at is None else engine.clock.parse(body.at)
    if body.id is None:
        page = memory.held(engine, owner, at, page=body.page, page_size=body.page_size)
        rows, total = page.rows, page.total
    else:
        chain = [row for row in memory.history(engine, owner, body.id) if at is None or valid_at(row.validity, at)]
        rows, total = chain[(body.page - 1) * body.page_size :][: body.page_size], len(chain)
    episode_of = engine.index.search.episodes_of(row.id for row in rows)
    stored = engine.index.rows.stored(episode_of.values())
    episodes = {row: stored.get(episode) for row, episode in episode_of.items()}
    after = memory.successors(engine, rows)
    memories = [
        presentation.stated(row, episodes.get(row.id), after.get(row.key), body.app_id, engine.clock) for row in rows
    ]
    return answers.HistoryData(memories=memories, total_count=total, count=len(rows))


def _raw(filters: asked.FilterNode | None) -> Json:
    return None if filters is None else filters.model_dump(exclude_unset=True)


def success(request: Request, data: Json) -> Response:
    return JSONResponse({"request_id": request.state.request_id, "data": data})


def engine_of(request: Request) -> Engine:
    return seen_by(request.app.state.engine, request.state.principal)


def scope_of(request: Request, body: asked.Scoped) -> Scope:
    return partition_of(request.state.principal, body.app_id, body.project_id)


def owner_of(request: Request, body: asked.Owned) -> Owner:
    if body.user_id is not None:
        return Owner(scope_of(request, body), "user", body.user_id)
    assert body.agent_id is not None
    return Owner(scope_of(request, body), "agent", body.agent_id)


def _success(request: Request, data: BaseModel) -> Response:
    return _answer(request, data.model_dump_json())


def _answer(request: Request, data: str) -> Response:
    """An `answers.Success`, made of our own models, so that it need not be checked a second time on its way out."""
    return Response(f'{{"request_id":"{request.state.request_id}","data":{data}}}', media_type="application/json")
