"""Memories: store, get, update, delete, list, declare invalid, what is or was valid; and the graph of entities."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeVar

from pydantic_core import from_json

from everlore import memory
from everlore.clock import iso
from everlore.errors import Damaged, EverloreError, InvalidInput, NotFound, Unavailable
from everlore.kinds.registry import kind
from everlore.search.recipes import ALONE, MEMORIES
from everlore.stores.base import ListingPage
from everlore.surfaces.contracts.signature import Read, limited
from everlore.surfaces.contracts.toolset import Caller, tool
from everlore.types import IndexedMemory, Json, Owner, Where

T = TypeVar("T")

NOT_READY = "Embedding service not ready. Please try again."
DATABASE = "Database error. Please try again."
LAST_OFFSET = 2**62


def plain_id(value: Json, name: str) -> str:
    """An id as a plain string, in the object form that `get_memory` returns, or that form as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        with suppress(ValueError):
            value = from_json(value)
    while isinstance(value, Mapping):
        value = value.get("id", value.get("String"))
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be the id of a memory, as text")
    return value.strip().removeprefix("memories:").removeprefix("entities:")


Maybe = Annotated[T | None, {"nullable": True}]
"""May be left out, and is told so in OpenAPI's word."""
Id = Annotated[str, Read(plain_id)]
Successor = Annotated[Maybe[str], Read(lambda value, name: plain_id(value, name) if value else None)]
MemoryType = Literal["episodic", "semantic", "procedural"]
User = Annotated[Maybe[str], "Optional user ID filter"]
Limit = Annotated[int, "Maximum to return (default: 20, max: 100)"]


def told(error: EverloreError) -> str:
    """Trouble below begins with the contract's sentence, and goes on with what helps."""
    below = isinstance(error, Damaged | Unavailable) and str(error) != NOT_READY
    return f"{DATABASE} {error}" if below else str(error)


def owner_of(ask: Caller, user_id: str | None) -> Owner:
    return replace(ask.user, id=user_id) if user_id else ask.user


def memory_of(ask: Caller, handle: str, *, entity: bool = False) -> IndexedMemory:
    """The memory of this scope that goes by an id; or the `entity`, which has names of its own."""
    found = ask.engine.index.rows.by_global_id([handle.lower()]).get(handle.lower())
    if found is None or found.key.owner.scope != ask.user.scope or bool(kind(found.key.kind).own_names) != entity:
        raise NotFound(f"{'Entity' if entity else 'Memory'} not found: {handle}")
    return found


def text(row: IndexedMemory) -> str:
    return kind(row.key.kind).text(row.data)


def memory_type(row: IndexedMemory) -> str:
    return str(row.data.get("memory_type") or kind(row.key.kind).memory_type)


def shown(row: IndexedMemory) -> dict[str, Any]:
    """The contract's memory object; a memory that was declared invalid says why, and what took its place."""
    start, end = row.validity.start, row.validity.end
    found = {
        "id": {"tb": "memories", "id": {"String": row.key.global_id}},
        "content": text(row),
        "memory_type": memory_type(row),
        "event_time": iso(row.data.get("event_time", row.timestamp)),
        "ingestion_time": iso(row.timestamp),
        "valid_from": iso(row.timestamp if start is None else start),
        "valid_until": None if end is None else iso(end),
        "importance_score": row.data.get("importance", 1.0),
        "metadata": row.data.get("metadata", {}),
    }
    ended = {"invalidation_reason": row.data.get("invalidation_reason"), "superseded_by": memory.successor(row)}
    return found | {name: value for name, value in ended.items() if value}


@tool("Store a memory")
def store_memory(
    ask: Caller,
    content: Annotated[str, "The content to store as a memory"],
    memory_type: Annotated[Maybe[MemoryType], "Type of memory: episodic, semantic, or procedural"] = None,
    user_id: Annotated[Maybe[str], "Optional user ID for multi-tenant isolation"] = None,
    metadata: Annotated[Maybe[dict[str, Json]], "Optional metadata as JSON object"] = None,
) -> dict[str, Json]:
    """Store a new memory with automatic embedding generation."""
    key = memory.save_note(ask.engine, owner_of(ask, user_id), content, memory_type or "semantic", metadata)
    return {"id": key.global_id}


@tool("Get a memory", reads=True)
def get_memory(ask: Caller, id_: Annotated[Id, "The memory ID to retrieve"]) -> dict[str, Json]:
    """Get a memory by its ID."""
    return shown(memory_of(ask, id_))


@tool("Update a memory", destroys=True, repeatable=True)
def update_memory(
    ask: Caller,
    id_: Annotated[Id, "The memory ID to update"],
    content: Annotated[Maybe[str], "New content (optional, re-embeds if changed)"] = None,
    memory_type: Annotated[Maybe[str], "New memory type (optional)"] = None,
    metadata: Annotated[Maybe[dict[str, Json]], "New metadata (optional)"] = None,
) -> dict[str, Json]:
    """Update an existing memory. Only provided fields will be updated."""
    stored = memory_of(ask, id_)
    if any(part is not None for part in (content, memory_type, metadata)):
        memory.edit_memory(ask.engine, stored, content=content, memory_type=memory_type, metadata=metadata)
    return shown(memory_of(ask, stored.key.global_id))


@tool("Delete a memory", destroys=True, repeatable=True)
def delete_memory(ask: Caller, id_: Annotated[Id, "The memory ID to delete"]) -> dict[str, Json]:
    """Delete a memory by ID (hard delete)."""
    memory.remove(ask.engine, memory_of(ask, id_))
    return {"deleted": True}


@tool("List memories", reads=True)
def list_memories(
    ask: Caller,
    limit: Annotated[int, "Maximum number to return (default: 20, max: 100)", {"minimum": 1, "maximum": 100}] = 20,
    offset: Annotated[int, "Offset for pagination (default: 0)", {"minimum": 0}] = 0,
) -> dict[str, Json]:
    """List memories with pagination, sorted by newest first."""
    page = newest(ask, limit, offset=offset)
    return {"memories": [shown(row) for row in page.rows], "total": page.total, "limit": limit, "offset": offset}


def newest(
    ask: Caller, limit: int, user_id: str | None = None, offset: int = 0, valid_at: int | None = None
) -> ListingPage:
    where = Where(owner_of(ask, user_id) if user_id else None, MEMORIES, valid_at=valid_at, scope=ask.user.scope)
    return ask.engine.index.rows.newest(where, ALONE, offset=min(offset, LAST_OFFSET), limit=limit)


@tool("What is valid now", reads=True)
def get_valid(ask: Caller, user_id: User = None, limit: Limit = 20) -> dict[str, Json]:
    """Get all currently valid memories."""
    return _valid(ask, user_id, limit, ask.engine.clock.now())


@tool("What was valid then", reads=True)
def get_valid_at(
    ask: Caller,
    timestamp: Annotated[str, "Timestamp in ISO 8601 format", {"format": "date-time"}],
    user_id: User = None,
    limit: Limit = 20,
) -> dict[str, Json]:
    """Get memories valid at a specific point in time."""
    try:
        moment = ask.engine.clock.parse(timestamp)
    except InvalidInput:
        example = "2026-01-06T12:00:00Z"
        raise InvalidInput(
            f"timestamp {timestamp[:60]!r} is not an ISO 8601 time; send one such as {example}"
        ) from None
    return _valid(ask, user_id, limit, moment) | {"timestamp": iso(moment)}


def _valid(ask: Caller, user_id: str | None, limit: int, moment: int) -> dict[str, Json]:
    rows = newest(ask, limited(limit, 100), user_id, valid_at=moment).rows
    return {"results": [shown(row) for row in rows], "count": len(rows)}


@tool("Declare a memory invalid", repeatable=True)
def invalidate(
    ask: Caller,
    id_: Annotated[Id, "Memory ID to invalidate"],
    reason: Annotated[Maybe[str], "Optional reason for invalidation"] = None,
    superseded_by: Annotated[Successor, "Optional ID of memory that supersedes this one"] = None,
) -> dict[str, Json]:
    """Invalidate (soft-delete) a memory. Sets valid_until to now."""
    successor = memory_of(ask, superseded_by) if superseded_by else None
    memory.invalidate(ask.engine, memory_of(ask, id_), reason or "", successor)
    return {"invalidated": True}


TOOLS = (store_memory, get_memory, update_memory, delete_memory, list_memories)
TIME_TOOLS = (get_valid, get_valid_at, invalidate)


@tool("Create an entity", repeatable=True)
def create_entity(
    ask: Caller,
    name: Annotated[str, "Entity name"],
    entity_type: Annotated[Maybe[str], "Type: person, project, concept, file, etc."] = None,
    description: Annotated[Maybe[str], "Optional description"] = None,
    user_id: Annotated[Maybe[str], "Optional user ID for isolation"] = None,
) -> dict[str, Json]:
    """Create a knowledge graph entity."""
    key = memory.create_entity(ask.engine, owner_of(ask, user_id), name, entity_type or "", description or "")
    return {"id": key.global_id}


@tool("Create a relation", repeatable=True)
def create_relation(
    ask: Caller,
    from_entity: Annotated[Id, "Source entity ID"],
    to_entity: Annotated[Id, "Target entity ID"],
    relation_type: Annotated[str, "Relation type: works_on, knows, uses, etc."],
    weight: Annotated[float, "Relation weight (0.0-1.0, default: 1.0)", {"minimum": 0, "maximum": 1}] = 1.0,
) -> dict[str, Json]:
    """Create a directed relation between two entities."""
    origin, end = (memory_of(ask, one, entity=True) for one in (from_entity, to_entity))
    return {"id": memory.create_relation(ask.engine, origin, relation_type, end, weight)}


@tool("What is related", reads=True)
def get_related(
    ask: Caller,
    entity_id: Annotated[Id, "Entity ID to start from"],
    depth: Annotated[int, "Traversal depth (1-3, default: 1)", {"minimum": 1, "maximum": 3}] = 1,
    direction: Annotated[Literal["outgoing", "incoming", "both"], "Traversal direction"] = "outgoing",
) -> dict[str, Json]:
    """Get entities related to a given entity via graph traversal."""
    found, relations = memory.related(ask.engine, memory_of(ask, entity_id, entity=True), depth, direction)
    entities = [
        {
            "id": row.key.global_id,
            "name": row.data["name"],
            "entity_type": row.data["entity_type"] or None,
            "description": row.data["description"] or None,
            "user_id": row.key.owner.id,
        }
        for row in found
    ]
    shown = [
        {
            "id": one.id,
            "from_entity": one.origin.key.global_id,
            "to_entity": one.end.key.global_id,
            "relation_type": one.type,
            "weight": one.weight,
        }
        for one in relations
    ]
    counts = {"entity_count": len(entities), "relation_count": len(shown)}
    return {"entities": entities, "relations": shown, **counts}


GRAPH_TOOLS = (create_entity, create_relation, get_related)
