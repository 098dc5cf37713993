"""What the kinds share: how their common fields read and write, how they end, and what tells a row from another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from everlore.clock import Clock, iso
from everlore.errors import Damaged, InvalidInput
from everlore.types import Edge, IndexedMemory, IndexRow, Json, Key, LogEntry, MemoryFile, Owner, Unit, Validity

UTC_CLOCK = Clock("UTC")
ALWAYS = Validity()
EPOCH = "1970-01-01T00:00:00Z"
V = TypeVar("V")


def text_field(entry: LogEntry, name: str, default: str | None = None) -> str:
    value = entry.fields.get(name, default)
    if value is None:
        raise Damaged(f"entry {entry.id} has no **{name}**")
    return ", ".join(value) if isinstance(value, tuple) else value


def list_field(entry: LogEntry, name: str) -> tuple[str, ...]:
    value = entry.fields.get(name, ())
    return value if isinstance(value, tuple) else (value,) if value else ()


def time_field(entry: LogEntry, name: str) -> int | None:
    text = text_field(entry, name, "")
    if not text:
        return None
    try:
        return UTC_CLOCK.parse(text)
    except InvalidInput as error:
        raise Damaged(f"entry {entry.id}: **{name}** {error}") from None


def moment_field(entry: LogEntry, day: str = "") -> int:
    """When it was told. A person may leave that out: the name of the file tells the day."""
    value = time_field(entry, "timestamp")
    if value is None and day and "timestamp" not in entry.fields:
        return UTC_CLOCK.parse(f"{day}T00:00:00Z")
    if value is None:
        raise Damaged(f"entry {entry.id} has no **timestamp**")
    return value


def number_field(entry: LogEntry, name: str, default: float, most: float = 1.0) -> float:
    text = text_field(entry, name, "")
    try:
        return share(text, most) if text else default
    except ValueError:
        raise Damaged(f"entry {entry.id}: **{name}** is {text!r}, not a number") from None


def share(value: Json, most: float = 1.0) -> float:
    return min(most, max(0.0, float(value)))


def texts(value: Json) -> tuple[str, ...]:
    """A list of texts in front matter, where a person may have written only one."""
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),) if value else ()


def told(**values: V | None) -> dict[str, V]:
    """Those of them that say something: the others are left out of files and rows."""
    return {name: value for name, value in values.items() if value}


def moment(ms: int | None) -> str:
    """As it is written; nothing where there is none."""
    return "" if ms is None else iso(ms)


def named(memory: object, names: Iterable[str]) -> dict[str, Any]:
    """Fields of a memory under the same names elsewhere: in its file, or in its row."""
    return {name: getattr(memory, name) for name in names}


def section(entry: LogEntry, name: str) -> str:
    value = entry.sections.get(name, "").strip()
    if not value:
        raise Damaged(f"entry {entry.id} has no text under ### {name}")
    return value


@dataclass(frozen=True, slots=True)
class CellMemory:
    """What every memory has that a cell, a stretch of conversation, became."""

    owner: Owner
    local_id: str
    session_id: str
    timestamp: int
    parent_id: str
    """The cell."""
    sender_ids: tuple[str, ...]
    """Who took part; nobody is named in logs of other programs and earlier versions."""
    project: str = field(default="", kw_only=True)
    """The project that it was said in."""


OF_CELL = ("session_id", "timestamp", "parent_id", "sender_ids", "project")


def header(memory: CellMemory) -> dict[str, str | tuple[str, ...]]:
    always = {"owner_id": memory.owner.id, "session_id": memory.session_id, "timestamp": iso(memory.timestamp)}
    parent = {"parent_type": "memcell", "parent_id": memory.parent_id} if memory.parent_id else {}
    return {**always, **parent, **told(sender_ids=memory.sender_ids), **told(project=memory.project)}


def of_entry(entry: LogEntry, owner: Owner, day: str) -> dict[str, Any]:
    """The fields of a `CellMemory`, from its entry."""
    return {
        "owner": owner,
        "local_id": entry.id,
        "session_id": text_field(entry, "session_id", ""),
        "timestamp": moment_field(entry, day),
        "parent_id": text_field(entry, "parent_id", ""),
        "sender_ids": list_field(entry, "sender_ids"),
        "project": text_field(entry, "project", ""),
    }


def of_row(row: IndexRow | IndexedMemory) -> dict[str, Any]:
    """The same, from the index."""
    return {"owner": row.key.owner, "local_id": row.key.local_id, **named(row, OF_CELL)}


def cell_row(
    kind: str,
    memory: CellMemory,
    updated: int,
    data: Mapping[str, Json],
    units: tuple[Unit, ...],
    *,
    start: int | None = None,
    end: int | None = None,
    slot: str = "",
) -> IndexRow:
    """The row of a memory that holds from when it was told, or from another `start`."""
    validity = Validity(memory.timestamp if start is None else start, end)
    key = Key(memory.owner, kind, memory.local_id)
    return index_row(key, updated, data, units, validity=validity, slot=slot, **named(memory, OF_CELL))


END_FIELDS = ("valid_until", "invalidation_reason", "superseded_by")
"""Fields of any memory that somebody declared invalid; of `superseded_by` the handle of another memory."""
SOON_MS = 60_000
"""Clocks of disks and of processes differ a little: what ends so soon after its file was written has ended."""


def with_end(row: IndexRow, end: int | None, reason: str, superseded_by: str) -> IndexRow:
    """The row of a memory that somebody declared invalid: kept and listed, but nothing that search finds.

    One that ends long after its file was written is still found; the searcher looks at the clock.
    """
    if end is None:
        return row
    said = {"invalidation_reason": reason, "superseded_by": superseded_by}
    found = end > row.updated + SOON_MS
    return replace(
        row,
        validity=Validity(row.validity.start, end),
        data={**row.data, **said},
        units=row.units if found else (),
        digest=_digest([row.digest, said, found, end]),
    )


def declared_end(source: LogEntry | MemoryFile) -> tuple[int | None, str, str]:
    """The end that somebody declared, the reason, and what came instead."""
    if isinstance(source, LogEntry):
        end, why, instead = END_FIELDS
        return time_field(source, end), text_field(source, why, ""), text_field(source, instead, "")
    text, reason, successor = (str(source.front.get(name) or "") for name in END_FIELDS)
    try:
        return UTC_CLOCK.parse(text) if text else None, reason, successor
    except InvalidInput as error:
        raise Damaged(f"front matter `{END_FIELDS[0]}`: {error}") from None


def index_row(
    key: Key,
    updated: int,
    data: Mapping[str, Json],
    units: tuple[Unit, ...],
    *,
    timestamp: int = 0,
    session_id: str = "",
    parent_id: str = "",
    parent_type: str = "",
    sender_ids: tuple[str, ...] = (),
    validity: Validity = ALWAYS,
    slot: str = "",
    edges: tuple[Edge, ...] = (),
    project: str = "",
) -> IndexRow:
    """A row with its digest, which covers what search and listing can see, so that an untouched entry costs nothing.
    Edges follow from the rest."""
    parent = (parent_type or ("memcell" if parent_id else ""), parent_id)
    rest = (timestamp, session_id, *parent, sender_ids, validity.start, validity.end, slot, project)
    digest = _digest([data, [(unit.turn, unit.dense, unit.words) for unit in units], rest])
    times = (timestamp, updated)
    return IndexRow(key, digest, session_id, *parent, *times, sender_ids, validity, data, slot, units, edges, project)


def _digest(seen: Json) -> str:
    return hashlib.blake2b(json.dumps(seen, sort_keys=True).encode(), digest_size=16).hexdigest()
