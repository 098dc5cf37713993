"""The toolset `knowledge`: memories, search, a knowledge graph, time, code search and the system's state.

The contract's names, schemas and results.
"""

from __future__ import annotations

from everlore.code import CodeHit, chunk_count, code_hits, delete_all
from everlore.engine import Engine
from everlore.surfaces.mcp.knowledge import code_tools, graph, memories, searching, system, temporal
from everlore.surfaces.mcp.toolset import Toolset

NAME = "knowledge"


def toolset() -> Toolset:
    tools = (
        *memories.TOOLS,
        *searching.tools(_code),
        *graph.TOOLS,
        *temporal.TOOLS,
        *code_tools.TOOLS,
        *system.tools(_chunks, _forget),
    )
    return Toolset(
        name=NAME,
        server_name="memory-mcp",
        server_version=system.CONTRACT_VERSION,
        instructions=f"AI agent memory server with knowledge graph and code search. {len(tools)} tools available.",
        tools=tools,
    )


def _code(engine: Engine, query: str, project: str | None, language: str | None, limit: int) -> list[CodeHit]:
    return code_hits(engine, query, project, language, limit) if code_tools.local() else []


def _chunks(engine: Engine) -> int:
    return chunk_count(engine) if code_tools.local() else 0


def _forget(engine: Engine) -> int:
    return delete_all(engine) if code_tools.local() else 0
