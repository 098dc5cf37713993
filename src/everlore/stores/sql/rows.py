"""Memories as they are listed and looked up (`Rows`), the same questions for every database."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from everlore.stores.base import ListingPage, Order
from everlore.stores.rows import memory, owner_of
from everlore.stores.sql.asking import Asking
from everlore.stores.sql.dialect import ALWAYS, Condition, joined
from everlore.types import IndexedMemory, Key, Owner, Scope, Where


class SqlRows(Asking):
    def stored(self, ids: Iterable[int]) -> dict[int, IndexedMemory]:
        wanted = list(ids)
        return {one.id: one for one in self._memories(self._say.numbers("r.id", wanted))} if wanted else {}

    def find(self, keys: Iterable[Key]) -> dict[Key, IndexedMemory]:
        wanted = list(keys)
        return {one.key: one for one in self._memories(self._say.keys(wanted))} if wanted else {}

    def by_global_id(self, ids: Iterable[str]) -> dict[str, IndexedMemory]:
        return {one.key.global_id: one for one in self._memories(self._say.texts("r.handle", ids))}

    def page(
        self, where: Where, *, sort_by: Order = "timestamp", descending: bool = True, offset: int = 0, limit: int = 20
    ) -> ListingPage:
        demand, way = self._say.permitted(where), "DESC" if descending else "ASC"
        # entry before id: the order must be the same after a rebuild, which gives new ids
        column = {"timestamp": "r.timestamp", "updated": "r.updated"}[sort_by]
        order = f" ORDER BY {column} {way}, {self._say.entry.format(way=way)}, r.id {way} LIMIT ? OFFSET ?"
        total = self.count(where) if self._say.restriction(where) is None else self._total(demand)
        return ListingPage(self._memories(demand, after=order, values=(limit, offset)), total)

    def newest(self, where: Where, alone: Sequence[str] = (), *, offset: int = 0, limit: int = 20) -> ListingPage:
        kinds = self._say.kinds(where.kinds)
        if alone:
            lone = joined([self._say.kinds(alone), Condition("r.parent_id = ''")])
            kinds = joined([kinds, lone], "OR")
        demand = joined([self._say.of_owner(where), kinds, self._say.restriction(where) or ALWAYS])
        total = self._total(demand)
        if offset >= total:
            return ListingPage([], total)
        # walks back through time until the page is full, rather than sort everything
        order = f" ORDER BY r.timestamp DESC, {self._say.entry.format(way='DESC')}, r.handle LIMIT ? OFFSET ?"
        select = self._say.stored(index=self._say.newest_first)
        return ListingPage(list(map(memory, self._where(select, demand, after=order, values=(limit, offset)))), total)

    def count(self, where: Where) -> int:
        of_kinds = self._say.kinds(where.kinds, "t")
        found = self._where("SELECT coalesce(sum(t.rows), 0) FROM tally t", of_kinds, self._say.sums(where))
        return int(found[0][0])

    def owners(self, scope: Scope | None = None, limit: int | None = None) -> list[tuple[Owner, int]]:
        asked = self._say.owners(scope, limit)
        return [(owner_of(*one[:4]), int(one[4])) for one in self._rows(asked.sql, asked.values)]

    def with_ended(
        self, ids: Iterable[int], kinds: Sequence[str]
    ) -> tuple[dict[int, IndexedMemory], list[IndexedMemory]]:
        wanted = list(ids)
        if not wanted:
            return {}, []
        if not kinds:
            return self.stored(wanted), []
        mine = self._say.numbers("r.id", wanted)
        said = Condition("w.parent_id <> '' AND r.valid_until IS NOT NULL")
        ended = joined([self._say.numbers("w.id", wanted), self._say.kinds(kinds), said])
        source = f"{self._say.beside(self._say.only_ended)} {self._say.together}"
        select = (
            f"{self._say.stored('0, ')} WHERE {mine.sql}"
            f" UNION ALL SELECT 1, {self._say.columns} FROM {source} WHERE {ended.sql}"
        )
        found = self._rows(select, (*mine.values, *ended.values), often=True)
        others = {row[1]: memory(row[1:]) for row in found if row[0]}.values()
        oldest_first = sorted(others, key=lambda one: (one.timestamp, one.key.local_id))
        return {row[1]: memory(row[1:]) for row in found if not row[0]}, oldest_first

    def children(self, owner: Owner, kind: str, parent_ids: Sequence[str]) -> list[IndexedMemory]:
        mine = joined([self._say.owner(owner), self._say.kinds([kind]), self._say.texts("r.parent_id", parent_ids)])
        return self._memories(mine, after=" ORDER BY r.timestamp, r.entry")

    def related(
        self, owner: Owner, kind: str, slots: Sequence[str], ids: Collection[int], newest: int
    ) -> list[IndexedMemory]:
        mine = joined([self._say.owner(owner), self._say.kinds([kind])])
        late = f" ORDER BY r.timestamp DESC, {self._say.entry.format(way='DESC')}, r.id DESC LIMIT {newest:d}"
        asked = [(mine, late)]
        asked += [(self._about(owner, kind, slots), "")] if slots else []
        asked += [(self._say.numbers("r.id", ids), "")] if ids else []
        parts = [f"SELECT * FROM ({self._say.stored()} WHERE {which.sql}{order}) p" for which, order in asked]
        values = [value for which, _ in asked for value in which.values]
        found = self._rows(" UNION ALL ".join(parts), values, often=True)
        return list({row[0]: memory(row) for row in found}.values())

    def in_slot(self, owner: Owner, kind: str, *slots: str) -> list[IndexedMemory]:
        return self._memories(self._about(owner, kind, slots), after=" ORDER BY r.timestamp, r.entry")

    def in_slots(self, owner: Owner, kind: str, slots: Sequence[str]) -> dict[str, list[int]]:
        select = f"SELECT r.slot, r.id FROM {self._say.memories}"
        found: dict[str, list[int]] = {}
        for slot, number in self._where(select, self._about(owner, kind, slots), after=" ORDER BY r.id"):
            found.setdefault(slot, []).append(number)
        return found

    def _about(self, owner: Owner, kind: str, slots: Iterable[str]) -> Condition:
        # the empty slot means "about nothing in particular"; saying so lets the index be used that has the others
        said = Condition("r.slot <> ''")
        return joined([self._say.owner(owner), self._say.kinds([kind]), self._say.texts("r.slot", slots), said])

    def _total(self, demand: Condition) -> int:
        select = f"SELECT count(*) FROM {self._say.memories} WHERE {demand.sql}"
        return int(self._rows(select, demand.values)[0][0])
