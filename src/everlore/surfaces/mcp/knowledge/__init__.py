"""The toolset `knowledge`: memories, search, a knowledge graph, time, code search and the system's state.

The contract's names, schemas and results. The tools for code come from the code index, as one part that plugs in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from everlore.engine import Engine
from everlore.search.graph_recall import CodeSearch
from everlore.surfaces.mcp.knowledge import graph, memories, searching, system, temporal
from everlore.surfaces.mcp.toolset import Tool, Toolset

NAME = "knowledge"


@dataclass(frozen=True, slots=True)
class CodePart:
    """What the code index adds: its tools, its hits for `recall`, and how much there is to count and to forget."""

    tools: tuple[Tool, ...] = ()
    search: CodeSearch = lambda _engine, _query, _project, _language, _limit: ()
    count: Callable[[Engine], int] = lambda _engine: 0
    forget: Callable[[Engine], int] = lambda _engine: 0


def toolset(code: CodePart | None = None) -> Toolset:
    part = code or CodePart()
    tools = (
        *memories.TOOLS,
        *searching.tools(part.search),
        *graph.TOOLS,
        *temporal.TOOLS,
        *part.tools,
        *system.tools(part.count, part.forget),
    )
    return Toolset(
        name=NAME,
        server_name="memory-mcp",
        server_version=system.CONTRACT_VERSION,
        instructions="AI agent memory server with knowledge graph and code search. 21 tools available.",
        tools=tools,
    )
