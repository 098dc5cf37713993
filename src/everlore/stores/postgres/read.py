"""Rows and units as the index gives them back. Every function works on the caller's connection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from everlore.postgres.statements import Connection, first, rows, value
from everlore.postgres.tenants import file_uuid, owner_uuid, tenant_of, tenants_of
from everlore.stores.base import ListingPage, Piece, Stamp
from everlore.stores.conditions import ALWAYS, joined
from everlore.stores.postgres.filters import beginning, of_scope, partition, restriction
from everlore.stores.postgres.schema import key_uuid, of_file
from everlore.stores.rows import memory
from everlore.types import Edge, IndexedMemory, Key, Owner, Problem, Scope, Where

_COLUMNS = (
    "r.id, o.app, o.project, o.track, o.name, r.kind, r.entry, r.path, r.session_id, r.parent_type, r.parent_id,"
    " r.timestamp, r.updated, r.senders, r.valid_from, r.valid_until, r.data, r.slot"
)
_OWNER = "JOIN owners o ON o.tenant = r.tenant AND o.owner = r.owner"
_STORED = f"SELECT {_COLUMNS} FROM memories r {_OWNER}"


def files(connection: Connection, under: str = "") -> dict[str, Stamp]:
    found = rows(connection, "SELECT path, mtime_ns, size FROM files WHERE starts_with(path, %s)", (under,))
    return {path: Stamp(mtime_ns, size) for path, mtime_ns, size in found}


def stamp(connection: Connection, path: str) -> Stamp | None:
    file = file_uuid(path)
    select = "SELECT mtime_ns, size FROM files WHERE tenant = %s AND file = %s"
    found = first(connection, select, (tenant_of(file), file))
    return Stamp(*found) if found else None


def parents(connection: Connection, path: str) -> dict[str, str]:
    there, values = of_file(path)
    return dict(rows(connection, f"SELECT entry, parent_id FROM memories WHERE {there}", values))


def digests(connection: Connection, path: str) -> dict[str, str]:
    there, values = of_file(path)
    return dict(rows(connection, f"SELECT entry, digest FROM memories WHERE {there}", values))


def problems(connection: Connection) -> list[Problem]:
    found = rows(connection, "SELECT path, line, reason FROM problems ORDER BY path, line, reason")
    return [Problem(*problem) for problem in found]


def stored(connection: Connection, ids: Iterable[int]) -> dict[int, IndexedMemory]:
    wanted = list(ids)
    if not wanted:
        return {}
    select = f"{_STORED} WHERE r.tenant = ANY(%s) AND r.id = ANY(%s)"
    return {found[0]: memory(found) for found in rows(connection, select, (tenants_of(wanted), wanted))}


def find(connection: Connection, keys: Iterable[Key]) -> dict[Key, IndexedMemory]:
    wanted = list(keys)
    tenants = sorted({tenant_of(owner_uuid(key.owner)) for key in wanted})
    select = f"{_STORED} WHERE r.tenant = ANY(%s) AND r.key = ANY(%s)"
    found = rows(connection, select, (tenants, [key_uuid(key) for key in wanted])) if wanted else []
    return {one.key: one for one in map(memory, found)}


def page(
    connection: Connection,
    where: Where,
    *,
    sort_by: Literal["timestamp", "updated"] = "timestamp",
    descending: bool = True,
    offset: int = 0,
    limit: int = 20,
) -> ListingPage:
    demand = restriction(where)
    condition = partition(where, "r", demand)
    if demand is None:
        total = count(connection, where)
    else:
        total = int(value(connection, f"SELECT count(*) FROM memories r WHERE {condition.sql}", condition.values))
    # entry before id: the order must be the same after a rebuild, which gives new ids
    column = {"timestamp": "r.timestamp", "updated": "r.updated"}[sort_by]
    way = "DESC" if descending else "ASC"
    order = f"ORDER BY {column} {way}, left(r.entry, 64) {way}, r.entry {way}, r.id {way} LIMIT %s OFFSET %s"
    found = rows(connection, f"{_STORED} WHERE {condition.sql} {order}", (*condition.values, limit, offset))
    return ListingPage(list(map(memory, found)), total)


def count(connection: Connection, where: Where) -> int:
    scoped = where.scope if where.owner is None else None
    demand = partition(where, "t", of_scope(scoped, "t") if scoped else None)
    return int(value(connection, f"SELECT coalesce(sum(t.rows), 0) FROM tally t WHERE {demand.sql}", demand.values))


def children(
    connection: Connection, owner: Owner, kind: str, parent_ids: Sequence[str], *, ended: bool = False
) -> list[IndexedMemory]:
    wanted = list(dict.fromkeys(parent_ids))
    parents, name = beginning("r.parent_id", wanted), owner_uuid(owner)
    only = " AND r.valid_until IS NOT NULL" if ended else ""
    select = f"{_STORED} WHERE r.tenant = %s AND r.owner = %s AND r.kind = %s AND {parents.sql}{only}"
    values = (tenant_of(name), name, kind, *parents.values)
    return list(map(memory, rows(connection, f"{select} ORDER BY r.timestamp, r.entry", values)))


def in_turns(
    connection: Connection, owner: Owner, kind: str, turns: Sequence[tuple[str, int]]
) -> list[tuple[IndexedMemory, int, str]]:
    found = _of_turns(connection, f"u.turn, u.tokens, {_COLUMNS}", owner, kind, turns)
    return [(memory(one), turn, tokens) for turn, tokens, *one in found]


def anchors(
    connection: Connection, owner: Owner, kind: str, turns: Sequence[tuple[str, int]]
) -> dict[tuple[str, int], int]:
    found = _of_turns(connection, "r.parent_id, u.turn, u.id", owner, kind, turns)
    # from the last to the first, which is the one that stays
    return {(parent, turn): unit for parent, turn, unit in reversed(found)}


def _of_turns(
    connection: Connection, columns: str, owner: Owner, kind: str, turns: Sequence[tuple[str, int]]
) -> list[tuple[Any, ...]]:
    if not turns:
        return []
    name, places = owner_uuid(owner), ([parent for parent, _ in turns], [turn for _, turn in turns])
    parents = beginning("r.parent_id", list(dict.fromkeys(places[0])))
    select = (
        f"SELECT {columns} FROM memories r {_OWNER} JOIN units u ON u.tenant = r.tenant AND u.row = r.id"
        " JOIN unnest(%s::text[], %s::int[]) j(parent, turn) ON j.parent = r.parent_id AND j.turn = u.turn"
        f" WHERE r.tenant = %s AND r.owner = %s AND r.kind = %s AND {parents.sql} ORDER BY r.entry, u.place"
    )
    return rows(connection, select, (*places, tenant_of(name), name, kind, *parents.values))


def in_slot(connection: Connection, owner: Owner, kind: str, *slots: str) -> list[IndexedMemory]:
    name, among = owner_uuid(owner), beginning("r.slot", list(slots))
    # the empty slot means "about nothing in particular"; saying so lets the partial index be used
    select = (
        f"{_STORED} WHERE r.tenant = %s AND r.owner = %s AND r.kind = %s AND r.slot <> '' AND {among.sql}"
        " ORDER BY r.timestamp, r.entry"
    )
    return list(map(memory, rows(connection, select, (tenant_of(name), name, kind, *among.values))))


def edges_of(connection: Connection, ids: Sequence[int]) -> list[tuple[int, Edge]]:
    select = (
        "SELECT row, relation, target, weight FROM edges WHERE tenant = ANY(%s) AND row = ANY(%s) ORDER BY row, place"
    )
    found = rows(connection, select, (tenants_of(ids), list(ids))) if ids else []
    return [(row, Edge(*edge)) for row, *edge in found]


def owners(connection: Connection, scope: Scope | None = None, limit: int | None = None) -> list[tuple[Owner, int]]:
    demand = ALWAYS
    if scope is not None:
        demand = joined([beginning("o.app", [scope.app]), beginning("o.project", [scope.project])])
    select = (
        "SELECT o.app, o.project, o.track, o.name, sum(t.rows) FROM owners o"
        f" JOIN tally t ON t.tenant = o.tenant AND t.owner = o.owner WHERE {demand.sql}"
        " GROUP BY o.app, o.project, o.track, o.name HAVING sum(t.rows) > 0 ORDER BY 1, 2, 3, 4 LIMIT %s"
    )
    return [
        (Owner(Scope(app, project), track, name), int(number))
        for app, project, track, name, number in rows(connection, select, (*demand.values, limit))
    ]


def around(connection: Connection, units: Sequence[int], reach: int) -> list[Piece]:
    if not units:
        return []
    select = (
        "SELECT DISTINCT ON (n.row, n.place) n.id, n.row, n.kind, r.parent_id, n.turn, n.start, n.length, n.tokens"
        " FROM units u JOIN units n ON n.tenant = u.tenant AND n.row = u.row"
        " AND n.place BETWEEN u.place - %s AND u.place + %s"
        " JOIN memories r ON r.tenant = n.tenant AND r.id = n.row"
        " WHERE u.tenant = ANY(%s) AND u.id = ANY(%s) ORDER BY n.row, n.place"
    )
    found = rows(connection, select, (reach, reach, tenants_of(units), list(units)))
    return list(map(Piece._make, found))
