"""Memories by their global id, the newest of a scope, and the links between memories and names.

Every function works inside the caller's snapshot.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

import apsw

from everlore.database import rows, value
from everlore.stores.base import Link, ListingPage
from everlore.stores.conditions import ALWAYS, Condition, joined
from everlore.stores.sqlite import read
from everlore.stores.sqlite.filters import of_kinds, of_scope, restriction
from everlore.types import Edge, IndexedMemory, Scope, Where


def by_global_id(connection: apsw.Connection, ids: Iterable[str]) -> dict[str, IndexedMemory]:
    select = "SELECT r.id FROM json_each(?) j CROSS JOIN rows r ON r.handle = j.value"
    found = rows(connection, select, (json.dumps(list(ids)),))
    return {row.key.global_id: row for row in read.stored(connection, (number for (number,) in found)).values()}


def newest(
    connection: apsw.Connection, where: Where, alone: Sequence[str] = (), *, offset: int = 0, limit: int = 20
) -> ListingPage:
    whose = ALWAYS if where.owner is None else Condition("r.owner = ?", (read.owner_number(connection, where.owner),))
    lone = joined([of_kinds(read.kind_numbers(connection, alone)), Condition("r.parent_id = ''")])
    kinds = joined([of_kinds(read.kind_numbers(connection, where.kinds)), lone], "OR")
    demand = joined([whose, kinds, restriction(where) or ALWAYS])
    total: int = value(connection, f"SELECT count(*) FROM rows r WHERE {demand.sql}", demand.values)
    if offset >= total:
        return ListingPage([], total)
    # walks back through time until the page is full, rather than sort everything
    select = (
        f"SELECT r.id FROM rows r INDEXED BY rows_newest WHERE {demand.sql}"
        " ORDER BY r.timestamp DESC, r.entry DESC, r.handle LIMIT ? OFFSET ?"
    )
    ids = [number for (number,) in rows(connection, select, (*demand.values, limit, offset))]
    found = read.stored(connection, ids)
    return ListingPage([found[number] for number in ids if number in found], total)


def degrees(connection: apsw.Connection, targets: Iterable[str], scope: Scope | None, most: int) -> dict[str, int]:
    demand = of_scope(scope, "e.owner") if scope else ALWAYS
    count = f"SELECT count(*) FROM (SELECT 1 FROM edges e WHERE e.target = j.value AND {demand.sql} LIMIT ?)"
    select = f"SELECT * FROM (SELECT j.value target, ({count}) links FROM json_each(?) j) WHERE links > 0"
    found = rows(connection, select, (*demand.values, most, json.dumps(list(dict.fromkeys(targets)))))
    return dict(found)


def to_targets(
    connection: apsw.Connection, targets: Iterable[str], where: Where, relations: Sequence[str] | None = None
) -> list[Link]:
    demand = read.permitted_by(connection, where)
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
    demand = read.permitted_by(connection, where)
    select = f"SELECT r.id FROM json_each(?) j CROSS JOIN rows r ON r.id = j.value WHERE {demand.sql}"
    return {number for (number,) in rows(connection, select, (json.dumps(list(ids)), *demand.values))}


def units_of(connection: apsw.Connection, ids: Iterable[int], each: int) -> dict[int, list[int]]:
    select = (
        "SELECT u.row, u.id FROM json_each(?) j CROSS JOIN units u ON u.row = j.value WHERE u.place < ?"
        " ORDER BY u.row, u.place"
    )
    found: dict[int, list[int]] = {}
    for row, unit in rows(connection, select, (json.dumps(list(dict.fromkeys(ids))), each)):
        found.setdefault(row, []).append(unit)
    return found


def episodes_of(connection: apsw.Connection, ids: Iterable[int]) -> Mapping[int, int]:
    select = (
        "SELECT r.id, e.id FROM json_each(?) j CROSS JOIN rows r ON r.id = j.value AND r.parent_id <> ''"
        " CROSS JOIN rows e ON e.owner = r.owner AND e.parent_id = r.parent_id"
        " AND e.kind = (SELECT id FROM kinds WHERE name = 'episode') ORDER BY r.id, e.entry DESC"
    )
    return dict(rows(connection, select, (json.dumps(list(ids)),)))
