"""Bringing the rows of a file up to date. Every function works inside the caller's transaction.

Work is gathered first and written in few statements: each is a journey to the database.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from everlore.postgres.statements import Connection, each, first, load, many, rows, value
from everlore.postgres.tenants import file_uuid, numbered, owner_uuid, tenant_of
from everlore.stores.base import Applied, Stamp
from everlore.stores.postgres.hashes import word_hashes
from everlore.stores.postgres.schema import key_uuid, of_file
from everlore.stores.rows import COLUMNS, columns, tie_of
from everlore.stores.tokens import joined, tokens
from everlore.types import Edge, IndexRow, Key, Owner, Problem, Unit

_MEMORIES = f"memories(tenant, id, key, handle, owner, kind, entry, file, path, {COLUMNS}, senders, data)"
_UPDATE_MEMORY = (
    f"UPDATE memories SET (file, path, {COLUMNS}, senders, data) = ({', '.join(['%s'] * 13)})"
    " WHERE tenant = %s AND id = %s"
)
_UNITS = "units(tenant, id, row, owner, kind, place, turn, start, length, tie, epoch, words, tokens, dense)"


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that is in the index."""

    tenant: int
    id: int
    key: UUID
    owner: UUID
    kind: str
    file: UUID
    digest: str


@dataclass(frozen=True, slots=True)
class OldUnit:
    id: int
    length: int
    start: int
    turn: int
    tokens: str
    dense: str


@dataclass(frozen=True, slots=True)
class Source:
    """A file, as it is to be indexed."""

    path: str
    stamp: Stamp
    rows: Sequence[IndexRow]
    problems: Sequence[Problem] = ()
    file: UUID = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "file", file_uuid(self.path))


@dataclass(slots=True)
class Batch:
    """What is to be written, and the sums that change with it."""

    memories: list[tuple[IndexRow, UUID, Source]] = field(default_factory=list)
    units: list[tuple[Key, int, int, int, Unit, list[str]]] = field(default_factory=list)
    """Key, number of the memory (0: the new one of this key), place, tokens before it, unit, its tokens."""
    gone: list[tuple[int, int]] = field(default_factory=list)
    """Units by tenant and number."""
    moved: list[tuple[int, int, int]] = field(default_factory=list)
    """Tokens before it, tenant and number of units that stay."""
    edges: list[tuple[Key, int, tuple[Edge, ...]]] = field(default_factory=list)
    sums: dict[tuple[UUID, str], list[int]] = field(default_factory=dict)
    lost: Counter[UUID] = field(default_factory=Counter)

    def count(self, owner: UUID, kind: str, rows: int = 0, units: int = 0, tokens: int = 0) -> None:
        sums = self.sums.setdefault((owner, kind), [0, 0, 0])
        sums[0] += rows
        sums[1] += units
        sums[2] += tokens

    def lose(self, owner: UUID, kind: str, unit: OldUnit) -> None:
        self.gone.append((tenant_of(owner), unit.id))
        self.count(owner, kind, units=-1, tokens=-unit.length)
        self.lost[owner] += 1


class Writer:
    """One write transaction. Owners that it touches are locked in one order, and stay so until it ends."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._owners: dict[UUID, Owner] = {}
        self._epochs: dict[UUID, int] = {}

    def replace(
        self,
        path: str,
        stamp: Stamp,
        rows: Sequence[IndexRow],
        problems: Sequence[Problem] = (),
        *,
        partial: bool = False,
        gone: Collection[Key] = (),
    ) -> Applied:
        known = {one.key: one for one in self._known(*of_file(path))}
        kept = set(known).difference(map(key_uuid, gone)) if problems or partial else set()
        source = Source(path, stamp, rows, problems)
        self._tell_problems("tenant = %s AND file = %s", (tenant_of(source.file), source.file), [source])
        return self._put([source], known, kept)

    def replace_all(self, sources: Sequence[Source]) -> None:
        """Many files in few statements."""
        files = [source.file for source in sources]
        known = {one.key: one for one in self._known("file = ANY(%s)", (files,))}
        broken = {source.file for source in sources if source.problems}
        self._tell_problems("file = ANY(%s)", (files,), sources)
        self._put(sources, known, {key for key, one in known.items() if one.file in broken})

    def _tell_problems(self, where: str, values: Sequence[Any], sources: Sequence[Source]) -> None:
        self._connection.execute(f"DELETE FROM problems WHERE {where}".encode(), values)
        load(
            self._connection,
            "problems(tenant, file, place, path, line, reason)",
            [
                (tenant_of(source.file), source.file, place, problem.path, problem.line, problem.reason)
                for source in sources
                for place, problem in enumerate(source.problems)
            ],
        )

    def extend(self, path: str, before: Stamp | None, after: Stamp, rows: Sequence[IndexRow]) -> bool:
        file = file_uuid(path)
        found = first(
            self._connection,
            # a cluster does not carry the tenant into what is asked inside, so it is said twice
            "SELECT mtime_ns, size, EXISTS(SELECT 1 FROM problems p WHERE p.tenant = %s AND p.file = f.file)"
            " FROM files f WHERE tenant = %s AND file = %s FOR UPDATE",
            (tenant_of(file), tenant_of(file), file),
        )
        if found != (None if before is None else (before.mtime_ns, before.size, False)):
            return False
        self._put([Source(path, after, rows)], {})
        return True

    def remove(self, path: str) -> Applied:
        file = file_uuid(path)
        there = (tenant_of(file), file)
        known = self._known(*of_file(path))
        self._settled(file, None)
        self._connection.execute("DELETE FROM problems WHERE tenant = %s AND file = %s", there)
        self._connection.execute("DELETE FROM files WHERE tenant = %s AND file = %s", there)
        if not known:
            return Applied()
        batch = Batch()
        self._lock_owners({one.owner for one in known})
        self._delete(batch, known)
        self._write(batch)
        return Applied(removed=len(known))

    def clear(self, keep: Collection[str] = ()) -> None:
        """Empty everything that comes from other files. Numbers already given stay given."""
        if keep:
            for (path,) in rows(self._connection, "SELECT path FROM files"):
                if path not in keep:
                    self.remove(path)
            return
        for table in ("problems", "files", "memories", "edges", "units", "waiting", "vectors", "tally"):
            self._connection.execute(f"DELETE FROM {table}".encode())
        self._connection.execute("UPDATE owners SET epoch = epoch + 1, lost = lost + 1")
        self._connection.execute("DELETE FROM queue WHERE written IS NOT NULL")

    def _put(self, sources: Sequence[Source], known: dict[UUID, Known], kept: Set[UUID] = frozenset()) -> Applied:
        """Insert, update and, unless they are to be kept, delete what is known and not among the rows. Of two rows
        with one key the later counts."""
        many(
            self._connection,
            "INSERT INTO files(tenant, file, path, mtime_ns, size)",
            [(tenant_of(one.file), one.file, one.path, one.stamp.mtime_ns, one.stamp.size) for one in sources],
            "ON CONFLICT(tenant, file) DO UPDATE SET mtime_ns = excluded.mtime_ns, size = excluded.size",
        )
        if len(sources) == 1:  # of many, what is queued is looked at once more
            self._settled(sources[0].file, sources[0].stamp)
        wanted = {key_uuid(row.key): (row, source) for source in sources for row in source.rows}
        for row, _ in wanted.values():
            self._owners[owner_uuid(row.key.owner)] = row.key.owner
        left = [one for key, one in known.items() if key not in wanted and key not in kept]
        known = known | self._elsewhere([key for key in wanted if key not in known])
        changed = [
            (known[key], row, source)
            for key, (row, source) in wanted.items()
            if key in known and (known[key].digest, known[key].file) != (row.digest, source.file)
        ]
        added = [(row, key, source) for key, (row, source) in wanted.items() if key not in known]
        if not (left or changed or added):
            return Applied()
        touched = {owner_uuid(row.key.owner) for row, _, _ in added}
        self._lock_owners(touched | {one.owner for one in (*left, *(old for old, _, _ in changed))})
        batch = Batch(memories=added)
        for row, _, _ in added:
            batch.edges.append((row.key, 0, row.edges))
            batch.count(owner_uuid(row.key.owner), row.key.kind, rows=1)
            _put_units(batch, row)
        self._update(batch, changed)
        self._delete(batch, left)
        self._write(batch)
        return Applied(len(added), len(changed), len(left))

    def _elsewhere(self, keys: Sequence[UUID]) -> dict[UUID, Known]:
        """The same memories in other files: moved, or copied, and the file read last has them."""
        if not keys:
            return {}
        tenants = sorted({tenant_of(owner) for owner in self._owners})
        return {one.key: one for one in self._known("tenant = ANY(%s) AND key = ANY(%s)", (tenants, list(keys)))}

    def _known(self, where: str, values: Sequence[Any]) -> list[Known]:
        select = f"SELECT tenant, id, key, owner, kind, file, digest FROM memories WHERE {where}"
        return [Known(*found) for found in rows(self._connection, select, values)]

    def _settled(self, file: UUID, stamp: Stamp | None) -> None:
        """What was queued because of this very writing, or an older one, is done."""
        newest, values = ("", ()) if stamp is None else (" AND written <= %s", (stamp.mtime_ns,))
        self._connection.execute(
            f"DELETE FROM queue WHERE tenant = %s AND file = %s AND written IS NOT NULL{newest}".encode(),
            (tenant_of(file), file, *values),
        )

    def _lock_owners(self, owners: Iterable[UUID]) -> None:
        """In one order, so that no two writers wait for each other."""
        fresh = sorted(set(owners) - set(self._epochs))
        known = [(name, self._owners[name]) for name in fresh if name in self._owners]
        for name in fresh:
            if name not in self._owners:
                update = "UPDATE owners SET epoch = epoch + 1 WHERE tenant = %s AND owner = %s RETURNING epoch"
                self._epochs[name] = value(self._connection, update, (tenant_of(name), name))
        found = many(
            self._connection,
            "INSERT INTO owners(tenant, owner, app, project, track, name, epoch, lost)",
            [(tenant_of(name), name, who.scope.app, who.scope.project, who.track, who.id) for name, who in known],
            "ON CONFLICT(tenant, owner) DO UPDATE SET epoch = owners.epoch + 1 RETURNING owner, epoch",
            "%s, %s, %s, %s, %s, %s, 1, 0",
        )
        self._epochs |= dict(found)

    def _update(self, batch: Batch, changed: Sequence[tuple[Known, IndexRow, Source]]) -> None:
        if not changed:
            return
        moved = [(to.file, to.path, old.tenant, old.id) for old, row, to in changed if old.digest == row.digest]
        each(self._connection, "UPDATE memories SET file = %s, path = %s WHERE tenant = %s AND id = %s", moved)
        said = [
            (to.file, to.path, *_columns(row), old.tenant, old.id)
            for old, row, to in changed
            if old.digest != row.digest
        ]
        each(self._connection, _UPDATE_MEMORY, said)
        others = [(old, row) for old, row, _ in changed if old.digest != row.digest]
        self._drop_edges([old for old, _ in others])
        units = self._units([old for old, _ in others])
        for old, row in others:
            batch.edges.append((row.key, old.id, row.edges))
            _put_units(batch, row, old.id, units.get(old.id, []))

    def _units(self, known: Sequence[Known]) -> dict[int, list[OldUnit]]:
        select = (
            "SELECT row, id, length, start, turn, tokens, dense FROM units WHERE tenant = ANY(%s) AND row = ANY(%s)"
            " ORDER BY row, place"
        )
        found: dict[int, list[OldUnit]] = {}
        if known:
            values = (sorted({one.tenant for one in known}), [one.id for one in known])
            for memory, *unit in rows(self._connection, select, values):
                found.setdefault(memory, []).append(OldUnit(*unit))
        return found

    def _delete(self, batch: Batch, known: Sequence[Known]) -> None:
        units = self._units(known)
        for one in known:
            for unit in units.get(one.id, []):
                batch.lose(one.owner, one.kind, unit)
            batch.count(one.owner, one.kind, rows=-1)
        self._drop_edges(known)
        for tenant, ids in _by_tenant((one.tenant, one.id) for one in known).items():
            self._connection.execute("DELETE FROM memories WHERE tenant = %s AND id = ANY(%s)", (tenant, ids))

    def _drop_edges(self, known: Sequence[Known]) -> None:
        for tenant, ids in _by_tenant((one.tenant, one.id) for one in known).items():
            self._connection.execute("DELETE FROM edges WHERE tenant = %s AND row = ANY(%s)", (tenant, ids))

    def _write(self, batch: Batch) -> None:
        for tenant, ids in _by_tenant(batch.gone).items():
            for table, column in (("waiting", "unit"), ("vectors", "unit"), ("units", "id")):
                delete = f"DELETE FROM {table} WHERE tenant = %s AND {column} = ANY(%s)"
                self._connection.execute(delete.encode(), (tenant, ids))
        each(self._connection, "UPDATE units SET start = %s WHERE tenant = %s AND id = %s", batch.moved)
        self._insert(batch)
        many(
            self._connection,
            "INSERT INTO tally(tenant, owner, kind, rows, units, tokens)",
            [(tenant_of(owner), owner, kind, *sums) for (owner, kind), sums in sorted(batch.sums.items()) if any(sums)],
            "ON CONFLICT(tenant, owner, kind) DO UPDATE SET rows = tally.rows + excluded.rows,"
            " units = tally.units + excluded.units, tokens = tally.tokens + excluded.tokens",
        )
        each(
            self._connection,
            "UPDATE owners SET lost = lost + %s WHERE tenant = %s AND owner = %s",
            [(count, tenant_of(owner), owner) for owner, count in sorted(batch.lost.items())],
        )

    def _insert(self, batch: Batch) -> None:
        wanted = len(batch.memories) + len(batch.units)
        if wanted:
            draw = "SELECT nextval('numbers') FROM generate_series(1, %s)"
            fresh = iter([number for (number,) in rows(self._connection, draw, (wanted,))])
        memories: list[tuple[Any, ...]] = []
        numbers: dict[Key, int] = {}
        for row, key, source in batch.memories:
            owner = owner_uuid(row.key.owner)
            numbers[row.key] = number = numbered(tenant_of(owner), next(fresh))
            said = (tenant_of(owner), number, key, row.key.global_id, owner, row.key.kind, row.key.local_id)
            memories.append((*said, source.file, source.path, *_columns(row)))
        load(self._connection, _MEMORIES, memories)
        units: list[tuple[Any, ...]] = []
        for unit_key, memory, place, start, unit, words in batch.units:
            owner = owner_uuid(unit_key.owner)
            tenant = tenant_of(owner)
            name = (tenant, numbered(tenant, next(fresh)), memory or numbers[unit_key], owner, unit_key.kind)
            where = (place, unit.turn, start, len(words), tie_of(unit_key), self._epochs[owner])
            units.append((*name, *where, word_hashes(owner, words), joined(words), unit.dense))
        load(self._connection, _UNITS, units)
        load(self._connection, "waiting(tenant, unit)", [(unit[0], unit[1]) for unit in units if unit[-1]])
        edges: list[tuple[Any, ...]] = []
        for edge_key, memory, given in batch.edges:
            owner = owner_uuid(edge_key.owner)
            number = memory or numbers[edge_key]
            edges += [
                (tenant_of(owner), number, place, owner, edge.relation, edge.target, edge.weight)
                for place, edge in enumerate(given)
            ]
        load(self._connection, "edges(tenant, row, place, owner, relation, target, weight)", edges)


def _put_units(batch: Batch, row: IndexRow, number: int = 0, old: Sequence[OldUnit] = ()) -> None:
    """The units of a memory, 0 for a new one. Those that stand where the `old` ones stood keep number and vector."""
    owner, kind, start = owner_uuid(row.key.owner), row.key.kind, 0
    for place, unit in enumerate(row.units):
        words = tokens(unit.words)
        before = old[place] if place < len(old) else None
        if before and (before.turn, before.tokens, before.dense) == (unit.turn, joined(words), unit.dense):
            if before.start != start:
                batch.moved.append((start, tenant_of(owner), before.id))
        else:
            if before:
                batch.lose(owner, kind, before)
            batch.units.append((row.key, number, place, start, unit, words))
            batch.count(owner, kind, units=1, tokens=len(words))
        start += len(words)
    for one in old[len(row.units) :]:
        batch.lose(owner, kind, one)


def _columns(row: IndexRow) -> tuple[Any, ...]:
    return *columns(row), list(row.sender_ids), json.dumps(row.data)


def _by_tenant(numbers: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for tenant, number in numbers:
        found.setdefault(tenant, []).append(number)
    return found
