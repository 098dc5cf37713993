"""Search by words: BM25, the same as everywhere (`index.bm25`), over the lists of a GIN index.

The rarest terms of a query choose the candidates, as many as can be read in a moment; every term then counts in
the score, which the database computes, so that only the best come here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np

from everlore.postgres.statements import Connection
from everlore.stores.base import TermStats
from everlore.stores.bm25 import K1, B, telling
from everlore.stores.frequencies import MOST_FRESH, Frequencies, Moment
from everlore.stores.postgres.dialect import partition, restriction
from everlore.stores.postgres.schema import word_hash
from everlore.stores.sql.dialect import Condition
from everlore.tenants import owner_uuid, tenant_of
from everlore.types import Owner, Where

MOST_POSTINGS = 5_000
"""List entries that one query reads; longer lists are read only when the short ones give too little."""
LONGEST = 1023
"""Units longer than this count as being this long."""
OWNERS_REMEMBERED = 256

_OF_OWNER = " WHERE tenant = ? AND owner = ?"
_MOMENT = tuple(f"(SELECT {column} FROM owners{_OF_OWNER})" for column in ("epoch", "lost"))


def statistics(
    connection: Connection, frequencies: Frequencies[UUID], terms: Sequence[str], owner: Owner | None
) -> TermStats:
    """One statement: the sums of an owner, what came since it was last asked about, and the terms not counted yet. Only
    when units went since, those that were counted are counted again."""
    if owner is None:
        return _of_all(connection, terms)
    name = owner_uuid(owner)
    mine = (tenant_of(name), name)
    before, known = frequencies.remembered(name)
    missing = [term for term in terms if term not in known]
    later = "tenant = ? AND owner = (SELECT ?::uuid) AND epoch > (SELECT ?::bigint)"  # as in `PostgresSearch._ask`
    fresh = f"SELECT tokens FROM units WHERE {later} LIMIT {MOST_FRESH + 1}"
    asked = [f"(SELECT coalesce(sum({column}), 0) FROM tally{_OF_OWNER})" for column in ("units", "tokens")]
    asked += [*_MOMENT, f"ARRAY({fresh})"]
    values = [*mine * 5, before.last if before else 1 << 62]
    counts, of_terms = _counts(name, missing)
    ask = connection.rows if missing else connection.often  # to count in a large owner is planned with its values
    found = ask(f"SELECT {', '.join([*asked, *counts])}", (*values, *of_terms))[0]
    units, total, counted = int(found[0]), int(found[1]), dict(zip(missing, found[len(asked) :], strict=True))
    if not units:
        return TermStats(0, 0.0, dict.fromkeys(terms, 0))
    epoch, lost, fresh_tokens = found[2:5]
    moments = {(epoch, lost)}

    def count(wanted: Sequence[str]) -> dict[str, int]:
        again = [term for term in wanted if term not in counted]
        if not again:
            return counted
        counts, of_terms = _counts(name, again)
        found = connection.rows(f"SELECT {', '.join([*_MOMENT, *counts])}", (*mine * 2, *of_terms))[0]
        moments.add(found[:2])
        return counted | dict(zip(again, found[2:], strict=True))

    frequency = frequencies.of(
        name,
        Moment(epoch, lost, epoch),
        terms,
        since=lambda since: fresh_tokens if since == before else [""] * (MOST_FRESH + 1),
        count=count,
        unchanged=lambda: len(moments) == 1,  # what is counted later than the epoch was read may be of another one
    )
    return TermStats(units, total / units, frequency)


def _of_all(connection: Connection, terms: Sequence[str]) -> TermStats:
    """Each of the two statements is answered by the nodes of a cluster themselves, and asks each of them once."""
    sums = "SELECT coalesce(sum(units), 0), coalesce(sum(tokens), 0) FROM tally"
    units, total = map(int, connection.row(sums) or (0, 0))
    words = {word_hash(None, term): term for term in terms}
    select = (
        "SELECT t.word, count(*) FROM unnest(?::bigint[]) t(word) JOIN units u ON u.words @> ARRAY[t.word]"
        " GROUP BY t.word"
    )
    counted = {words[word]: int(count) for word, count in connection.rows(select, (list(words),))}
    return TermStats(units, total / max(units, 1), dict.fromkeys(terms, 0) | counted)


def _counts(owner: UUID, terms: Sequence[str]) -> tuple[list[str], list[Any]]:
    """In how many units of an owner each of the terms stands."""
    count = "(SELECT count(*) FROM units WHERE words @> ?::bigint[] AND tenant = ? AND owner = ?)"
    values = [value for term in terms for value in ([word_hash(owner, term)], tenant_of(owner), owner)]
    return [count] * len(terms), values


def held(connection: Connection, terms: Sequence[str], where: Where) -> list[str]:
    """One statement for all of them."""
    name = owner_uuid(where.owner) if where.owner else None
    source, condition = found_in("units", "u", where)
    one = f"EXISTS(SELECT 1 FROM {source} WHERE u.words @> ?::bigint[] AND {condition.sql})"
    values = [value for term in terms for value in ([word_hash(name, term)], *condition.values)]
    known = connection.row(f"SELECT {', '.join([one] * len(terms))}", values) if terms else ()
    return [term for term, there in zip(terms, known or (), strict=True) if there]


def found_in(table: str, alias: str, where: Where) -> tuple[str, Condition]:
    """Where the units that a query may touch are, and what is demanded of them there."""
    demand = restriction(where)
    joined = f" JOIN memories r ON r.tenant = {alias}.tenant AND r.id = {alias}.row" if demand else ""
    return f"{table} {alias}{joined}", partition(where, alias, demand)


def best(stats: TermStats, terms: Sequence[str], reading: int, where: Where, limit: int) -> Condition:
    """The statement that lists the best units that hold one of the first `reading` terms."""
    name = owner_uuid(where.owner) if where.owner else None
    frequency = np.array([stats.frequency[term] for term in terms], np.float64)
    score, values = _score(terms, telling(stats.units, frequency).tolist(), stats.mean_length)
    source, condition = found_in("units", "u", where)
    select = (
        f"SELECT u.tenant, u.id, u.row, u.place, u.tie, {score} AS score FROM {source}"
        f" WHERE u.words && ?::bigint[] AND {condition.sql} ORDER BY score DESC, u.tie, u.place LIMIT ?"
    )
    hashes = [word_hash(name, term) for term in terms[:reading]]
    return Condition(select, (*values, hashes, *condition.values, limit))


def _score(terms: Sequence[str], weights: Sequence[float], mean_length: float) -> tuple[str, list[Any]]:
    """BM25 of a unit as an expression over its tokens.

    `count / (count + k)` is written `1 - k / (count + k)`, so that a term is counted once. Counting it in the text is
    ten times as quick as in an array.
    """
    shrink = f"(?::float8 + ?::float8 * least(u.length, {LONGEST}))"
    shrunk = (K1 * (1 - B), K1 * B / max(mean_length, 1.0))
    count = "(octet_length(u.tokens) - octet_length(replace(u.tokens, ?, ''))) / ?::int"
    values: list[Any] = []
    for term, weight in zip(terms, weights, strict=True):
        token = f" {term} "
        values += [weight * (K1 + 1), *shrunk, token, len(token.encode()), *shrunk]
    return " + ".join([f"?::float8 * (1 - {shrink} / ({count} + {shrink}))"] * len(terms)), values
