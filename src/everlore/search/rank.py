"""One pass of ranking: candidates from words and vectors, scored together, rolled up to memories.

Cost depends on the number of candidates, not on the size of the vault.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from everlore.engine import Engine
from everlore.extract.turns import ASSISTANT
from everlore.index.base import Piece, TermStats, Vector
from everlore.index.tokens import joined, tokens
from everlore.search.meaning import nothing
from everlore.search.score import (
    BY_ASSISTANT,
    REACH,
    Candidates,
    Floats,
    Ints,
    dense_scores,
    fused,
    in_context,
    roll_up,
    term_weights,
    text_scores,
)
from everlore.types import Filter, UnitHit, Where

TURNS_TOGETHER = "its turns together"
IN_TIME = "within the time that was asked for"
LIFT = 0.1
"""How far a memory from the time that was asked for is raised."""
KEPT_TURNS = 10
"""Turns of a memory that are told apart afterwards."""
DEEPER = 8
DEEPEST = 2000
"""How much further the lists are read where a few long memories fill them, and how far at most."""
OTHER_UNITS = 4
"""Units of each memory that is found so."""
SPEAKING = 100
"""Facts that are asked to speak for their turns."""
_ASSISTANT = joined(tokens(ASSISTANT))
"""How the tokens of an unnamed assistant's units begin."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A pass: what to look for, where, and with which of the two kinds of evidence.

    `weights` tells how much each term counts, as `score.looked_for` says it of the query's own.
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
    favoured: Filter | None = None
    """Memories that meet this, and what else is demanded, are preferred: the time that was asked for."""


class Turn(NamedTuple):
    """The best unit of one turn. A search makes many."""

    turn: int
    score: float
    text: float
    cosine: float
    meaning: float
    """What the cosine counts for, as the turns beside it let one read it, in [0, 1]."""
    piece: Piece

    @property
    def by_assistant(self) -> bool:
        return self.piece.tokens.startswith(_ASSISTANT)


@dataclass(frozen=True, slots=True)
class Ranked:
    row: int
    parent_id: str
    score: float
    turns: dict[int, Turn]
    """The best ones."""
    steps: tuple[tuple[str, float], ...] = ()
    """How it came to its score: what its turns are worth together, and what was changed about that, with the reason."""

    def moved(self, why: str, score: float) -> Ranked:
        return replace(self, score=score, steps=(*self.steps, (why, score)))


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
    with engine.index.snapshot():
        ranking = _rank(engine, ask)
        if ask.favoured is None:
            return ranking
        return _lifted(ranking, _rank(engine, replace(ask, where=replace(ask.where, filter=ask.favoured))), ask.keep)


def _lifted(ranking: Ranking, favoured: Ranking, keep: int) -> Ranking:
    """The memories of both, those of the second raised towards 1."""
    best = {one.row: one for one in ranking.memories}
    best |= {one.row: one.moved(IN_TIME, 1 - (1 - one.score) * (1 - LIFT)) for one in favoured.memories}
    memories = sorted(best.values(), key=lambda one: (-one.score, one.parent_id, one.row))[:keep]
    return replace(ranking, memories=memories, units=ranking.units + favoured.units)


def _rank(engine: Engine, ask: Ask) -> Ranking:
    index = engine.index
    terms = list(ask.weights) if ask.text else []
    near, alike = _lists(engine, ask, terms, ask.limit)
    stats = index.term_stats(terms, ask.where.owner) if terms else TermStats(0, 1.0, {})
    units = {hit.unit for hit in (*near, *alike)}
    window = _window(engine, units)
    seen = set(window.memory)
    if len(seen) < ask.keep and ask.limit in (len(near), len(alike)):
        wanted = min(ask.keep, index.count(ask.where))
        if len(seen) < wanted:
            units |= _crowded_out(engine, ask, terms, seen, wanted)
            window = _window(engine, units)
    frequency = index.occurrences(terms, ask.where.owner, window.pieces)
    missing = _missing(engine, ask, terms, stats, frequency) if ask.smaller else []
    if missing:
        window = _with_smaller(engine, ask, missing, units, window)
        frequency = index.occurrences(terms, ask.where.owner, window.pieces)
    if not window.pieces:
        return Ranking([])
    candidates = _candidates(engine, ask, frequency, window)
    idf = _telling(ask, terms, stats)
    text = text_scores(candidates, idf, stats.mean_length)
    meaning = np.zeros_like(text)
    if ask.vector is None:
        score = text
    elif not ask.text:
        score = np.clip(candidates.cosine, 0, 1)
    else:
        meaning = dense_scores(in_context(candidates), nothing(engine))
        score = fused(meaning, text)
    if ask.text:  # by vectors alone a score is the cosine
        score = np.where([piece.tokens.startswith(_ASSISTANT) for piece in window.pieces], BY_ASSISTANT * score, score)
    memories, found = _memories(ask, window.pieces, candidates, score, text, meaning)
    weights = dict(zip(terms, idf.tolist(), strict=True))
    return Ranking(memories, found, len(near), len(alike), len(window.pieces), weights)


def _lists(engine: Engine, ask: Ask, terms: Sequence[str], limit: int) -> tuple[list[UnitHit], list[UnitHit]]:
    """Units by words and by meaning, best first."""
    near = engine.index.text(terms, ask.where, limit) if terms else []
    alike = [] if ask.vector is None else engine.index.vector(ask.vector, ask.where, limit)
    if ask.radius is not None:
        alike = [hit for hit in alike if hit.score >= ask.radius]
    return list(near), list(alike)


def _crowded_out(engine: Engine, ask: Ask, terms: Sequence[str], seen: Set[int], wanted: int) -> set[int]:
    """The best units of memories other than these, whose many units left no room for them in the lists, until there are
    as many memories as `wanted`."""
    others: dict[int, list[int]] = {}
    row_of: dict[int, int] = {}
    limit, full = ask.limit, True
    while full and limit < DEEPEST and len(seen) + len(others) < wanted:
        limit *= DEEPER
        lists = _lists(engine, ask, terms, limit)
        full = any(len(hits) == limit for hits in lists)
        fresh = {hit.unit for hits in lists for hit in hits}.difference(row_of)
        row_of |= {piece.unit: piece.row for piece in engine.index.around(sorted(fresh), 0)}
        others = {}
        for hit in (hit for hits in lists for hit in hits):
            row = row_of.get(hit.unit)
            if row is not None and row not in seen:
                others.setdefault(row, []).append(hit.unit)
    return {unit for units in others.values() for unit in units[:OTHER_UNITS]}


@dataclass(frozen=True, slots=True)
class Window:
    """The units to score: every hit and what stands around it, each with the memory and the place it counts for."""

    pieces: list[Piece]
    memory: list[int]
    centre: list[float]


def _window(engine: Engine, units: Set[int]) -> Window:
    pieces = engine.index.around(sorted(units), REACH)
    return Window(pieces, [piece.row for piece in pieces], [piece.start + piece.length / 2 for piece in pieces])


def _missing(engine: Engine, ask: Ask, terms: Sequence[str], stats: TermStats, frequency: Floats) -> list[str]:
    """Terms that are known, but not from any memory of the kind that is looked for."""
    absent = [term for term, count in zip(terms, frequency, strict=True) if stats.frequency[term] and not count.any()]
    held = engine.index.held(absent, ask.where) if absent else ()
    return [term for term in absent if term not in held]


def _with_smaller(engine: Engine, ask: Ask, missing: Sequence[str], units: Set[int], window: Window) -> Window:
    """Words that stand in no turn may stand in a fact that a person wrote: it speaks for its turn."""
    index, owner = engine.index, ask.where.owner
    # a fact has a time of its own: what is demanded is demanded of the memory it speaks for
    hits = index.text(missing, replace(ask.where, kinds=(ask.smaller,), filter=None), SPEAKING)
    if owner is None or not hits:
        return window
    facts = index.around(sorted(hit.unit for hit in hits), 0)
    anchors = index.anchors(owner, ask.where.kinds[0], list({(fact.parent_id, fact.turn) for fact in facts}))
    wider = _window(engine, units | set(anchors.values()))
    allowed = index.permitted(set(wider.memory), ask.where)
    place = {piece.unit: at for at, piece in enumerate(wider.pieces) if wider.memory[at] in allowed}
    scored = [(wider.memory[at], wider.centre[at], wider.pieces[at]) for at in place.values()]
    for piece in facts:
        at = place.get(anchors.get((piece.parent_id, piece.turn), -1))
        if at is not None:
            scored.append((wider.memory[at], wider.centre[at], piece))
    scored.sort(key=lambda one: one[:2])
    return Window([piece for _, _, piece in scored], [row for row, _, _ in scored], [at for _, at, _ in scored])


def _candidates(engine: Engine, ask: Ask, frequency: Floats, window: Window) -> Candidates:
    pieces = window.pieces
    cosine = np.zeros(len(pieces), np.float32)
    if ask.vector is not None:
        known = engine.index.cosines(ask.vector, ask.where.owner, [piece.unit for piece in pieces])
        # what words brought in is read in full; by vectors alone, what stands around a hit must be near enough itself
        least = -1.0 if ask.radius is None or ask.text else ask.radius
        cosine = np.where(known >= least, known, 0.0).astype(np.float32)
    return Candidates(
        frequency=frequency,
        length=np.array([piece.length for piece in pieces], np.float32),
        cosine=cosine,
        memory=np.array(window.memory, np.int64),
        centre=np.array(window.centre, np.float32),
        turn=np.array([piece.turn for piece in pieces], np.int64),
    )


def _telling(ask: Ask, terms: Sequence[str], stats: TermStats) -> Floats:
    return term_weights(stats, terms) * np.array([ask.weights[term] for term in terms], np.float32)


def _memories(
    ask: Ask, pieces: Sequence[Piece], candidates: Candidates, score: Floats, text: Floats, meaning: Floats
) -> tuple[list[Ranked], int]:
    """Units to turns to memories. Values are made only of the memories that are kept."""
    memory, turn = candidates.memory, candidates.turn
    order = np.lexsort((-score, turn, memory))
    best = order[_begins(memory[order]) | _begins(turn[order])]  # of each turn, by memory
    best = best[np.lexsort((-score[best], memory[best]))]
    starts = np.flatnonzero(_begins(memory[best]))
    worth = roll_up(score[best], starts) if ask.text else score[best][starts]
    told = np.logical_or.reduceat((text[best] > 0) | (candidates.cosine[best] > 0), starts)
    columns = (turn, score, text, candidates.cosine, meaning)
    turns = list(map(Turn, *(column[best].tolist() for column in columns), [pieces[at] for at in best.tolist()]))
    begin = starts.tolist()
    ranked = sorted(
        (-value, turns[start].piece.parent_id, row, start, end)
        for value, row, start, end, known in zip(
            worth.tolist(), memory[best[starts]].tolist(), begin, [*begin[1:], len(turns)], told.tolist(), strict=True
        )
        if known
    )
    memories = [
        Ranked(
            row,
            parent_id,
            -value,
            {one.turn: one for one in turns[start : min(end, start + KEPT_TURNS)]},
            ((TURNS_TOGETHER, -value),),
        )
        for value, parent_id, row, start, end in ranked[: ask.keep]
    ]
    return memories, len(ranked)


def _begins(values: Ints) -> NDArray[np.bool_]:
    """Where another value begins."""
    begins = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return begins
