"""Records, and memories of every other kind, as the Memory Server contract shows them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from everlore.clock import iso
from everlore.kinds import record
from everlore.kinds.registry import kind
from everlore.surfaces.contracts.toolset import Resource
from everlore.types import IndexedMemory, Json


def _said(row: IndexedMemory) -> Mapping[str, Json]:
    """What a record says of itself; any other memory the same, with its kind for a type and without tags."""
    if row.key.kind == record.RECORD.name:
        return {"id": row.key.local_id.removeprefix(f"{record.RECORD.code}_"), **row.data}
    source = f"everlore://{row.key.kind}/{row.key.public_id}"
    told = {"id": row.key.global_id, "type": row.key.kind, "tags": (), "confidence": 1.0, "source": source}
    return told | {"json": {"text": kind(row.key.kind).text(row.data)}}


def item(row: IndexedMemory, similarity: float | None = None) -> dict[str, Any]:
    said = _said(row)
    shown = {"id": said["id"], "type": said["type"]} | ({} if similarity is None else {"similarity": similarity})
    return shown | {"tags": list(said["tags"]), "createdAt": iso(row.timestamp)}


def link(row: IndexedMemory) -> Resource:
    number = _said(row)["id"]
    return Resource(uri=f"mem://item/{number}", name=f"memory:{number}", description=f"Full content for {number}")


def short(row: IndexedMemory) -> dict[str, Any]:
    said = _said(row)
    return {
        "id": said["id"],
        "type": said["type"],
        "tags": list(said["tags"]),
        "confidence": said["confidence"],
        "created_at": iso(row.timestamp),
        "updated_at": iso(row.updated),
    }


def whole(row: IndexedMemory) -> dict[str, Any]:
    said = _said(row)
    return short(row) | {"content": said["json"], "source": said["source"]}
