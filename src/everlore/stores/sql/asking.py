"""A database and how it says things: what every shared question begins with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everlore.sql import Row, Tables
from everlore.stores.sql.dialect import Condition, Dialect, joined


class Asking:
    def __init__(self, tables: Tables, say: Dialect) -> None:
        self._tables = tables
        self._say = say

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        return self._tables.read(lambda db: db.rows(sql, values))

    def _where(self, select: str, *conditions: Condition, after: str = "", values: Sequence[Any] = ()) -> list[Row]:
        """The rows that meet all of these; `after` and its `values` stand behind them."""
        demand = joined(conditions)
        return self._rows(f"{select} WHERE {demand.sql}{after}", (*demand.values, *values))
