"""Time: what is valid now or was at some moment, and declaring a memory invalid."""

from __future__ import annotations

from everlore.clock import iso
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.memory import invalidate
from everlore.search.recipes import ALONE, MEMORIES
from everlore.surfaces.mcp.knowledge import present
from everlore.surfaces.mcp.knowledge.arguments import (
    Arguments,
    guarded,
    limited,
    memory_of,
    missing,
    named_owner,
    scope_of,
)
from everlore.surfaces.mcp.toolset import Tool
from everlore.types import Json, Where


def _valid(engine: Engine, arguments: Arguments) -> Json:
    return _page(engine, arguments, engine.clock.now())


def _valid_at(engine: Engine, arguments: Arguments) -> Json:
    moment = _moment(engine, arguments["timestamp"])
    return _page(engine, arguments, moment) | {"timestamp": iso(moment)}


def _page(engine: Engine, arguments: Arguments, moment: int) -> dict[str, Json]:
    where = Where(named_owner(engine, arguments), MEMORIES, valid_at=moment, scope=scope_of(engine))
    rows = engine.index.newest(where, ALONE, limit=limited(arguments, 100, 20)).rows
    return {"results": [present.memory(row) for row in rows], "count": len(rows)}


def _moment(engine: Engine, text: Json) -> int:
    try:
        return engine.clock.parse(str(text))
    except InvalidInput:
        raise InvalidInput(
            f"timestamp {str(text)[:60]!r} is not an ISO 8601 time; send one such as 2026-01-06T12:00:00Z"
        ) from None


def _invalidate(engine: Engine, arguments: Arguments) -> Json:
    stored = memory_of(engine, arguments.get("id"))
    by = arguments.get("superseded_by")
    successor = memory_of(engine, by, "superseded_by") if by else None
    try:
        invalidate(engine, stored, arguments.get("reason") or "", successor)
    except NotFound:
        raise missing(arguments.get("id")) from None
    return {"invalidated": True}


_USER = {"description": "Optional user ID filter", "type": "string", "nullable": True}
_LIMIT = {"description": "Maximum to return (default: 20, max: 100)", "type": "integer", "default": 20}

TOOLS = (
    Tool(
        name="get_valid",
        description="Get all currently valid memories.",
        input_schema={"type": "object", "properties": {"user_id": _USER, "limit": _LIMIT}},
        run=guarded(_valid),
        title="What is valid now",
        read_only=True,
        idempotent=True,
    ),
    Tool(
        name="get_valid_at",
        description="Get memories valid at a specific point in time.",
        input_schema={
            "type": "object",
            "properties": {
                "timestamp": {
                    "description": "Timestamp in ISO 8601 format",
                    "type": "string",
                    "format": "date-time",
                },
                "user_id": _USER,
                "limit": _LIMIT,
            },
            "required": ["timestamp"],
        },
        run=guarded(_valid_at),
        title="What was valid then",
        read_only=True,
        idempotent=True,
    ),
    Tool(
        name="invalidate",
        description="Invalidate (soft-delete) a memory. Sets valid_until to now.",
        input_schema={
            "type": "object",
            "properties": {
                "id": {"description": "Memory ID to invalidate", "type": "string"},
                "reason": {
                    "description": "Optional reason for invalidation",
                    "type": "string",
                    "nullable": True,
                },
                "superseded_by": {
                    "description": "Optional ID of memory that supersedes this one",
                    "type": "string",
                    "nullable": True,
                },
            },
            "required": ["id"],
        },
        run=guarded(_invalidate),
        title="Declare a memory invalid",
        idempotent=True,
        lenient=frozenset({"id", "superseded_by"}),
    ),
)
