"""Forgetting over HTTP, beside the contract: `/delete`, what it would take, and the bin that gives it back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from everlore import memory
from everlore.clock import DAY_MS
from everlore.engine import Engine
from everlore.memory.bin import Item
from everlore.memory.forget import title
from everlore.surfaces.contracts.everos.answers import Success
from everlore.surfaces.contracts.everos.requests import DeleteRequest, Owned, OwnerId, Scoped, StrictBool, StrictInt
from everlore.surfaces.http.body import JsonRoute
from everlore.surfaces.http.routes import CONFLICT, ERRORS, NOT_FOUND, engine_of, owner_of, scope_of
from everlore.surfaces.http.threads import run
from everlore.types import IndexedMemory, Owner

router = APIRouter(prefix="/api/v1/memory", route_class=JsonRoute, tags=["beyond the contract"], responses=ERRORS)


class Named(BaseModel):
    """A memory, as far as one must know it to decide."""

    id: str
    kind: str
    text: str

    @classmethod
    def of(cls, row: IndexedMemory) -> Named:
        return cls(id=row.key.public_id, kind=row.key.kind, text=title(row))


class DeleteData(BaseModel):
    deleted: int
    bin: str = Field(description="What `/bin/restore` takes; empty where no bin is kept.")
    still_ended: list[Named] = Field(description="What it had ended, which stays ended: `/reopen` takes that back.")


class PreviewData(BaseModel):
    counts: dict[str, int]
    memories: list[Named]
    skills: list[Named] = Field(description="They lose what they say because of it, or go.")
    profile: list[str] = Field(description="Lines that the profile will no longer have.")
    still_ended: list[Named]


class BinItem(BaseModel):
    id: str
    act: str
    title: str
    user_id: str | None
    agent_id: str | None
    at: str
    until: str
    counts: dict[str, int]


class BinData(BaseModel):
    items: list[BinItem]
    total_count: int
    count: int


class BinRequest(Scoped):
    user_id: OwnerId | None = None
    agent_id: OwnerId | None = None
    page: Annotated[StrictInt, Field(ge=1, le=10**9)] = 1
    page_size: Annotated[StrictInt, Field(ge=1, le=100)] = 20


class RestoreRequest(Scoped):
    bin: str = Field(min_length=1)
    overwrite: StrictBool = False


class RestoreData(BaseModel):
    files: int
    left: list[str] = Field(description="Files that changed since and stay as they are: a skill that has learnt more.")


class EmptyRequest(Scoped):
    bin: str | None = Field(None, min_length=1, description="One item; without it, everything of the scope.")


class CountData(BaseModel):
    deleted: int


class ReopenData(BaseModel):
    id: str


@router.post("/delete", response_model=Success[DeleteData], responses=NOT_FOUND)
def delete(body: DeleteRequest, request: Request) -> Response:
    """Remove one memory from the files and the index, into the bin; an episode takes its facts with it."""
    gone = memory.forget(engine_of(request), owner_of(request, body), body.id)
    ended = [Named.of(row) for row in gone.ended]
    return _success(request, DeleteData(deleted=gone.count, bin=gone.bin, still_ended=ended))


@router.post("/delete/preview", response_model=Success[PreviewData], responses=NOT_FOUND)
def preview(body: DeleteRequest, request: Request) -> Response:
    """All that `/delete` would take; nothing is."""
    going = memory.preview(engine_of(request), owner_of(request, body), body.id)
    told = {"memories": going.rows, "skills": going.skills, "still_ended": going.ended}
    named = {name: [Named.of(row) for row in rows] for name, rows in told.items()}
    return _success(request, PreviewData(counts=dict(going.counts), profile=list(going.lines), **named))


@router.post("/delete/owner", response_model=Success[DeleteData])
async def delete_owner(body: Owned, request: Request) -> Response:
    """Remove everything of one owner, into the bin."""
    done = await run(request, memory.forget_owner, engine_of(request), owner_of(request, body), lasting=True)
    return _success(request, DeleteData(deleted=sum(done.counts.values()), bin=done.bin, still_ended=[]))


@router.post("/reopen", response_model=Success[ReopenData], responses=NOT_FOUND)
def reopen(body: DeleteRequest, request: Request) -> Response:
    """Take back the end of a memory, so that it holds again."""
    engine, owner = engine_of(request), owner_of(request, body)
    memory.reopen(engine, memory.named(engine, owner, body.id))
    return _success(request, ReopenData(id=body.id))


@router.post("/bin", response_model=Success[BinData])
def binned(body: BinRequest, request: Request) -> Response:
    """What can be restored, the newest first: of an owner, or of all."""
    engine, scope = engine_of(request), scope_of(request, body)
    owner = Owner(scope, "agent", body.agent_id) if body.agent_id is not None else None
    owner = Owner(scope, "user", body.user_id) if body.user_id is not None else owner
    items = memory.binned(engine, scope, owner)
    shown = items[(body.page - 1) * body.page_size :][: body.page_size]
    told = [_item(engine, one) for one in shown]
    return _success(request, BinData(items=told, total_count=len(items), count=len(shown)))


@router.post("/bin/restore", response_model=Success[RestoreData], responses=NOT_FOUND | CONFLICT)
async def restore(body: RestoreRequest, request: Request) -> Response:
    """Bring back what one deletion, reset or import took."""
    scope = scope_of(request, body)
    engine = engine_of(request)
    done = await run(request, memory.restore, engine, scope, body.bin, overwrite=body.overwrite, lasting=True)
    return _success(request, RestoreData(files=done.files, left=list(done.left)))


@router.post("/bin/empty", response_model=Success[CountData], responses=NOT_FOUND)
def empty(body: EmptyRequest, request: Request) -> Response:
    """Let go of it for good."""
    return _success(request, CountData(deleted=memory.empty(engine_of(request), scope_of(request, body), body.bin)))


def _item(engine: Engine, item: Item) -> BinItem:
    owner = item.owner
    return BinItem(
        id=item.id,
        act=item.act,
        title=item.title,
        user_id=owner.id if owner and owner.track == "user" else None,
        agent_id=owner.id if owner and owner.track == "agent" else None,
        at=engine.clock.show(item.at),
        until=engine.clock.show(item.at + engine.settings.memory.bin_days * DAY_MS),
        counts=dict(item.counts),
    )


def _success(request: Request, data: BaseModel) -> Response:
    return JSONResponse({"request_id": request.state.request_id, "data": data.model_dump()})
