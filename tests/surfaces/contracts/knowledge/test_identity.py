"""Who the server says it is."""

from __future__ import annotations

from everlore.surfaces.contracts.knowledge.identity import IDENTITY
from everlore.surfaces.contracts.knowledge.toolset import toolset


def test_it_counts_its_tools() -> None:
    assert f"{len(toolset().tools)} tools available" in IDENTITY.instructions
