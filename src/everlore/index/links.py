"""Memories by their handle, the newest of a scope, and the links between memories and names.

Every function works inside the caller's snapshot.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

import apsw

from everlore.database import rows, value
from everlore.index import read
from everlore.index.base import Link, ListingPage
from everlore.index.filters import Condition, of_scope, restriction
from everlore.types import Edge, IndexedMemory, Scope, Where


def by_handle(connection: apsw.Connection, handles: Iterable[str]) -> dict[str, IndexedMemory]:
    select = "SELECT r.id FROM json_each(?) j CROSS JOIN rows r ON r.handle = j.value"
    found = rows(connection, select, (json.dumps(list(handles)),))
    return {row.key.global_id: row for row in read.stored(connection, (number for (number,) in found)).values()}


def newest(
    connection: apsw.Connection, where: Where, alone: Sequence[str] = (), *, offset: int = 0, limit: int = 20
) -> ListingPage:
    """Rows of these kinds, and those of the kinds `alone` that have no parent, the latest first."""
    owner = read.owner_number(connection, where.owner)
    kinds, lone = read.kind_numbers(connection, where.kinds), read.kind_numbers(connection, alone)
    if owner is None or not kinds + lone:
        return ListingPage([], 0)
    demand = restriction(where) or Condition("1")
    sql = f"({_kinds(kinds)} OR ({_kinds(lone)} AND r.parent_id = '')) AND ({demand.sql})"
    values = demand.values
    if where.owner is not None:
        sql, values = f"r.owner = ? AND {sql}", (owner, *values)
    total: int = value(connection, f"SELECT count(*) FROM rows r WHERE {sql}", values)
    if offset >= total:
        return ListingPage([], total)
    # walks back through time until the page is full, rather than sort everything
    select = (
        f"SELECT r.id FROM rows r INDEXED BY rows_newest WHERE {sql}"
        " ORDER BY r.timestamp DESC, r.entry DESC, r.handle LIMIT ? OFFSET ?"
    )
    ids = [number for (number,) in rows(connection, select, (*values, limit, offset))]
    found = read.stored(connection, ids)
    return ListingPage([found[number] for number in ids if number in found], total)


def count(connection: apsw.Connection, where: Where) -> int:
    """Rows of these kinds, from the sums that are kept; a filter and validity are not looked at."""
    kinds = read.kind_numbers(connection, where.kinds)
    sums = f"SELECT coalesce(sum(t.rows), 0) FROM tally t WHERE t.kind IN ({', '.join(map(str, kinds))})"
    if where.owner is None and where.scope is not None:
        demand = of_scope(where.scope, "t.owner")
    else:
        demand = Condition("t.owner = ?", (read.owner_number(connection, where.owner) or 0,))
        if where.owner is not None and not demand.values[0]:
            return 0
    return int(value(connection, f"{sums} AND {demand.sql}", demand.values)) if kinds else 0


def degrees(connection: apsw.Connection, targets: Iterable[str], scope: Scope | None, most: int) -> dict[str, int]:
    """How many links lead to each of these targets, counted up to `most`; targets without any are left out."""
    demand = of_scope(scope, "e.owner") if scope else Condition("1")
    count = f"SELECT count(*) FROM (SELECT 1 FROM edges e WHERE e.target = j.value AND {demand.sql} LIMIT ?)"
    select = f"SELECT * FROM (SELECT j.value target, ({count}) links FROM json_each(?) j) WHERE links > 0"
    found = rows(connection, select, (*demand.values, most, json.dumps(list(dict.fromkeys(targets)))))
    return dict(found)


def to_targets(
    connection: apsw.Connection, targets: Iterable[str], where: Where, relations: Sequence[str] | None = None
) -> list[Link]:
    """Links of permitted rows that lead to these targets."""
    demand = _permitted(connection, where)
    if demand is None:
        return []
    wanted = "" if relations is None else " AND e.relation IN (SELECT value FROM json_each(?))"
    select = (
        "SELECT e.row, k.name, e.relation, e.target, e.weight FROM json_each(?) j"
        f" CROSS JOIN edges e ON e.target = j.value CROSS JOIN rows r ON r.id = e.row"
        f" CROSS JOIN kinds k ON k.id = r.kind WHERE {demand.sql}{wanted}"
    )
    last = () if relations is None else (json.dumps(list(relations)),)
    found = rows(connection, select, (json.dumps(list(dict.fromkeys(targets))), *demand.values, *last))
    return [Link(row, kind, Edge(relation, target, weight)) for row, kind, relation, target, weight in found]


def permitted(connection: apsw.Connection, ids: Iterable[int], where: Where) -> set[int]:
    """Which of these rows a query may touch."""
    demand = _permitted(connection, where)
    if demand is None:
        return set()
    select = f"SELECT r.id FROM json_each(?) j CROSS JOIN rows r ON r.id = j.value WHERE {demand.sql}"
    return {number for (number,) in rows(connection, select, (json.dumps(list(ids)), *demand.values))}


def units_of(connection: apsw.Connection, ids: Iterable[int], each: int) -> dict[int, list[int]]:
    """The first `each` units of these rows."""
    select = (
        "SELECT u.row, u.id FROM json_each(?) j CROSS JOIN units u ON u.row = j.value WHERE u.place < ?"
        " ORDER BY u.row, u.place"
    )
    found: dict[int, list[int]] = {}
    for row, unit in rows(connection, select, (json.dumps(list(dict.fromkeys(ids))), each)):
        found.setdefault(row, []).append(unit)
    return found


def episodes_of(connection: apsw.Connection, ids: Iterable[int]) -> Mapping[int, int]:
    """For rows that came from a cell: the episode of the same owner and cell, if there is one."""
    select = (
        "SELECT r.id, e.id FROM json_each(?) j CROSS JOIN rows r ON r.id = j.value AND r.parent_id <> ''"
        " CROSS JOIN rows e ON e.owner = r.owner AND e.parent_id = r.parent_id"
        " AND e.kind = (SELECT id FROM kinds WHERE name = 'episode') ORDER BY r.id, e.entry DESC"
    )
    return dict(rows(connection, select, (json.dumps(list(ids)),)))


def _permitted(connection: apsw.Connection, where: Where) -> Condition | None:
    owner, kinds = read.owner_number(connection, where.owner), read.kind_numbers(connection, where.kinds)
    if owner is None or not kinds:
        return None
    demand = restriction(where) or Condition("1")
    sql = f"{_kinds(kinds)} AND ({demand.sql})"
    return (
        Condition(sql, demand.values)
        if where.owner is None
        else Condition(f"{sql} AND r.owner = {owner}", demand.values)
    )


def _kinds(numbers: Sequence[int]) -> str:
    """The numbers are our own, so they may stand in the statement."""
    return f"r.kind IN ({', '.join(map(str, numbers))})"
