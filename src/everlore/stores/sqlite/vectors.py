"""Search by vectors: exact for small owners, codes first and exact scores after for large ones.

Each process keeps the parts it searches in memory and follows changes by number: vectors added since the last look are
appended, those removed are taken out. A small part is a matrix. Of a large part the codes choose in two steps: the bits
that differ are counted for all, what is left is estimated, and the best of that are compared exactly by vectors that
are read from the file.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from everlore.database import Connection
from everlore.stores.base import Vector
from everlore.stores.sqlite import packs
from everlore.stores.sqlite.dialect import restriction
from everlore.stores.sqlite.hits import Floats, Ints, hits, numbers, permitted
from everlore.stores.sqlite.schema import EVERYONE, MOST_KINDS
from everlore.stores.vector_math import (
    DIGITS,
    Codes,
    Rows,
    cosines,
    distances,
    encode,
    estimates,
    products,
    turned_query,
    unit_rows,
)
from everlore.types import UnitHit, Where

EXACT_UP_TO = 8192
"""Units of a part that are compared exactly."""
ESTIMATED = 4096
"""Units of a larger part that are estimated, at least,"""
ESTIMATED_SHARE = 128
"""and at least one of so many."""
NEAREST = 240
"""Units of a larger part that are compared exactly, at least; and at least four times as many as are wanted."""
READ = 4096
"""Vectors read at a time, so that memory is bounded when very many are not packed yet."""
CACHE_BYTES = 256 * 2**20
PART_BYTES = 4096
"""What a part takes besides its vectors."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class View:
    """A part as it was at one moment. The last axis of every array runs over its units."""

    model: int
    units: Ints
    in_order: bool
    """The units rise, as they were stored; only vectors made anew come out of order."""
    kinds: NDArray[np.uint8]
    all_kinds: frozenset[int]
    matrix: Rows | None
    """Unit-length vectors as columns; None in a large part."""
    codes: Codes | None
    centre: Vector | None
    """Of the codes."""


class Growing:
    """Arrays that are appended to along the last axis. Views given out before stay as they were."""

    def __init__(self, first: NDArray[Any]) -> None:
        self._buffer = first
        self.size = first.shape[-1]

    def append(self, more: NDArray[Any]) -> None:
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
    def view(self) -> NDArray[Any]:
        return self._buffer[..., : self.size]

    @property
    def bytes(self) -> int:
        return self._buffer.nbytes


class Part:
    """The vectors of one owner (or of all) and one model."""

    def __init__(self, model: int, moment: Moment, centre: Vector | None, first: Batch) -> None:
        self.model = model
        self.moment = moment
        self.centre = centre
        self.last = first.last
        self._columns = [Growing(column) for column in first.columns]
        self._in_order = _rising(first.columns[0])
        self._all_kinds = frozenset(np.unique(first.columns[1]).tolist())

    @property
    def size(self) -> int:
        return int(self._columns[0].size)

    @property
    def bytes(self) -> int:
        return sum(column.bytes for column in self._columns)

    def append(self, batch: Batch) -> None:
        self.last = batch.last
        self._in_order &= _rising(np.append(self._columns[0].view[-1:], batch.columns[0]))
        self._all_kinds |= set(batch.columns[1].tolist())
        for column, more in zip(self._columns, batch.columns, strict=True):
            column.append(more)

    def drop(self, units: Ints, moment: Moment) -> None:
        self.moment = moment
        keep = ~np.isin(self._columns[0].view, units)
        if not keep.all():
            for column in self._columns:
                column.keep(keep)

    def view(self) -> View:
        units, kinds, *values = (column.view for column in self._columns)
        codes = None if self.centre is None else Codes(*values)
        matrix = values[0] if codes is None else None
        return View(self.model, units, self._in_order, kinds, self._all_kinds, matrix, codes, self.centre)


@dataclass(frozen=True, slots=True)
class Batch:
    last: int
    columns: Sequence[NDArray[Any]]
    """Units and kinds, then the vectors as columns, or the signs and factors of their codes."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a part follows besides the numbers of vectors. Both grow."""

    generation: int
    dropped: int


class Parts:
    """The parts this process has searched lately, the least used dropped when they grow too big."""

    def __init__(self, most_bytes: int = CACHE_BYTES) -> None:
        self._most = most_bytes
        self._lock = threading.Lock()
        self._parts: OrderedDict[tuple[int, int], Part] = OrderedDict()
        self._bytes: dict[tuple[int, int], int] = {}
        self._total = 0
        """Of all parts. Kept, since a server may have thousands of them and asks in every search."""

    def view(self, connection: Connection, owner: int, model: int, dimension: int) -> View:
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

    def _current(self, connection: Connection, owner: int, model: int, dimension: int) -> Part:
        select = "SELECT coalesce(max(id), 0), (SELECT coalesce(max(id), 0) FROM dropped) FROM packing"
        moment = Moment(*connection.rows(select)[0])
        part = self._parts.get((owner, model))
        # an older snapshot than the one the part was made from must not undo it
        if part is None or part.moment.generation < moment.generation:
            part = _load(connection, owner, model, dimension, moment)
        else:
            for batch in _read(connection, owner, model, dimension, part.last, part.centre):
                if part.centre is None and part.size + len(batch.columns[0]) > EXACT_UP_TO:
                    part = _load(connection, owner, model, dimension, moment)
                    break
                part.append(batch)
        if part.moment.dropped < moment.dropped:
            gone = "SELECT group_concat(unit) FROM dropped WHERE id > ?"
            part.drop(numbers(connection, gone, (part.moment.dropped,)), moment)
        return part


def _load(connection: Connection, owner: int, model: int, dimension: int, moment: Moment) -> Part:
    count = f"SELECT count(*) FROM (SELECT 1 FROM vectors WHERE {_of_part(owner)} LIMIT ?3)"
    centre, last = None, 0
    columns: list[Sequence[NDArray[Any]]] = []
    if connection.value(count, (owner, model, EXACT_UP_TO + 1)) > EXACT_UP_TO:
        packing = packs.current(connection)
        if packing.model == model and packing.centre is not None:
            centre, last = packing.centre, packing.last
            columns += packs.read(connection, owner)
            moment = replace(moment, dropped=0)
        else:  # the model was another and is the same again: nothing is packed yet
            centre = next(_read(connection, owner, model, dimension, 0, None)).columns[2].mean(axis=1)
    for batch in _read(connection, owner, model, dimension, last, centre):
        columns.append(batch.columns)
        last = batch.last
    return Part(
        model, moment, centre, Batch(last, [np.concatenate(one, axis=-1) for one in zip(*columns, strict=True)])
    )


def _read(
    connection: Connection, owner: int, model: int, dimension: int, after: int, centre: Vector | None
) -> Iterator[Batch]:
    """At least one, which may be empty."""
    where = f"{_of_part(owner)} AND number > ?3"
    select = f"SELECT number, unit, kind, vector FROM vectors WHERE {where} ORDER BY number LIMIT ?4"
    full = True
    while full:
        found = connection.rows(select, (owner, model, after, READ))
        full = len(found) == READ
        after = found[-1][0] if found else after
        vectors = unit_rows(b"".join(one[3] for one in found), dimension)
        units, kinds = np.array([one[1] for one in found], np.int64), np.array([one[2] for one in found], np.uint8)
        # unit by unit, so that a few vectors are quickly picked out
        yield Batch(after, [units, kinds, *([vectors.T] if centre is None else encode(vectors, centre))])


def _of_part(owner: int) -> str:
    return "model = ?2 AND ?1 = 0" if owner == EVERYONE else "owner = ?1 AND model = ?2"


class Compared:
    """A query beside a part, for as long as one search lasts: what is computed for all units is computed once, though
    the nearest are asked for again among those that meet a condition."""

    def __init__(self, view: View, query: Vector) -> None:
        self.view = view
        self.query = query
        self._nearest: dict[tuple[int, ...], tuple[Ints, Floats]] = {}

    @cached_property
    def _turned(self) -> Vector:
        assert self.view.centre is not None
        return turned_query(self.query, self.view.centre)

    @cached_property
    def _distances(self) -> NDArray[np.uint16]:
        assert self.view.codes is not None
        return distances(self.view.codes, self._turned)

    def of_kinds(self, connection: Connection, kinds: Sequence[int], count: int) -> tuple[Ints, Floats]:
        """The nearest units of these kinds and their cosines, best first."""
        asked = (count, *sorted(kinds))
        if asked not in self._nearest:
            self._nearest[asked] = self._exact(connection, self._positions(_of_kinds(self.view, kinds), count))
        return self._nearest[asked]

    def among(self, connection: Connection, kinds: Sequence[int], units: Ints, count: int) -> tuple[Ints, Floats]:
        """The same of those among these units."""
        those, allowed = np.isin(self.view.units, units), _of_kinds(self.view, kinds)
        return self._exact(connection, self._positions(those if allowed is None else allowed & those, count))

    def _positions(self, allowed: Mask | None, count: int) -> Ints:
        """Of the `count` nearest allowed units; of a small part also of all that are as near as the last."""
        view, query = self.view, self.query
        total = len(view.units) if allowed is None else int(allowed.sum())
        if total <= count:
            return np.arange(total) if allowed is None else np.flatnonzero(allowed)
        if view.matrix is not None:
            scores = query @ view.matrix
            if allowed is not None:
                scores[~allowed] = -np.inf
            edge = np.partition(scores, len(scores) - count)[len(scores) - count]
            return np.flatnonzero(scores >= edge - 10**-DIGITS)
        assert view.codes is not None
        distance = self._distances
        if allowed is not None:
            distance = np.where(allowed, distance, np.iinfo(np.uint16).max)
        several = min(total, max(ESTIMATED, total // ESTIMATED_SHARE, 2 * count))
        farthest = np.partition(distance, several - 1)[several - 1]
        positions = np.flatnonzero(distance <= farthest)[: 2 * several]
        scores = estimates(view.codes, positions, self._turned)
        best: Ints = positions[np.argpartition(-scores, count - 1)[:count]]
        return best

    def _exact(self, connection: Connection, positions: Ints) -> tuple[Ints, Floats]:
        """Units and cosines, best first."""
        units = self.view.units[positions]
        if self.view.matrix is not None:
            scores = products(self.view.matrix.T[positions], self.query)
        else:
            units, vectors = read_vectors(connection, units, self.view.model, len(self.query))
            scores = cosines(vectors, self.query)
        order = np.argsort(-scores, kind="stable")
        return units[order], scores[order]


def search(
    connection: Connection, compared: Compared, where: Where, owner: int, kinds: Sequence[int], limit: int
) -> list[UnitHit]:
    if limit <= 0:
        return []
    condition = restriction(where)
    # with a condition some of the nearest fall away: look at more at once
    width = max(NEAREST, 4 * limit) if compared.view.codes is not None or condition else limit
    units, scores = compared.of_kinds(connection, kinds, width)
    found = hits(connection, units, scores, condition, limit)
    if condition is None or len(found) == limit or len(units) < width:
        return found
    met = permitted(connection, owner, kinds, condition)
    return hits(connection, *compared.among(connection, kinds, met, width), condition, limit)


def _of_kinds(view: View, kinds: Sequence[int]) -> Mask | None:
    """The units of these kinds; None when all are, as is usual."""
    if view.all_kinds.issubset(kinds):
        return None
    wanted = np.zeros(MOST_KINDS + 1, np.bool_)
    wanted[list(kinds)] = True
    mask: Mask = wanted[view.kinds]
    return mask


def _rising(units: NDArray[Any]) -> bool:
    return bool(np.all(units[1:] > units[:-1]))


def look_up(connection: Connection, view: View, units: Ints, query: Vector) -> Floats:
    """The cosines of these units; NaN for those that have no vector."""
    if view.matrix is None:
        found, vectors = read_vectors(connection, units, view.model, len(query))
        known = dict(zip(found.tolist(), cosines(vectors, query).tolist(), strict=True))
        return np.array([known.get(unit, np.nan) for unit in units.tolist()], np.float64)
    scores = np.full(len(units), np.nan)
    if not view.units.size:
        return scores
    order = None if view.in_order else np.argsort(view.units, kind="stable")
    positions = np.maximum(np.searchsorted(view.units, units, side="right", sorter=order) - 1, 0)
    if order is not None:
        positions = order[positions]
    there = view.units[positions] == units
    scores[there] = products(view.matrix.T[positions[there]], query)
    return scores


def read_vectors(connection: Connection, units: Ints, model: int, dimension: int) -> tuple[Ints, NDArray[np.float32]]:
    """Those of these units that have a vector of this model, and the vectors as rows."""
    select = "SELECT v.unit, v.vector FROM json_each(?) j CROSS JOIN vectors v ON v.unit = j.value WHERE v.model = ?"
    found = connection.rows(select, (json.dumps(units.tolist()), model))
    return np.array([row[0] for row in found], np.int64), unit_rows(b"".join(row[1] for row in found), dimension)
