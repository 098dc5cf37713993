"""From ranked unit numbers to hits: apply the filter, break ties, stop when enough were found.

Where nothing is to be decided, nothing is read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from everlore.database import Connection
from everlore.stores.sql.dialect import Condition
from everlore.stores.sqlite.dialect import of_partition
from everlore.types import UnitHit

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SMALLEST_STEP = 16
MOST_TIES = 256
"""Of more units with one and the same score, those indexed first are looked at."""


def numbers(connection: Connection, sql: str, values: Sequence[Any] = ()) -> Ints:
    """The numbers that a `group_concat` gives.

    One long string out of SQLite and into numpy is far quicker than a Python object for each number.
    """
    return np.fromstring(connection.value(sql, values) or "", dtype=np.int64, sep=",")


def permitted(connection: Connection, owner: int, kinds: Sequence[int], condition: Condition, most: int = -1) -> Ints:
    """Every unit that meets a condition, or so many of them. Worth its price when few of the best do."""
    demand = of_partition(owner, kinds, condition)
    select = f"SELECT u.id FROM memories r CROSS JOIN units u ON u.row = r.id WHERE {demand.sql} LIMIT ?"
    return numbers(connection, f"SELECT group_concat(id) FROM ({select})", (*demand.values, most))


class Settled(NamedTuple):
    """A hit with what orders it among equals (tie, place), and its text."""

    hit: UnitHit
    tie: int
    place: int
    length: int
    tokens: str


def hits(connection: Connection, units: Ints, scores: Floats, condition: Condition | None, limit: int) -> list[UnitHit]:
    """The first `limit` of these units, given best first, that meet the condition."""
    first = scores[: limit + 1]
    if condition is None and bool((first[1:] < first[:-1]).all()):
        return list(map(UnitHit, units[:limit].tolist(), scores[:limit].tolist()))
    return [one.hit for one in settle(connection, units, scores, condition, limit)]


def settle(
    connection: Connection, units: Ints, scores: Floats, condition: Condition | None, limit: int
) -> list[Settled]:
    """The first `limit` of these units, given best first, that are still there and meet the condition."""
    found: list[Settled] = []
    start = 0
    step = max(SMALLEST_STEP, limit if condition is None else limit * 2)
    while start < len(units) and len(found) < limit:
        end = min(len(units), start + step)
        # equal scores are ordered by their ties, so they must be looked at together
        while end < len(units) and scores[end] == scores[end - 1] and end - start < step + MOST_TIES:
            end += 1
        chunk = _look_up(connection, units[start:end], scores[start:end], condition)
        found += sorted(chunk, key=lambda one: (-one.hit.score, one.tie, one.place))
        start = end
    return found[:limit]


def _look_up(connection: Connection, units: Ints, scores: Floats, condition: Condition | None) -> list[Settled]:
    score = dict(zip(units.tolist(), scores.tolist(), strict=True))
    demand = condition or Condition("1")
    select = (
        "SELECT u.id, u.tie, u.place, u.length, u.tokens FROM json_each(?) j CROSS JOIN units u ON u.id = j.value"
        f" CROSS JOIN memories r ON r.id = u.row WHERE {demand.sql}"
    )
    return [
        Settled(UnitHit(unit, score[unit]), *rest)
        for unit, *rest in connection.rows(select, (json.dumps(list(score)), *demand.values))
    ]
