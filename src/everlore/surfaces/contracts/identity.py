"""Who an MCP server says it is; each contract's package has its own. Nothing but the standard library is imported here:
a handshake needs no more."""

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

    @property
    def server_info(self) -> dict[str, Any]:
        return {"name": self.server_name, "version": self.server_version, **self.server_fields}

    @property
    def guidance(self) -> dict[str, str]:
        """The field `instructions`, where there are some."""
        return {"instructions": self.instructions} if self.instructions else {}
