"""Search by words: BM25, the same as everywhere (`index.bm25`), over the lists of a GIN index.

The rarest terms of a query choose the candidates, as many as can be read in a moment; every term then counts in
the score, which the database computes, so that only the best come here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np

from everlore.postgres.statements import Connection, first, rows
from everlore.postgres.tenants import owner_uuid, tenant_of
from everlore.stores.base import TermStats
from everlore.stores.bm25 import K1, B, telling
from everlore.stores.frequencies import MOST_FRESH, Frequencies, Moment, affordable, rarest_first
from everlore.stores.postgres.dialect import partition, restriction
from everlore.stores.postgres.hashes import word_hash
from everlore.stores.tokens import LISTED_TERMS
from everlore.types import Owner, UnitHit, Where

MOST_POSTINGS = 5_000
"""List entries that one query reads; longer lists are read only when the short ones give too little."""
LONGEST = 1023
"""Units longer than this count as being this long."""
OWNERS_REMEMBERED = 256

_SUMS = "SELECT coalesce(sum(units), 0), coalesce(sum(tokens), 0)"


def _counted(connection: Connection, owner: UUID | None, terms: Sequence[str]) -> dict[str, int]:
    if not terms:
        return {}
    of_owner: tuple[str, tuple[Any, ...]] = ("", ())
    if owner is not None:
        of_owner = (" AND tenant = %s AND owner = %s", (tenant_of(owner), owner))
    count = f"(SELECT count(*) FROM units WHERE words @> %s::bigint[]{of_owner[0]})"
    values = [value for term in terms for value in ([word_hash(owner, term)], *of_owner[1])]
    found = rows(connection, f"SELECT {', '.join([count] * len(terms))}", values)[0]
    return dict(zip(terms, map(int, found), strict=True))


def statistics(
    connection: Connection, frequencies: Frequencies[UUID], terms: Sequence[str], owner: Owner | None
) -> TermStats:
    if owner is None:
        units, total = map(int, first(connection, f"{_SUMS} FROM tally") or (0, 0))
        return TermStats(units, total / max(units, 1), _counted(connection, None, terms))
    name = owner_uuid(owner)
    select = (
        f"{_SUMS}, o.epoch, o.lost FROM owners o JOIN tally t ON t.tenant = o.tenant AND t.owner = o.owner"
        " WHERE o.tenant = %s AND o.owner = %s GROUP BY o.epoch, o.lost"
    )
    units, total, epoch, lost = first(connection, select, (tenant_of(name), name)) or (0, 0, 0, 0)
    if not units:
        return TermStats(0, 0.0, dict.fromkeys(terms, 0))
    state = "SELECT epoch, lost FROM owners WHERE tenant = %s AND owner = %s"
    frequency = frequencies.of(
        name,
        Moment(epoch, lost, epoch),
        terms,
        since=lambda before: _fresh(connection, name, before.last, epoch),
        count=lambda missing: _counted(connection, name, missing),
        # the epoch was read before the counting: what came in between would be counted twice
        unchanged=lambda: first(connection, state, (tenant_of(name), name)) == (epoch, lost),
    )
    return TermStats(int(units), int(total) / int(units), frequency)


def _fresh(connection: Connection, owner: UUID, after: int, until: int) -> list[str]:
    select = "SELECT tokens FROM units WHERE tenant = %s AND owner = %s AND epoch > %s AND epoch <= %s LIMIT %s"
    found = rows(connection, select, (tenant_of(owner), owner, after, until, MOST_FRESH + 1))
    return [tokens for (tokens,) in found]


def search(
    connection: Connection, frequencies: Frequencies[UUID], terms: Sequence[str], where: Where, limit: int
) -> list[UnitHit]:
    stats = statistics(connection, frequencies, list(dict.fromkeys(terms))[:LISTED_TERMS], where.owner)
    held = rarest_first(stats)
    if not held or limit <= 0:
        return []
    reading = affordable(held, stats, MOST_POSTINGS)
    found = _best(connection, stats, held, reading, where, limit)
    if len(found) < limit and reading < len(held):
        found = _best(connection, stats, held, len(held), where, limit)
    return found


def _best(
    connection: Connection, stats: TermStats, terms: Sequence[str], reading: int, where: Where, limit: int
) -> list[UnitHit]:
    name = owner_uuid(where.owner) if where.owner else None
    hashes = [word_hash(name, term) for term in terms]
    frequency = np.array([stats.frequency[term] for term in terms], np.float64)
    weights = telling(stats.units, frequency).tolist()
    score, values = _score(terms, weights, stats.mean_length)
    demand = restriction(where)
    condition = partition(where, "u", demand)
    source = "units u" if demand is None else "units u JOIN memories r ON r.tenant = u.tenant AND r.id = u.row"
    select = (
        f"SELECT u.id, {score} AS score FROM {source}"
        f" WHERE u.words && %s::bigint[] AND {condition.sql} ORDER BY score DESC, u.tie, u.place LIMIT %s"
    )
    given = (*values, hashes[:reading], *condition.values, limit)
    found = connection.execute(select.encode(), given, prepare=False).fetchall()
    return [UnitHit(unit, float(score)) for unit, score in found]


def _score(terms: Sequence[str], weights: Sequence[float], mean_length: float) -> tuple[str, list[Any]]:
    """BM25 of a unit as an expression over its tokens.

    `count / (count + k)` is written `1 - k / (count + k)`, so that a term is counted once. Counting it in the text is
    ten times as quick as in an array.
    """
    # said to be floats: without a word, PostgreSQL takes 0.72 for a decimal and computes twenty times as long
    shrink = f"(float8 '{K1 * (1 - B)!r}' + float8 '{K1 * B / max(mean_length, 1.0)!r}' * least(u.length, {LONGEST}))"
    parts: list[str] = []
    values: list[Any] = []
    for term, weight in zip(terms, weights, strict=True):
        token = f" {term} "
        size = len(token.encode())
        count = f"(octet_length(u.tokens) - octet_length(replace(u.tokens, %s, ''))) / {size}"
        parts.append(f"%s::float8 * (1 - {shrink} / ({count} + {shrink}))")
        values += [weight * (K1 + 1), token]
    return " + ".join(parts), values
