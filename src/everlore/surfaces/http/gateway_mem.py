"""The gateway's memory routes: each maps one wire shape to one function of `contracts.everme`."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from everlore.engine import Engine
from everlore.models.media.reader import has_files
from everlore.search.filters import compile_filter
from everlore.surfaces.contracts.everme import gateway as contract
from everlore.surfaces.contracts.everme import reading
from everlore.surfaces.contracts.everme.gateway import QUERY_MOST, wanted
from everlore.surfaces.contracts.everme.markdown import CONTEXT_TOKENS
from everlore.surfaces.contracts.everme.reading import Person
from everlore.surfaces.http.body import JsonRoute
from everlore.surfaces.http.gateway import ANSWERS, note, principal, success
from everlore.surfaces.http.guard import seen_by
from everlore.surfaces.http.threads import run

router = APIRouter(route_class=JsonRoute, prefix="/api/v1/mem", tags=["gateway"], responses=ANSWERS)


@router.post("/search")
async def search(body: contract.SearchBody, request: Request) -> Response:
    engine, person = asking(request)
    how: dict[str, Any] = {"types": body.memory_types or reading.TYPES, "by_time": body.rank_by == "time"}
    how["chosen"] = compile_filter(body.filter, engine.clock)
    top_k = wanted(body.top_k, engine.settings.mcp.top_k)
    found = await run(request, reading.search, engine, person, body.query, top_k, **how, searching=True)
    return success(request, found)


@router.post("/context")
async def context(body: contract.ContextBody, request: Request) -> Response:
    query = (body.query or "").strip()[:QUERY_MOST]
    budget = body.token_budget or CONTEXT_TOKENS
    only = bool(body.fitting_only)
    known = await run(request, reading.context, *asking(request), query, budget, fitting_only=only, searching=True)
    return success(request, known)


@router.post("/agent-memory")
async def agent_memory(body: contract.SaveBody, request: Request) -> Response:
    """Save turns of a conversation, tool calls included."""
    return await _saved(request, body, stating=False)


@router.post("/personal")
async def personal(body: contract.SaveBody, request: Request) -> Response:
    """Save what the user states of themselves."""
    return await _saved(request, body, stating=True)


async def _saved(request: Request, body: contract.SaveBody, *, stating: bool) -> Response:
    save = partial(contract.save, stating=stating)
    if any(has_files(turn.content) for turn in body.messages):
        saved = await request.app.state.turns.run(request, save, *asking(request), body)
    else:
        saved = await run(request, save, *asking(request), body, lasting=True)
    return success(request, saved)


@router.post("/get")
def get(body: contract.IdBody, request: Request) -> Response:
    return success(request, reading.get(*asking(request), body.id))


@router.post("/list")
def list_page(body: contract.ListBody, request: Request) -> Response:
    kind = body.memory_type or "episodic_memory"
    return success(request, reading.page(*asking(request), kind, body.page or 1, body.page_size or 20))


@router.post("/forget")
def forget(body: contract.IdBody, request: Request) -> Response:
    deleted = reading.forget(*asking(request), body.id)
    note(request, "memory.forget", body.id, "ok", principal(request))
    return success(request, {"deleted": deleted})


def asking(request: Request) -> tuple[Engine, Person]:
    """The engine and the person as the token has them."""
    who = principal(request)
    engine: Engine = request.app.state.engine
    mcp = engine.settings.mcp
    person = Person(who.scope(mcp.app, mcp.project), mcp.user, who.agent_id or "default")
    return seen_by(engine, who), person
