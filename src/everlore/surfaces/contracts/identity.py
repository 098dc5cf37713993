"""Who an MCP server says it is. Nothing but the standard library is imported here: a handshake needs no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


@dataclass(frozen=True, slots=True)
class Identity:
    """`capabilities` is sent as it stands; `version` is spoken to clients that name none."""

    server_name: str
    server_version: str
    instructions: str = ""
    capabilities: Mapping[str, Any] = field(default_factory=lambda: {"tools": {}})
    server_fields: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of `serverInfo`."""
    version: str = HANDSHAKE_VERSIONS[0]
