"""The gateway's memory routes: each maps one wire shape to one function of `contracts.everme`."""

from __future__ import annotations

import json
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import Field, field_validator
from starlette.requests import Request
from starlette.responses import Response

from everlore.engine import Engine
from everlore.memory import NewMessage
from everlore.memory.remember import spoken
from everlore.search.filters import compile_filter
from everlore.surfaces.contracts.everme import reading, saving
from everlore.surfaces.contracts.everme.limits import CONTENT_MOST, CONTEXT_TOKENS, QUERY_MOST, wanted
from everlore.surfaces.contracts.everme.saving import USER_NAME, Person, Saved
from everlore.surfaces.http.body import JsonRoute
from everlore.surfaces.http.gateway import ANSWERS, Body, Refusal, note, principal, run, success
from everlore.surfaces.http.guard import seen_by
from everlore.types import Json

LAST_PAGE = 1000

router = APIRouter(route_class=JsonRoute, prefix="/api/v1/mem", tags=["gateway"], responses=ANSWERS)


class SearchBody(Body):
    query: str
    top_k: int | None = None
    memory_types: list[Literal["episodic_memory", "profile", "raw_message", "agent_memory"]] | None = None
    filter: dict[str, Any] | None = None
    rank_by: Literal["relevance", "time"] | None = None

    @field_validator("query")
    @classmethod
    def _query(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("query must not be empty")
        if len(value) > QUERY_MOST:
            raise ValueError(f"query must have at most {QUERY_MOST} characters; shorten it")
        return value


class ContextBody(Body):
    query: str | None = None
    force_refresh: bool | None = None
    token_budget: int | None = Field(None, ge=64, le=32_000)


class Call(Body):
    id: str = Field(min_length=1)
    type: str | None = None
    name: str | None = None
    arguments: str | dict[str, Any] | None = None
    function: dict[str, Any] | None = None


class Turn(Body):
    role: Literal["user", "assistant", "tool", "toolResult"]
    timestamp: int | None = Field(None, gt=0)
    content: str | list[str | dict[str, Any]] | None = None
    tool_calls: list[Call] | None = None
    tool_call_id: str | None = None


class SaveBody(Body):
    conversation_id: str = Field(min_length=1, max_length=128)
    messages: list[Turn] = Field(min_length=1, max_length=500)
    flush: bool | None = None


class IdBody(Body):
    id: str = Field(min_length=1)


class ListBody(Body):
    memory_type: Literal["episodic_memory", "profile", "agent_case", "agent_skill"] | None = None
    page: int | None = Field(None, ge=1, le=LAST_PAGE)
    page_size: int | None = Field(None, ge=1, le=100)


@router.post("/search", response_model=None)
async def search(body: SearchBody, request: Request) -> Response:
    engine, person = asking(request)
    found = await run(
        request,
        reading.search,
        engine,
        person,
        body.query,
        wanted(body.top_k, engine.settings.mcp.top_k),
        types=body.memory_types or reading.TYPES,
        chosen=compile_filter(body.filter, engine.clock),
        by_time=body.rank_by == "time",
    )
    return success(request, found)


@router.post("/context", response_model=None)
async def context(body: ContextBody, request: Request) -> Response:
    engine, person = asking(request)
    query = (body.query or "").strip()[:QUERY_MOST]
    budget = body.token_budget or CONTEXT_TOKENS
    return success(request, await run(request, reading.context, engine, person, query, budget))


@router.post("/agent-memory", response_model=None)
async def agent_memory(body: SaveBody, request: Request) -> Response:
    """Save turns of a conversation, tool calls included."""
    engine, person = asking(request)
    messages = [_message(at, turn, person, engine) for at, turn in enumerate(body.messages)]
    flushing = body.flush is not False
    saved: Saved = await run(
        request, saving.save_turn, engine, person, body.conversation_id, messages, flushing=flushing, lasting=True
    )
    return success(request, _saved(saved))


@router.post("/personal", response_model=None)
async def personal(body: SaveBody, request: Request) -> Response:
    """Save what the user states of themselves."""
    engine, person = asking(request)
    for at, turn in enumerate(body.messages):
        if turn.role not in ("user", "assistant") or turn.tool_calls or turn.tool_call_id:
            raise Refusal(
                20001, f"only user and assistant messages without tool calls are taken here: messages.{at}.role"
            )
    messages = [_message(at, turn, person, engine) for at, turn in enumerate(body.messages)]
    flushing = body.flush is not False
    saved: Saved = await run(
        request, saving.save_fact, engine, person, body.conversation_id, messages, flushing=flushing, lasting=True
    )
    return success(request, _saved(saved) | {"extracted": saved.extracted})


@router.post("/get", response_model=None)
async def get(body: IdBody, request: Request) -> Response:
    engine, person = asking(request)
    return success(request, await run(request, reading.get, engine, person, body.id))


@router.post("/list", response_model=None)
async def list_page(body: ListBody, request: Request) -> Response:
    engine, person = asking(request)
    kind = body.memory_type or "episodic_memory"
    page = await run(request, reading.page, engine, person, kind, body.page or 1, body.page_size or 20)
    return success(request, page)


@router.post("/forget", response_model=None)
async def forget(body: IdBody, request: Request) -> Response:
    engine, person = asking(request)
    deleted = await run(request, reading.forget, engine, person, body.id)
    await run(request, note, request, "memory.forget", body.id, "ok", principal(request))
    return success(request, {"deleted": deleted})


def asking(request: Request) -> tuple[Engine, Person]:
    """The engine and the person as the token has them."""
    who = principal(request)
    engine: Engine = request.app.state.engine
    mcp = engine.settings.mcp
    person = Person(who.scope(mcp.app, mcp.project), mcp.user, who.agent_id or "default")
    return seen_by(engine, who), person


def _message(at: int, turn: Turn, person: Person, engine: Engine) -> NewMessage:
    role: Literal["user", "assistant", "tool"] = "tool" if turn.role == "toolResult" else turn.role
    place = f"messages.{at}"
    calls = [_call(call) for call in turn.tool_calls or ()]
    if turn.content is None and not calls:
        raise Refusal(20001, f"content is missing: {place}.content")
    if role == "tool" and not turn.tool_call_id:
        raise Refusal(20001, f"a tool message needs the id of its call: {place}.toolCallId")
    content: str | list[dict[str, Json]] = ""
    if isinstance(turn.content, str):
        content = turn.content
    elif turn.content is not None:
        content = [{"type": "text", "text": part} if isinstance(part, str) else _part(part) for part in turn.content]
    if len(spoken(content)) > CONTENT_MOST:
        raise Refusal(
            20001, f"content must have at most {CONTENT_MOST} characters; keep its beginning and end: {place}.content"
        )
    return NewMessage(
        sender_id=person.user if role == "user" else person.agent,
        sender_name=USER_NAME if role == "user" else None,
        role=role,
        timestamp=turn.timestamp or engine.clock.now() + at,
        content=content,
        tool_calls=calls or None,
        tool_call_id=turn.tool_call_id,
    )


def _part(part: dict[str, Json]) -> dict[str, Json]:
    if not isinstance(part.get("type"), str):
        raise Refusal(20001, "a content item needs a type, e.g. text")
    return part


def _call(call: Call) -> dict[str, Json]:
    inner = call.function or {}
    given = call.arguments if call.arguments is not None else inner.get("arguments", "{}")
    arguments = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    name = call.name or str(inner.get("name") or "unknown")
    return {"id": call.id, "type": call.type or "function", "function": {"name": name, "arguments": arguments}}


def _saved(saved: Saved) -> dict[str, Json]:
    return {"status": saved.status, "messageCount": saved.count, "flushed": saved.flushed}
