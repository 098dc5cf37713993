"""Rows and units as the index gives them back. Every function works inside the caller's snapshot."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import apsw

from everlore.database import row, rows, value
from everlore.stores.base import ListingPage, Piece, Stamp
from everlore.stores.conditions import Condition
from everlore.stores.rows import memory
from everlore.stores.sqlite.filters import of_partition, of_scope, restriction
from everlore.stores.sqlite.schema import EVERYONE
from everlore.types import Edge, IndexedMemory, Key, Owner, Problem, Scope, Where

_STORED = (
    "SELECT {more}r.id, o.app, o.project, o.track, o.name, k.name, r.entry, f.path, r.session_id, r.parent_type,"
    " r.parent_id, r.timestamp, r.updated, r.senders, r.valid_from, r.valid_until, b.data, r.slot FROM {source}"
    " CROSS JOIN owners o ON o.id = r.owner CROSS JOIN kinds k ON k.id = r.kind"
    " CROSS JOIN files f ON f.id = r.file CROSS JOIN bodies b ON b.row = r.id "
)
_OF_ROWS = _STORED.format(more="", source="rows r")
_OF_IDS = _STORED.format(more="", source="json_each(?) j CROSS JOIN rows r ON r.id = j.value")
_OF_FILE = "SELECT r.entry, r.{} FROM files f JOIN rows r ON r.file = f.id WHERE f.path = ?"
# the turns of a parent come as one string, so that its rows are looked through once
_TURNS = (
    "json_each(?) j CROSS JOIN rows r ON r.owner = ? AND r.parent_id = j.key AND r.kind = ?"
    " CROSS JOIN units u ON u.row = r.id AND instr(j.value, ',' || u.turn || ',')"
)


def files(connection: apsw.Connection, under: str = "") -> dict[str, Stamp]:
    select = "SELECT path, mtime_ns, size FROM files WHERE path >= ?1 AND substr(path, 1, ?2) = ?1"
    # no path sorts behind this one and begins with `under`
    found = rows(connection, f"{select} AND path < ?3", (under, len(under), under + chr(0x10FFFF)))
    return {path: Stamp(mtime_ns, size) for path, mtime_ns, size in found}


def stamp(connection: apsw.Connection, path: str) -> Stamp | None:
    found = row(connection, "SELECT mtime_ns, size FROM files WHERE path = ?", (path,))
    return Stamp(*found) if found else None


def parents(connection: apsw.Connection, path: str) -> dict[str, str]:
    return dict(rows(connection, _OF_FILE.format("parent_id"), (path,)))


def digests(connection: apsw.Connection, path: str) -> dict[str, str]:
    return dict(rows(connection, _OF_FILE.format("digest"), (path,)))


def problems(connection: apsw.Connection) -> list[Problem]:
    found = rows(connection, "SELECT path, line, reason FROM problems ORDER BY path, line, reason")
    return [Problem(*problem) for problem in found]


def owner_number(connection: apsw.Connection, owner: Owner | None) -> int | None:
    """None when nothing of this owner was ever indexed."""
    if owner is None:
        return EVERYONE
    found: int | None = value(
        connection,
        "SELECT id FROM owners WHERE app = ? AND project = ? AND track = ? AND name = ?",
        (owner.scope.app, owner.scope.project, owner.track, owner.id),
    )
    return found


def kind_numbers(connection: apsw.Connection, kinds: Iterable[str]) -> list[int]:
    select = "SELECT k.id FROM kinds k WHERE k.name IN (SELECT value FROM json_each(?)) ORDER BY k.id"
    return [number for (number,) in rows(connection, select, (json.dumps(list(kinds)),))]


def _numbers(connection: apsw.Connection, owner: Owner, kind: str) -> tuple[int | None, int | None]:
    """None for what was never indexed: in SQL it equals nothing."""
    return owner_number(connection, owner), next(iter(kind_numbers(connection, [kind])), None)


def stored(connection: apsw.Connection, ids: Iterable[int]) -> dict[int, IndexedMemory]:
    return {row[0]: memory(row) for row in rows(connection, _OF_IDS, (json.dumps(list(ids)),))}


def find(connection: apsw.Connection, keys: Iterable[Key]) -> dict[Key, IndexedMemory]:
    entries: dict[tuple[Owner, str], list[str]] = {}
    for key in keys:
        entries.setdefault((key.owner, key.kind), []).append(key.local_id)
    select = (
        "SELECT r.id FROM json_each(?) j CROSS JOIN kinds k ON k.name = ?"
        " CROSS JOIN rows r ON r.owner = ? AND r.kind = k.id AND r.entry = j.value"
    )
    ids: list[int] = []
    for (owner, kind), wanted in entries.items():
        values = (json.dumps(wanted), kind, owner_number(connection, owner))
        ids += [number for (number,) in rows(connection, select, values)]
    return {row.key: row for row in stored(connection, ids).values()}


def page(
    connection: apsw.Connection,
    where: Where,
    *,
    sort_by: Literal["timestamp", "updated"] = "timestamp",
    descending: bool = True,
    offset: int = 0,
    limit: int = 20,
) -> ListingPage:
    condition = permitted_by(connection, where)
    if restriction(where) is None:
        total = count(connection, where)
    else:
        total = value(connection, f"SELECT count(*) FROM rows r WHERE {condition.sql}", condition.values)
    # entry before id: the order must be the same after a rebuild, which gives new ids
    column = {"timestamp": "r.timestamp", "updated": "r.updated"}[sort_by]
    way = "DESC" if descending else "ASC"
    found = rows(
        connection,
        f"{_OF_ROWS} WHERE {condition.sql} ORDER BY {column} {way}, r.entry {way}, r.id {way} LIMIT ? OFFSET ?",
        (*condition.values, limit, offset),
    )
    return ListingPage(list(map(memory, found)), total)


def permitted_by(connection: apsw.Connection, where: Where) -> Condition:
    """What is true of the rows that a query may touch."""
    owner, kinds = owner_number(connection, where.owner), kind_numbers(connection, where.kinds)
    return of_partition(owner, kinds, restriction(where))


def count(connection: apsw.Connection, where: Where) -> int:
    if where.owner is None and where.scope is not None:
        whose = of_scope(where.scope, "t.owner")
    else:
        whose = Condition("t.owner = ?", (owner_number(connection, where.owner),))
    kinds = kind_numbers(connection, where.kinds)
    sums = f"SELECT coalesce(sum(t.rows), 0) FROM tally t WHERE t.kind IN ({', '.join('?' * len(kinds))})"
    return int(value(connection, f"{sums} AND {whose.sql}", (*kinds, *whose.values)))


def children(
    connection: apsw.Connection, owner: Owner, kind: str, parent_ids: Sequence[str], *, ended: bool = False
) -> list[IndexedMemory]:
    narrowed, only = (" INDEXED BY rows_ended", " AND r.valid_until IS NOT NULL") if ended else ("", "")
    source = f"json_each(?) j CROSS JOIN rows r{narrowed} ON r.owner = ? AND r.parent_id = j.value AND r.kind = ?{only}"
    select = f"{_STORED.format(more='', source=source)} ORDER BY r.timestamp, r.entry"
    parents = json.dumps(list(dict.fromkeys(parent_ids)))
    return list(map(memory, rows(connection, select, (parents, *_numbers(connection, owner, kind)))))


def in_turns(
    connection: apsw.Connection, owner: Owner, kind: str, turns: Sequence[tuple[str, int]]
) -> list[tuple[IndexedMemory, int, str]]:
    found = _of_turns(connection, _STORED.format(more="u.turn, u.tokens, ", source=_TURNS), owner, kind, turns)
    return [(memory(row), turn, tokens) for turn, tokens, *row in found]


def anchors(
    connection: apsw.Connection, owner: Owner, kind: str, turns: Sequence[tuple[str, int]]
) -> dict[tuple[str, int], int]:
    found = _of_turns(connection, f"SELECT r.parent_id, u.turn, u.id FROM {_TURNS}", owner, kind, turns)
    # from the last to the first, which is the one that stays
    return {(parent, turn): unit for parent, turn, unit in reversed(found)}


def _of_turns(
    connection: apsw.Connection, select: str, owner: Owner, kind: str, turns: Sequence[tuple[str, int]]
) -> list[tuple[Any, ...]]:
    wanted: dict[str, str] = {}
    for parent, turn in turns:
        wanted[parent] = f"{wanted.get(parent, ',')}{turn},"
    values = (json.dumps(wanted), *_numbers(connection, owner, kind))
    return rows(connection, f"{select} ORDER BY r.entry, u.place", values)


def in_slot(connection: apsw.Connection, owner: Owner, kind: str, *slots: str) -> list[IndexedMemory]:
    # the empty slot means "about nothing in particular"; saying so lets SQLite use the partial index
    condition = "r.owner = ? AND r.kind = ? AND r.slot IN (SELECT value FROM json_each(?)) AND r.slot <> ''"
    select = f"{_OF_ROWS} WHERE {condition} ORDER BY r.timestamp, r.entry"
    return list(map(memory, rows(connection, select, (*_numbers(connection, owner, kind), json.dumps(slots)))))


def in_slots(connection: apsw.Connection, owner: Owner, kind: str, slots: Sequence[str]) -> dict[str, list[int]]:
    select = (
        "SELECT r.slot, r.id FROM json_each(?) j CROSS JOIN rows r"
        " ON r.owner = ? AND r.kind = ? AND r.slot = j.value AND r.slot <> '' ORDER BY r.id"
    )
    found: dict[str, list[int]] = {}
    for slot, number in rows(connection, select, (json.dumps(list(slots)), *_numbers(connection, owner, kind))):
        found.setdefault(slot, []).append(number)
    return found


def edges_of(connection: apsw.Connection, ids: Sequence[int]) -> list[tuple[int, Edge]]:
    select = (
        "SELECT e.row, e.relation, e.target, e.weight FROM json_each(?) j CROSS JOIN edges e ON e.row = j.value"
        " ORDER BY e.row, e.place"
    )
    found = rows(connection, select, (json.dumps(list(dict.fromkeys(ids))),))
    return [(row, Edge(relation, target, weight)) for row, relation, target, weight in found]


def owners(
    connection: apsw.Connection, scope: Scope | None = None, limit: int | None = None
) -> list[tuple[Owner, int]]:
    demand, values = ("1", ()) if scope is None else ("app = ? AND project = ?", (scope.app, scope.project))
    # counted owner by owner in the order of the index, so that a limit ends the walk
    counted = "SELECT o.*, (SELECT sum(t.rows) FROM tally t WHERE t.owner = o.id) AS count FROM owners o"
    select = (
        f"SELECT app, project, track, name, count FROM ({counted}) WHERE id <> 0 AND count > 0 AND {demand}"
        " ORDER BY app, project, track, name LIMIT ?"
    )
    return [
        (Owner(Scope(app, project), track, name), count)
        for app, project, track, name, count in rows(connection, select, (*values, -1 if limit is None else limit))
    ]


def around(connection: apsw.Connection, units: Sequence[int], reach: int) -> list[Piece]:
    select = (
        "SELECT n.id, n.row, k.name, r.parent_id, n.turn, n.start, n.length, n.tokens FROM units n"
        " JOIN rows r ON r.id = n.row JOIN kinds k ON k.id = n.kind WHERE n.id IN ("
        "  SELECT near.id FROM json_each(?) j CROSS JOIN units u ON u.id = j.value CROSS JOIN units near"
        "  ON near.row = u.row AND near.place BETWEEN u.place - ? AND u.place + ?)"
        " ORDER BY n.row, n.place"
    )
    return list(map(Piece._make, rows(connection, select, (json.dumps(list(units)), reach, reach))))


def current_model(connection: apsw.Connection) -> tuple[int, str, int] | None:
    """Number, name and dimension of the model whose vectors are compared."""
    select = "SELECT m.id, m.name, m.dimension FROM meta JOIN models m ON m.id = meta.value WHERE meta.name = 'model'"
    found = row(connection, select)
    return (found[0], found[1], found[2]) if found else None
