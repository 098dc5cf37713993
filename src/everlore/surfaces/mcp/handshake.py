"""`initialize`, apart from any SDK: what the client may leave out, and what we answer.

Importing the SDK takes most of a second, so on stdio this answers the first `initialize` before it is loaded. The
same answer is given again, through the SDK, for every later one. Nothing heavy is imported here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from everlore.surfaces.contracts.identity import HANDSHAKE_VERSIONS, Identity

OBJECTS_ONLY = frozenset({"2025-06-18", "2025-11-25"})
"""Versions whose clients refuse structured content that is not an object."""

BARE = "everlore/bare-handshake"
"""Put into `_meta` of an `initialize` that came without capabilities, so that it is known for the whole session."""


def completed(params: object, identity: Identity) -> dict[str, Any]:
    """The params of an `initialize` with what the client left out; unchanged where it sent something."""
    given = dict(params) if isinstance(params, Mapping) else {}
    filled = {"protocolVersion": identity.version, "clientInfo": {"name": "unknown", "version": ""}} | given
    if "capabilities" not in given:
        meta = given.get("_meta")
        filled |= {"capabilities": {}, "_meta": {**(meta if isinstance(meta, Mapping) else {}), BARE: True}}
    return filled


def negotiated(params: Mapping[str, Any]) -> str:
    """The version we speak to this client: its own if we know it, else our newest."""
    requested = params.get("protocolVersion")
    return requested if requested in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def answer(identity: Identity, version: str) -> dict[str, Any]:
    """The result of `initialize`."""
    result: dict[str, Any] = {
        "protocolVersion": version,
        "capabilities": dict(identity.capabilities),
        "serverInfo": {"name": identity.server_name, "version": identity.server_version, **identity.server_fields},
    }
    return result | ({"instructions": identity.instructions} if identity.instructions else {})


def opening(message: object, identity: Identity) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Our answer to a client's first message, and that message in a form that the SDK surely accepts.

    None when it is not an `initialize`, or one that the SDK should judge.
    """
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or message.get("method") != "initialize":
        return None
    id_, params = message.get("id"), message.get("params", {})
    if isinstance(id_, bool) or not isinstance(id_, int | str) or not isinstance(params, dict):
        return None
    filled = completed(params, identity)
    client = filled["clientInfo"]
    if not isinstance(client, dict) or not isinstance(filled["capabilities"], dict):
        return None
    who = {name: client.get(name) for name in ("name", "version")}
    if not all(isinstance(value, str) for value in (filled["protocolVersion"], *who.values())):
        return None
    meta = {"_meta": {BARE: True}} if "capabilities" not in params else {}
    plain = {"protocolVersion": filled["protocolVersion"], "clientInfo": who, "capabilities": {}} | meta
    result = answer(identity, negotiated(filled))
    return {"jsonrpc": "2.0", "id": id_, "result": result}, {**message, "params": plain}
