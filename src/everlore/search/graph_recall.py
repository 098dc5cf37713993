"""Recall by meaning, words and the graph: the weighted sum of three scores, each in [0, 1].

A memory that shares no word with the question is reached through the names it shares with what the question found.
With code beside memories, the two are brought to one scale by z-scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from everlore.engine import Engine
from everlore.errors import Misconfigured, Unavailable
from everlore.graph.neighbourhood import Walk, walk
from everlore.index.base import Vector
from everlore.index.tokens import query_terms
from everlore.search.evidence import CANDIDATES, SAME, Evidence, await_embedder, leading, weigh, within
from everlore.search.meaning import nothing
from everlore.sync import embed_fresh
from everlore.types import IndexedMemory, Scope, Where

SEEDS = 4
"""Memories that a walk over the graph begins at. More lead astray."""
GRAPH_ONLY = 60
"""Memories that only the graph found which are compared with the question."""
SHARPNESS = 4.0
"""Better seeds count so much more."""
MEASURED = 50
"""Items of each source, at least, that z-scores are taken over; three times as many as are wanted, if that is more."""
FEW = 10
"""A source with so many items is measured half by itself and half by all."""
PATIENCE_SECONDS = 1.0
"""How long a model that is loading is waited for."""


@dataclass(frozen=True, slots=True)
class Weights:
    vector: float = 0.40
    words: float = 0.15
    graph: float = 0.45


@dataclass(frozen=True, slots=True)
class CodeHit:
    """A piece of code. Scores are in [0, 1]."""

    id: str
    content: str
    file_path: str
    start_line: int
    end_line: int
    vector_score: float = 0.0
    text_score: float = 0.0
    graph_score: float = 0.0


CodeSearch: TypeAlias = Callable[[Engine, str, str | None, str | None, int], Sequence[CodeHit]]
"""(engine, query, project id, language, limit): the seam where the code index plugs in."""


@dataclass(frozen=True, slots=True)
class Recalled:
    item: IndexedMemory | CodeHit
    score: float
    vector_score: float
    words_score: float
    graph_score: float


@dataclass(frozen=True, slots=True)
class Recollection:
    results: list[Recalled] = field(default_factory=list)
    nodes: int = 0
    """Of the graph, that were looked at."""


def measured(limit: int) -> int:
    """How many of each source to fetch when both are merged."""
    return max(MEASURED, 3 * limit)


def recall_memories(engine: Engine, scope: Scope, text: str, limit: int, weights: Weights) -> Recollection:
    """The best memories of a scope. While the model loads, words and graph go on alone."""
    vector = _embed(engine, text)
    where = within(engine, scope, engine.clock.now())
    terms = query_terms(text)
    count = max(CANDIDATES, 2 * limit)
    hits = list(engine.index.text(terms, where, count)) if terms else []
    if vector is not None:
        hits += engine.index.vector(vector, where, count)
    evidence = weigh(engine, where, terms, vector, hits)
    begin = seeds(evidence, nothing(engine))
    reached = walk(engine, where, text, begin) if weights.graph > 0 else Walk()
    # what is near to memories that hardly match is hardly near to the question
    match = min(1.0, max(begin.values(), default=0.0) ** (1 / SHARPNESS))
    # rounded, because the order of additions in the walk, which a rebuild changes, must not decide between equals
    nearness = {row: round(match * value, 9) for row, value in _memories_only(engine, where, reached.nearness).items()}
    more = sorted((row for row in nearness if row not in evidence), key=lambda row: (-nearness[row], row))[:GRAPH_ONLY]
    evidence |= {row: one for row, one in weigh(engine, where, terms, vector, (), more).items() if row not in evidence}
    scored = {
        row: round(weights.vector * one.meaning + weights.words * one.words + weights.graph * nearness.get(row, 0.0), 9)
        for row, one in evidence.items()
    }
    stored = engine.index.stored(leading(scored, limit))
    results = [
        Recalled(stored[row], score, evidence[row].meaning, evidence[row].words, nearness.get(row, 0.0))
        for row, score in scored.items()
        if row in stored
    ]
    results.sort(key=lambda one: (-one.score, *_order(one.item)))
    return Recollection(results[:limit], reached.nodes)


def recall_code(
    engine: Engine,
    search: CodeSearch,
    text: str,
    project: str | None,
    language: str | None,
    limit: int,
    weights: Weights,
) -> list[Recalled]:
    """Code has a graph of its own: which piece names which."""
    found = [
        Recalled(
            hit,
            weights.vector * hit.vector_score + weights.words * hit.text_score + weights.graph * hit.graph_score,
            hit.vector_score,
            hit.text_score,
            hit.graph_score,
        )
        for hit in search(engine, text, project, language, limit)
    ]
    return sorted(found, key=lambda one: (-one.score, *_order(one.item)))[:limit]


def merged(memories: Sequence[Recalled], code: Sequence[Recalled], limit: int) -> list[Recalled]:
    """The best of both sources by their z-scores; among equals the one with the better own score.

    Each source is measured by its own mean and spread. Those of a few items say little (of two, one is always above
    the mean and one below), so they lean on the mean and spread of all, the more the fewer the items.
    """
    everything = np.array([one.score for one in (*memories, *code)])
    both = [(one, z) for found in (memories, code) for one, z in _standardised(found, everything)]
    both.sort(key=lambda pair: (-pair[1], -pair[0].score, *_order(pair[0].item)))
    return [replace(one, score=z) for one, z in both[:limit]]


def _standardised(found: Sequence[Recalled], everything: Vector) -> Iterator[tuple[Recalled, float]]:
    if not found:
        return
    scores = np.array([one.score for one in found])
    own = len(found) / (len(found) + FEW)
    mean = own * scores.mean() + (1 - own) * everything.mean()
    spread = float(np.sqrt(own * scores.var() + (1 - own) * everything.var()))
    for one, score in zip(found, scores, strict=True):
        # rounded, because the last digits must not decide between equals
        yield one, 0.0 if spread < SAME else round(float((score - mean) / spread), 9)


def seeds(evidence: dict[int, Evidence], low: float) -> dict[int, float]:
    """Where walks begin: the best memories by words and meaning together. A cosine of `low` is nothing."""

    def worth(one: Evidence) -> float:
        meaning = max(0.0, one.meaning - low) / (1 - low)
        return float((meaning + one.words) ** SHARPNESS)

    worths = {row: round(worth(one), 9) for row, one in evidence.items()}
    # with those that are as good as the last; of very many equals none says more than the others
    best = sorted(leading(worths, SEEDS), key=lambda row: (-worths[row], row))[: 4 * SEEDS]
    return {row: worths[row] for row in best if worths[row] > 0}


def _embed(engine: Engine, text: str) -> Vector | None:
    if not await_embedder(engine, PATIENCE_SECONDS):
        return None
    embed_fresh(engine)
    try:
        return engine.embedder.query(text)
    except (Unavailable, Misconfigured):
        return None


def _memories_only(engine: Engine, where: Where, nearness: dict[int, float]) -> dict[int, float]:
    """Without entities, and without what is not permitted."""
    allowed = engine.index.permitted(nearness, where)
    return {row: value for row, value in nearness.items() if row in allowed}


def _order(item: IndexedMemory | CodeHit) -> tuple[int, str]:
    """Among equals the newest first, and the same order in every process."""
    return (-item.timestamp, item.key.global_id) if isinstance(item, IndexedMemory) else (0, item.id)
