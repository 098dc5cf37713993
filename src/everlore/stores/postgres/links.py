"""The edges from memories to names."""

from __future__ import annotations

from collections.abc import Iterable

from everlore.stores.postgres.schema import CUT
from everlore.stores.sql.links import SqlLinks
from everlore.types import Where

TOGETHER = 100
"""Names counted in one statement."""


class PostgresLinks(SqlLinks):
    def degrees(self, targets: Iterable[str], where: Where, most: int) -> dict[str, int]:
        wanted = list(dict.fromkeys(targets))
        demand = self._say.whose(where, "e")
        one = f"SELECT 1 FROM edges e WHERE left(e.target, {CUT}) = ? AND e.target = ? AND {demand.sql} LIMIT ?"
        found: dict[str, int] = {}
        for start in range(0, len(wanted), TOGETHER):
            some = wanted[start : start + TOGETHER]
            select = ", ".join([f"(SELECT count(*) FROM ({one}) c)"] * len(some))
            values = [part for target in some for part in (target[:CUT], target, *demand.values, most)]
            counts = self._rows(f"SELECT {select}", values)[0]
            found |= {target: number for target, number in zip(some, counts, strict=True) if number}
        return found
