"""What words and meaning say of single memories, each on its own scale in [0, 1], over all owners of a scope.

Small pieces are compared; a piece speaks for its memory, and a fact that was made from an episode speaks for that
episode. What is no longer valid is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from everlore.cascade import embed_fresh
from everlore.engine import Engine
from everlore.index.base import Piece, Vector
from everlore.index.tokens import query_terms
from everlore.search.score import REACH, Candidates, inverse_frequency, text_scores
from everlore.types import Scope, Stored, UnitHit, Where

MEMORIES = ("episode", "note", "case", "skill")
"""What a person would call a memory;"""
ALONE = ("fact",)
"""and what is one when it was not made from an episode."""
CANDIDATES = 60
MOST_CANDIDATES = 2000
FIRST_UNITS = 6
"""Units of a memory that the graph found which are compared with the query."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of one memory: the best cosine of its pieces and their best text score."""

    meaning: float = 0.0
    words: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    stored: Stored
    score: float


def within(engine: Engine, scope: Scope, now: int | None) -> Where:
    """All memories of a scope that are valid now. With a single owner its own lists are walked, which is quicker."""
    owners = [owner for owner, _ in engine.index.owners() if owner.scope == scope]
    only = owners[0] if len(owners) == 1 else None
    return Where(only, MEMORIES + ALONE, valid_at=now, scope=scope)


def by_words(engine: Engine, scope: Scope, text: str, limit: int) -> list[Found]:
    where = within(engine, scope, engine.clock.now())
    terms = query_terms(text)

    def search(count: int) -> dict[int, float]:
        hits = engine.index.text(terms, where, count) if terms else []
        return {row: one.words for row, one in weigh(engine, where, terms, None, hits).items() if one.words > 0}

    return _best(engine, search, limit)


def by_meaning(engine: Engine, scope: Scope, vector: Vector, limit: int) -> list[Found]:
    embed_fresh(engine)
    where = within(engine, scope, engine.clock.now())

    def search(count: int) -> dict[int, float]:
        best: dict[int, float] = {}
        hits = engine.index.vector(vector, where, count)
        for hit in hits:
            best[hit.row] = max(best.get(hit.row, 0.0), hit.score)
        return rolled_up(engine, where, best, hits)

    return _best(engine, search, limit)


def weigh(
    engine: Engine,
    where: Where,
    terms: Sequence[str],
    vector: Vector | None,
    hits: Iterable[UnitHit],
    more: Iterable[int] = (),
) -> dict[int, Evidence]:
    """What the query's words and meaning say of the memories of these hits, and of the rows in `more`."""
    units = {hit.unit for hit in hits}
    units.update(unit for first in engine.index.units_of(more, FIRST_UNITS).values() for unit in first)
    pieces = engine.index.around(sorted(units), REACH)
    if not pieces:
        return {}
    words = _word_scores(engine, where, terms, pieces)
    cosine = np.zeros(len(pieces))
    if vector is not None:
        known = engine.index.cosines(vector, where.owner, [piece.unit for piece in pieces])
        cosine = np.clip([known.get(piece.unit, 0.0) for piece in pieces], 0.0, 1.0)
    meant: dict[int, float] = {}
    said: dict[int, float] = {}
    for piece, near, text in zip(pieces, cosine.tolist(), words, strict=True):
        meant[piece.row] = max(meant.get(piece.row, 0.0), near)
        said[piece.row] = max(said.get(piece.row, 0.0), text)
    meant, said = rolled_up(engine, where, meant, pieces), rolled_up(engine, where, said, pieces)
    return {row: Evidence(meant[row], said[row]) for row in meant}


def rolled_up(
    engine: Engine, where: Where, scores: dict[int, float], pieces: Iterable[Piece | UnitHit]
) -> dict[int, float]:
    """Facts of an episode count for the episode, if that is permitted. Other rows are memories of their own."""
    facts = {piece.row for piece in pieces if piece.kind in ALONE and piece.parent_id}
    episodes = engine.index.episodes_of(facts) if facts else {}
    allowed = engine.index.permitted(episodes.values(), where) if episodes else set()
    best: dict[int, float] = {}
    for row, score in scores.items():
        memory = episodes.get(row, row)
        if memory == row or memory in allowed:
            best[memory] = max(best.get(memory, 0.0), score)
    return best


def _word_scores(engine: Engine, where: Where, terms: Sequence[str], pieces: Sequence[Piece]) -> list[float]:
    if not terms:
        return [0.0] * len(pieces)
    stats = engine.index.term_stats(terms, where.owner)
    counts = np.array([[piece.tokens.count(f" {term} ") for piece in pieces] for term in terms], np.float32)
    candidates = Candidates(
        frequency=counts,
        length=np.array([piece.length for piece in pieces], np.float32),
        cosine=np.zeros(len(pieces), np.float32),
        memory=np.array([piece.row for piece in pieces], np.int64),
        centre=np.array([piece.start + piece.length / 2 for piece in pieces], np.float32),
        turn=np.array([piece.turn for piece in pieces], np.int64),
    )
    held = np.array([stats.frequency.get(term, 0) for term in terms], np.float32)
    scores: list[float] = text_scores(candidates, inverse_frequency(stats.units, held), stats.mean_length).tolist()
    return scores


def _best(engine: Engine, search: Callable[[int], dict[int, float]], limit: int) -> list[Found]:
    """The best memories. Many pieces may belong to few memories, so the search widens until there are enough."""
    count = max(CANDIDATES, 4 * limit)
    scores = search(count)
    while len(scores) < limit and count < MOST_CANDIDATES:
        count *= 4
        wider = search(count)
        if len(wider) == len(scores):
            break
        scores = wider
    rows = engine.index.stored(scores)
    found = [Found(rows[row], round(score, 6)) for row, score in scores.items() if row in rows]
    return sorted(found, key=lambda one: (-one.score, -one.stored.timestamp, one.stored.key.handle))[:limit]
