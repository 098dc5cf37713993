"""Time: what is valid now or was at some moment, and declaring a memory invalid."""

from __future__ import annotations

from typing import Annotated

from everlore import memory
from everlore.clock import iso
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.search.recipes import ALONE, MEMORIES
from everlore.surfaces.contracts.knowledge import present
from everlore.surfaces.contracts.knowledge.asking import (
    Id,
    Maybe,
    User,
    limited,
    memory_of,
    missing,
    owner_of,
    plain_id,
    scope_of,
    tool,
)
from everlore.surfaces.contracts.signature import Read
from everlore.surfaces.contracts.toolset import Caller
from everlore.types import Json, Where

Limit = Annotated[int, "Maximum to return (default: 20, max: 100)"]
Successor = Annotated[Maybe[str], Read(lambda value, name: plain_id(value, name) if value else None)]


@tool("What is valid now", reads=True)
def get_valid(ask: Caller, user_id: User = None, limit: Limit = 20) -> dict[str, Json]:
    """Get all currently valid memories."""
    engine = ask.engine
    return _page(engine, user_id, limit, engine.clock.now())


@tool("What was valid then", reads=True)
def get_valid_at(
    ask: Caller,
    timestamp: Annotated[str, "Timestamp in ISO 8601 format", {"format": "date-time"}],
    user_id: User = None,
    limit: Limit = 20,
) -> dict[str, Json]:
    """Get memories valid at a specific point in time."""
    engine = ask.engine
    try:
        moment = engine.clock.parse(timestamp)
    except InvalidInput:
        raise InvalidInput(
            f"timestamp {timestamp[:60]!r} is not an ISO 8601 time; send one such as 2026-01-06T12:00:00Z"
        ) from None
    return _page(engine, user_id, limit, moment) | {"timestamp": iso(moment)}


def _page(engine: Engine, user_id: str | None, limit: int, moment: int) -> dict[str, Json]:
    owner = owner_of(engine, user_id) if user_id else None
    where = Where(owner, MEMORIES, valid_at=moment, scope=scope_of(engine))
    rows = engine.index.newest(where, ALONE, limit=limited(limit, 100)).rows
    return {"results": [present.memory(row) for row in rows], "count": len(rows)}


@tool("Declare a memory invalid", repeatable=True)
def invalidate(
    ask: Caller,
    id_: Annotated[Id, "Memory ID to invalidate"],
    reason: Annotated[Maybe[str], "Optional reason for invalidation"] = None,
    superseded_by: Annotated[Successor, "Optional ID of memory that supersedes this one"] = None,
) -> dict[str, Json]:
    """Invalidate (soft-delete) a memory. Sets valid_until to now."""
    engine = ask.engine
    stored = memory_of(engine, id_)
    successor = memory_of(engine, superseded_by) if superseded_by else None
    try:
        memory.invalidate(engine, stored, reason or "", successor)
    except NotFound:
        raise missing(id_) from None
    return {"invalidated": True}


TOOLS = (get_valid, get_valid_at, invalidate)
