"""What people ask who look at the whole (`Overview`), the same questions for every database."""

from __future__ import annotations

from collections.abc import Sequence

from everlore.stores.sql.asking import Asking
from everlore.stores.sql.dialect import Condition
from everlore.types import IndexedMemory, Owner, Where


class SqlOverview(Asking):
    def density(self, where: Where, size: int, *, ended: bool = False) -> dict[int, int]:
        column = "r.valid_until" if ended else "r.timestamp"
        select = f"SELECT {column} / {size:d}, count(*) FROM {self._say.memories}"
        there = Condition(f"{column} IS NOT NULL")
        found = self._where(select, self._say.permitted(where), there, after=" GROUP BY 1 ORDER BY 1")
        return {int(stretch): int(number) for stretch, number in found}

    def ended(self, where: Where, begin: int, end: int, limit: int) -> list[IndexedMemory]:
        within = Condition("r.valid_until >= ? AND r.valid_until < ?", (begin, end))
        after = " ORDER BY r.valid_until DESC, r.id LIMIT ?"
        return self._memories(self._say.permitted(where), within, after=after, values=(limit,))

    def changed(self, where: Where, since: int, limit: int) -> list[IndexedMemory]:
        later = Condition("r.updated > ?", (since,))
        after = " ORDER BY r.updated DESC, r.id DESC LIMIT ?"
        return self._memories(self._say.permitted(where), later, after=after, values=(limit,))

    def sessions(self, where: Where, offset: int, limit: int) -> list[tuple[str, int, int, int]]:
        select = f"SELECT r.session_id, count(*), min(r.timestamp), max(r.timestamp) FROM {self._say.memories}"
        after = " GROUP BY r.session_id ORDER BY 4 DESC, 1 LIMIT ? OFFSET ?"
        told = Condition("r.session_id <> ''")
        found = self._where(select, self._say.permitted(where), told, after=after, values=(limit, offset))
        return [(session, int(number), int(first), int(last)) for session, number, first, last in found]

    def doubled(self, owner: Owner, kind: str, limit: int) -> list[str]:
        said = Condition("r.slot <> '' AND r.valid_until IS NULL")
        select = f"SELECT r.slot FROM {self._say.memories}"
        after = " GROUP BY r.slot HAVING count(*) > 1 ORDER BY max(r.timestamp) DESC, 1 LIMIT ?"
        found = self._where(select, self._say.owner(owner), self._say.kinds([kind]), said, after=after, values=(limit,))
        return [slot for (slot,) in found]

    def names(self, owner: Owner, limit: int) -> list[tuple[str, int, int]]:
        after = " GROUP BY e.target ORDER BY 2 DESC, 1 LIMIT ?"
        whose, named = self._say.owner(owner, "e"), Condition("e.relation IN ('names', 'is')")
        select = "SELECT e.target, count(*), max(e.row) FROM edges e"
        found = self._where(select, whose, named, after=after, values=(limit,))
        return [(name, int(number), int(row)) for name, number, row in found]

    def together(self, owner: Owner, names: Sequence[str], limit: int) -> list[tuple[str, str, int]]:
        beside = "edges n ON n.row = e.row AND e.target < n.target"
        select = f"SELECT e.target, n.target, count(*) FROM edges e JOIN {beside}"
        demands = [self._say.owner(owner, alias) for alias in "en"]
        demands += [self._say.texts(f"{alias}.target", names) for alias in "en"]
        after = " GROUP BY e.target, n.target ORDER BY 3 DESC, 1, 2 LIMIT ?"
        found = self._where(select, *demands, after=after, values=(limit,))
        return [(one, other, int(number)) for one, other, number in found]
