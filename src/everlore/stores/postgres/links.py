"""Memories by their global id, the newest of a scope, and the links between memories and names.

Every function works on the caller's connection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from everlore.postgres.statements import Connection, rows, value
from everlore.postgres.tenants import tenants_of
from everlore.stores.base import Link, ListingPage
from everlore.stores.conditions import ALWAYS, Condition, joined
from everlore.stores.postgres import read
from everlore.stores.postgres.filters import beginning, of_owner, of_scope, partition, restriction
from everlore.stores.postgres.schema import CUT
from everlore.types import Edge, IndexedMemory, Scope, Where


def by_global_id(connection: Connection, ids: Iterable[str]) -> dict[str, IndexedMemory]:
    found = rows(connection, "SELECT id FROM memories WHERE handle = ANY(%s)", (list(ids),))
    return {one.key.global_id: one for one in read.stored(connection, (number for (number,) in found)).values()}


def newest(
    connection: Connection, where: Where, alone: Sequence[str] = (), *, offset: int = 0, limit: int = 20
) -> ListingPage:
    kinds = Condition("r.kind = ANY(%s) OR (r.kind = ANY(%s) AND r.parent_id = '')", (list(where.kinds), list(alone)))
    demand = joined([of_owner(where, "r"), kinds, restriction(where) or ALWAYS])
    total = int(value(connection, f"SELECT count(*) FROM memories r WHERE {demand.sql}", demand.values))
    if offset >= total:
        return ListingPage([], total)
    select = (
        f"SELECT r.id FROM memories r WHERE {demand.sql}"
        f" ORDER BY r.timestamp DESC, left(r.entry, {CUT}) DESC, r.entry DESC, r.handle LIMIT %s OFFSET %s"
    )
    ids = [number for (number,) in rows(connection, select, (*demand.values, limit, offset))]
    found = read.stored(connection, ids)
    return ListingPage([found[number] for number in ids if number in found], total)


def degrees(connection: Connection, targets: Iterable[str], scope: Scope | None, most: int) -> dict[str, int]:
    wanted = list(dict.fromkeys(targets))
    demand = of_scope(scope, "e") if scope else ALWAYS
    found: dict[str, int] = {}
    for start in range(0, len(wanted), 100):
        some = wanted[start : start + 100]
        one = f"SELECT 1 FROM edges e WHERE left(e.target, {CUT}) = %s AND e.target = %s AND {demand.sql} LIMIT %s"
        select = ", ".join([f"(SELECT count(*) FROM ({one}) c)"] * len(some))
        values = [part for target in some for part in (target[:CUT], target, *demand.values, most)]
        counts = rows(connection, f"SELECT {select}", values)[0]
        found |= {target: number for target, number in zip(some, counts, strict=True) if number}
    return found


def to_targets(
    connection: Connection, targets: Iterable[str], where: Where, relations: Sequence[str] | None = None
) -> list[Link]:
    wanted = [beginning("e.target", list(dict.fromkeys(targets))), partition(where, "r", restriction(where))]
    if relations is not None:
        wanted.append(Condition("e.relation = ANY(%s)", (list(relations),)))
    demand = joined(wanted)
    select = (
        "SELECT e.row, r.kind, e.relation, e.target, e.weight FROM edges e"
        f" JOIN memories r ON r.tenant = e.tenant AND r.id = e.row WHERE {demand.sql}"
    )
    return [
        Link(row, kind, Edge(relation, target, weight))
        for row, kind, relation, target, weight in rows(connection, select, demand.values)
    ]


def permitted(connection: Connection, ids: Iterable[int], where: Where) -> set[int]:
    wanted = list(ids)
    named = Condition("r.tenant = ANY(%s) AND r.id = ANY(%s)", (tenants_of(wanted), wanted))
    demand = joined([named, partition(where, "r", restriction(where))])
    found = rows(connection, f"SELECT r.id FROM memories r WHERE {demand.sql}", demand.values) if wanted else []
    return {number for (number,) in found}


def units_of(connection: Connection, ids: Iterable[int], each: int) -> dict[int, list[int]]:
    wanted = list(dict.fromkeys(ids))
    select = "SELECT row, id FROM units WHERE tenant = ANY(%s) AND row = ANY(%s) AND place < %s ORDER BY row, place"
    found: dict[int, list[int]] = {}
    for row, unit in rows(connection, select, (tenants_of(wanted), wanted, each)) if wanted else ():
        found.setdefault(row, []).append(unit)
    return found


def episodes_of(connection: Connection, ids: Iterable[int]) -> Mapping[int, int]:
    wanted = list(ids)
    select = (
        "SELECT r.id, e.id FROM memories r JOIN memories e ON e.tenant = r.tenant AND e.owner = r.owner"
        f" AND left(e.parent_id, {CUT}) = left(r.parent_id, {CUT}) AND e.parent_id = r.parent_id"
        " WHERE r.tenant = ANY(%s) AND r.id = ANY(%s) AND r.parent_id <> '' AND e.kind = 'episode'"
        " ORDER BY r.id, e.entry DESC"
    )
    found = rows(connection, select, (tenants_of(wanted), wanted)) if wanted else []
    return dict(found)
