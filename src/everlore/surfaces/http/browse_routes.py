"""What the page shows and does, for programs, beside the contracts: owners, sessions, the graph of names, editing by
hand, keys, and what happens as server-sent events. docs/http-api.md tells how to use them."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from everlore import memory
from everlore.accounts.values import Key, Principal
from everlore.clock import iso
from everlore.errors import Denied
from everlore.kinds.registry import kinds_where
from everlore.memory.spoken import names_of
from everlore.surfaces.contracts.everos.answers import Success
from everlore.surfaces.contracts.everos.requests import Owned, Paged, Scoped, StrictInt
from everlore.surfaces.contracts.everos.requests import Request as Asked
from everlore.surfaces.http.body import JsonRoute
from everlore.surfaces.http.feed import Feed, visible
from everlore.surfaces.http.guard import bearer, partition_of
from everlore.surfaces.http.keys import check_may_manage, events_of, keys_of, make_key, revoke_key
from everlore.surfaces.http.routes import CONFLICT, ERRORS, NOT_FOUND, engine_of, owner_of, success
from everlore.surfaces.http.threads import run
from everlore.types import Json, Where

LOOK_SECONDS = 0.5
ALIVE_SECONDS = 15.0

router = APIRouter(prefix="/api/v1", route_class=JsonRoute, tags=["beyond the contract"], responses=ERRORS)


class GraphRequest(Owned):
    limit: Annotated[StrictInt, Field(ge=1, le=2000, description="Names, those that most memories lead to.")] = 150


class SourceRequest(Owned):
    id: Annotated[str, Field(min_length=1)]


class EditRequest(SourceRequest):
    version: Annotated[str, Field(description="As `source` told it: where it is another by now, nothing is written.")]
    text: Annotated[str, Field(min_length=1, max_length=1_000_000)]


class KeyRequest(Asked):
    name: Annotated[str, Field(min_length=1, max_length=128)]
    scopes: tuple[Literal["agents", "mem:read", "mem:write"], ...] = ()
    days: Annotated[StrictInt, Field(ge=0, le=3650, description="0: it does not end.")] = 0
    account_id: str = ""


class KeyId(Asked):
    id: str


class Data(BaseModel):
    """Named in docs/http-api.md."""

    model_config = {"extra": "allow"}


@router.post("/memory/owners", response_model=Success[Data])
async def owners(body: Scoped, request: Request) -> Response:
    """Whose memories there are in a scope."""
    scope = partition_of(request.state.principal, body.app_id, body.project_id)
    found = await run(request, engine_of(request).index.rows.owners, scope)
    told = [{f"{owner.track}_id": owner.id, "memories": number} for owner, number in found]
    return success(request, {"owners": told})


@router.post("/memory/sessions", response_model=Success[Data])
async def sessions(body: Paged, request: Request) -> Response:
    """Sessions of an owner, the latest first."""
    owner = owner_of(request, body)
    where = Where(owner, kinds_where(lambda one: one.track == owner.track))
    offset, engine = (body.page - 1) * body.page_size, engine_of(request)
    found = await run(request, engine.index.overview.sessions, where, offset, body.page_size)
    show = engine.clock.show
    told = [{"session_id": name, "memories": n, "first": show(a), "last": show(b)} for name, n, a, b in found]
    return success(request, {"sessions": told})


@router.post("/memory/graph", response_model=Success[Data])
async def graph(body: GraphRequest, request: Request) -> Response:
    """The names in an owner's memories, and which stand together."""
    found = await run(request, names_of, engine_of(request), owner_of(request, body), body.limit)
    edges = [{"from": one, "to": other, "memories": number} for one, other, number in found.edges]
    return success(request, {"nodes": [asdict(node) for node in found.nodes], "edges": edges})


@router.post("/memory/source", response_model=Success[Data], responses=NOT_FOUND)
async def source(body: SourceRequest, request: Request) -> Response:
    """A memory as it stands in its file, with the version that `edit` asks for."""
    found = await run(request, memory.source, engine_of(request), owner_of(request, body), body.id)
    return success(request, {**asdict(found), "version": found.version})


@router.post("/memory/edit", response_model=Success[Data], responses={**NOT_FOUND, **CONFLICT})
async def edit(body: EditRequest, request: Request) -> Response:
    """Put another text in the place of the version that was seen."""
    owner = owner_of(request, body)
    found = await run(request, memory.edit, engine_of(request), owner, body.id, body.version, body.text)
    return success(request, {**asdict(found), "version": found.version})


@router.post("/keys/create", response_model=Success[Data])
async def create_key(body: KeyRequest, request: Request) -> Response:
    """A key and its secret, which is told once."""
    make = partial(make_key, request.app.state.accounts, _manager(request), account=body.account_id)
    key, secret = await run(request, make, body.name, body.scopes, body.days)
    return success(request, {**_key(key), "key": secret})


@router.post("/keys/list", response_model=Success[Data])
async def list_keys(request: Request) -> Response:
    """The caller's keys; of the vault's owner, all."""
    found = await run(request, keys_of, request.app.state.accounts, _manager(request))
    return success(request, {"keys": list(map(_key, found))})


@router.post("/keys/revoke", response_model=Success[Data], responses=NOT_FOUND)
async def revoke(body: KeyId, request: Request) -> Response:
    """A key opens nothing any more, from this moment on."""
    key = await run(request, revoke_key, request.app.state.accounts, _manager(request), body.id)
    return success(request, _key(key))


@router.post("/keys/audit", response_model=Success[Data])
async def audit(request: Request) -> Response:
    """What was done with accounts and keys, the latest first."""
    found = await run(request, events_of, request.app.state.accounts, _manager(request))
    return success(request, {"events": [{**asdict(event), "at": iso(event.at)} for event in found]})


@router.get("/events", response_class=Response)
async def events(request: Request) -> Response:
    """What happens, as server-sent events: `request`, `recall` and `learnt`."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_told(request), media_type="text/event-stream", headers=headers)


async def _told(request: Request) -> AsyncIterator[str]:
    feed: Feed = request.app.state.feed
    engine, who, token = engine_of(request), request.state.principal, bearer(request)
    kinds = kinds_where(lambda one: one.name != "review")
    last = feed.last
    moment, alive = engine.clock.now(), 0.0
    while not request.app.state.activity.leaving:
        if time.monotonic() - alive > ALIVE_SECONDS:
            alive = time.monotonic()
            if token and who is not None and not await run(request, _still, request, token):
                return
            yield ": alive\n\n"
        for event in feed.since(last):
            last = event.number
            if visible(event, who):
                yield _event(event.kind, event.at, event.data)
        rows = await run(request, engine.index.overview.changed, Where(None, kinds), moment, 100)
        for row in reversed(rows):
            moment = max(moment, row.updated)
            if who is None or who.owns(row.key.owner.scope):
                owner = {f"{row.key.owner.track}_id": row.key.owner.id}
                yield _event("learnt", row.updated, {"id": row.key.public_id, "kind": row.key.kind, **owner})
        await asyncio.sleep(LOOK_SECONDS)


def _event(kind: str, at: int, data: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'at': iso(at), **data}, ensure_ascii=False)}\n\n"


def _still(request: Request, token: str) -> bool:
    try:
        request.app.state.accounts.authenticate(token)
    except Denied:
        return False
    return True


def _manager(request: Request) -> Principal | None:
    who: Principal | None = request.state.principal
    check_may_manage(request.app.state.engine.settings, who)
    return who


def _key(key: Key) -> dict[str, Json]:
    moments = {"created": key.created, "expires": key.expires, "revoked": key.revoked, "last_used": key.last_used}
    told: dict[str, Json] = {name: None if ms is None else iso(ms) for name, ms in moments.items()}
    named = {"id": key.id, "name": key.name, "prefix": key.prefix, "scopes": list(key.scopes)}
    return {**named, "account_id": key.account.id, "account": key.account.name, **told}
