"""What is to be written so that the index agrees with files: computed from what it has and what it shall have. Pure.

Units that stand where they stood and say what they said keep their number and their vector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from everlore.stores.base import Applied, Source
from everlore.stores.tokens import joined, tokens
from everlore.types import IndexRow, Key, Owner, Unit


class Known(NamedTuple):
    """A memory that is in the index."""

    id: int
    handle: str
    owner: Owner
    kind: str
    path: str
    digest: str


class KnownUnit(NamedTuple):
    id: int
    length: int
    start: int
    turn: int
    tokens: str
    dense: str


class NewUnit(NamedTuple):
    key: Key
    place: int
    start: int
    unit: Unit
    words: list[str]
    id: int = 0
    memory: int = 0


class LostUnit(NamedTuple):
    id: int
    owner: Owner
    kind: str
    length: int


@dataclass(slots=True)
class Differences:
    """Memories that are new, that say something else, whose file is another, and that are gone; with their sources."""

    added: list[tuple[IndexRow, Source]] = field(default_factory=list)
    changed: list[tuple[Known, IndexRow, Source]] = field(default_factory=list)
    moved: list[tuple[Known, Source]] = field(default_factory=list)
    left: list[Known] = field(default_factory=list)

    @property
    def with_units(self) -> list[int]:
        """Those whose units must be known."""
        return [old.id for old in (*(old for old, _, _ in self.changed), *self.left)]

    def applied(self) -> dict[str, Applied]:
        """By file."""
        added = Counter(to.path for _, to in self.added)
        changed = Counter([to.path for _, _, to in self.changed] + [to.path for _, to in self.moved])
        left = Counter(one.path for one in self.left)
        return {path: Applied(added[path], changed[path], left[path]) for path in (*added, *changed, *left)}


def compared(sources: Sequence[Source], known: Sequence[Known]) -> Differences:
    """Of two rows with one key the later counts; a memory that is in another file was moved, or copied, and the file
    read last has it."""
    found = Differences()
    there = {one.handle: one for one in known}
    wanted = {row.key.global_id: (row, source) for source in sources for row in source.rows}
    for handle, (row, source) in wanted.items():
        old = there.get(handle)
        if old is None:
            found.added.append((row, source))
        elif old.digest != row.digest:
            found.changed.append((old, row, source))
        elif old.path != source.path:
            found.moved.append((old, source))
    whole = {source.path: source for source in sources if not source.appended}
    certain = {key.global_id for source in sources for key in source.gone}
    for one in known:
        if one.path in whole and one.handle not in wanted:
            unsure = whole[one.path].problems or whole[one.path].partial
            found.left += [one] if not unsure or one.handle in certain else []
    return found


@dataclass(slots=True)
class Plan:
    memories: list[tuple[int, IndexRow, str]] = field(default_factory=list)
    """New ones, and those that changed, under the number they had (else 0), with their path."""
    moved: list[tuple[int, str]] = field(default_factory=list)
    """Numbers of memories that have another path now."""
    dropped: list[int] = field(default_factory=list)
    """Memories that are gone, and those that come again."""
    units: list[NewUnit] = field(default_factory=list)
    lost: list[LostUnit] = field(default_factory=list)
    shifted: list[tuple[int, int]] = field(default_factory=list)
    """Numbers of units before which there are so many tokens now."""
    sums: dict[tuple[Owner, str], list[int]] = field(default_factory=dict)
    """By owner and kind: how many memories, units and tokens there are more."""

    @property
    def unnumbered(self) -> list[Owner]:
        """Whose memories and units are new and need numbers."""
        return [row.key.owner for number, row, _ in self.memories if not number] + [one.key.owner for one in self.units]

    def number(self, numbers: Iterable[int]) -> None:
        fresh = iter(numbers)
        self.memories = [(number or next(fresh), row, path) for number, row, path in self.memories]
        memory = {row.key: number for number, row, _ in self.memories}
        self.units = [one._replace(id=next(fresh), memory=memory[one.key]) for one in self.units]

    @property
    def losses(self) -> Counter[Owner]:
        return Counter(unit.owner for unit in self.lost)

    def _count(self, owner: Owner, kind: str, memories: int = 0, units: int = 0, words: int = 0) -> None:
        sums = self.sums.setdefault((owner, kind), [0, 0, 0])
        for at, more in enumerate((memories, units, words)):
            sums[at] += more

    def lose(self, owner: Owner, kind: str, units: Iterable[KnownUnit]) -> None:
        for unit in units:
            self.lost.append(LostUnit(unit.id, owner, kind, unit.length))
            self._count(owner, kind, units=-1, words=-unit.length)

    def put(self, row: IndexRow, path: str, number: int = 0, old: Sequence[KnownUnit] = ()) -> None:
        key, start = row.key, 0
        self.memories.append((number, row, path))
        self._count(key.owner, key.kind, memories=0 if number else 1)
        for place, unit in enumerate(row.units):
            words = tokens(unit.words)
            before = old[place] if place < len(old) else None
            if before and (before.turn, before.tokens, before.dense) == (unit.turn, joined(words), unit.dense):
                if before.start != start:
                    self.shifted.append((before.id, start))
            else:
                self.lose(key.owner, key.kind, [before] if before else ())
                self.units.append(NewUnit(key, place, start, unit, words))
                self._count(key.owner, key.kind, units=1, words=len(words))
            start += len(words)
        self.lose(key.owner, key.kind, old[len(row.units) :])

    def drop(self, one: Known, units: Sequence[KnownUnit]) -> None:
        self.dropped.append(one.id)
        self._count(one.owner, one.kind, memories=-1)
        self.lose(one.owner, one.kind, units)


def planned(found: Differences, units: Mapping[int, Sequence[KnownUnit]]) -> Plan:
    plan = Plan(moved=[(old.id, source.path) for old, source in found.moved])
    for row, source in found.added:
        plan.put(row, source.path)
    for old, row, source in found.changed:
        plan.dropped.append(old.id)
        plan.put(row, source.path, old.id, units.get(old.id, ()))
    for one in found.left:
        plan.drop(one, units.get(one.id, ()))
    return plan
