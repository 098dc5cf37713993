"""One pass of ranking: candidates from words and vectors, scored together, rolled up to memories.

Cost depends on the number of candidates, not on the size of the vault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from everlore.engine import Engine
from everlore.index.base import Piece, TermStats, Vector
from everlore.search.score import (
    DENSE_WEIGHT,
    REACH,
    Candidates,
    Floats,
    dense_scores,
    inverse_frequency,
    roll_up,
    text_scores,
)
from everlore.types import UnitHit, Where


@dataclass(frozen=True, slots=True)
class Ask:
    """A pass: what to look for, where, and with which of the two kinds of evidence.

    `weights` tells how much each term counts; terms of the query itself count 1.
    `borrow` is the kind whose turns the hits of smaller kinds (facts) speak for.
    """

    weights: dict[str, float]
    vector: Vector | None
    where: Where
    borrow: str
    limit: int
    """Units asked of each of the two lists."""
    keep: int
    """Memories whose turns are wanted afterwards."""
    radius: float | None
    text: bool = True


@dataclass(frozen=True, slots=True)
class Turn:
    """The best unit of one turn."""

    turn: int
    score: float
    text: float
    cosine: float
    piece: Piece


@dataclass(frozen=True, slots=True)
class Ranked:
    row: int
    parent_id: str
    score: float
    turns: dict[int, Turn]


@dataclass(frozen=True, slots=True)
class Ranking:
    memories: list[Ranked]
    """Best first, at most as many as were to be kept."""
    found: int = 0
    """Memories with any evidence at all."""
    text_hits: int = 0
    dense_hits: int = 0
    units: int = 0
    idf: dict[str, float] = field(default_factory=dict)


def rank(engine: Engine, ask: Ask) -> Ranking:
    index = engine.index
    terms = list(ask.weights) if ask.text else []
    near = index.text(terms, ask.where, ask.limit) if terms else []
    alike = [] if ask.vector is None else index.vector(ask.vector, _only(ask.where, ask.borrow), ask.limit)
    if ask.radius is not None:
        alike = [hit for hit in alike if hit.score >= ask.radius]
    if not near and not alike:
        return Ranking([])
    pieces, memory, centre = _window(engine, ask, near, alike)
    stats = index.term_stats(terms, ask.where.owner) if terms else TermStats(0, 1.0, {})
    candidates, idf = _candidates(engine, ask, terms, stats, pieces, memory, centre)
    text = text_scores(candidates, idf, stats.mean_length)
    dense = dense_scores(candidates.cosine)
    if ask.vector is None:
        score = text
    elif not ask.text:
        score = np.clip(candidates.cosine, 0, 1)
    else:
        score = DENSE_WEIGHT * dense + (1 - DENSE_WEIGHT) * text
    memories, found = _memories(ask, pieces, candidates, score, text)
    return Ranking(memories, found, len(near), len(alike), len(pieces), dict(zip(terms, idf.tolist(), strict=True)))


def _only(where: Where, kind: str) -> Where:
    return Where(where.owner, (kind,), where.filter, where.valid_at)


def _window(
    engine: Engine, ask: Ask, near: Sequence[UnitHit], alike: Sequence[UnitHit]
) -> tuple[list[Piece], list[int], list[float]]:
    """The units to score: every hit and what stands around it. A fact stands where its turn stands."""
    index = engine.index
    small = [hit for hit in near if hit.kind != ask.borrow]
    anchors: dict[tuple[str, int], int] = {}
    if small and ask.where.owner is not None:
        anchors = index.anchors(ask.where.owner, ask.borrow, list({(hit.parent_id, hit.turn) for hit in small}))
    units = {hit.unit for hit in (*near, *alike) if hit.kind == ask.borrow} | set(anchors.values())
    pieces = index.around(sorted(units), REACH)
    memory = [piece.row for piece in pieces]
    centre = [piece.start + piece.length / 2 for piece in pieces]
    place = {piece.unit: at for at, piece in enumerate(pieces)}
    for piece in index.around(sorted(hit.unit for hit in small), 0):
        at = place.get(anchors.get((piece.parent_id, piece.turn), -1))
        if at is not None:
            pieces.append(piece)
            memory.append(memory[at])
            centre.append(centre[at])
    order = sorted(range(len(pieces)), key=lambda at: (memory[at], centre[at]))
    return [pieces[at] for at in order], [memory[at] for at in order], [centre[at] for at in order]


def _candidates(
    engine: Engine,
    ask: Ask,
    terms: Sequence[str],
    stats: TermStats,
    pieces: Sequence[Piece],
    memory: Sequence[int],
    centre: Sequence[float],
) -> tuple[Candidates, Floats]:
    frequency = np.array([[piece.tokens.count(f" {term} ") for piece in pieces] for term in terms], np.float32).reshape(
        len(terms), len(pieces)
    )
    document = np.array([stats.frequency.get(term, 0) for term in terms], np.float32)
    weight = np.array([ask.weights[term] for term in terms], np.float32)
    cosine = np.zeros(len(pieces), np.float32)
    if ask.vector is not None:
        known = engine.index.cosines(ask.vector, [piece.unit for piece in pieces])
        floor = -1.0 if ask.radius is None else ask.radius
        values = [known.get(piece.unit, 0.0) for piece in pieces]
        cosine = np.array([value if value >= floor else 0.0 for value in values], np.float32)
    candidates = Candidates(
        frequency=frequency,
        length=np.array([piece.length for piece in pieces], np.float32),
        cosine=cosine,
        memory=np.array(memory, np.int64),
        centre=np.array(centre, np.float32),
        turn=np.array([piece.turn for piece in pieces], np.int64),
    )
    return candidates, inverse_frequency(stats.units, document) * weight


def _memories(
    ask: Ask, pieces: Sequence[Piece], candidates: Candidates, score: Floats, text: Floats
) -> tuple[list[Ranked], int]:
    """Units to turns to memories. Values are made only of the memories that are kept."""
    memory, turn = candidates.memory, candidates.turn
    order = np.lexsort((-score, turn, memory))
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(memory[order]) != 0) | (np.diff(turn[order]) != 0)
    best = order[first]  # of each turn, by memory
    best = best[np.lexsort((-score[best], memory[best]))]
    starts = np.flatnonzero(np.r_[True, np.diff(memory[best]) != 0])
    ends = np.r_[starts[1:], len(best)]
    worth = roll_up(score[best], starts) if ask.text else score[best][starts]
    told = np.logical_or.reduceat((text > 0)[best] | (candidates.cosine > 0)[best], starts)
    ranked = sorted(
        (-float(worth[at]), pieces[best[start]].parent_id, int(memory[best[start]]), at)
        for at, start in enumerate(starts)
        if told[at]
    )
    memories = []
    for value, parent_id, row, at in ranked[: ask.keep]:
        turns = {
            int(turn[unit]): Turn(
                int(turn[unit]), float(score[unit]), float(text[unit]), float(candidates.cosine[unit]), pieces[unit]
            )
            for unit in best[starts[at] : ends[at]]
        }
        memories.append(Ranked(row, parent_id, -value, turns))
    return memories, len(ranked)
