"""Records, and memories of every other kind, as the Memory Server contract shows them. Pure."""

from __future__ import annotations

from typing import Any

from everlore.clock import Clock, iso
from everlore.kinds import record
from everlore.kinds.registry import kind
from everlore.search import Hit
from everlore.surfaces.contracts.passages import passages
from everlore.surfaces.contracts.toolset import Resource
from everlore.types import IndexedMemory


def public_id(row: IndexedMemory) -> str:
    return row.key.local_id.removeprefix(f"{record.RECORD.code}_") if _own(row) else row.key.global_id


def item(row: IndexedMemory, similarity: float | None = None) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": public_id(row), "type": _type(row)}
    if similarity is not None:
        shown["similarity"] = similarity
    return shown | {"tags": _tags(row), "createdAt": iso(row.timestamp)}


def found(hit: Hit, clock: Clock) -> dict[str, Any]:
    """With the sentences that matched, where a longer text is behind the link."""
    return item(hit.stored, hit.score) | passages(hit, clock)


def link(row: IndexedMemory) -> Resource:
    number = public_id(row)
    return Resource(uri=f"mem://item/{number}", name=f"memory:{number}", description=f"Full content for {number}")


def short(row: IndexedMemory) -> dict[str, Any]:
    return {
        "id": public_id(row),
        "type": _type(row),
        "tags": _tags(row),
        "confidence": row.data["confidence"] if _own(row) else 1.0,
        "created_at": iso(row.timestamp),
        "updated_at": iso(row.updated),
    }


def whole(row: IndexedMemory) -> dict[str, Any]:
    told = row.data["json"] if _own(row) else {"text": kind(row.key.kind).text(row.data)}
    source = row.data["source"] if _own(row) else f"everlore://{row.key.kind}/{row.key.public_id}"
    return short(row) | {"content": told, "source": source}


def _own(row: IndexedMemory) -> bool:
    return row.key.kind == record.RECORD.name


def _type(row: IndexedMemory) -> str:
    return str(row.data["type"]) if _own(row) else row.key.kind


def _tags(row: IndexedMemory) -> list[str]:
    return list(row.data["tags"]) if _own(row) else []
