"""Search by vectors: exact where few are to be compared, by the model's HNSW index where they are many.

With an index, the database goes on looking until it has enough that pass the filter (iterative scans); if there
are too few even then, all that pass are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from everlore.postgres.names import quoted
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection
from everlore.sql import Row
from everlore.stores.base import Vector
from everlore.stores.postgres.words import found_in
from everlore.stores.sql.dialect import Condition
from everlore.tenants import NUMBER_BITS, numbered, owner_uuid, tenant_of, tenants_of
from everlore.types import Owner, UnitHit, Where

EXACT_UP_TO = 10_000
"""Vectors of a partition that are compared one by one."""
SHARE = 20
"""With an index over all owners, an owner that has less than one in so many of the vectors is compared one by one: the
index would have to be walked so long until it has met enough of them."""
ROW_BYTES = 140
"""What a row of a vector takes besides its halves."""
MOST_DIMENSIONS = 4000
"""Of an HNSW index over halves."""
NUMBERS = (1 << NUMBER_BITS) - 1
"""What of a number is not its tenant."""
DIGITS = 6
"""Cosines are rounded, as in the embedded index."""


VECTORS = "vectors(tenant, unit, row, owner, kind, tie, place, turn, model, vector)"
MODEL = "SELECT id FROM models WHERE current AND dimension = ? AND (?::text IS NULL OR name = ?)"


def build(server: Server) -> bool:
    """Make the current model's index where there are so many vectors that it is asked: kept up from the first one on,
    it would cost more than all the rest of an insert. Others go on meanwhile. Returns whether it was made."""
    select = (
        "SELECT m.id, m.dimension FROM models m WHERE m.current AND m.dimension <= ?"
        " AND (SELECT coalesce(sum(units), 0) FROM tally) > ?"
    )
    wanted = server.read(lambda c: c.row(select, (MOST_DIMENSIONS, EXACT_UP_TO)))
    if wanted is None or server.read(lambda c: _built(c, wanted[0])):
        return False
    name = f"vectors_near_{wanted[0]:d}"
    create = (
        f"CREATE INDEX CONCURRENTLY {name} ON vectors"
        f" USING hnsw((vector::halfvec({wanted[1]:d})) halfvec_cosine_ops) WHERE model = {wanted[0]:d}"
    )
    with server.lock("vector index", 0):
        if server.read(lambda c: _built(c, wanted[0])):
            return False
        # what was left of one that was broken off
        server.apart(lambda c: c.run(f"DROP INDEX IF EXISTS {quoted(c.names.home('vectors'))}.{name}"))
        server.apart(lambda c: c.run(create))
    return True


def _built(connection: Connection, model: int) -> bool:
    select = (
        "SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
        " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relname = ?"
    )
    return bool(connection.value(select, (connection.names.home("vectors"), f"vectors_near_{model}")))


def far(owner: Owner | None) -> str:
    """How far a vector is from one that is given. Of an owner the plan may be kept, and be made before that is known:
    then it must be said that it is read once, and not for each row."""
    return f"v.vector::vector <=> {'?::vector' if owner is None else '(SELECT ?::vector)'}"


def exact(where: Where, query: Vector, name: str | None, limit: int) -> Condition:
    """The statement that lists the nearest units, each compared. `name` is the model that this process works with, None
    for whichever is current."""
    source, condition = found_in("vectors", "v", where)
    select = (
        f"SELECT v.tenant, v.unit AS id, v.row, v.place, v.tie, {far(where.owner)} AS score FROM {source}"
        f" WHERE v.model = ({MODEL}) AND {condition.sql} ORDER BY score, v.tie, v.place LIMIT ?"
    )
    return Condition(select, (written(query), len(query), name, name, *condition.values, limit))


def search(connection: Connection, query: Vector, where: Where, name: str | None, limit: int) -> list[UnitHit]:
    """Where there are many, by the index if that finds them sooner than a look at each."""
    number, mine = _current(connection, name, len(query), where.owner)
    if number is None or limit <= 0:
        return []
    if len(query) <= MOST_DIMENSIONS and _many(connection, where.owner, number, mine, len(query)):
        found = _near(connection, query, where, number, limit)
        if len(found) == limit:
            return found
    asked = exact(where, query, name, limit)
    return _hits([row[1:] for row in connection.rows(asked.sql, asked.values)])


def missing(connection: Connection, mine: tuple[str, int] | None, owner: Owner | None, limit: int) -> list[Row]:
    """Units that wait for a vector, as they came, with their texts; none if they wait for one of another model."""
    ours, named = (" AND name = ? AND dimension = ?", mine) if mine else ("", ())
    ask, whose, values, order = connection.rows, "", list[Any](), f"w.unit & {NUMBERS}"
    if owner is not None:
        # a unit's number says its tenant, and the key of the table begins with it
        whose, order = "w.tenant = ? AND w.unit BETWEEN ? AND ? AND u.owner = ? AND ", "u.id"
        name = owner_uuid(owner)
        tenant = tenant_of(name)
        ask, values = connection.often, [tenant, numbered(tenant, 0), numbered(tenant, NUMBERS), name]
    select = (
        "SELECT u.id, u.dense FROM waiting w JOIN units u ON u.tenant = w.tenant AND u.id = w.unit"
        f" WHERE {whose}EXISTS(SELECT 1 FROM models WHERE current{ours}) ORDER BY {order} LIMIT ?"
    )
    return ask(select, (*values, *named, limit))


def put(connection: Connection, model: int, units: Sequence[int], vectors: NDArray[np.float32]) -> None:
    """Store vectors of units that wait for one; others are gone by now, or another process was quicker."""
    given = dict(zip(units, vectors.astype(np.float16), strict=True))
    tenants = tenants_of(list(given))
    # a cluster asks one node where one is named
    one, named = (" AND {}.tenant = ?", tenants) if len(tenants) == 1 else ("", [])
    taken = (
        "DELETE FROM waiting w USING units u WHERE w.unit = ANY(?) AND u.tenant = w.tenant AND u.id = w.unit"
        f"{one.format('w')}{one.format('u')} RETURNING u.tenant, u.id, u.row, u.owner, u.kind, u.tie, u.place, u.turn"
    )
    found = connection.rows(taken, (list(given), *named, *named))
    # those of another model; not of units that another process was quicker with
    old = f"DELETE FROM vectors v WHERE v.unit = ANY(?){one.format('v')}"
    connection.run(old, ([unit[1] for unit in found], *named))
    connection.load(VECTORS, [(*unit, model, written(given[unit[1]])) for unit in found])


def written(vector: NDArray[np.floating]) -> str:
    return _written(vector.tobytes(), vector.dtype.char)


@lru_cache(maxsize=64)
def _written(content: bytes, kind: str) -> str:
    """A search names its vector several times."""
    vector = np.frombuffer(content, kind)
    return f"[{','.join(map(repr, vector.tolist()))}]"


def _current(connection: Connection, name: str | None, dimension: int, owner: Owner | None) -> tuple[int | None, int]:
    """The number of the current model, None when it is not ours, and how many units the owner has."""
    who = owner_uuid(owner) if owner else None
    select = f"SELECT ({MODEL}), (SELECT coalesce(sum(units), 0) FROM tally WHERE tenant = ? AND owner = ?)"
    found = connection.rows(select, (dimension, name, name, tenant_of(who) if who else -1, who))[0]
    return found[0], int(found[1])


def _many(connection: Connection, owner: Owner | None, model: int, mine: int, dimension: int) -> bool:
    """Whether the index finds them sooner than a look at each."""
    if owner is None:
        many = int(connection.value("SELECT coalesce(sum(units), 0) FROM tally")) > EXACT_UP_TO
    elif many := mine > EXACT_UP_TO:
        # of the table in which the owner's are: on a cluster one of many, and no other is asked
        select = "SELECT pg_table_size(tableoid) FROM vectors WHERE tenant = ? AND owner = ? LIMIT 1"
        name = owner_uuid(owner)
        size = connection.value(select, (tenant_of(name), name)) or 0
        many = mine * (2 * dimension + ROW_BYTES) * SHARE >= int(size)
    return many and _built(connection, model)


def _near(connection: Connection, query: Vector, where: Where, model: int, limit: int) -> list[UnitHit]:
    source, condition = found_in("vectors", "v", where)
    inner = (
        f"SELECT v.unit, v.row, v.place, v.tie, {far(where.owner)} FROM {source}"
        # the model is written out: the index is only of this one, and the planner must see that
        f" WHERE v.model = {model:d} AND {condition.sql}"
        f" ORDER BY v.vector::halfvec({len(query)}) <=> ?::halfvec({len(query)}) LIMIT ?"
    )
    text = written(query)
    with connection.transaction(force_rollback=True):  # so that the settings are gone, also inside a snapshot
        connection.execute(
            "SET LOCAL citus.propagate_set_commands = 'local';"  # without Citus it means nothing
            " SET LOCAL hnsw.iterative_scan = strict_order;"
            f" SET LOCAL hnsw.ef_search = {min(1000, max(100, 2 * limit))};"
            " SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off"
        )
        values = (text, *condition.values, text, limit)
        return _hits(connection.rows(inner, values))


def _hits(found: Iterable[Sequence[Any]]) -> list[UnitHit]:
    """From unit, row, place, tie and distance."""
    scored = sorted((-cosine(1 - far), tie, place, unit) for unit, _, place, tie, far in found)
    return [UnitHit(unit, -far) for far, _, _, unit in scored]


def cosine(value: float) -> float:
    return min(1.0, max(-1.0, round(value, DIGITS)))
