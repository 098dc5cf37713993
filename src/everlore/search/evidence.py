"""What words and meaning say of single memories, each on its own scale in [0, 1], over all owners of a scope.

Small pieces are compared; a piece speaks for its memory, and a fact that was made from an episode speaks for that
episode. What is no longer valid is left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from everlore.engine import Engine
from everlore.index.base import Piece, Vector
from everlore.index.tokens import query_terms
from everlore.search.score import REACH, Candidates, term_weights, text_scores
from everlore.sync import embed_fresh
from everlore.types import IndexedMemory, Scope, UnitHit, Where

MEMORIES = ("episode", "note", "record", "case", "skill")
"""What a person would call a memory;"""
ALONE = ("fact",)
"""and what is one when it was not made from an episode."""
CANDIDATES = 60
MOST_CANDIDATES = 2000
SAME = 1e-6
"""Scores that differ by less are equal."""
FIRST_UNITS = 6
"""Units of a memory that the graph found which are compared with the query."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of one memory: the best cosine of its pieces and their best text score."""

    meaning: float = 0.0
    words: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    stored: IndexedMemory
    score: float


def within(engine: Engine, scope: Scope, now: int | None) -> Where:
    """All memories of a scope that are valid now. With a single owner its own lists are walked, which is quicker."""
    owners = engine.index.owners(scope, 2)
    only = owners[0][0] if len(owners) == 1 else None
    return Where(only, MEMORIES + ALONE, valid_at=now, scope=scope)


def await_embedder(engine: Engine, seconds: float) -> bool:
    """Whether the model is ready; one that is loading is waited for a little."""
    if engine.embedder.state() != "ready":
        engine.embedder.warm()
    deadline = time.monotonic() + seconds
    while engine.embedder.state() == "loading" and time.monotonic() < deadline:
        time.sleep(0.02)
    return engine.embedder.state() == "ready"


def by_words(engine: Engine, scope: Scope, text: str, limit: int) -> list[Found]:
    where = within(engine, scope, engine.clock.now())
    terms = query_terms(text)

    def search(count: int) -> dict[int, float]:
        hits = engine.index.text(terms, where, count) if terms else []
        return {row: one.words for row, one in weigh(engine, where, terms, None, hits).items() if one.words > 0}

    return _best(engine, search, limit)


def by_meaning(engine: Engine, scope: Scope, vector: Vector, limit: int) -> list[Found]:
    return nearest(engine, within(engine, scope, engine.clock.now()), vector, limit)


def nearest(engine: Engine, where: Where, vector: Vector, limit: int) -> list[Found]:
    embed_fresh(engine)

    def search(count: int) -> dict[int, float]:
        best: dict[int, float] = {}
        near = {hit.unit: hit.score for hit in engine.index.vector(vector, where, count)}
        pieces = engine.index.around(sorted(near), 0)
        for piece in pieces:
            best[piece.row] = max(best.get(piece.row, 0.0), near[piece.unit])
        return rolled_up(engine, where, best, pieces)

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
        cosine = np.clip(np.nan_to_num(known), 0.0, 1.0)
    meant: dict[int, float] = {}
    said: dict[int, float] = {}
    for piece, near, text in zip(pieces, cosine.tolist(), words, strict=True):
        meant[piece.row] = max(meant.get(piece.row, 0.0), near)
        said[piece.row] = max(said.get(piece.row, 0.0), text)
    meant, said = rolled_up(engine, where, meant, pieces), rolled_up(engine, where, said, pieces)
    return {row: Evidence(meant[row], said[row]) for row in meant}


def rolled_up(engine: Engine, where: Where, scores: dict[int, float], pieces: Iterable[Piece]) -> dict[int, float]:
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
    counts = engine.index.occurrences(terms, where.owner, pieces)
    candidates = Candidates(
        frequency=counts,
        length=np.array([piece.length for piece in pieces], np.float32),
        cosine=np.zeros(len(pieces), np.float32),
        memory=np.array([piece.row for piece in pieces], np.int64),
        centre=np.array([piece.start + piece.length / 2 for piece in pieces], np.float32),
        turn=np.array([piece.turn for piece in pieces], np.int64),
    )
    scores: list[float] = text_scores(candidates, term_weights(stats, terms), stats.mean_length).tolist()
    return scores


def leading(scores: Mapping[int, float], limit: int) -> list[int]:
    """The rows with the best scores, and all that are as good as the last of them: which of those come first is told by
    what is not read yet."""
    if len(scores) <= limit:
        return list(scores)
    edge = sorted(scores.values(), reverse=True)[limit - 1]
    return [row for row, score in scores.items() if score >= edge - SAME]


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
    rows = engine.index.stored(leading(scores, limit))
    found = [Found(rows[row], round(score, 6)) for row, score in scores.items() if row in rows]
    return sorted(found, key=lambda one: (-one.score, -one.stored.timestamp, one.stored.key.global_id))[:limit]
