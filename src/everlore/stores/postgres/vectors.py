"""Search by vectors: exact where few are to be compared, by the model's HNSW index where they are many.

With an index, the database goes on looking until it has enough that pass the filter (iterative scans); if there
are too few even then, all that pass are compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from everlore.postgres.statements import Connection, many, rows, value
from everlore.postgres.tenants import NUMBER_BITS, numbered, owner_uuid, tenant_of, tenants_of
from everlore.stores.base import Vector
from everlore.stores.postgres.dialect import partition, restriction
from everlore.stores.sql.dialect import Condition
from everlore.types import Owner, UnitHit, Where

EXACT_UP_TO = 10_000
"""Vectors of a partition that are compared one by one."""
SHARE = 20
"""With an index over all owners, an owner that has less than one in so many of the vectors is compared one by one: the
index would have to be walked so long until it has met enough of them."""
MOST_DIMENSIONS = 4000
"""Of an HNSW index over halves."""
NUMBERS = (1 << NUMBER_BITS) - 1
"""What of a number is not its tenant."""
DIGITS = 6
"""Cosines are rounded, as in the embedded index."""


_MODEL = "SELECT id FROM models WHERE current AND dimension = %s AND (%s::text IS NULL OR name = %s)"
_SELECT = "SELECT v.unit, v.vector::vector <=> %s::vector AS far, v.tie, v.place"


def index_statement(model: int, dimension: int) -> str:
    return (
        f"CREATE INDEX IF NOT EXISTS vectors_near_{model} ON vectors"
        f" USING hnsw((vector::halfvec({dimension})) halfvec_cosine_ops) WHERE model = {model}"
    )


def search(connection: Connection, query: Vector, where: Where, name: str | None, limit: int) -> list[UnitHit]:
    """`name` is the model that this process works with, None for whichever is current."""
    number, mine = _current(connection, name, len(query), where.owner)
    if number is None or limit <= 0:
        return []
    dimension = len(query)
    demand = restriction(where)
    condition = partition(where, "v", demand)
    source = "vectors v" if demand is None else "vectors v JOIN memories r ON r.tenant = v.tenant AND r.id = v.row"
    if dimension <= MOST_DIMENSIONS and _many(connection, where.owner, number, mine):
        found = _near(connection, query, source, condition, number, dimension, limit)
        if len(found) == limit:
            return found
    return _exact(connection, query, source, condition, number, limit)


def cosines(
    connection: Connection, query: Vector, owner: Owner | None, units: Sequence[int], name: str | None
) -> NDArray[np.float64]:
    of_owner, values = ("", ()) if owner is None else (" AND owner = %s", (owner_uuid(owner),))
    select = (
        "SELECT unit, 1 - (vector::vector <=> %s::vector) FROM vectors"
        f" WHERE tenant = ANY(%s) AND unit = ANY(%s) AND model = ({_MODEL}){of_owner}"
    )
    given = (written(query), tenants_of(units), list(units), len(query), name, name, *values)
    known = {unit: _cosine(found) for unit, found in rows(connection, select, given)} if units else {}
    return np.array([known.get(unit, np.nan) for unit in units], np.float64)


def missing(connection: Connection, owner: Owner | None, limit: int) -> list[tuple[int, str]]:
    """Units that wait for a vector, as they came, with their texts."""
    if owner is None:
        select = (
            "SELECT u.id, u.dense FROM waiting w JOIN units u ON u.tenant = w.tenant AND u.id = w.unit"
            f" ORDER BY w.unit & {NUMBERS} LIMIT %s"
        )
        return [(unit, dense) for unit, dense in rows(connection, select, (limit,))]
    name = owner_uuid(owner)
    tenant = tenant_of(name)
    select = (
        "SELECT u.id, u.dense FROM waiting w JOIN units u ON u.tenant = w.tenant AND u.id = w.unit"
        # a unit's number says its tenant, and the key of the table begins with it
        " WHERE w.tenant = %s AND w.unit BETWEEN %s AND %s AND u.owner = %s ORDER BY u.id LIMIT %s"
    )
    values = (tenant, numbered(tenant, 0), numbered(tenant, NUMBERS), name, limit)
    return [(unit, dense) for unit, dense in rows(connection, select, values)]


def put(connection: Connection, model: int, units: Sequence[int], vectors: NDArray[np.float32]) -> None:
    """Store vectors of units that wait for one; others are gone by now, or another process was quicker."""
    given = dict(zip(units, vectors.astype(np.float16), strict=True))
    select = (
        "DELETE FROM waiting w USING units u WHERE w.tenant = %s AND w.unit = ANY(%s) AND u.tenant = %s"
        " AND u.id = w.unit RETURNING u.tenant, u.id, u.row, u.owner, u.kind, u.tie, u.place, u.turn"
    )
    for tenant in tenants_of(list(given)):
        some = [unit for unit in given if unit >> NUMBER_BITS == tenant]
        many(
            connection,
            "INSERT INTO vectors(tenant, unit, row, owner, kind, tie, place, turn, model, vector)",
            [(*found, model, written(given[found[1]])) for found in rows(connection, select, (tenant, some, tenant))],
            "ON CONFLICT(tenant, unit) DO UPDATE SET model = excluded.model, vector = excluded.vector",
            "%s, %s, %s, %s, %s, %s, %s, %s, %s, %s::halfvec",
        )


def written(vector: NDArray[np.floating]) -> str:
    return f"[{','.join(map(repr, vector.tolist()))}]"


def _current(connection: Connection, name: str | None, dimension: int, owner: Owner | None) -> tuple[int | None, int]:
    """The number of the current model, None when it is not ours, and how many units the owner has."""
    who = owner_uuid(owner) if owner else None
    select = f"SELECT ({_MODEL}), (SELECT coalesce(sum(units), 0) FROM tally WHERE tenant = %s AND owner = %s)"
    found = rows(connection, select, (dimension, name, name, tenant_of(who) if who else -1, who))[0]
    return found[0], int(found[1])


def _many(connection: Connection, owner: Owner | None, model: int, mine: int) -> bool:
    """Whether the index finds them sooner than a look at each."""
    if owner is None:
        beyond = "SELECT 1 FROM vectors WHERE model = %s OFFSET %s LIMIT 1"
        return value(connection, beyond, (model, EXACT_UP_TO)) is not None
    if mine <= EXACT_UP_TO:
        return False
    everyone = value(connection, "SELECT coalesce(sum(units), 0) FROM tally")
    return mine * SHARE >= int(everyone)


def _exact(
    connection: Connection, query: Vector, source: str, condition: Condition, model: int, limit: int
) -> list[UnitHit]:
    inner = f"{_SELECT} FROM {source} WHERE v.model = %s AND {condition.sql} ORDER BY far, v.tie, v.place LIMIT %s"
    return _hits(connection, inner, (written(query), model, *condition.values, limit))


def _near(
    connection: Connection, query: Vector, source: str, condition: Condition, model: int, dimension: int, limit: int
) -> list[UnitHit]:
    inner = (
        f"{_SELECT} FROM {source}"
        # the model is written out: the index is only of this one, and the planner must see that
        f" WHERE v.model = {model:d} AND {condition.sql}"
        f" ORDER BY v.vector::halfvec({dimension}) <=> %s::halfvec({dimension}) LIMIT %s"
    )
    text = written(query)
    with connection.transaction(force_rollback=True):  # so that the settings are gone, also inside a snapshot
        connection.execute(
            "SET LOCAL citus.propagate_set_commands = 'local';"  # without Citus it means nothing
            " SET LOCAL hnsw.iterative_scan = strict_order;"
            f" SET LOCAL hnsw.ef_search = {min(1000, max(100, 2 * limit))};"
            " SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off".encode()
        )
        return _hits(connection, inner, (text, *condition.values, text, limit))


def _hits(connection: Connection, inner: str, values: Sequence[object]) -> list[UnitHit]:
    found = connection.execute(inner.encode(), values, prepare=False).fetchall()
    scored = [(-_cosine(1 - far), tie, place, unit) for unit, far, tie, place in found]
    return [UnitHit(unit, -far) for far, _, _, unit in sorted(scored)]


def _cosine(value: float) -> float:
    return min(1.0, max(-1.0, round(value, DIGITS)))
