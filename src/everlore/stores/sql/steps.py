"""Steps of a search that are the same questions for every database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from everlore.sql import Row
from everlore.stores.rows import memory
from everlore.stores.sql.asking import Asking
from everlore.stores.sql.dialect import joined
from everlore.types import IndexedMemory, Owner, Where


class Steps(Asking):
    def in_turns(
        self, owner: Owner, kinds: Sequence[str], turns: Sequence[tuple[str, int]]
    ) -> list[tuple[IndexedMemory, int, str]]:
        select = f"{self._say.stored('u.turn, u.tokens, ')} {self._say.units}"
        return [(memory(row), turn, tokens) for turn, tokens, *row in self._of_turns(select, owner, kinds, turns)]

    def anchors(self, owner: Owner, kind: str, turns: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
        select = f"SELECT r.parent_id, u.turn, u.id FROM {self._say.memories} {self._say.units}"
        # from the last to the first, which is the one that stays
        found = reversed(self._of_turns(select, owner, [kind], turns))
        return {(parent, turn): unit for parent, turn, unit in found}

    def permitted(self, rows: Iterable[int], where: Where) -> set[int]:
        wanted = list(rows)
        select = f"SELECT r.id FROM {self._say.memories}"
        demand = (self._say.numbers("r.id", wanted), self._say.permitted(where))
        return {number for (number,) in (self._where(select, *demand) if wanted else ())}

    def episodes_of(self, rows: Iterable[int]) -> Mapping[int, int]:
        wanted = list(rows)
        named = joined([self._say.numbers("w.id", wanted), self._say.kinds(["episode"])])
        after = " AND w.parent_id <> '' ORDER BY w.id, r.entry DESC"
        return dict(self._where(f"SELECT w.id, r.id FROM {self._say.beside()}", named, after=after) if wanted else ())

    def _of_turns(self, select: str, owner: Owner, kinds: Sequence[str], turns: Sequence[tuple[str, int]]) -> list[Row]:
        if not turns:
            return []
        parents = self._say.texts("r.parent_id", dict.fromkeys(parent for parent, _ in turns))
        mine = joined([self._say.owner(owner), self._say.kinds(kinds), parents])
        named = joined([mine, self._say.turns(turns)])
        return self._rows(f"{select} WHERE {named.sql} ORDER BY r.entry, u.place", named.values, often=True)
