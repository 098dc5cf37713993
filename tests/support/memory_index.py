"""An index in plain dicts: the third backend, which proves that one is a folder. Slow, and gone with its process."""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, eq, ge, gt, le, lt, ne
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from everlore.kinds.paths import owner_dir
from everlore.stores import base
from everlore.stores.base import Applied, ListingPage, Piece, Source, Stamp
from everlore.stores.tokens import joined, tokens
from everlore.types import AllOf, AnyOf, Filter, IndexedMemory, IndexRow, Key, Owner, Predicate, Problem, Scope, Where

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {"eq": eq, "ne": ne, "gt": gt, "gte": ge, "lt": lt, "lte": le}
Read = tuple[str, Stamp, Sequence[IndexRow], Sequence[Problem]]


@dataclass(slots=True)
class Held:
    """A memory, with the numbers of its units."""

    id: int
    row: IndexRow
    path: str
    units: list[int] = field(default_factory=list)

    @property
    def stored(self) -> IndexedMemory:
        row = self.row
        named = (row.session_id, row.parent_type, row.parent_id, row.timestamp, row.updated, row.sender_ids)
        return IndexedMemory(self.id, row.key, self.path, *named, row.validity, row.data, row.slot, row.project)


@dataclass(slots=True)
class State:
    """What all who open it share."""

    files: dict[str, Stamp] = field(default_factory=dict)
    problems: dict[str, list[Problem]] = field(default_factory=dict)
    rows: dict[int, Held] = field(default_factory=dict)
    pieces: dict[int, tuple[Piece, int, str]] = field(default_factory=dict)
    """With its place in the memory and the text to be embedded."""
    vectors: dict[int, tuple[tuple[str, int], NDArray[np.float32]]] = field(default_factory=dict)
    """By unit, with the model."""
    model: tuple[str, int] | None = None
    queue: dict[str, list[Any]] = field(default_factory=dict)
    """Generation, due, tries, error."""
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def by_key(self) -> dict[Key, Held]:
        return {held.row.key: held for held in self.rows.values()}

    def held(self, where: Where) -> list[Held]:
        return [one for one in self.rows.values() if permits(where, one.row)]


def permits(where: Where, row: IndexRow) -> bool:
    owner, valid, at = row.key.owner, row.validity, where.valid_at
    whose = owner == where.owner if where.owner else where.scope in (None, owner.scope)
    begun = at is None or valid.start is None or valid.start <= at
    lasting = at is None or valid.end is None or valid.end > at
    return whose and row.key.kind in where.kinds and begun and lasting and meets(where.filter, row)


def meets(node: Filter | None, row: IndexRow) -> bool:
    match node:
        case None:
            return True
        case AllOf(nodes):
            return all(meets(one, row) for one in nodes)
        case AnyOf(nodes):
            return any(meets(one, row) for one in nodes)
        case Predicate("sender_id", "ne", value):
            return value not in row.sender_ids
        case Predicate(name, op, value):
            has = row.sender_ids if name == "sender_id" else (getattr(row, name),)
            given = value if isinstance(value, tuple) else (value,)
            wanted = [int(one) if name == "timestamp" else one for one in given]
            return any(OPERATORS["eq" if op == "in" else op](one, value) for one in has for value in wanted)


class Files(base.Files):
    def __init__(self, state: State, upkeep: Any) -> None:
        self._state = state
        self._upkeep = upkeep

    def apply(
        self, sources: Sequence[Source], vectors: Mapping[str, NDArray[np.float32]] | None = None
    ) -> list[Applied | None]:
        done = [self._applied(source) for source in sources]
        if vectors:
            waiting = [one for one in self._upkeep.unembedded(10**9) if one.dense in vectors]
            made = np.array([vectors[one.dense] for one in waiting], np.float32)
            self._upkeep.put_vectors([one.unit for one in waiting], made)
        return done

    def _applied(self, source: Source) -> Applied | None:
        path, state = source.path, self._state
        if source.appended and (state.files.get(path) != source.before or state.problems.get(path)):
            return None
        wanted = {row.key: row for row in source.rows}
        left = [] if source.appended else [one for one in self._of(path) if one.row.key not in wanted]
        if source.problems or source.partial:
            left = [one for one in left if one.row.key in source.gone]
        state.problems[path] = list(source.problems)
        added, changed = self._put(path, source.stamp, wanted.values())
        for one in left:
            self._drop(one)
        return Applied(added, changed, len(left))

    def rebuild(self, files: Iterator[Read], keep: Collection[str] = (), known: Any = None) -> int:
        was = {
            name: copy.copy(getattr(self._state, name)) for name in ("files", "problems", "rows", "pieces", "vectors")
        }
        try:
            for path in [path for path in self._state.files if path not in keep]:
                self.remove(path)
            for path, stamp, rows, problems in files:
                self.apply([Source(path, stamp, rows, problems)], known(rows) if known else {})
        except BaseException:
            for name, value in was.items():
                setattr(self._state, name, value)
            raise
        return len(self._state.rows)

    def known(self, under: str = "") -> dict[str, Stamp]:
        return {path: stamp for path, stamp in self._state.files.items() if path.startswith(under)}

    def stamp(self, path: str) -> Stamp | None:
        return self._state.files.get(path)

    def parents(self, path: str) -> dict[str, str]:
        return {one.row.key.local_id: one.row.parent_id for one in self._of(path)}

    def digests(self, path: str) -> dict[str, str]:
        return {one.row.key.local_id: one.row.digest for one in self._of(path)}

    def problems(self, owner: Owner | None = None) -> list[Problem]:
        under = f"{owner_dir(owner)}/" if owner else ""
        found = [one for several in self._state.problems.values() for one in several if one.path.startswith(under)]
        return sorted(found, key=attrgetter("path", "line", "reason"))

    def _of(self, path: str) -> list[Held]:
        return [one for one in self._state.rows.values() if one.path == path]

    def _put(self, path: str, stamp: Stamp | None, rows: Iterable[IndexRow]) -> tuple[int, int]:
        if stamp is None:
            self._state.files.pop(path, None)
        else:
            self._state.files[path] = stamp
        known, added, changed = self._state.by_key(), 0, 0
        for row in {row.key: row for row in rows}.values():
            old = known.get(row.key)
            if old is not None and old.row.digest == row.digest:
                self._state.rows[old.id] = Held(old.id, old.row, path, old.units)
                continue
            added, changed = added + (old is None), changed + (old is not None)
            number = next(self._state.numbers) if old is None else old.id
            self._state.rows[number] = Held(number, row, path, self._units(number, row, old.units if old else []))
        return added, changed

    def _units(self, number: int, row: IndexRow, old: Sequence[int]) -> list[int]:
        """Those that say what they said keep their number and so their vector."""
        found: list[int] = []
        start = 0
        for place, unit in enumerate(row.units):
            words = tokens(unit.words)
            before = self._state.pieces.get(old[place]) if place < len(old) else None
            same = before and (before[0].turn, before[0].tokens, before[2]) == (unit.turn, joined(words), unit.dense)
            name = old[place] if same else next(self._state.numbers)
            of = (name, number, row.key.kind, row.parent_id, row.timestamp)
            piece = Piece(*of, unit.turn, start, len(words), joined(words))
            self._state.pieces[name] = (piece, place, unit.dense)
            found.append(name)
            start += len(words)
        for gone in set(old).difference(found):
            del self._state.pieces[gone]
        return found

    def _drop(self, one: Held) -> None:
        del self._state.rows[one.id]
        for unit in one.units:
            del self._state.pieces[unit]


class Rows:
    def __init__(self, state: State) -> None:
        self._state = state

    def stored(self, ids: Iterable[int]) -> dict[int, IndexedMemory]:
        return {number: self._state.rows[number].stored for number in ids if number in self._state.rows}

    def find(self, keys: Iterable[Key]) -> dict[Key, IndexedMemory]:
        known = self._state.by_key()
        return {key: known[key].stored for key in keys if key in known}

    def by_global_id(self, ids: Iterable[str]) -> dict[str, IndexedMemory]:
        wanted = set(ids)
        return {key.global_id: one.stored for key, one in self._state.by_key().items() if key.global_id in wanted}

    def page(
        self,
        where: Where,
        *,
        sort_by: Literal["timestamp", "updated"] = "timestamp",
        descending: bool = True,
        offset: int = 0,
        limit: int = 20,
    ) -> ListingPage:
        found = [one.stored for one in self._state.held(where)]
        found.sort(key=lambda one: (getattr(one, sort_by), one.key.local_id, one.id), reverse=descending)
        return ListingPage(found[offset : offset + limit], len(found))

    def newest(self, where: Where, alone: Sequence[str] = (), *, offset: int = 0, limit: int = 20) -> ListingPage:
        both = Where(where.owner, (*where.kinds, *alone), where.filter, where.valid_at, where.scope)
        held = [one.stored for one in self._state.held(both)]
        found = [one for one in held if one.key.kind in where.kinds or not one.parent_id]
        found.sort(key=lambda one: one.key.global_id)
        found.sort(key=lambda one: (one.timestamp, one.key.local_id), reverse=True)
        return ListingPage(found[offset : offset + limit], len(found))

    def count(self, where: Where) -> int:
        return len(self._state.held(Where(where.owner, where.kinds, scope=where.scope)))

    def owners(self, scope: Scope | None = None, limit: int | None = None) -> list[tuple[Owner, int]]:
        found = Counter(one.row.key.owner for one in self._state.rows.values())
        mine = [(owner, number) for owner, number in found.items() if scope in (None, owner.scope)]
        return sorted(mine, key=lambda one: (one[0].scope.app, one[0].scope.project, one[0].track, one[0].id))[:limit]

    def with_ended(
        self, ids: Iterable[int], kinds: Sequence[str]
    ) -> tuple[dict[int, IndexedMemory], list[IndexedMemory]]:
        mine = self.stored(ids)
        cells = {(one.key.owner, one.parent_id) for one in mine.values() if one.parent_id}
        others = [one.stored for one in self._state.rows.values() if one.row.key.kind in kinds and one.row.validity.end]
        return mine, _oldest(one for one in others if (one.key.owner, one.parent_id) in cells)

    def children(self, owner: Owner, kind: str, parent_ids: Sequence[str]) -> list[IndexedMemory]:
        held = self._state.held(Where(owner, (kind,)))
        return _oldest(one.stored for one in held if one.row.parent_id in parent_ids)

    def related(
        self, owner: Owner, kind: str, slots: Sequence[str], ids: Collection[int], newest: int
    ) -> list[IndexedMemory]:
        late = self.page(Where(owner, (kind,)), limit=newest).rows
        found = [*late, *self.in_slot(owner, kind, *slots), *self.stored(ids).values()]
        return list({one.id: one for one in found}.values())

    def in_slot(self, owner: Owner, kind: str, *slots: str) -> list[IndexedMemory]:
        held = self._state.held(Where(owner, (kind,)))
        return _oldest(one.stored for one in held if one.row.slot and one.row.slot in slots)

    def in_slots(self, owner: Owner, kind: str, slots: Sequence[str]) -> dict[str, list[int]]:
        found = {slot: sorted(one.id for one in self.in_slot(owner, kind, slot)) for slot in slots}
        return {slot: ids for slot, ids in found.items() if ids}


def _oldest(found: Iterable[IndexedMemory]) -> list[IndexedMemory]:
    return sorted(found, key=lambda one: (one.timestamp, one.key.local_id))
