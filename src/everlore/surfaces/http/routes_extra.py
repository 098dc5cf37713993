"""Routes beside the contract's: forgetting a memory, what held when, and taking an owner's files along.

They are additive: nothing of the contract changes by them. docs/http-api.md tells how to use them.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections import Counter
from functools import partial
from typing import Any, Self

from fastapi import APIRouter
from pydantic import BaseModel, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError
from starlette.requests import Request
from starlette.responses import Response

from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.memory import export_owner, forget, held, history, import_owner, successors
from everlore.memory.remember import located_at
from everlore.surfaces.http.body import JsonRoute
from everlore.surfaces.http.dependencies import ERRORS, engine_of, owner_of, success, threads_of
from everlore.surfaces.http.models import Failure, Owned, Placed, StrictBool, StrictInt, Success, Whole
from everlore.surfaces.http.models import Request as Body
from everlore.surfaces.http.responses import placed
from everlore.temporal import valid_at
from everlore.types import IndexedMemory, Owner

MOST_FILES = 1000
TYPES = {
    "episode": "episode",
    "fact": "atomic_fact",
    "note": "episode",
    "record": "episode",
    "case": "agent_case",
    "skill": "agent_skill",
    "profile": "profile",
    "entity": "entity",
}
"""What the contract calls a kind, which knows no entities."""
SAID = {
    "episode": "episode",
    "case": "task_intent",
    "skill": "description",
    "profile": "summary",
    "entity": "description",
}
"""Where a kind keeps what it states, if not in `content`."""
NOT_FOUND: dict[int | str, dict[str, Any]] = {404: {"model": Failure, "description": "No such memory"}}

router = APIRouter(route_class=JsonRoute, tags=["beyond the contract"], responses=ERRORS)


class Paged(Owned):
    page: StrictInt = Field(1, ge=1, le=10**9)
    page_size: StrictInt = Field(20, ge=1, le=100)


class DeleteRequest(Owned):
    id: str = Field(min_length=1, description="The id of an episode, a fact, a profile, a case or a skill.")


class DeleteData(BaseModel):
    deleted: int


class HistoryRequest(Paged):
    id: str | None = Field(None, min_length=1, description="One memory, and what stood in its place before and after.")
    at: StrictInt | str | None = Field(None, description="Only what held then: epoch milliseconds or ISO-8601.")

    @field_validator("at", mode="before")
    @classmethod
    def _number_or_text(cls, value: object) -> object:
        """One message, as a union has one for each of its branches, with their names in the place."""
        number = isinstance(value, int) and not isinstance(value, bool)
        if value is None or number or isinstance(value, str) or (isinstance(value, float) and value.is_integer()):
            return value
        raise PydanticCustomError("time", "Input should be epoch milliseconds or ISO-8601 text")


class HistoryItem(Placed):
    """A statement and the time in which it held; `valid_until` null: it still does."""

    user_id: str | None = None
    agent_id: str | None = None
    memory_type: str
    content: str
    session_id: str
    episode_id: str | None
    timestamp: str
    valid_from: str
    valid_until: str | None
    superseded_by: str | None


class HistoryData(BaseModel):
    memories: list[HistoryItem]
    total_count: int
    count: int


class File(Body):
    """`text`, or `base64` where the file is no UTF-8 text."""

    path: str = Field(min_length=1, max_length=4096, description="In the owner's folder, such as user.md")
    text: str | None = None
    base64: str | None = None

    @model_validator(mode="after")
    def _one_content(self) -> Self:
        if (self.text is None) == (self.base64 is None):
            raise ValueError("a file has either text or base64")
        return self

    @classmethod
    def of(cls, path: str, content: bytes) -> File:
        try:
            return cls(path=path, text=content.decode("utf-8"))
        except UnicodeDecodeError:
            return cls(path=path, base64=b64encode(content).decode("ascii"))

    def content(self) -> bytes:
        if self.text is not None:
            return self.text.encode("utf-8")
        try:
            return b64decode(self.base64 or "", validate=True)
        except (binascii.Error, ValueError):
            raise InvalidInput(f"the base64 of {self.path[:80]!r} cannot be read") from None


class ExportData(Whole):
    files: list[File]
    total_count: int
    count: int


class ImportRequest(Owned):
    files: list[File] = Field(min_length=1, max_length=MOST_FILES)
    overwrite: StrictBool = Field(False, description="Also where a file of that name holds something else.")

    @field_validator("files")
    @classmethod
    def _each_once(cls, files: list[File]) -> list[File]:
        repeated = [path for path, times in Counter(file.path for file in files).items() if times > 1]
        if repeated:
            raise ValueError(f"{repeated[0][:80]!r} is there twice, and only one of the two could be kept")
        return files


class ImportData(BaseModel):
    written: int
    unchanged: int


@router.post("/api/v1/memory/delete", response_model=Success[DeleteData], responses=NOT_FOUND)
async def delete(body: DeleteRequest, request: Request) -> Response:
    """Remove one memory from the files and the index; an episode takes its facts with it."""
    verb = partial(forget, engine_of(request), owner_of(request, body), body.id)
    return success(request, DeleteData(deleted=await threads_of(request).run(verb)))


@router.post("/api/v1/memory/history", name="history", response_model=Success[HistoryData], responses=NOT_FOUND)
async def what_held(body: HistoryRequest, request: Request) -> Response:
    """What an owner's memory states and stated, each with the time in which it held."""
    verb = partial(_history, engine_of(request), owner_of(request, body), body)
    return success(request, await threads_of(request).run(verb))


@router.post("/api/v1/memory/export", name="export", response_model=Success[ExportData])
async def take_along(body: Paged, request: Request) -> Response:
    """A page of an owner's markdown files."""
    verb = partial(export_owner, engine_of(request), owner_of(request, body), page=body.page, page_size=body.page_size)
    found = await threads_of(request).run(verb)
    files = [File.of(path, content) for path, content in found.files.items()]
    return success(request, ExportData(files=files, total_count=found.total, count=len(files)))


@router.post(
    "/api/v1/memory/import",
    name="import",
    response_model=Success[ImportData],
    responses={409: {"model": Failure, "description": "A file holds something else here"}},
)
async def put_in(body: ImportRequest, request: Request) -> Response:
    """Files of an export, all of them or none."""
    files = {file.path: file.content() for file in body.files}
    verb = partial(import_owner, engine_of(request), owner_of(request, body), files, overwrite=body.overwrite)
    done = await threads_of(request).run(verb, lasting=True)
    return success(request, ImportData(written=done.written, unchanged=done.unchanged))


def _history(engine: Engine, owner: Owner, body: HistoryRequest) -> HistoryData:
    with located_at("at"):
        at = None if body.at is None else engine.clock.parse(body.at)
    if body.id is None:
        page = held(engine, owner, at, page=body.page, page_size=body.page_size)
        rows, total = page.rows, page.total
    else:
        chain = [row for row in history(engine, owner, body.id) if at is None or valid_at(row.validity, at)]
        rows, total = chain[(body.page - 1) * body.page_size :][: body.page_size], len(chain)
    return HistoryData(memories=_items(engine, rows, body.app_id), total_count=total, count=len(rows))


def _items(engine: Engine, rows: list[IndexedMemory], app_id: str) -> list[HistoryItem]:
    clock, index = engine.clock, engine.index
    episodes = index.episodes_of(row.id for row in rows)
    told = index.stored(episodes.values())
    ended_by = successors(engine, rows)
    return [
        HistoryItem(
            **placed(row, app_id),
            memory_type=TYPES[row.key.kind],
            content=str(row.data.get(SAID.get(row.key.kind, "content"), "")),
            session_id=row.session_id,
            episode_id=told[at].key.public_id if (at := episodes.get(row.id)) in told else None,
            timestamp=clock.show(row.timestamp),
            valid_from=clock.show(row.timestamp if row.validity.start is None else row.validity.start),
            valid_until=None if row.validity.end is None else clock.show(row.validity.end),
            superseded_by=ended_by[row.key].key.public_id if row.key in ended_by else None,
        )
        for row in rows
    ]
