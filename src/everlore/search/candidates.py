"""Candidates: the units that words, vectors, the time asked for and the graph bring in, as scoring reads them.

Cost depends on the number of candidates, not on the size of the vault.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from everlore.kinds.registry import parts_of
from everlore.search.recipes import ALONE, HYBRID, Recipe
from everlore.search.score import Candidates
from everlore.search.time_window import inside
from everlore.stores.base import Asked, Evidence, Index, Piece, TermStats, Vector
from everlore.types import Where

DEEPER = 8
DEEPEST = 2000
"""How much further the lists are read where a few long memories fill them, and how far at most."""
OTHER_UNITS = 4
"""Units of each memory that is found so."""
FACTS_READ = 100
"""Facts that are asked to speak for their turns."""
FIRST_UNITS = 6
"""Units of a memory that the graph found which are compared with the query."""


@dataclass(frozen=True)
class Ask:
    """One pass: what to look for, and where. `weights` tells how much each term counts (`score.looked_for`)."""

    text: str
    weights: dict[str, float]
    vector: Vector | None
    where: Where
    limit: int
    """Units asked of each of the two lists."""
    keep: int
    """Memories whose turns are wanted afterwards."""
    radius: float | None
    recipe: Recipe = HYBRID
    favoured: tuple[int, int] | None = None
    """The time that was asked for, in milliseconds: memories of it are preferred."""

    @cached_property
    def terms(self) -> list[str]:
        return list(self.weights) if self.recipe.by_words else []

    @cached_property
    def whole(self) -> str:
        """The kind that others speak for, as facts do for episodes, if it is looked for."""
        return next(filter(parts_of, self.where.kinds), "")

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The kinds that speak for it."""
        return parts_of(self.whole)


@dataclass(frozen=True, slots=True)
class Found:
    """Units to score. Each counts for a memory (a fact for its episode), and has others beside it that lend words."""

    pieces: list[Piece]
    scored: Candidates
    stats: TermStats
    text_hits: int = 0
    dense_hits: int = 0


@dataclass(frozen=True, slots=True)
class _Window:
    """What was found, and what each piece counts for: the memory, and its place in it."""

    found: Evidence
    memory: list[int]
    centre: list[float]
    beside: list[int]


def collect(index: Index, ask: Ask) -> Found | None:
    """Of words and vectors, and once more of each within the time that was asked for; None when there is nothing."""
    also = ask.favoured and replace(ask.where, filter=inside(*ask.favoured, ask.where.filter))
    asked = Asked(ask.where, ask.terms, ask.vector, ask.limit, ask.recipe.reach, ask.radius, also)
    lists = index.search.candidates(asked)
    stats = lists.stats or TermStats(0, 1.0, {})
    window = _window(index, ask, lists)
    seen = set(window.memory)
    if len(seen) < ask.keep and ask.limit in (len(lists.by_words), len(lists.by_meaning)):
        wanted = min(ask.keep, index.rows.count(ask.where))
        if len(seen) < wanted:
            others = _crowded_out(index, asked, seen, wanted)
            units = {piece.unit for piece in lists.pieces} | others
            window = _window(index, ask, index.search.candidates(_of_units(asked, units, reach=0)))
    if ask.whole == ask.where.kinds[0] and not set(ask.parts) & set(ask.where.kinds):
        missing = _missing(index, ask, stats, window.found)
        if missing:
            window = _with_facts(index, ask, asked, missing, window)
    if not window.found.pieces:
        return None
    return Found(window.found.pieces, _candidates(ask, window), stats, len(lists.by_words), len(lists.by_meaning))


def collect_rows(index: Index, ask: Ask, rows: Collection[int], stats: TermStats) -> Found | None:
    """Of these memories, however they were found."""
    asked = Asked(ask.where, ask.terms, ask.vector, reach=ask.recipe.reach, rows=rows, first=FIRST_UNITS)
    window = _window(index, ask, index.search.candidates(asked))
    return Found(window.found.pieces, _candidates(ask, window), stats) if window.found.pieces else None


def _of_units(asked: Asked, units: Collection[int], reach: int) -> Asked:
    return replace(asked, limit=0, also=None, units=units, reach=reach)


def _crowded_out(index: Index, asked: Asked, seen: Set[int], wanted: int) -> set[int]:
    """The best units of memories other than these, whose many units left no room for them in the lists, until there are
    as many memories as `wanted`; with what stands around them."""
    others: dict[int, list[int]] = {}
    limit, full = asked.limit, True
    while full and limit < DEEPEST and len(seen) + len(others) < wanted:
        limit *= DEEPER
        found = index.search.candidates(replace(asked, limit=limit, reach=0, also=None))
        full = limit in (len(found.by_words), len(found.by_meaning))
        row_of = {piece.unit: piece.row for piece in found.pieces}
        others = {}
        for hit in (*found.by_words, *found.by_meaning):
            row = row_of.get(hit.unit)
            if row is not None and row not in seen:
                others.setdefault(row, []).append(hit.unit)
    best = {unit for units in others.values() for unit in units[:OTHER_UNITS]}
    around = index.search.candidates(Asked(asked.where, reach=asked.reach, units=best))
    return {piece.unit for piece in around.pieces}


def _window(index: Index, ask: Ask, found: Evidence) -> _Window:
    """A fact of an episode counts for that, if it is permitted."""
    rows = [piece.row for piece in found.pieces]
    facts = {piece.row for piece in found.pieces if piece.kind in ALONE and piece.parent_id}
    if facts:
        episodes = index.search.episodes_of(facts)
        allowed = index.search.permitted(episodes.values(), ask.where)
        barred = {fact for fact, episode in episodes.items() if episode not in allowed}
        if barred:
            found = found.picked([at for at, row in enumerate(rows) if row not in barred])
        rows = [episodes.get(piece.row, piece.row) for piece in found.pieces]
    centre = [piece.start + piece.length / 2 for piece in found.pieces]
    return _Window(found, rows, centre, [piece.row for piece in found.pieces])


def _missing(index: Index, ask: Ask, stats: TermStats, found: Evidence) -> list[str]:
    """Terms that are known, but not from any memory of the kinds that are looked for."""
    counts = zip(ask.terms, found.occurrences, strict=True)
    absent = [term for term, count in counts if stats.frequency.get(term) and not count.any()]
    held = index.search.held(absent, ask.where) if absent else ()
    return [term for term in absent if term not in held]


def _with_facts(index: Index, ask: Ask, asked: Asked, missing: Sequence[str], window: _Window) -> _Window:
    """Words that stand in no turn may stand in a fact that a person wrote: it speaks for its turn."""
    owner = ask.where.owner
    # a fact has a time of its own: what is demanded is demanded of the memory it speaks for
    parts = replace(ask.where, kinds=ask.parts, filter=None)
    listed = index.search.candidates(Asked(parts, missing, limit=FACTS_READ))
    if owner is None or not listed.pieces:
        return window
    facts = index.search.candidates(_of_units(asked, [piece.unit for piece in listed.pieces], reach=0))
    anchors = index.search.anchors(owner, ask.where.kinds[0], list({(one.parent_id, one.turn) for one in facts.pieces}))
    around = index.search.candidates(_of_units(asked, set(anchors.values()), reach=asked.reach))
    units = {piece.unit for piece in (*window.found.pieces, *around.pieces)}
    wider = _window(index, ask, index.search.candidates(_of_units(asked, units, reach=0)))
    allowed = index.search.permitted(set(wider.memory), ask.where)
    turns = wider.found.pieces
    place = {piece.unit: at for at, piece in enumerate(turns) if wider.memory[at] in allowed}
    scored = [(wider.memory[at], wider.centre[at], at) for at in place.values()]
    for number, piece in enumerate(facts.pieces):
        at = place.get(anchors.get((piece.parent_id, piece.turn), -1))
        if at is not None:
            scored.append((wider.memory[at], wider.centre[at], len(turns) + number))
    scored.sort(key=lambda one: one[:2])
    rows = [row for row, _, _ in scored]
    both = wider.found.beside(facts).picked([at for _, _, at in scored])
    return _Window(both, rows, [at for _, at, _ in scored], rows)


def _candidates(ask: Ask, window: _Window) -> Candidates:
    pieces, known = window.found.pieces, window.found.cosines
    # what words brought in is read in full; by vectors alone, what stands around a hit must be near enough itself
    least = -1.0 if ask.radius is None or ask.recipe.by_words else ask.radius
    return Candidates(
        frequency=window.found.occurrences,
        length=np.array([piece.length for piece in pieces], np.float32),
        cosine=np.nan_to_num(np.where(known < least, 0.0, known).astype(np.float32)),
        beside=np.array(window.beside, np.int64),
        memory=np.array(window.memory, np.int64),
        centre=np.array(window.centre, np.float32),
        turn=np.array([piece.turn for piece in pieces], np.int64),
    )
