"""The server's state, and forgetting everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from everlore.engine import Engine
from everlore.errors import Damaged, EverloreError, Unavailable
from everlore.memory import reset
from everlore.search.recipes import ALONE, MEMORIES
from everlore.surfaces.mcp.knowledge.arguments import Arguments, Run, guarded, scope_of
from everlore.surfaces.mcp.toolset import Tool
from everlore.types import Json, Where

CONTRACT_VERSION = "0.1.0"
UNCONFIRMED = {"reset": False, "message": "Confirmation required. Set confirm=true to delete all data."}


def _status(count_code: Callable[[Engine], int]) -> Run:
    def run(engine: Engine, arguments: Arguments) -> Json:  # noqa: ARG001 - it has none
        engine.embedder.warm()
        scope = scope_of(engine)
        memories = engine.index.newest(Where(None, MEMORIES, scope=scope), ALONE, limit=1).total
        entities = engine.index.count(Where(None, ("entity",), scope=scope))
        indexed = engine.index.model()
        embedding = _embedding(engine, indexed[1] if indexed else 0)
        return {
            "version": CONTRACT_VERSION,
            "status": "healthy",
            "memories_count": memories,
            "entities_count": entities,
            "code_chunks_count": count_code(engine),
            "embedding": embedding,
            "db_dimension": indexed[1] if indexed else embedding["dimensions"],
        }

    return run


def _embedding(engine: Engine, known_dimension: int) -> dict[str, Any]:
    embedder = engine.embedder
    state = embedder.state()
    dimension = known_dimension
    if state == "ready" and not dimension:
        try:
            dimension = embedder.dimension
        except EverloreError:
            state = "error"
    try:
        stats = engine.cache.stats(embedder.name)
        counted = {"hits": stats.hits, "misses": stats.misses, "size": stats.size}
    except (Damaged, Unavailable):
        counted = {"hits": 0, "misses": 0, "size": 0}
    return {"status": state, "model": embedder.name, "dimensions": dimension, "cache_stats": counted}


def _reset(forget_code: Callable[[Engine], int]) -> Run:
    def run(engine: Engine, arguments: Arguments) -> Json:
        if arguments.get("confirm") is not True:
            return UNCONFIRMED
        gone = reset(engine, scope_of(engine))
        return {
            "reset": True,
            "deleted": {
                "memories": sum(gone[kind] for kind in (*MEMORIES, *ALONE)),
                "entities": gone["entity"],
                "relations": gone["relation"],
                "code_chunks": forget_code(engine),
            },
        }

    return run


def tools(count_code: Callable[[Engine], int], forget_code: Callable[[Engine], int]) -> tuple[Tool, ...]:
    return (
        Tool(
            name="get_status",
            description="Get server status and health information.",
            input_schema={"type": "object", "properties": {}},
            run=guarded(_status(count_code)),
            title="Status",
            read_only=True,
            idempotent=True,
        ),
        Tool(
            name="reset_all_memory",
            description=(
                "Delete ALL data (memories, entities, relations, code_chunks). Requires explicit confirmation."
            ),
            input_schema={
                "type": "object",
                "properties": {
                    "confirm": {
                        "description": "Must be true to confirm deletion. Safety check.",
                        "type": "boolean",
                    }
                },
                "required": ["confirm"],
            },
            run=guarded(_reset(forget_code)),
            title="Forget everything",
            destructive=True,
            idempotent=True,
            lenient=frozenset({"confirm"}),
        ),
    )
