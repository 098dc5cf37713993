"""Who the server says it is."""

from __future__ import annotations

from everlore.surfaces.contracts.everme.identity import IDENTITY
from everlore.surfaces.contracts.everme.toolset import toolset


def test_the_instructions_name_every_tool() -> None:
    assert all(tool.name in IDENTITY.instructions for tool in toolset().tools)
