"""Search by words: BM25 over the lists of the text index.

The lists give, for each unit that holds a term, how often it does, its kind and its length, so a score needs no
look at the unit itself. A term that half of a large owner's units hold has a long list and says little: the rarest
terms choose the candidates, and the frequent ones are counted in those.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from everlore.database import Connection
from everlore.stores.base import TermStats
from everlore.stores.bm25 import in_texts, telling, worth
from everlore.stores.frequencies import MOST_FRESH, Frequencies, Moment, affordable, rarest_first
from everlore.stores.sql.dialect import Condition
from everlore.stores.sqlite.dialect import restriction
from everlore.stores.sqlite.hits import Floats, Ints, Settled, hits, numbers, permitted, settle
from everlore.stores.sqlite.schema import EVERYONE, LENGTH_BITS, LONGEST, MOST_KINDS, UNIT_SHIFT
from everlore.types import UnitHit, Where

MOST_POSTINGS = 2_500
"""List entries that one query reads; longer lists are read only when the short ones give too little."""
FEW = 2_000
"""So many units are scored one by one rather than by lists."""
MERGED_PAGES = 100
"""Written by one step of merging: a few milliseconds in which nobody else can write."""
OWNERS_REMEMBERED = 64


def _counted(connection: Connection, owner: int, terms: Sequence[str]) -> dict[str, int]:
    prefix = _prefix(owner)
    select = "SELECT v.term, v.doc FROM json_each(?) j CROSS JOIN vocabulary v ON v.term = j.value"
    found = connection.rows(select, (json.dumps([prefix + term for term in terms]),))
    return dict.fromkeys(terms, 0) | {term.removeprefix(prefix): count for term, count in found}


@dataclass(frozen=True, slots=True)
class Scale:
    """What turns a count into a score: the telling weight of each term and the mean length."""

    weights: dict[str, float]
    mean_length: float

    def score(self, term: str, count: Floats, length: Floats) -> Floats:
        return (self.weights[term] * worth(count, length, self.mean_length)).astype(np.float64, copy=False)


def statistics(connection: Connection, frequencies: Frequencies[int], terms: Sequence[str], owner: int) -> TermStats:
    sums = "SELECT coalesce(sum(units), 0), coalesce(sum(tokens), 0) FROM tally WHERE owner = ?"
    units, total = connection.rows(sums, (owner,))[0]
    state = "SELECT epoch, lost, (SELECT coalesce(max(id), 0) FROM units) FROM owners WHERE id = ?"
    frequency = frequencies.of(
        owner,
        Moment(*connection.rows(state, (owner,))[0]),
        terms,
        since=lambda before: _fresh(connection, owner, before),
        count=lambda missing: _counted(connection, owner, missing),
    )
    return TermStats(units, total / units if units else 0.0, frequency)


def _fresh(connection: Connection, owner: int, before: Moment) -> list[str]:
    select = "SELECT tokens FROM units WHERE id > ?1 AND ?2 IN (owner, 0) LIMIT ?3"
    return [tokens for (tokens,) in connection.rows(select, (before.last, owner, MOST_FRESH + 1))]


def is_held(connection: Connection, term: str, owner: int, kinds: Sequence[int]) -> bool:
    """Whether a unit of these kinds holds a term: the first one that does is enough."""
    select = "SELECT 1 FROM instances WHERE term = ? AND (doc >> ?) & ? IN (SELECT value FROM json_each(?)) LIMIT 1"
    values = (_prefix(owner) + term, LENGTH_BITS, MOST_KINDS, json.dumps(list(kinds)))
    return connection.value(select, values) is not None


Lists = Callable[[str], Ints]
"""Gives the list of a term: `occurrences` of one owner, perhaps remembered."""


def search(
    connection: Connection, lists: Lists, stats: TermStats, where: Where, owner: int, kinds: Sequence[int], limit: int
) -> list[UnitHit]:
    """Units that hold a term of `stats`. `owner` and `kinds` are those of `where` in the numbers of this index."""
    held = rarest_first(stats, list(stats.frequency))
    if not held or limit <= 0:
        return []
    scale = _scale(stats, held)
    condition = restriction(where)
    reading = affordable(held, stats, MOST_POSTINGS)
    found = _best(connection, lists, scale, held, reading, kinds, condition, limit)
    if len(found) < limit and (condition is not None or reading < len(held)):
        found = _thorough(connection, lists, scale, held, owner, kinds, condition, limit)
    return found


def _best(
    connection: Connection,
    lists: Lists,
    scale: Scale,
    terms: Sequence[str],
    reading: int,
    kinds: Sequence[int],
    condition: Condition | None,
    limit: int,
) -> list[UnitHit]:
    """The best among those that hold one of the rarest terms and stand far enough ahead to be looked at."""
    units, scores = _ranked(lists, scale, terms[:reading], kinds)
    frequent = terms[reading:]
    wanted = limit * 2 if frequent else limit
    ahead = len(units) if condition is None else wanted * 4
    if not frequent:
        return hits(connection, units[:ahead], scores[:ahead], condition, limit)
    found = settle(connection, units[:ahead], scores[:ahead], condition, wanted)
    return _rescored(scale, frequent, found)[:limit]


def _thorough(
    connection: Connection,
    lists: Lists,
    scale: Scale,
    terms: Sequence[str],
    owner: int,
    kinds: Sequence[int],
    condition: Condition | None,
    limit: int,
) -> list[UnitHit]:
    """No shortcut: every list is read, or, when few units are permitted, every one of those."""
    if condition is None:
        return hits(connection, *_ranked(lists, scale, terms, kinds), None, limit)
    few = permitted(connection, owner, kinds, condition, FEW + 1)
    if len(few) <= FEW:
        settled = settle(connection, few, np.zeros(len(few)), None, len(few))
        return [hit for hit in _rescored(scale, terms, settled) if hit.score > 0][:limit]
    units, scores = _ranked(lists, scale, terms, kinds)
    ahead = max(FEW, limit * 4)
    found = hits(connection, units[:ahead], scores[:ahead], condition, limit)
    if len(found) == limit or len(units) <= ahead:
        return found
    keep = np.isin(units, permitted(connection, owner, kinds, condition))
    return hits(connection, units[keep], scores[keep], None, limit)


def _scale(stats: TermStats, terms: Sequence[str]) -> Scale:
    count = np.array([stats.frequency[term] for term in terms], np.float64)
    return Scale(dict(zip(terms, telling(stats.units, count).tolist(), strict=True)), stats.mean_length)


def _ranked(lists: Lists, scale: Scale, terms: Sequence[str], kinds: Sequence[int]) -> tuple[Ints, Floats]:
    """Units that hold any of these terms, best first. All lists are scored together: numpy charges by the call."""
    read = [lists(term) for term in terms]
    every = np.concatenate(read)
    of_term = np.repeat(np.arange(len(read)), [len(one) for one in read])
    fresh = np.ones(len(every), np.bool_)
    fresh[1:] = (every[1:] != every[:-1]) | (of_term[1:] != of_term[:-1])
    starts = np.flatnonzero(fresh)
    counts = np.diff(np.append(starts, len(every)))
    codes, of_term = every[starts], of_term[starts]
    allowed = np.zeros(MOST_KINDS + 1, np.bool_)
    allowed[list(kinds)] = True
    keep = allowed[(codes >> LENGTH_BITS) & MOST_KINDS]
    codes, of_term, counts = codes[keep], of_term[keep], counts[keep]
    weights = np.array([scale.weights[term] for term in terms])[of_term]
    lengths = (codes & LONGEST).astype(np.float64)
    parts = weights * worth(counts.astype(np.float64), lengths, scale.mean_length)
    units, at = np.unique(codes, return_inverse=True)
    total = np.bincount(at, weights=parts, minlength=len(units)).astype(np.float64)
    order = np.argsort(-total, kind="stable")
    return units[order] >> UNIT_SHIFT, total[order]


def occurrences(connection: Connection, owner: int, term: str) -> Ints:
    """The numbers in `words` of the units that hold a term, in order, each as often as it does."""
    return numbers(connection, "SELECT group_concat(doc) FROM instances WHERE term = ?", (_prefix(owner) + term,))


def counted(found: Ints, units: Ints) -> Ints:
    """How often the term with these occurrences stands in each of these units."""
    holders = found >> UNIT_SHIFT
    return np.searchsorted(holders, units, side="right") - np.searchsorted(holders, units)


def _rescored(scale: Scale, terms: Sequence[str], found: Sequence[Settled]) -> list[UnitHit]:
    """Add what these terms contribute, counted in the units themselves."""
    lengths = np.array([min(one.length, LONGEST) for one in found], np.float64)
    total = np.array([one.hit.score for one in found], np.float64)
    for term, counts in zip(terms, in_texts(terms, [one.tokens for one in found]), strict=True):
        total += scale.score(term, counts.astype(np.float64), lengths)
    scored = [one._replace(hit=one.hit._replace(score=score)) for one, score in zip(found, total.tolist(), strict=True)]
    return [one.hit for one in sorted(scored, key=lambda one: (-one.hit.score, one.tie, one.place))]


def merge(connection: Connection) -> bool:
    """Merge a few of the segments that writes left behind: a term is looked up in each. False if there were none."""
    before = connection.total_changes()
    connection.execute("INSERT INTO words(words, rank) VALUES('merge', ?)", (MERGED_PAGES,))
    return connection.total_changes() - before >= 2  # the command itself counts as one change


def _prefix(owner: int) -> str:
    return "" if owner == EVERYONE else f"{owner}:"
