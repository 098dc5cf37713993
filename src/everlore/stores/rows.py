"""A row between a memory and the columns of a table, the same in every store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from everlore.types import IndexedMemory, IndexRow, Key, Owner, Scope, Track, Validity

COLUMNS = "digest, session_id, parent_type, parent_id, timestamp, updated, valid_from, valid_until, slot, project"
"""What `columns` gives, in its order."""


def columns(row: IndexRow) -> tuple[str | int | None, ...]:
    parent, times = (row.parent_type, row.parent_id), (row.timestamp, row.updated)
    return row.digest, row.session_id, *parent, *times, row.validity.start, row.validity.end, row.slot, row.project


def memory(found: Sequence[Any]) -> IndexedMemory:
    """From its number, owner (four columns), kind, entry, path, session, parent (two), times (two), senders, validity
    (two), data, slot and project. Senders and data may be JSON."""
    (number, app, project, track, name, kind, entry, path, session, parent_type, parent, *rest) = found
    timestamp, updated, senders, start, end, data, slot, marked = rest
    return IndexedMemory(
        id=number,
        key=Key(owner_of(app, project, track, name), kind, entry),
        path=path,
        session_id=session,
        parent_type=parent_type,
        parent_id=parent,
        timestamp=timestamp,
        updated=updated,
        sender_ids=_senders(senders) if isinstance(senders, str) else tuple(senders),
        validity=Validity(start, end),
        data=_parsed(data)[0],
        slot=slot,
        project=marked,
    )


def tie_of(key: Key) -> int:
    """A number that depends on the memory alone, not on when it was indexed: orders equal scores."""
    return int.from_bytes(blake2b("\0".join(key.parts).encode(), digest_size=8).digest(), "big", signed=True)


_parsed = json.JSONDecoder().raw_decode  # our own text, with nothing before or behind it


@lru_cache(1024)
def owner_of(app: str, project: str, track: Track, name: str) -> Owner:
    """One value for the many rows of an owner."""
    return Owner(Scope(app, project), track, name)


@lru_cache(1024)
def _senders(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))
