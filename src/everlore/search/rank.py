"""One pass of ranking: candidates from words and vectors, scored together, rolled up to memories.

Cost depends on the number of candidates, not on the size of the vault.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace

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
from everlore.types import Where

KEPT_TURNS = 10
"""Turns of a memory that are told apart afterwards."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A pass: what to look for, where, and with which of the two kinds of evidence.

    `weights` tells how much each term counts; terms of the query itself count 1.
    `smaller` is a kind whose memories speak for turns of the kind that is looked for (facts for episodes).
    """

    weights: dict[str, float]
    vector: Vector | None
    where: Where
    limit: int
    """Units asked of each of the two lists."""
    keep: int
    """Memories whose turns are wanted afterwards."""
    radius: float | None
    text: bool = True
    smaller: str = ""


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
    """The best ones."""


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
    alike = [] if ask.vector is None else index.vector(ask.vector, ask.where, ask.limit)
    if ask.radius is not None:
        alike = [hit for hit in alike if hit.score >= ask.radius]
    stats = index.term_stats(terms, ask.where.owner) if terms else TermStats(0, 1.0, {})
    units = {hit.unit for hit in (*near, *alike)}
    window = _window(engine, units)
    missing = [term for term in terms if stats.frequency.get(term) and not window.holds(term)]
    if missing and ask.smaller:
        window = _with_smaller(engine, ask, missing, units, window)
    if not window.pieces:
        return Ranking([])
    candidates, idf = _candidates(engine, ask, terms, stats, window)
    text = text_scores(candidates, idf, stats.mean_length)
    if ask.vector is None:
        score = text
    elif not ask.text:
        score = np.clip(candidates.cosine, 0, 1)
    else:
        score = DENSE_WEIGHT * dense_scores(candidates.cosine) + (1 - DENSE_WEIGHT) * text
    memories, found = _memories(ask, window.pieces, candidates, score, text)
    weights = dict(zip(terms, idf.tolist(), strict=True))
    return Ranking(memories, found, len(near), len(alike), len(window.pieces), weights)


@dataclass(frozen=True, slots=True)
class Window:
    """The units to score: every hit and what stands around it, each with the memory and the place it counts for."""

    pieces: list[Piece]
    memory: list[int]
    centre: list[float]

    def holds(self, term: str) -> bool:
        return any(f" {term} " in piece.tokens for piece in self.pieces)


def _window(engine: Engine, units: Set[int]) -> Window:
    pieces = engine.index.around(sorted(units), REACH)
    return Window(pieces, [piece.row for piece in pieces], [piece.start + piece.length / 2 for piece in pieces])


def _with_smaller(engine: Engine, ask: Ask, missing: Sequence[str], units: Set[int], window: Window) -> Window:
    """Words that stand in no turn may stand in a fact that a person wrote: it speaks for its turn."""
    index, owner = engine.index, ask.where.owner
    hits = index.text(missing, replace(ask.where, kinds=(ask.smaller,)), ask.limit)
    if owner is None or not hits:
        return window
    kind = ask.where.kinds[0]
    anchors = index.anchors(owner, kind, list({(hit.parent_id, hit.turn) for hit in hits}))
    wider = _window(engine, units | set(anchors.values()))
    pieces, memory, centre = wider.pieces, wider.memory, wider.centre
    place = {piece.unit: at for at, piece in enumerate(pieces)}
    for piece in index.around(sorted(hit.unit for hit in hits), 0):
        at = place.get(anchors.get((piece.parent_id, piece.turn), -1))
        if at is not None:
            pieces.append(piece)
            memory.append(memory[at])
            centre.append(centre[at])
    order = sorted(range(len(pieces)), key=lambda at: (memory[at], centre[at]))
    return Window([pieces[at] for at in order], [memory[at] for at in order], [centre[at] for at in order])


def _candidates(
    engine: Engine,
    ask: Ask,
    terms: Sequence[str],
    stats: TermStats,
    window: Window,
) -> tuple[Candidates, Floats]:
    pieces = window.pieces
    frequency = np.array([[piece.tokens.count(f" {term} ") for piece in pieces] for term in terms], np.float32).reshape(
        len(terms), len(pieces)
    )
    document = np.array([stats.frequency.get(term, 0) for term in terms], np.float32)
    weight = np.array([ask.weights[term] for term in terms], np.float32)
    cosine = np.zeros(len(pieces), np.float32)
    if ask.vector is not None:
        known = engine.index.cosines(ask.vector, ask.where.owner, [piece.unit for piece in pieces])
        floor = -1.0 if ask.radius is None else ask.radius
        values = [known.get(piece.unit, 0.0) for piece in pieces]
        cosine = np.array([value if value >= floor else 0.0 for value in values], np.float32)
    candidates = Candidates(
        frequency=frequency,
        length=np.array([piece.length for piece in pieces], np.float32),
        cosine=cosine,
        memory=np.array(window.memory, np.int64),
        centre=np.array(window.centre, np.float32),
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
            for unit in best[starts[at] : min(ends[at], starts[at] + KEPT_TURNS)]
        }
        memories.append(Ranked(row, parent_id, -value, turns))
    return memories, len(ranked)
