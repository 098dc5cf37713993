"""What the tools share: kinds of arguments, memories by their ids and as they are shown, and errors in the contract's
words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from pydantic_core import from_json

from everlore.clock import iso
from everlore.errors import Damaged, EverloreError, InvalidInput, NotFound, Unavailable
from everlore.kinds.registry import kind
from everlore.memory import successor
from everlore.surfaces.contracts.signature import Read
from everlore.surfaces.contracts.toolset import Caller
from everlore.types import IndexedMemory, Json, Owner

T = TypeVar("T")

NOT_READY = "Embedding service not ready. Please try again."
DATABASE = "Database error. Please try again."


def plain_id(value: Json, name: str) -> str:
    """An id as a plain string, in the object form that `get_memory` returns, or that form as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = from_json(value)
        except ValueError:
            return str(value)
    while isinstance(value, Mapping):
        value = value.get("id", value.get("String"))
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be the id of a memory, as text")
    return value.strip().removeprefix("memories:").removeprefix("entities:")


Maybe = Annotated[T | None, {"nullable": True}]
"""May be left out, and is told so in OpenAPI's word."""
Id = Annotated[str, Read(plain_id)]


class NotReady(Unavailable):
    """The model is loading or failed, and the tool cannot do without it."""


def told(error: EverloreError) -> str:
    """Trouble below begins with the contract's sentence, and goes on with what helps."""
    below = isinstance(error, Damaged | Unavailable) and not isinstance(error, NotReady)
    return f"{DATABASE} {error}" if below else str(error)


def owner_of(ask: Caller, user_id: str | None) -> Owner:
    return replace(ask.user, id=user_id) if user_id else ask.user


def memory_of(ask: Caller, handle: str, *, entity: bool = False) -> IndexedMemory:
    """The memory of this scope that goes by an id; or the `entity`, which has names of its own."""
    found = ask.engine.index.rows.by_global_id([handle.lower()]).get(handle.lower())
    if found is None or found.key.owner.scope != ask.user.scope or bool(kind(found.key.kind).own_names) != entity:
        raise NotFound(f"{'Entity' if entity else 'Memory'} not found: {handle}")
    return found


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
