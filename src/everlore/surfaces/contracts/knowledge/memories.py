"""Memory operations: store, get, update, delete, list."""

from __future__ import annotations

from typing import Annotated, Literal

from everlore.errors import NotFound
from everlore.memory import edit_memory, remove, save_note
from everlore.search.recipes import ALONE, MEMORIES
from everlore.surfaces.contracts.knowledge import present
from everlore.surfaces.contracts.knowledge.asking import Id, Maybe, memory_of, missing, owner_of, scope_of, tool
from everlore.surfaces.contracts.toolset import Caller
from everlore.types import Json, Where

LAST_OFFSET = 2**62

MemoryType = Literal["episodic", "semantic", "procedural"]


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
    key = save_note(engine, owner_of(engine, user_id), content, memory_type or "semantic", metadata)
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
            edit_memory(engine, stored, content=content, memory_type=memory_type, metadata=metadata)
        except NotFound:
            raise missing(id_) from None
    return present.memory(memory_of(engine, stored.key.global_id))


@tool("Delete a memory", destroys=True, repeatable=True)
def delete_memory(ask: Caller, id_: Annotated[Id, "The memory ID to delete"]) -> dict[str, Json]:
    """Delete a memory by ID (hard delete)."""
    engine = ask.engine
    remove(engine, memory_of(engine, id_))
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
    page = engine.index.newest(where, ALONE, offset=min(offset, LAST_OFFSET), limit=limit)
    memories = [present.memory(row) for row in page.rows]
    return {"memories": memories, "total": page.total, "limit": limit, "offset": offset}


TOOLS = (store_memory, get_memory, update_memory, delete_memory, list_memories)
