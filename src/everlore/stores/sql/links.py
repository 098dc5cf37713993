"""The edges from memories to names (`Links`), the same questions for every database but one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everlore.stores.base import Link
from everlore.stores.sql.asking import Asking
from everlore.stores.sql.dialect import ALWAYS
from everlore.types import Edge, Where


class SqlLinks(Asking):
    def to(self, targets: Iterable[str], where: Where, relations: Sequence[str] | None = None) -> list[Link]:
        named = self._say.texts("e.target", dict.fromkeys(targets))
        wanted = ALWAYS if relations is None else self._say.texts("e.relation", relations)
        select = f"SELECT e.row, {self._say.kind}, e.relation, e.target, e.weight FROM {self._say.edges}"
        found = self._where(select, named, self._say.permitted(where), wanted)
        return [Link(row, kind, Edge(relation, target, weight)) for row, kind, relation, target, weight in found]

    def of(self, rows: Sequence[int]) -> list[tuple[int, Edge]]:
        select = "SELECT e.row, e.relation, e.target, e.weight FROM edges e"
        found = self._where(select, self._say.numbers("e.row", rows), after=" ORDER BY e.row, e.place") if rows else []
        return [(row, Edge(*edge)) for row, *edge in found]
