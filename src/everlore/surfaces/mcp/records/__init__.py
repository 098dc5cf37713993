"""The toolset `records`, the Memory Server contract: structured records, saved once, found by meaning and tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from everlore.surfaces.mcp.toolset import Toolset


def toolset() -> Toolset:
    from everlore.surfaces.mcp.records.serving import make  # the handshake needs none of it

    return make()
