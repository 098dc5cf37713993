"""Memory operations: store, get, update, delete, list, declare invalid, and what is or was valid at a moment."""

from __future__ import annotations

from typing import Annotated, Literal

from everlore import memory
from everlore.clock import iso
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.search.recipes import ALONE, MEMORIES
from everlore.surfaces.contracts.knowledge import present
from everlore.surfaces.contracts.knowledge.asking import (
    Id,
    Maybe,
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

LAST_OFFSET = 2**62

MemoryType = Literal["episodic", "semantic", "procedural"]
User = Annotated[Maybe[str], "Optional user ID filter"]
Limit = Annotated[int, "Maximum to return (default: 20, max: 100)"]
Successor = Annotated[Maybe[str], Read(lambda value, name: plain_id(value, name) if value else None)]


@tool("Store a memory")
def store_memory(
    ask: Caller,
    content: Annotated[str, "The content to store as a memory"],
    memory_type: Annotated[Maybe[MemoryType], "Type of memory: episodic, semantic, or procedural"] = None,
    user_id: Annotated[Maybe[str], "Optional user ID for multi-tenant isolation"] = None,
    metadata: Annotated[Maybe[dict[str, Json]], "Optional metadata as JSON object"] = None,
) -> dict[str, Json]:
    """Store a new memory with automatic embedding generation."""
    engine = ask.engine
    key = memory.save_note(engine, owner_of(engine, user_id), content, memory_type or "semantic", metadata)
    return {"id": key.global_id}


@tool("Get a memory", reads=True)
def get_memory(ask: Caller, id_: Annotated[Id, "The memory ID to retrieve"]) -> dict[str, Json]:
    """Get a memory by its ID."""
    return present.memory(memory_of(ask.engine, id_))


@tool("Update a memory", destroys=True, repeatable=True)
def update_memory(
    ask: Caller,
    id_: Annotated[Id, "The memory ID to update"],
    content: Annotated[Maybe[str], "New content (optional, re-embeds if changed)"] = None,
    memory_type: Annotated[Maybe[str], "New memory type (optional)"] = None,
    metadata: Annotated[Maybe[dict[str, Json]], "New metadata (optional)"] = None,
) -> dict[str, Json]:
    """Update an existing memory. Only provided fields will be updated."""
    engine = ask.engine
    stored = memory_of(engine, id_)
    if any(part is not None for part in (content, memory_type, metadata)):
        try:
            memory.edit_memory(engine, stored, content=content, memory_type=memory_type, metadata=metadata)
        except NotFound:
            raise missing(id_) from None
    return present.memory(memory_of(engine, stored.key.global_id))


@tool("Delete a memory", destroys=True, repeatable=True)
def delete_memory(ask: Caller, id_: Annotated[Id, "The memory ID to delete"]) -> dict[str, Json]:
    """Delete a memory by ID (hard delete)."""
    engine = ask.engine
    memory.remove(engine, memory_of(engine, id_))
    return {"deleted": True}


@tool("List memories", reads=True)
def list_memories(
    ask: Caller,
    limit: Annotated[int, "Maximum number to return (default: 20, max: 100)", {"minimum": 1, "maximum": 100}] = 20,
    offset: Annotated[int, "Offset for pagination (default: 0)", {"minimum": 0}] = 0,
) -> dict[str, Json]:
    """List memories with pagination, sorted by newest first."""
    engine = ask.engine
    where = Where(None, MEMORIES, scope=scope_of(engine))
    page = engine.index.rows.newest(where, ALONE, offset=min(offset, LAST_OFFSET), limit=limit)
    memories = [present.memory(row) for row in page.rows]
    return {"memories": memories, "total": page.total, "limit": limit, "offset": offset}


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
    rows = engine.index.rows.newest(where, ALONE, limit=limited(limit, 100)).rows
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


TOOLS = (store_memory, get_memory, update_memory, delete_memory, list_memories)
TIME_TOOLS = (get_valid, get_valid_at, invalidate)
