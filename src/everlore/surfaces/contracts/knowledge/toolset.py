"""The toolset `knowledge`: memories, search, a knowledge graph, time, code search, and the server's state."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import Annotated

from everlore.code import chunk_count, delete_all
from everlore.errors import Damaged, EverloreError, Unavailable
from everlore.memory import reset
from everlore.search.recipes import ALONE, MEMORIES
from everlore.surfaces.contracts.knowledge import CONTRACT_VERSION, IDENTITY, code_tools, memories, searching
from everlore.surfaces.contracts.knowledge.code_tools import is_local
from everlore.surfaces.contracts.knowledge.memories import told
from everlore.surfaces.contracts.signature import Read
from everlore.surfaces.contracts.toolset import Caller, Toolset, tool
from everlore.types import Json, Where

UNCONFIRMED = {"reset": False, "message": "Confirmation required. Set confirm=true to delete all data."}

Confirmed = Annotated[bool, Read(lambda value, _: value is True)]


@tool("Status", reads=True)
def get_status(ask: Caller) -> dict[str, Json]:
    """Get server status and health information."""
    engine, embedder = ask.engine, ask.engine.embedder
    embedder.warm()
    state, indexed = embedder.state(), engine.index.upkeep.model()
    dimension = indexed[1] if indexed else 0
    if state == "ready" and not dimension:
        try:
            dimension = embedder.dimension
        except EverloreError:
            state = "error"
    counted = {"hits": 0, "misses": 0, "size": 0}
    with suppress(Damaged, Unavailable):
        counted = asdict(engine.cache.stats(embedder.name))
    return {
        "version": CONTRACT_VERSION,
        "status": "healthy",
        "memories_count": memories.newest(ask, 1).total,
        "entities_count": engine.index.rows.count(Where(None, ("entity",), scope=ask.user.scope)),
        "code_chunks_count": chunk_count(engine) if is_local(ask) else 0,
        "embedding": {"status": state, "model": embedder.name, "dimensions": dimension, "cache_stats": counted},
        "db_dimension": dimension,
    }


@tool("Forget everything", destroys=True, repeatable=True)
def reset_all_memory(
    ask: Caller, confirm: Annotated[Confirmed, "Must be true to confirm deletion. Safety check."]
) -> dict[str, Json]:
    """Delete ALL data (memories, entities, relations, code_chunks). Requires explicit confirmation."""
    if not confirm:
        return UNCONFIRMED
    gone = reset(ask.engine, ask.user.scope).counts
    return {
        "reset": True,
        "deleted": {
            "memories": sum(gone[kind] for kind in (*MEMORIES, *ALONE)),
            "entities": gone["entity"],
            "relations": gone["relation"],
            "code_chunks": delete_all(ask.engine) if is_local(ask) else 0,
        },
    }


def toolset() -> Toolset:
    remembering = (*memories.TOOLS, *searching.TOOLS, *memories.GRAPH_TOOLS, *memories.TIME_TOOLS)
    return Toolset("knowledge", IDENTITY, (*remembering, *code_tools.TOOLS, get_status, reset_all_memory), told=told)
