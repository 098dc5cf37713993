"""Reviewing drafts over HTTP, beside the contract: `/review` lends them, `/curate` takes a reply or undoes one."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter
from pydantic import BaseModel, Field, model_validator
from starlette.requests import Request
from starlette.responses import Response

from everlore import memory
from everlore.engine import Engine
from everlore.surfaces.contracts.everos.answers import Success
from everlore.surfaces.contracts.everos.requests import OwnerId, Scoped, StrictBool, StrictInt
from everlore.surfaces.contracts.review.toolset import LONGEST_REPLY, lent, outcome_shown
from everlore.surfaces.http.body import JsonRoute
from everlore.surfaces.http.guard import partition_of
from everlore.surfaces.http.routes import ERRORS, NOT_FOUND, engine_of, success
from everlore.surfaces.http.threads import run
from everlore.types import Json, Owner

router = APIRouter(prefix="/api/v1/memory", route_class=JsonRoute, tags=["beyond the contract"], responses=ERRORS)


class Reviewed(Scoped):
    user_id: OwnerId


class ReviewRequest(Reviewed):
    id: str | None = None
    limit: Annotated[StrictInt, Field(ge=1, le=20)] = 1
    tokens: Annotated[StrictInt, Field(ge=500, le=30_000)] = 6000
    lease_seconds: Annotated[StrictInt, Field(ge=1, le=86_400)] = 900


class CurateRequest(Reviewed):
    id: str
    lease: str = ""
    reply: dict[str, Any] | None = None
    reviewer: Annotated[str, Field(min_length=1, max_length=100)] = "http"
    dry_run: StrictBool = False
    undo: StrictBool = False

    @model_validator(mode="after")
    def _reply_or_undo(self) -> Self:
        if (self.reply is None) != self.undo:
            raise ValueError("exactly one of reply and undo must be provided")
        if self.reply is not None and len(json.dumps(self.reply)) > LONGEST_REPLY:
            raise ValueError(f"reply must not be longer than {LONGEST_REPLY} characters")
        return self


class ReviewData(BaseModel):
    instructions: str = ""
    reply_schema: dict[str, Any] = {}
    items: list[dict[str, Any]]
    waiting: int


class CurateData(BaseModel):
    id: str
    state: Literal["drafted", "curated"]
    changed: int
    changes: list[str]
    refused: list[dict[str, str]]


@router.post("/review", response_model=Success[ReviewData], responses=NOT_FOUND)
async def review(body: ReviewRequest, request: Request) -> Response:
    """Lend drafted episodes of a user to a reviewer, with their turns and the schema of a reply."""
    return success(request, await run(request, _review, engine_of(request), _owner(request, body), body))


@router.post("/curate", response_model=Success[CurateData], responses=NOT_FOUND)
async def curate(body: CurateRequest, request: Request) -> Response:
    """Take what is right in a review, or put the draft back."""
    return success(request, await run(request, _curate, engine_of(request), _owner(request, body), body))


def _review(engine: Engine, owner: Owner, body: ReviewRequest) -> Json:
    items = memory.review(
        engine, owner, limit=body.limit, id_=body.id or "", seconds=body.lease_seconds, budget=body.tokens
    )
    return lent(items, memory.waiting_for_review(engine, owner))


def _curate(engine: Engine, owner: Owner, body: CurateRequest) -> Json:
    if body.undo:
        return outcome_shown(memory.undo_curation(engine, owner, body.id))
    done = memory.curate(engine, owner, body.id, body.lease, body.reply, body.reviewer, dry_run=body.dry_run)
    return outcome_shown(done)


def _owner(request: Request, body: Reviewed) -> Owner:
    return Owner(partition_of(request.state.principal, body.app_id, body.project_id), "user", body.user_id)
