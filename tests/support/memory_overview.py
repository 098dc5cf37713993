"""What the index in plain dicts says of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from memory_index import Held, State

from everlore.types import IndexedMemory, Owner, Where


class Overview:
    def __init__(self, state: State) -> None:
        self._state = state

    def density(self, where: Where, size: int, *, ended: bool = False) -> dict[int, int]:
        rows = [one.row for one in self._state.held(where)]
        moments = [row.validity.end if ended else row.timestamp for row in rows]
        return dict(sorted(Counter(moment // size for moment in moments if moment is not None).items()))

    def ended(self, where: Where, begin: int, end: int, limit: int) -> list[IndexedMemory]:
        ends = [(one.row.validity.end, one) for one in self._state.held(where)]
        within = [(until, one) for until, one in ends if until is not None and begin <= until < end]
        return [one.stored for _, one in sorted(within, key=lambda pair: (-pair[0], pair[1].id))][:limit]

    def changed(self, where: Where, since: int, limit: int) -> list[IndexedMemory]:
        later = [one for one in self._state.held(where) if one.row.updated > since]
        return [one.stored for one in sorted(later, key=lambda one: (-one.row.updated, -one.id))][:limit]

    def sessions(self, where: Where, offset: int, limit: int) -> list[tuple[str, int, int, int]]:
        told: dict[str, list[int]] = {}
        for one in self._state.held(where):
            if one.row.session_id:
                told.setdefault(one.row.session_id, []).append(one.row.timestamp)
        every = [(name, len(times), min(times), max(times)) for name, times in told.items()]
        return sorted(every, key=lambda one: (-one[3], one[0]))[offset : offset + limit]

    def doubled(self, owner: Owner, kind: str, limit: int) -> list[str]:
        times: dict[str, list[int]] = {}
        for one in self._of(owner):
            if one.row.key.kind == kind and one.row.slot and one.row.validity.end is None:
                times.setdefault(one.row.slot, []).append(one.row.timestamp)
        every = sorted((slot for slot in times if len(times[slot]) > 1), key=lambda slot: (-max(times[slot]), slot))
        return every[:limit]

    def names(self, owner: Owner, limit: int) -> list[tuple[str, int, int]]:
        rows: dict[str, list[int]] = {}
        for held in self._of(owner):
            for edge in held.row.edges:
                if edge.relation in ("names", "is"):
                    rows.setdefault(edge.target, []).append(held.id)
        every = [(name, len(ids), max(ids)) for name, ids in rows.items()]
        return sorted(every, key=lambda one: (-one[1], one[0]))[:limit]

    def together(self, owner: Owner, names: Sequence[str], limit: int) -> list[tuple[str, str, int]]:
        pairs = Counter(
            pair
            for held in self._of(owner)
            for pair in combinations(sorted({e.target for e in held.row.edges} & set(names)), 2)
        )
        return sorted(((*pair, number) for pair, number in pairs.items()), key=lambda one: (-one[2], one[:2]))[:limit]

    def _of(self, owner: Owner) -> list[Held]:
        return [one for one in self._state.rows.values() if one.row.key.owner == owner]
