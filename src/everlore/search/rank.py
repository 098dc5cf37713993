"""One pass of ranking: candidates are scored and rolled up to memories; the graph and the time asked for follow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from everlore.engine import Engine
from everlore.extract.turns import ASSISTANT
from everlore.graph.neighbourhood import walk
from everlore.kinds.registry import parts_of
from everlore.search.candidates import Ask, Found, collect, collect_rows
from everlore.search.query import NO_PARTS, Parts
from everlore.search.recipes import HYBRID, Recipe
from everlore.search.score import (
    BY_ASSISTANT,
    Floats,
    Ints,
    added,
    dense_scores,
    in_context,
    roll_up,
    term_weights,
    text_scores,
)
from everlore.search.vectors import unrelated_cosine
from everlore.stores.base import Piece, TermStats
from everlore.stores.tokens import joined, tokens

TURNS_TOGETHER = "its turns together"
PARTS_TOGETHER = "the weighted sum of its parts"
IN_TIME = "within the time that was asked for"
SHARED_NAMES = "it shares names with what was found"
KEPT_TURNS = 10
"""Turns of a memory that are told apart afterwards."""
SEEDS = 3
"""Memories that a walk over the graph begins at. More lead astray."""
GRAPH_ONLY = 60
"""Memories that only the graph found which are compared with the question."""
SHARPNESS = 4.0
"""Better seeds count so much more."""
SAME = 1e-6
"""Scores that differ by less are equal."""
_ASSISTANT = joined(tokens(ASSISTANT))
"""How the tokens of an unnamed assistant's units begin."""


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
    """How it came to its score: what its evidence is worth, and what was changed about that, with the reason."""
    parts: Parts = NO_PARTS

    @property
    def is_talk(self) -> bool:
        """Whether it is of a kind that was cut into statements."""
        return any(parts_of(turn.piece.kind) for turn in self.turns.values())

    def moved(self, why: str, change: Callable[[float], float]) -> Ranked:
        """With another score. Its parts change alike, so that a weighted sum of them stays one."""
        score = change(self.score)
        old = self.parts
        parts = Parts(*(change(part) if part else 0.0 for part in (old.meaning, old.words, old.graph)))
        return replace(self, score=score, parts=parts, steps=(*self.steps, (why, score)))


@dataclass(frozen=True, slots=True)
class Ranking:
    memories: list[Ranked]
    """Best first, at most as many as were to be kept, and those that are as good as the last of them."""
    found: int = 0
    """Memories with any evidence at all."""
    text_hits: int = 0
    dense_hits: int = 0
    units: int = 0
    idf: dict[str, float] = field(default_factory=dict)
    nodes: int = 0
    """Of the graph, that were looked at."""
    stats: TermStats | None = None
    """Of the terms that were looked for."""


def rank(engine: Engine, ask: Ask) -> Ranking:
    with engine.index.search.snapshot():
        found = collect(engine.index, ask)
        if found is None:
            return Ranking([])
        idf = term_weights(found.stats, ask.weights if ask.recipe.by_words else {})
        memories, nodes = _memories(engine, ask, found, idf), 0
        if ask.recipe.graph > 0:
            memories, nodes = _with_graph(engine, ask, found, idf, memories)
        if ask.favoured is not None:
            memories = _in_time(ask, *ask.favoured, memories)
    weights = dict(zip(ask.terms, idf.tolist(), strict=True))
    best = leading(memories, ask.keep)
    return Ranking(
        best, len(memories), found.text_hits, found.dense_hits, len(found.pieces), weights, nodes, found.stats
    )


def leading(memories: Iterable[Ranked], keep: int) -> list[Ranked]:
    """The best first, and all that are as good as the last of them: which of those come first is told by what is not
    read yet."""
    ordered = sorted(memories, key=lambda one: (-one.score, one.parent_id, one.row))
    if len(ordered) <= keep:
        return ordered
    edge = ordered[keep - 1].score - SAME if keep else 2.0
    return [one for one in ordered if one.score >= edge]


def unit_scores(recipe: Recipe, meaning: Floats, text: Floats) -> Floats:
    """Words and meaning together. A sum of parts is weighted for memories; its units are judged as by default."""
    share = recipe if recipe.by_turns else HYBRID
    both: Floats = share.meaning * meaning + share.words * text
    return both


def _memories(engine: Engine, ask: Ask, found: Found, idf: Floats, *, reached: bool = False) -> list[Ranked]:
    """Units to turns to memories; those without any evidence only if the graph `reached` them."""
    recipe, scored, pieces = ask.recipe, found.scored, found.pieces
    text = text_scores(scored, idf, found.stats.mean_length, recipe.reach)
    near, said, meaning = np.clip(scored.cosine, 0, 1), text, np.zeros_like(text)
    if ask.vector is None:
        score = text
    elif not recipe.by_words:
        score = near
    else:
        low = unrelated_cosine(engine, recipe)
        meaning = dense_scores(in_context(scored), low)
        score = unit_scores(recipe, meaning, text)
    if recipe.by_words:  # by vectors alone a score is the cosine
        share = np.where([piece.tokens.startswith(_ASSISTANT) for piece in pieces], BY_ASSISTANT, 1).astype(np.float32)
        score, said = share * score, share * text
        if ask.vector is not None and not recipe.by_turns:  # a cosine again, read and judged as for any other recipe
            near = np.where(meaning > 0, low + (1 - low) * share * meaning, np.minimum(near, low))
    memory, turn = scored.memory, scored.turn
    order = np.lexsort((-score, turn, memory))
    best = order[_begins(memory[order]) | _begins(turn[order])]  # of each turn, by memory
    best = best[np.lexsort((-score[best], memory[best]))]
    starts = np.flatnonzero(_begins(memory[best]))
    by_memory = order  # grouped by memory, as `best` is
    bounds = np.flatnonzero(_begins(memory[by_memory]))
    meant = np.maximum.reduceat((meaning if recipe.by_turns else near)[by_memory], bounds)
    worded = np.maximum.reduceat((text if recipe.by_turns else said)[by_memory], bounds)
    worth = roll_up(score[best], starts) if recipe.by_turns else recipe.meaning * meant + recipe.words * worded
    told = np.logical_or.reduceat((text > 0)[by_memory] | (scored.cosine > 0)[by_memory], bounds)
    columns = (turn, score, text, scored.cosine, meaning)
    turns = list(map(Turn, *(column[best].tolist() for column in columns), [pieces[at] for at in best.tolist()]))
    begin, why = starts.tolist(), TURNS_TOGETHER if recipe.by_turns else PARTS_TOGETHER
    each = (memory[best[starts]].tolist(), worth.tolist(), meant.tolist(), worded.tolist(), told.tolist())
    memories: list[Ranked] = []
    for row, value, means, says, known, start, end in zip(*each, begin, [*begin[1:], len(turns)], strict=True):
        if known or reached:
            value = round(value, 9)  # the order of additions, which a rebuild changes, must not decide between equals
            own = {one.turn: one for one in turns[start : min(end, start + KEPT_TURNS)]}
            memories.append(Ranked(row, turns[start].piece.parent_id, value, own, ((why, value),), Parts(means, says)))
    return memories


def _begins(values: Ints) -> NDArray[np.bool_]:
    """Where another value begins."""
    begins = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return begins


def _with_graph(
    engine: Engine, ask: Ask, found: Found, idf: Floats, memories: list[Ranked]
) -> tuple[list[Ranked], int]:
    """With the memories that share names with the best ones, and each as much better as it is near to those."""
    begin = _seeds(memories, 0.0 if ask.recipe.by_turns else unrelated_cosine(engine, ask.recipe))
    if ask.recipe.by_turns:  # the names in a talk are those of who was there; a note is about what it names
        best = max(memories, key=lambda one: (one.score, -one.row))
        if best.is_talk:
            return memories, 0
    reached = walk(engine, ask.where, ask.text, begin)
    # what is near to memories that hardly match is hardly near to the question
    match = min(1.0, max(begin.values(), default=0.0) ** (1 / SHARPNESS))
    allowed = engine.index.search.permitted(reached.nearness, ask.where)
    nearness = {row: round(match * value, 9) for row, value in reached.nearness.items() if row in allowed}
    known = {one.row for one in memories}
    more = sorted((row for row in nearness if row not in known), key=lambda row: (-nearness[row], row))[:GRAPH_ONLY]
    further = collect_rows(engine.index, ask, more, found.stats) if more else None
    if further is not None:
        memories += [
            one
            for one in _memories(engine, ask, further, idf, reached=True)
            if one.row not in known and _near_enough(ask, one)
        ]
    return [_nearer(ask.recipe, one, nearness.get(one.row, 0.0)) for one in memories], reached.nodes


def _near_enough(ask: Ask, one: Ranked) -> bool:
    """Where there is a limit to how far a memory may be from the question, shared names alone do not get past it."""
    return ask.radius is None or one.parts.words > 0 or any(turn.cosine >= ask.radius for turn in one.turns.values())


def _nearer(recipe: Recipe, one: Ranked, nearness: float) -> Ranked:
    """One more part; by turns, added below 1, and not to talks."""
    if not nearness or (recipe.by_turns and one.is_talk):
        return one
    if recipe.by_turns:
        score = round(added(one.score, recipe.graph * nearness), 9)
        steps = (*one.steps, (SHARED_NAMES, score))
    else:
        score = round(one.score + recipe.graph * nearness, 9)
        steps = ((PARTS_TOGETHER, score),)
    return replace(one, score=score, steps=steps, parts=replace(one.parts, graph=nearness))


def _seeds(memories: Sequence[Ranked], low: float) -> dict[int, float]:
    """Where walks begin: the best memories by words and meaning together. A meaning of `low` is nothing."""

    def worth(parts: Parts) -> float:
        return float((max(0.0, parts.meaning - low) / (1 - low) + parts.words) ** SHARPNESS)

    worths = {one.row: round(worth(one.parts), 9) for one in memories}
    edge = sorted(worths.values(), reverse=True)[:SEEDS][-1] - SAME
    # with those that are as good as the last; of very many equals none says more than the others
    best = sorted((row for row, value in worths.items() if value >= edge), key=lambda row: (-worths[row], row))
    return {row: worths[row] for row in best[: 4 * SEEDS] if worths[row] > 0}


def _in_time(ask: Ask, begin: int, end: int, memories: list[Ranked]) -> list[Ranked]:
    """Those of the time that was asked for raised towards 1."""
    left = 1 - ask.recipe.time

    def within(one: Ranked) -> bool:
        return any(begin <= turn.piece.timestamp <= end for turn in one.turns.values())

    return [one.moved(IN_TIME, lambda score: 1 - (1 - score) * left) if within(one) else one for one in memories]
