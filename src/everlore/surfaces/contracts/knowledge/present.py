"""From stored values to the contract's objects. Pure."""

from __future__ import annotations

from typing import Any

from everlore.clock import Clock, iso
from everlore.kinds.registry import kind
from everlore.memory import successor
from everlore.search import Hit
from everlore.surfaces.contracts.passages import passages
from everlore.types import IndexedMemory


def text(row: IndexedMemory) -> str:
    return kind(row.key.kind).text(row.data)


def memory_type(row: IndexedMemory) -> str:
    return str(row.data.get("memory_type") or kind(row.key.kind).memory_type)


def memory(row: IndexedMemory) -> dict[str, Any]:
    """The contract's memory object; a memory that was declared invalid says why, and what took its place."""
    start, end = row.validity.start, row.validity.end
    found = {
        "id": {"tb": "memories", "id": {"String": row.key.global_id}},
        "content": text(row),
        "memory_type": memory_type(row),
        "event_time": iso(row.data.get("event_time", row.timestamp)),
        "ingestion_time": iso(row.timestamp),
        "valid_from": iso(row.timestamp if start is None else start),
        "valid_until": None if end is None else iso(end),
        "importance_score": row.data.get("importance", 1.0),
        "metadata": row.data.get("metadata", {}),
    }
    ended = {"invalidation_reason": row.data.get("invalidation_reason"), "superseded_by": successor(row)}
    return found | {name: value for name, value in ended.items() if value}


def hit(found: Hit, clock: Clock) -> dict[str, Any]:
    row = found.stored
    told = {"id": row.key.global_id, "content": text(row), "memory_type": memory_type(row), "score": found.score}
    return told | passages(found, clock)
