"""The toolset `knowledge`: memories, search, a knowledge graph, time, code search and the system's state."""

from __future__ import annotations

from everlore.surfaces.contracts.knowledge import code_tools, graph, memories, searching, system, temporal
from everlore.surfaces.contracts.knowledge.identity import IDENTITY
from everlore.surfaces.contracts.toolset import Toolset


def toolset() -> Toolset:
    parts = (memories, searching, graph, temporal, code_tools, system)
    return Toolset("knowledge", IDENTITY, tuple(tool for part in parts for tool in part.TOOLS))
