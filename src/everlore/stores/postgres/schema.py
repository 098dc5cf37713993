"""The tables of the index on PostgreSQL, all derived. Each version has a schema of its own.

- `memories` are the rows; `units` their pieces, which are never changed but for their place among their tokens.
- `words` of a unit are hashes of its tokens: once mixed with the owner, so that a query for one owner walks only
  that owner's lists, and once plain, for queries over all owners.
- Keys name the row first and the tenant after it: the tenant says nothing about a row that its number does not say.
- `epoch` of an owner grows with every change of its units, under the lock of its row. A unit carries the epoch it
  came with, so that counts that a process remembers can follow: what came since is added, and when something was
  lost they are taken anew.
- `waiting` are the units that have no vector of the current model. Vectors are halves; the column has no dimension,
  because models differ, and each model has its own HNSW index, made when there are many of its vectors.
- Long texts in indexes are cut: a key in a B-tree has room for 2,700 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from uuid import UUID

import numpy as np

from everlore.postgres.parts import Part
from everlore.sql import Session
from everlore.stores.base import Vector

CUT = 64

_TABLES = (files("everlore.stores.postgres") / "index.sql").read_text(encoding="utf-8")

_OF_TENANTS = ["owners", "tally", "files", "problems", "queue", "memories", "edges", "units", "waiting", "vectors"]

PART = Part(
    "index",
    ("", "", "", "", "", _TABLES),  # derived: the last one makes all tables, those before it only count
    {**dict.fromkeys(_OF_TENANTS, "tenant"), "models": "reference"},
    derived=True,
    sequences=("numbers",),
)


@dataclass(slots=True)
class OurModel:
    mine: tuple[str, int] | None = None
    """Name and dimension of the model that this process works with, once it said so."""

    def ours(self, query: Vector) -> str | None:
        """The model whose vectors this process may compare with this one: its own, or any when it never said."""
        if self.mine is None:
            return None
        return self.mine[0] if self.mine[1] == len(query) else ""

    def current(self, db: Session) -> tuple[int, int] | None:
        """Number and dimension of the current model. None when there is none, and in a process that still works
        with another one: it must neither compare nor store vectors of two models, and finds by words alone."""
        found = current_model(db)
        if found is None or (self.mine is not None and found[1:] != self.mine):
            return None
        return found[0], found[2]


def current_model(db: Session) -> tuple[int, str, int] | None:
    found = db.row("SELECT id, name, dimension FROM models WHERE current")
    return (found[0], found[1], found[2]) if found else None


@lru_cache(maxsize=100_000)
def _word_hash(token: str) -> int:
    return int.from_bytes(blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def word_hash(owner: UUID | None, token: str) -> int:
    """The name of a token's list: one of all owners, or one of an owner alone."""
    mixed = _word_hash(token) ^ (int.from_bytes(owner.bytes[8:], "big") if owner else 0)
    return mixed - (1 << 64) if mixed >= 1 << 63 else mixed


def word_hashes(owner: UUID, words: Sequence[str]) -> list[int]:
    own, plain = int.from_bytes(owner.bytes[8:], "big"), [_word_hash(token) for token in dict.fromkeys(words)]
    hashes: list[int] = np.array([*(one ^ own for one in plain), *plain], np.uint64).view(np.int64).tolist()
    return hashes
