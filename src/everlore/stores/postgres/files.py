"""Writing rows into PostgreSQL. Each statement is a journey, so there are no more of them than tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from everlore.postgres.server import INDEX_WRITERS, Server
from everlore.postgres.statements import Connection
from everlore.sql import T
from everlore.stores.base import Source, Vector
from everlore.stores.postgres.dialect import SAY
from everlore.stores.postgres.schema import OurModel, word_hashes
from everlore.stores.postgres.upkeep import check
from everlore.stores.postgres.vectors import VECTORS, written
from everlore.stores.rows import COLUMNS, columns, tie_of
from everlore.stores.sql.files import SqlFiles
from everlore.stores.sql.plan import Plan
from everlore.stores.tokens import joined
from everlore.tenants import by_tenant, file_uuid, numbered, owner_uuid, tenant_of
from everlore.types import Owner

_TABLES = ("problems", "files", "memories", "edges", "units", "waiting", "vectors", "tally")
_MEMORIES = f"memories(tenant, id, handle, owner, kind, entry, file, path, {COLUMNS}, senders, data)"
_UNITS = "units(tenant, id, row, owner, kind, place, turn, start, length, tie, epoch, words, tokens, dense)"
_DROP = (
    "WITH e AS (DELETE FROM edges WHERE tenant = ? AND row = ANY(?)),"
    " m AS (DELETE FROM memories WHERE tenant = ? AND id = ANY(?)),"
    " w AS (DELETE FROM waiting WHERE tenant = ? AND unit = ANY(?)),"
    " v AS (DELETE FROM vectors WHERE tenant = ? AND unit = ANY(?))"
    " DELETE FROM units WHERE tenant = ? AND id = ANY(?)"
)


class PostgresFiles(SqlFiles):
    def __init__(self, server: Server, model: OurModel) -> None:
        super().__init__(server.read, SAY)
        self._server = server
        self._model = model

    def _writing(self, paths: Sequence[str], work: Callable[[Connection], T]) -> T:
        """Writers work side by side, but not on one file, and not beside a rebuild or a change of model."""

        def shared(db: Connection) -> T:
            self._server.hold(db, paths, INDEX_WRITERS)
            return work(db)

        return self._server.write(shared, lasting=False)

    def _anew(self, work: Callable[[Connection], T]) -> T:
        def alone(db: Connection) -> T:
            self._server.hold(db, [INDEX_WRITERS])
            return work(db)

        return self._server.write(alone, lasting=False, retry=False)

    def _faults(self, db: Connection) -> list[str]:
        return check(db)

    def _empty(self, db: Connection) -> None:
        for table in _TABLES:
            db.run(f"DELETE FROM {table}")
        db.run("UPDATE owners SET epoch = epoch + 1, lost = lost + 1")
        db.run("DELETE FROM queue WHERE written IS NOT NULL")

    def _numbers(self, db: Connection, owners: Sequence[Owner]) -> Iterable[int]:
        if not owners:
            return ()
        fresh = db.rows("SELECT nextval('numbers') FROM generate_series(1, ?)", (len(owners),))
        return [numbered(_tenant(owner), number) for owner, (number,) in zip(owners, fresh, strict=True)]

    def _note(self, db: Connection, sources: Sequence[Source], broken: Collection[str]) -> None:
        gone = [source.path for source in sources if source.stamp is None]
        for table, paths in (("problems", broken), ("files", gone)):
            if paths:
                these = SAY.files(list(paths))
                db.run(f"DELETE FROM {table} WHERE {these.sql}", these.values)
        named = {source.path: (tenant_of(file), file) for source in sources for file in [file_uuid(source.path)]}
        db.load(
            "problems(tenant, file, place, path, line, reason)",
            [
                (*named[source.path], place, problem.path, problem.line, problem.reason)
                for source in sources
                for place, problem in enumerate(source.problems)
            ],
        )
        db.many(
            "INSERT INTO files(tenant, file, path, mtime_ns, size, broken)",
            sorted(
                (*named[one.path], one.path, one.stamp.mtime_ns, one.stamp.size, bool(one.problems))
                for one in sources
                if one.stamp
            ),
            "ON CONFLICT(tenant, file) DO UPDATE SET mtime_ns = excluded.mtime_ns, size = excluded.size,"
            " broken = excluded.broken",
        )
        if len(sources) == 1:  # of many, what is queued is looked at once more
            _settle(db, sources[0])

    def _write(self, db: Connection, plan: Plan, vectors: Mapping[str, Vector]) -> None:
        epochs = _epochs(db, plan)
        _drop(db, plan)
        _shift(db, plan)
        owners = {owner: (_tenant(owner), owner_uuid(owner)) for owner, _ in plan.sums}
        files = {path: file_uuid(path) for _, _, path in plan.memories}
        memories, edges = [], []
        for one, row, path in plan.memories:
            key, (tenant, owner) = row.key, owners[row.key.owner]
            said = (tenant, one, key.global_id, owner, key.kind, key.local_id, files[path], path)
            memories.append((*said, *columns(row), list(row.sender_ids), json.dumps(row.data)))
            edges += [
                (tenant, one, place, owner, edge.relation, edge.target, edge.weight)
                for place, edge in enumerate(row.edges)
            ]
        model = self._model.current(db) if vectors else None
        known = vectors if model else {}
        units, waiting, made = [], [], []
        for new in plan.units:
            (tenant, owner), dense, turn = owners[new.key.owner], new.unit.dense, new.unit.turn
            tie, words = tie_of(new.key), new.words
            name = (tenant, new.id, new.memory, owner, new.key.kind)
            where = (new.place, turn, new.start, len(words), tie, epochs[owner])
            units.append((*name, *where, _array(word_hashes(owner, words)), joined(words), dense))
            if model and dense in known:
                made.append((*name, tie, new.place, turn, model[0], written(known[dense])))
            elif dense:
                waiting.append((tenant, new.id))
        db.load(_MEMORIES, memories)
        db.load(_UNITS, units)
        db.load("waiting(tenant, unit)", waiting)
        db.load(VECTORS, made)
        db.load("edges(tenant, row, place, owner, relation, target, weight)", edges)
        db.many(
            "INSERT INTO tally(tenant, owner, kind, rows, units, tokens)",
            sorted((*owners[owner], kind, *sums) for (owner, kind), sums in plan.sums.items() if any(sums)),
            "ON CONFLICT(tenant, owner, kind) DO UPDATE SET rows = tally.rows + excluded.rows,"
            " units = tally.units + excluded.units, tokens = tally.tokens + excluded.tokens",
        )


def _array(numbers: Sequence[int]) -> str:
    """As the database writes it: of hundreds of numbers, psycopg would look at each."""
    return f"{{{','.join(map(str, numbers))}}}"


def _tenant(owner: Owner) -> int:
    return tenant_of(owner_uuid(owner))


def _settle(db: Connection, source: Source) -> None:
    """What was queued because of this very writing, or an older one, is done."""
    these = SAY.files([source.path])
    newest, values = (" AND written <= ?", (source.stamp.mtime_ns,)) if source.stamp else ("", ())
    db.run(f"DELETE FROM queue WHERE {these.sql} AND written IS NOT NULL{newest}", (*these.values, *values))


def _epochs(db: Connection, plan: Plan) -> dict[object, int]:
    """The owners that are touched are locked in one order, so that no two writers wait for each other."""
    losses = plan.losses
    touched = {owner_uuid(owner): owner for owner, _ in plan.sums}
    found = db.many(
        "INSERT INTO owners(tenant, owner, app, project, track, name, epoch, lost)",
        [
            (tenant_of(name), name, who.scope.app, who.scope.project, who.track, who.id, 1, losses[who])
            for name, who in sorted(touched.items())
        ],
        "ON CONFLICT(tenant, owner) DO UPDATE SET epoch = owners.epoch + 1, lost = owners.lost + excluded.lost"
        " RETURNING owner, epoch",
    )
    return dict(found)


def _drop(db: Connection, plan: Plan) -> None:
    memories, units = by_tenant(plan.dropped), by_tenant(one.id for one in plan.lost)
    for tenant in sorted({*memories, *units}):
        gone, lost = memories.get(tenant, []), units.get(tenant, [])
        db.run(_DROP, [value for ids in (gone, gone, lost, lost, lost) for value in (tenant, ids)])


def _shift(db: Connection, plan: Plan) -> None:
    for number, path in plan.moved:
        there = SAY.numbers("id", [number])
        db.run(f"UPDATE memories SET file = ?, path = ? WHERE {there.sql}", (file_uuid(path), path, *there.values))
    starts = dict(plan.shifted)
    for tenant, ids in by_tenant(starts).items():
        db.run(
            "UPDATE units u SET start = j.start FROM unnest(?::bigint[], ?::int[]) j(id, start)"
            " WHERE u.tenant = ? AND u.id = j.id",
            (ids, [starts[one] for one in ids], tenant),
        )
