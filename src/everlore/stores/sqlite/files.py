"""Writing rows into the file of the index: tables, the text index, and vectors with their packs."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import numpy as np

from everlore.database import Connection, Database
from everlore.errors import Misconfigured
from everlore.sql import T
from everlore.stores.base import Source, Vector
from everlore.stores.rows import COLUMNS, columns, tie_of
from everlore.stores.sql.files import SqlFiles
from everlore.stores.sql.plan import Plan
from everlore.stores.sqlite import packs
from everlore.stores.sqlite.checks import check
from everlore.stores.sqlite.dialect import SAY
from everlore.stores.sqlite.lookups import Lookups
from everlore.stores.sqlite.schema import EVERYONE, MOST_KINDS, code
from everlore.stores.tokens import joined
from everlore.stores.vector_math import packed
from everlore.types import IndexRow, Owner

_TABLES = ("problems", "files", "memories", "bodies", "edges", "units", "denses", "vectors", "tally")
_MEMORIES = f"memories(id, owner, kind, entry, handle, file, {COLUMNS}, senders)"
_UNITS = "units(id, row, place, owner, kind, turn, start, length, tie, model, tokens)"


class SqliteFiles(SqlFiles):
    def __init__(self, db: Database, lookups: Lookups) -> None:
        super().__init__(db.read, SAY)
        self._db = db
        self._lookups = lookups

    def _writing(self, paths: Sequence[str], work: Callable[[Connection], T]) -> T:
        del paths  # who writes is alone
        return self._db.write(work)

    def _anew(self, work: Callable[[Connection], T]) -> T:
        if not self._db.sound():
            self._db.renew()
        return self._db.write(work)

    def _faults(self, db: Connection) -> list[str]:
        return check(db)

    def _empty(self, db: Connection) -> None:
        for table in _TABLES:
            db.execute(f"DELETE FROM {table}")
        db.execute("INSERT INTO words(words) VALUES('delete-all')")
        db.execute("UPDATE owners SET epoch = epoch + 1, lost = lost + 1")
        packs.begin(db, 0)

    def _numbers(self, db: Connection, owners: Sequence[Owner]) -> Iterable[int]:
        return _given(db, "last number", len(owners))

    def _note(self, db: Connection, sources: Sequence[Source], broken: Collection[str]) -> None:
        db.each("DELETE FROM problems WHERE path = ?", [(path,) for path in broken])
        problems = [(source.path, one.line, one.reason) for source in sources for one in source.problems]
        db.load("problems(path, line, reason)", problems)
        db.each("DELETE FROM files WHERE path = ?", [(source.path,) for source in sources if source.stamp is None])
        db.each(
            "INSERT INTO files(path, mtime_ns, size, broken) VALUES(?, ?, ?, ?) ON CONFLICT(path) DO UPDATE SET"
            " mtime_ns = excluded.mtime_ns, size = excluded.size, broken = excluded.broken",
            [(one.path, one.stamp.mtime_ns, one.stamp.size, bool(one.problems)) for one in sources if one.stamp],
        )

    def _write(self, db: Connection, plan: Plan, vectors: Mapping[str, Vector]) -> None:
        number = _Numbers(db)
        _drop(db, plan, number)
        db.each("UPDATE memories SET file = ? WHERE id = ?", [(number.file(path), one) for one, path in plan.moved])
        db.each("UPDATE units SET start = ? WHERE id = ?", [(start, unit) for unit, start in plan.shifted])
        db.load(
            _MEMORIES,
            [
                (one, *number.of(key.owner, key.kind), key.local_id, key.global_id, number.file(path), *_columns(row))
                for one, row, path in plan.memories
                for key in [row.key]
            ],
        )
        bodies = [(one, json.dumps(dict(row.data), ensure_ascii=False)) for one, row, _ in plan.memories]
        db.load("bodies(row, data)", bodies)
        db.load(
            "edges(row, place, owner, relation, target, weight)",
            [
                (one, place, number.owner(row.key.owner), edge.relation, edge.target, edge.weight)
                for one, row, _ in plan.memories
                for place, edge in enumerate(row.edges)
            ],
        )
        self._put_units(db, plan, number, vectors)
        _count(db, plan, number)

    def _put_units(self, db: Connection, plan: Plan, number: _Numbers, vectors: Mapping[str, Vector]) -> None:
        model = self._lookups.model(db) if vectors else None
        known = vectors if model else {}
        units, words = [], []
        for one in plan.units:
            owner, kind = number.of(one.key.owner, one.key.kind)
            length, dense = len(one.words), one.unit.dense
            named = model[0] if model and dense in known else 0
            place = (one.place, owner, kind, one.unit.turn, one.start, length, tie_of(one.key))
            units.append((one.id, one.memory, *place, named if dense else None, joined(one.words)))
            prefix = f" {owner}:"
            text = f"{prefix}{prefix.join(one.words)} {' '.join(one.words)}" if one.words else ""
            words.append((code(one.id, kind, length), text))
        db.load(_UNITS, units)
        db.load("denses(unit, dense)", [(one.id, one.unit.dense) for one in plan.units if one.unit.dense])
        db.load("words(rowid, tokens)", words)
        made = [
            (one.id, *number.of(one.key.owner, one.key.kind), known[one.unit.dense])
            for one in plan.units
            if one.unit.dense in known
        ]
        if model and made:
            put_vectors(db, model[0], made)


def _columns(row: IndexRow) -> tuple[object, ...]:
    return *columns(row), json.dumps(row.sender_ids)


class _Numbers:
    """The numbers of owners, kinds and files, given where they are missing."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._known: dict[object, int] = {}

    def of(self, owner: Owner, kind: str) -> tuple[int, int]:
        return self.owner(owner), self.kind(kind)

    def owner(self, owner: Owner) -> int:
        if owner not in self._known:
            key = (owner.scope.app, owner.scope.project, owner.track, owner.id)
            self._db.execute("INSERT OR IGNORE INTO owners(app, project, track, name) VALUES(?, ?, ?, ?)", key)
            select = "SELECT id FROM owners WHERE app = ? AND project = ? AND track = ? AND name = ?"
            self._known[owner] = int(self._db.value(select, key))
        return self._known[owner]

    def kind(self, name: str) -> int:
        if name not in self._known:
            self._db.execute("INSERT OR IGNORE INTO kinds(name) VALUES(?)", (name,))
            self._known[name] = int(self._db.value("SELECT id FROM kinds WHERE name = ?", (name,)))
            if self._known[name] > MOST_KINDS:
                raise Misconfigured(f"the index has room for {MOST_KINDS} kinds of memory; {name!r} is one too many")
        return self._known[name]

    def file(self, path: str) -> int:
        at = ("file", path)
        if at not in self._known:
            self._known[at] = int(self._db.value("SELECT id FROM files WHERE path = ?", (path,)))
        return self._known[at]


def put_vectors(db: Connection, model: int, units: Sequence[tuple[int, int, int, Vector]]) -> None:
    """Store vectors of units, each with its owner and kind."""
    packs.begin(db, model)
    vectors = packed(np.stack([vector for *_, vector in units]))
    numbers = _given(db, "last vector", len(units))
    db.each(
        "INSERT OR REPLACE INTO vectors(unit, number, owner, kind, model, vector) VALUES(?, ?, ?, ?, ?, ?)",
        [(*one[:1], at, *one[1:3], model, vector) for one, at, vector in zip(units, numbers, vectors, strict=True)],
    )
    for _ in range(2 + len(units) // packs.SIZE):  # faster than they come, if many were left
        if not packs.step(db):
            break


def _given(db: Connection, counter: str, count: int) -> range:
    """So many numbers that were never given before."""
    upsert = "INSERT INTO meta(name, value) VALUES(?1, ?2) ON CONFLICT DO UPDATE SET value = value + ?2 RETURNING value"
    last = int(db.value(upsert, (counter, count)))
    return range(last - count + 1, last + 1)


def _drop(db: Connection, plan: Plan, number: _Numbers) -> None:
    lost, dropped = [(one.id,) for one in plan.lost], [(one,) for one in plan.dropped]
    words = [(code(one.id, number.kind(one.kind), one.length),) for one in plan.lost]
    db.each("DELETE FROM words WHERE rowid = ?", words)
    db.each("INSERT INTO dropped(unit) SELECT unit FROM vectors WHERE unit = ?", lost)
    for table, column in (("vectors", "unit"), ("denses", "unit"), ("units", "id")):
        db.each(f"DELETE FROM {table} WHERE {column} = ?", lost)
    for table, column in (("bodies", "row"), ("edges", "row"), ("memories", "id")):
        db.each(f"DELETE FROM {table} WHERE {column} = ?", dropped)


def _count(db: Connection, plan: Plan, number: _Numbers) -> None:
    """Of each owner, and of all of them together."""
    for (owner, kind), sums in plan.sums.items():
        db.each(
            "INSERT INTO tally(owner, kind, rows, units, tokens) VALUES(?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            " rows = rows + excluded.rows, units = units + excluded.units, tokens = tokens + excluded.tokens",
            [(who, number.kind(kind), *sums) for who in (number.owner(owner), EVERYONE)],
        )
    losses = {number.owner(owner): plan.losses[owner] for owner, _ in plan.sums}
    grown = [(lost, owner) for owner, lost in {**losses, EVERYONE: len(plan.lost)}.items()]
    db.each("UPDATE owners SET epoch = epoch + 1, lost = lost + ? WHERE id = ?", grown)
