"""Who the server says it is."""

from __future__ import annotations

from everlore.surfaces.contracts.emcp.identity import CAPABILITIES, IDENTITY


def test_the_version_of_the_toolset_stands_there_twice() -> None:
    assert CAPABILITIES["evo"] == CAPABILITIES["experimental"]["evo"] == {"toolsetVersion": "1.0"}
    assert IDENTITY.capabilities == {"tools": {}} | CAPABILITIES
