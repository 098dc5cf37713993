"""Who the server says it is, as the contract's environment variables name it."""

from __future__ import annotations

import os

from everlore.surfaces.contracts.identity import HANDSHAKE_VERSIONS, Identity

INSTRUCTIONS = (
    "Search before you answer (memory_search), read what you found (resources/read of mem://item/{id}), and save"
    " durable knowledge (memory_create) with tags such as project:<slug>."
)


def _told(name: str, default: str) -> str:
    return os.environ.get(name, "").strip() or default


_VERSION = _told("MCP_PROTOCOL_VERSION", HANDSHAKE_VERSIONS[0])

IDENTITY = Identity(
    server_name=_told("MCP_SERVER_NAME", "memory"),
    server_version=_told("MCP_SERVER_VERSION", "0.1.0"),
    instructions=INSTRUCTIONS,
    capabilities={
        "tools": {"listChanged": False},
        "resources": {"listChanged": False, "subscribe": False},
        "prompts": {"listChanged": False},
    },
    server_fields={
        "displayName": _told("MCP_SERVER_DISPLAY_NAME", "Memory Server"),
        "description": _told("MCP_SERVER_DESCRIPTION", "Structured memories for agents"),
        "publisher": _told("MCP_SERVER_PUBLISHER", "Everlore"),
    },
    version=_VERSION if _VERSION in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[0],
)
