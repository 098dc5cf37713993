"""Search by vectors: exact for small owners, sign bits first and exact scores after for large ones.

Each process keeps the parts it searches in memory and follows changes by number: vectors added since the last
look are appended, and when some were removed the rest is sifted. A small part is a matrix. Of a large part the signs
choose (one bit for each dimension), and the nearest few hundred are compared exactly: by their halves (16 bits) while
those fit into memory, else by vectors read from the file.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import apsw
import numpy as np
from numpy.typing import NDArray

from everlore.database import rows, value
from everlore.index.base import Vector
from everlore.index.filters import restriction
from everlore.index.hits import Floats, Ints, hits, numbers, permitted
from everlore.index.schema import EVERYONE, MOST_KINDS
from everlore.index.vector_math import (
    DIGITS,
    Halves,
    Words,
    cosines,
    halves_of,
    products,
    signs_of,
    unit_rows,
    words_of,
)
from everlore.types import UnitHit, Where

EXACT_UP_TO = 8192
"""Units of a part that are compared exactly."""
HALVES_UP_TO = 150_000
"""Units of a large part whose halves are kept in memory."""
NEAREST = 160
"""Units of a larger part that the signs let through, at least; and at least four times as many as are wanted."""
MOST_DEAD = 128
"""Removed vectors that a part may still hold; they cannot become hits, but take the place of some."""
CACHE_BYTES = 256 * 2**20
PART_BYTES = 4096
"""What a part takes besides its vectors."""

Kinds = NDArray[np.uint8]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class View:
    """A part as it was at one moment. The last axis of every array runs over its units."""

    model: int
    dead: int
    """How many of the vectors may have been removed."""
    units: Ints
    in_order: bool
    """The units rise, as they were stored; only vectors made anew come out of order."""
    kinds: Kinds
    all_kinds: frozenset[int]
    matrix: NDArray[np.float32] | None
    """Unit-length vectors as columns; None in a large part."""
    signs: Words | None
    halves: Halves | None = None


class Growing:
    """Arrays that are appended to along the last axis. Views given out before stay as they were."""

    def __init__(self, first: NDArray[np.generic]) -> None:
        self._buffer = first
        self.size = first.shape[-1]

    def append(self, more: NDArray[np.generic]) -> None:
        size = self.size + more.shape[-1]
        if size > self._buffer.shape[-1]:
            order: Literal["C", "F"] = "C" if self._buffer.flags.c_contiguous else "F"
            grown = np.empty((*self._buffer.shape[:-1], size + size // 4 + 64), self._buffer.dtype, order)
            grown[..., : self.size] = self._buffer[..., : self.size]
            self._buffer = grown
        self._buffer[..., self.size : size] = more
        self.size = size

    def keep(self, mask: Mask) -> None:
        self._buffer = self.view[..., mask]
        self.size = self._buffer.shape[-1]

    @property
    def view(self) -> NDArray[np.generic]:
        return self._buffer[..., : self.size]

    @property
    def bytes(self) -> int:
        return self._buffer.nbytes


class Part:
    """The vectors of one owner (or of all) and one model."""

    def __init__(self, model: int, large: bool, gone: int, batch: Batch) -> None:
        self.model = model
        self.large = large
        self.gone = gone
        self.dead = 0
        self.last = batch.last
        self._units = Growing(batch.units)
        self._in_order = _rising(batch.units)
        self._kinds = Growing(batch.kinds)
        self._all_kinds = frozenset(np.unique(batch.kinds).tolist())
        self._values = Growing(batch.values)
        self._halves = None if batch.halves is None else Growing(batch.halves)

    @property
    def size(self) -> int:
        return int(self._units.size)

    @property
    def bytes(self) -> int:
        return sum(column.bytes for column in self._columns)

    @property
    def _columns(self) -> list[Growing]:
        columns = [self._units, self._kinds, self._values]
        return columns if self._halves is None else [*columns, self._halves]

    @property
    def in_halves(self) -> bool:
        return self._halves is not None

    def append(self, batch: Batch) -> None:
        self.last = batch.last
        self._in_order &= _rising(np.append(self._units.view[-1:], batch.units))
        self._units.append(batch.units)
        self._kinds.append(batch.kinds)
        self._all_kinds |= set(batch.kinds.tolist())
        self._values.append(batch.values)
        if self._halves is not None:
            if batch.halves is None or self.size > HALVES_UP_TO:
                self._halves = None  # too many for memory by now
            else:
                self._halves.append(batch.halves)

    def sift(self, alive: Ints, gone: int) -> None:
        keep = np.isin(self._units.view, alive)
        for column in self._columns:
            column.keep(keep)
        self.gone = gone
        self.dead = 0

    def holds(self, units: Ints) -> bool:
        """Whether one of these was in the part before: it got another vector and came back."""
        return bool(np.isin(self._units.view, units).any())

    def view(self) -> View:
        values = self._values.view
        return View(
            model=self.model,
            dead=self.dead,
            units=self._units.view.astype(np.int64, copy=False),
            in_order=self._in_order,
            kinds=self._kinds.view.astype(np.uint8, copy=False),
            all_kinds=self._all_kinds,
            matrix=None if self.large else values.astype(np.float32, copy=False),
            signs=values.astype(np.uint64, copy=False) if self.large else None,
            halves=None if self._halves is None else self._halves.view.astype(np.float16, copy=False),
        )


@dataclass(frozen=True, slots=True)
class Batch:
    last: int
    units: Ints
    kinds: Kinds
    values: NDArray[np.generic]
    halves: Halves | None = None


class Parts:
    """The parts this process has searched lately, the least used dropped when they grow too big."""

    def __init__(self, most_bytes: int = CACHE_BYTES) -> None:
        self._most = most_bytes
        self._lock = threading.Lock()
        self._parts: OrderedDict[tuple[int, int], Part] = OrderedDict()
        self._bytes: dict[tuple[int, int], int] = {}
        self._total = 0
        """Of all parts. Kept, since a server may have thousands of them and asks in every search."""

    def view(self, connection: apsw.Connection, owner: int, model: int, dimension: int) -> View:
        """The part as the connection sees it now, or newer."""
        with self._lock:
            part = self._current(connection, owner, model, dimension)
            key = (owner, model)
            self._parts[key] = part
            self._parts.move_to_end(key)
            self._count(key, part.bytes + PART_BYTES)
            while len(self._parts) > 1 and self._total > self._most:
                oldest, _ = self._parts.popitem(last=False)
                self._count(oldest, 0)
            return part.view()

    def _count(self, key: tuple[int, int], size: int) -> None:
        self._total += size - self._bytes.pop(key, 0)
        if size:
            self._bytes[key] = size

    def _current(self, connection: apsw.Connection, owner: int, model: int, dimension: int) -> Part:
        gone = int(value(connection, "SELECT gone FROM owners WHERE id = ?", (owner,)))
        part = self._parts.get((owner, model))
        if part is None:
            return _load(connection, owner, model, dimension, gone)
        batch = _read(connection, owner, model, dimension, part.last, part.large, part.in_halves)
        if not part.large and part.size + len(batch.units) > EXACT_UP_TO:
            return _load(connection, owner, model, dimension, gone)
        # an older snapshot than the one the part was made from must not undo it
        part.dead = max(0, gone - part.gone)
        if part.dead > MOST_DEAD or (part.dead and part.holds(batch.units)):
            part.sift(np.setdiff1d(_alive(connection, owner, model), batch.units), gone)
        if len(batch.units):
            part.append(batch)
        return part


def _load(connection: apsw.Connection, owner: int, model: int, dimension: int, gone: int) -> Part:
    count = len(_alive(connection, owner, model, max(EXACT_UP_TO, HALVES_UP_TO) + 1))
    large = count > EXACT_UP_TO or owner == EVERYONE
    halves = large and owner != EVERYONE and count <= HALVES_UP_TO
    return Part(model, large, gone, _read(connection, owner, model, dimension, 0, large, halves))


def _alive(connection: apsw.Connection, owner: int, model: int, limit: int = -1) -> Ints:
    scope = "" if owner == EVERYONE else " AND owner = ?2"
    select = f"SELECT group_concat(unit) FROM (SELECT unit FROM vectors WHERE model = ?1{scope} LIMIT ?3)"
    return numbers(connection, select, (model, owner, limit))


def _read(
    connection: apsw.Connection, owner: int, model: int, dimension: int, after: int, large: bool, halves: bool
) -> Batch:
    if owner != EVERYONE:
        where = "owner = ?1 AND model = ?2 AND number > ?3"
    elif after:
        # the unary plus keeps SQLite from walking everything of the model when only the newest are wanted
        where = "number > ?3 AND +model = ?2 AND ?1 = 0"
    else:
        where = "model = ?2 AND number > ?3 AND ?1 = 0"
    columns = "signs, vector" if halves else "signs" if large else "vector"
    found = rows(connection, f"SELECT number, unit, kind, {columns} FROM vectors WHERE {where}", (owner, model, after))
    joined = b"".join(row[3] for row in found)
    values: NDArray[np.generic]
    if large:  # word by word of all units
        values = np.ascontiguousarray(np.frombuffer(joined, np.uint64).reshape(-1, words_of(dimension)).T)
    else:  # unit by unit, so that a few of them are quickly picked out
        values = unit_rows(joined, dimension).T
    return Batch(
        last=max((row[0] for row in found), default=after),
        units=np.array([row[1] for row in found], np.int64),
        kinds=np.array([row[2] for row in found], np.uint8),
        values=values,
        halves=halves_of(b"".join(row[4] for row in found), dimension).T if halves else None,
    )


def search(
    connection: apsw.Connection, view: View, query: Vector, where: Where, owner: int, kinds: Sequence[int], limit: int
) -> list[UnitHit]:
    condition = restriction(where)
    allowed = _of_kinds(view, kinds)
    total = len(view.units) if allowed is None else int(allowed.sum())
    if not total or limit <= 0:
        return []
    # with a condition some of the nearest fall away: look at more at once
    width = (max(NEAREST, 4 * limit) if view.signs is not None or condition else limit) + view.dead
    nearest = _nearest(view, query, allowed, total, width)
    found = hits(connection, *_exact(connection, view, query, nearest), condition, limit, view.dead)
    if condition is None or len(found) == limit or len(nearest) == total:
        return found
    those = np.isin(view.units, permitted(connection, owner, kinds, condition))
    allowed = those if allowed is None else allowed & those
    nearest = _nearest(view, query, allowed, int(allowed.sum()), width)
    return hits(connection, *_exact(connection, view, query, nearest), condition, limit, view.dead)


def _of_kinds(view: View, kinds: Sequence[int]) -> Mask | None:
    """The units of these kinds; None when all are, as is usual."""
    if view.all_kinds.issubset(kinds):
        return None
    wanted = np.zeros(MOST_KINDS + 1, np.bool_)
    wanted[list(kinds)] = True
    mask: Mask = wanted[view.kinds]
    return mask


def _nearest(view: View, query: Vector, allowed: Mask | None, total: int, count: int) -> Ints:
    """Positions of the `count` nearest allowed units and of all that are as near as the last of them."""
    if total <= count:
        return np.arange(total) if allowed is None else np.flatnonzero(allowed)
    if view.matrix is not None:
        scores = query @ view.matrix
        if allowed is not None:
            scores[~allowed] = -np.inf
        edge = np.partition(scores, len(scores) - count)[len(scores) - count]
        return np.flatnonzero(scores >= edge - 10**-DIGITS)
    assert view.signs is not None
    distance = np.zeros(view.signs.shape[1], np.uint16)
    for word, wanted in zip(view.signs, signs_of(query[None, :])[0], strict=True):
        distance += np.bitwise_count(word ^ wanted)
    if allowed is not None:
        distance[~allowed] = np.iinfo(np.uint16).max
    farthest = np.partition(distance, count - 1)[count - 1]
    return np.flatnonzero(distance <= farthest)[: 4 * count]


def _exact(connection: apsw.Connection, view: View, query: Vector, positions: Ints) -> tuple[Ints, Floats]:
    """Units and cosines, best first."""
    units = view.units[positions]
    if view.matrix is not None:
        scores = products(view.matrix.T[positions], query)
    else:
        units, scores = _of_large(connection, view, query, units, positions)
    order = np.argsort(-scores, kind="stable")
    return units[order], scores[order]


def _rising(units: NDArray[Any]) -> bool:
    return bool(np.all(units[1:] > units[:-1]))


def look_up(connection: apsw.Connection, view: View, units: Ints, query: Vector) -> Floats:
    """The cosines of these units; NaN for those that have no vector."""
    if view.matrix is None and view.halves is None:
        found, values = _of_large(connection, view, query, units, units)
        known = dict(zip(found.tolist(), values.tolist(), strict=True))
        return np.array([known.get(unit, np.nan) for unit in units.tolist()], np.float64)
    scores = np.full(len(units), np.nan)
    if not view.units.size:
        return scores
    if view.in_order:
        positions = np.maximum(np.searchsorted(view.units, units, side="right") - 1, 0)
    else:
        order = np.argsort(view.units, kind="stable")
        positions = order[np.maximum(np.searchsorted(view.units, units, side="right", sorter=order) - 1, 0)]
    there = view.units[positions] == units
    if view.matrix is None:
        scores[there] = _of_large(connection, view, query, units[there], positions[there])[1]
    else:
        scores[there] = products(view.matrix.T[positions[there]], query)
    return scores


def _of_large(
    connection: apsw.Connection, view: View, query: Vector, units: Ints, positions: Ints
) -> tuple[Ints, Floats]:
    if view.halves is not None:
        return units, cosines(view.halves.T[positions], query)
    units, vectors = read_vectors(connection, units, view.model, len(query))
    return units, cosines(vectors, query)


def read_vectors(
    connection: apsw.Connection, units: Ints, model: int, dimension: int
) -> tuple[Ints, NDArray[np.float32]]:
    """Those of these units that have a vector of this model, and the vectors as rows."""
    select = "SELECT v.unit, v.vector FROM json_each(?) j CROSS JOIN vectors v ON v.unit = j.value WHERE v.model = ?"
    found = rows(connection, select, (json.dumps(units.tolist()), model))
    return np.array([row[0] for row in found], np.int64), unit_rows(b"".join(row[1] for row in found), dimension)
