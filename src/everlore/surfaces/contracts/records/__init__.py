"""The Memory Server contract, whose toolset is `records`: structured records, saved once, found by meaning and tags."""

import os

from everlore.surfaces.contracts.identity import HANDSHAKE_VERSIONS, Identity

_ABOUT = {
    "NAME": "memory",
    "VERSION": "0.1.0",
    "DISPLAY_NAME": "Memory Server",
    "DESCRIPTION": "Structured memories for agents",
    "PUBLISHER": "Everlore",
}
_SAID = {name: os.environ.get(f"MCP_SERVER_{name}", "").strip() or usual for name, usual in _ABOUT.items()}
_VERSION = os.environ.get("MCP_PROTOCOL_VERSION", "").strip()
IDENTITY = Identity(
    server_name=_SAID["NAME"],
    server_version=_SAID["VERSION"],
    instructions="Search before you answer (memory_search), read what you found (resources/read of mem://item/{id}), "
    "and save durable knowledge (memory_create) with tags such as project:<slug>.",
    capabilities={
        "tools": {"listChanged": False},
        "resources": {"listChanged": False, "subscribe": False},
        "prompts": {"listChanged": False},
    },
    server_fields={
        "displayName": _SAID["DISPLAY_NAME"],
        "description": _SAID["DESCRIPTION"],
        "publisher": _SAID["PUBLISHER"],
    },
    version=_VERSION if _VERSION in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[0],
)
