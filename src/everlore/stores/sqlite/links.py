"""The edges from memories to names."""

from __future__ import annotations

import json
from collections.abc import Iterable

from everlore.stores.sql.links import SqlLinks
from everlore.types import Where


class SqliteLinks(SqlLinks):
    def degrees(self, targets: Iterable[str], where: Where, most: int) -> dict[str, int]:
        demand = self._say.whose(where, "e")
        count = f"SELECT count(*) FROM (SELECT 1 FROM edges e WHERE e.target = j.value AND {demand.sql} LIMIT ?)"
        select = f"SELECT * FROM (SELECT j.value target, ({count}) links FROM json_each(?) j) WHERE links > 0"
        return dict(self._rows(select, (*demand.values, most, json.dumps(list(dict.fromkeys(targets))))))
