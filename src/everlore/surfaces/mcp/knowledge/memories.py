"""Memory operations: store, get, update, delete, list."""

from __future__ import annotations

from everlore.engine import Engine
from everlore.errors import NotFound
from everlore.memory import edit_memory, remove, save_note
from everlore.search.recipes import ALONE, MEMORIES
from everlore.surfaces.mcp.knowledge import present
from everlore.surfaces.mcp.knowledge.arguments import (
    Arguments,
    guarded,
    limited,
    memory_of,
    missing,
    owner_of,
    scope_of,
)
from everlore.surfaces.mcp.toolset import Tool
from everlore.types import Json, Where

LAST_OFFSET = 2**62


def _store(engine: Engine, arguments: Arguments) -> Json:
    key = save_note(
        engine,
        owner_of(engine, arguments),
        arguments["content"],
        arguments.get("memory_type") or "semantic",
        arguments.get("metadata"),
    )
    return {"id": key.global_id}


def _get(engine: Engine, arguments: Arguments) -> Json:
    return present.memory(memory_of(engine, arguments.get("id")))


def _update(engine: Engine, arguments: Arguments) -> Json:
    stored = memory_of(engine, arguments.get("id"))
    given = {name: arguments.get(name) for name in ("content", "memory_type", "metadata")}
    if any(value is not None for value in given.values()):
        try:
            edit_memory(engine, stored, **given)
        except NotFound:
            raise missing(arguments.get("id")) from None
    return present.memory(memory_of(engine, stored.key.global_id))


def _delete(engine: Engine, arguments: Arguments) -> Json:
    remove(engine, memory_of(engine, arguments.get("id")))
    return {"deleted": True}


def _list(engine: Engine, arguments: Arguments) -> Json:
    limit, offset = limited(arguments, 100, 20), arguments.get("offset") or 0
    where = Where(None, MEMORIES, scope=scope_of(engine))
    page = engine.index.newest(where, ALONE, offset=min(offset, LAST_OFFSET), limit=limit)
    memories = [present.memory(row) for row in page.rows]
    return {"memories": memories, "total": page.total, "limit": limit, "offset": offset}


ID = frozenset({"id"})

TOOLS = (
    Tool(
        name="store_memory",
        description="Store a new memory with automatic embedding generation.",
        input_schema={
            "type": "object",
            "properties": {
                "content": {"description": "The content to store as a memory", "type": "string"},
                "memory_type": {
                    "description": "Type of memory: episodic, semantic, or procedural",
                    "type": "string",
                    "enum": ["episodic", "semantic", "procedural"],
                    "nullable": True,
                },
                "user_id": {
                    "description": "Optional user ID for multi-tenant isolation",
                    "type": "string",
                    "nullable": True,
                },
                "metadata": {"description": "Optional metadata as JSON object", "type": "object", "nullable": True},
            },
            "required": ["content"],
        },
        run=guarded(_store),
        title="Store a memory",
    ),
    Tool(
        name="get_memory",
        description="Get a memory by its ID.",
        input_schema={
            "type": "object",
            "properties": {"id": {"description": "The memory ID to retrieve", "type": "string"}},
            "required": ["id"],
        },
        run=guarded(_get),
        title="Get a memory",
        read_only=True,
        idempotent=True,
        lenient=ID,
    ),
    Tool(
        name="update_memory",
        description="Update an existing memory. Only provided fields will be updated.",
        input_schema={
            "type": "object",
            "properties": {
                "id": {"description": "The memory ID to update", "type": "string"},
                "content": {
                    "description": "New content (optional, re-embeds if changed)",
                    "type": "string",
                    "nullable": True,
                },
                "memory_type": {"description": "New memory type (optional)", "type": "string", "nullable": True},
                "metadata": {"description": "New metadata (optional)", "type": "object", "nullable": True},
            },
            "required": ["id"],
        },
        run=guarded(_update),
        title="Update a memory",
        destructive=True,
        idempotent=True,
        lenient=ID,
    ),
    Tool(
        name="delete_memory",
        description="Delete a memory by ID (hard delete).",
        input_schema={
            "type": "object",
            "properties": {"id": {"description": "The memory ID to delete", "type": "string"}},
            "required": ["id"],
        },
        run=guarded(_delete),
        title="Delete a memory",
        destructive=True,
        idempotent=True,
        lenient=ID,
    ),
    Tool(
        name="list_memories",
        description="List memories with pagination, sorted by newest first.",
        input_schema={
            "type": "object",
            "properties": {
                "limit": {
                    "description": "Maximum number to return (default: 20, max: 100)",
                    "type": "integer",
                    "minimum": 1,
                    "maximum": 100,
                    "default": 20,
                },
                "offset": {
                    "description": "Offset for pagination (default: 0)",
                    "type": "integer",
                    "minimum": 0,
                    "default": 0,
                },
            },
        },
        run=guarded(_list),
        title="List memories",
        read_only=True,
        idempotent=True,
    ),
)
