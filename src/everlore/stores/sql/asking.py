"""A database and how it says things: what every shared question begins with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from everlore.sql import Row
from everlore.stores.rows import memory
from everlore.stores.sql.dialect import Condition, Dialect, joined
from everlore.types import IndexedMemory

Run = Callable[[Callable[[Any], Any]], Any]
"""Runs work on a connection: `Tables.read`, `Tables.write`, or as searches do."""


class Asking:
    def __init__(self, read: Run, say: Dialect) -> None:
        self._read = read
        self._say = say

    def _rows(self, sql: str, values: Sequence[Any] = (), *, often: bool = False) -> list[Row]:
        found: list[Row] = self._read(lambda db: db.often(sql, values) if often else db.rows(sql, values))
        return found

    def _where(self, select: str, *conditions: Condition, after: str = "", values: Sequence[Any] = ()) -> list[Row]:
        """The rows that meet all of these; `after` and its `values` stand behind them."""
        demand = joined(conditions)
        return self._rows(f"{select} WHERE {demand.sql}{after}", (*demand.values, *values))

    def _memories(self, *conditions: Condition, **more: Any) -> list[IndexedMemory]:
        return list(map(memory, self._where(self._say.stored(), *conditions, **more)))
