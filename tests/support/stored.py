"""Rows, units and messages for tests."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everlore.stores.base import Asked, Index, Piece, Stamp
from everlore.stores.tokens import query_terms
from everlore.types import Edge, IndexedMemory, IndexRow, Key, Message, Owner, Scope, Unit, UnitHit, Validity, Where

ALICE = Owner(Scope(), "user", "alice")
BOB = Owner(Scope(), "user", "bob")
STAMP = Stamp(1, 1)
DIMENSION = 16
KINDS = ("episode", "fact", "note")


class Time:
    """A clock that a test moves forward."""

    def __init__(self) -> None:
        self.seconds = 1_000_000.0

    def __call__(self) -> float:
        return self.seconds


class Now:
    """The same in whole milliseconds since 1970."""

    def __init__(self) -> None:
        self.ms = 1_780_000_000_000

    def __call__(self) -> int:
        return self.ms


def row(
    entry: str,
    *texts: str,
    owner: Owner = ALICE,
    kind: str = "fact",
    digest: str | None = None,
    session: str = "s1",
    parent: str = "",
    timestamp: int = 1000,
    senders: tuple[str, ...] = ("alice",),
    validity: Validity | None = None,
    slot: str = "",
    project: str = "",
    edges: tuple[Edge, ...] = (),
    **data: Any,
) -> IndexRow:
    units = tuple(Unit(number, text, text) for number, text in enumerate(texts))
    valid = validity or Validity(start=timestamp)
    return IndexRow(
        key=Key(owner, kind, entry),
        digest=digest or repr((texts, session, parent, timestamp, senders, valid, slot, project, edges, data)),
        session_id=session,
        parent_type="memcell" if parent else "",
        parent_id=parent,
        timestamp=timestamp,
        updated=timestamp + 5,
        sender_ids=senders,
        validity=valid,
        data={"text": " ".join(texts), **data},
        slot=slot,
        units=units,
        edges=edges,
        project=project,
    )


def fill(index: Index, *rows: IndexRow, path: str = "a.md") -> None:
    index.files.replace(path, STAMP, rows)


def where(owner: Owner | None = ALICE, *kinds: str, **rest: Any) -> Where:
    return Where(owner, kinds or KINDS, **rest)


def found(index: Index, query: str, within: Where | None = None, limit: int = 10) -> list[str]:
    """The entries that a text search returns, best first."""
    hits = text(index, query_terms(query), within or where(), limit)
    return [row.key.local_id for row in rows_of(index, hits)]


def text(index: Index, terms: Sequence[str], within: Where, limit: int) -> list[UnitHit]:
    return index.search.candidates(Asked(within, terms, limit=limit)).by_words


def vector(index: Index, query: NDArray[np.float32], within: Where, limit: int) -> list[UnitHit]:
    return index.search.candidates(Asked(within, vector=query, limit=limit)).by_meaning


def around(index: Index, units: Collection[int], reach: int) -> list[Piece]:
    return index.search.candidates(Asked(where(None), units=units, reach=reach)).pieces


def rows_of(index: Index, hits: Sequence[UnitHit]) -> list[IndexedMemory]:
    """The memory of each hit."""
    row_of = {piece.unit: piece.row for piece in around(index, [hit.unit for hit in hits], 0)}
    rows = index.rows.stored(row_of.values())
    return [rows[row_of[hit.unit]] for hit in hits]


def direction(seed: int, dimension: int = DIMENSION) -> NDArray[np.float32]:
    vector = np.random.default_rng(seed).normal(size=dimension).astype(np.float32)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def embed(index: Index, seeds: dict[str, int], dimension: int = DIMENSION) -> None:
    """Give every waiting unit the direction that its text is mapped to."""
    pieces = index.upkeep.unembedded(1000)
    if pieces:
        index.upkeep.put_vectors(
            [piece.unit for piece in pieces], np.stack([direction(seeds[piece.dense], dimension) for piece in pieces])
        )


def alike(index: Index, seed: int, within: Where | None = None, limit: int = 10) -> list[str]:
    hits = vector(index, direction(seed), within or where(), limit)
    return [row.key.local_id for row in rows_of(index, hits)]


def message(number: int, text: str = "hello", session: str = "s1", **rest: Any) -> Message:
    given: dict[str, Any] = {
        "id": f"m{number}",
        "scope": Scope(),
        "session_id": session,
        "sender_id": "alice",
        "sender_name": None,
        "role": "user",
        "timestamp": 1000 + number,
        "content": text,
        "text": text,
    }
    return Message(**{**given, **rest})


def ids(messages: Sequence[Message]) -> list[str]:
    return [message.id for message in messages]
