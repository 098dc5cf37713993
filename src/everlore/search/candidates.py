"""Candidates: the units that words, vectors, the time asked for and the graph bring in, as scoring reads them.

Cost depends on the number of candidates, not on the size of the vault.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from everlore.kinds.registry import parts_of
from everlore.search.recipes import ALONE, HYBRID, Recipe
from everlore.search.score import Candidates, Floats
from everlore.stores.base import Index, Piece, TermStats, Vector
from everlore.types import Filter, UnitHit, Where

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
    favoured: Filter | None = None
    """Memories that meet this, and what else is demanded, are preferred: the time that was asked for."""

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
    pieces: list[Piece]
    beside: list[int]
    centre: list[float]
    memory: list[int] = field(default_factory=list)


def collect(index: Index, ask: Ask) -> Found | None:
    """Of words and vectors, and once more of each within the time that was asked for; None when there is nothing."""
    terms = ask.terms
    near, alike = _lists(index, ask, terms, ask.limit)
    units = {hit.unit for hit in (*near, *alike)}
    if ask.favoured is not None:
        within = replace(ask, where=replace(ask.where, filter=ask.favoured))
        units |= {hit.unit for hits in _lists(index, within, terms, ask.limit) for hit in hits}
    window = _window(index, ask, units)
    seen = set(window.memory)
    if len(seen) < ask.keep and ask.limit in (len(near), len(alike)):
        wanted = min(ask.keep, index.rows.count(ask.where))
        if len(seen) < wanted:
            units |= _crowded_out(index, ask, terms, seen, wanted)
            window = _window(index, ask, units)
    stats = index.search.term_stats(terms, ask.where.owner) if terms else TermStats(0, 1.0, {})
    frequency = index.search.occurrences(terms, ask.where.owner, window.pieces)
    if ask.whole == ask.where.kinds[0] and not set(ask.parts) & set(ask.where.kinds):
        missing = _missing(index, ask, terms, stats, frequency)
        if missing:
            window = _with_facts(index, ask, missing, units, window)
            frequency = index.search.occurrences(terms, ask.where.owner, window.pieces)
    if not window.pieces:
        return None
    return Found(window.pieces, _candidates(index, ask, frequency, window), stats, len(near), len(alike))


def collect_rows(index: Index, ask: Ask, rows: Iterable[int], stats: TermStats) -> Found | None:
    """Of these memories, however they were found."""
    window = _window(index, ask, {one for units in index.search.units_of(rows, FIRST_UNITS).values() for one in units})
    if not window.pieces:
        return None
    frequency = index.search.occurrences(ask.terms, ask.where.owner, window.pieces)
    return Found(window.pieces, _candidates(index, ask, frequency, window), stats)


def _lists(index: Index, ask: Ask, terms: Sequence[str], limit: int) -> tuple[list[UnitHit], list[UnitHit]]:
    """Units by words and by meaning, best first."""
    near = index.search.text(terms, ask.where, limit) if terms else []
    alike = [] if ask.vector is None else index.search.vector(ask.vector, ask.where, limit)
    if ask.radius is not None:
        alike = [hit for hit in alike if hit.score >= ask.radius]
    return list(near), list(alike)


def _crowded_out(index: Index, ask: Ask, terms: Sequence[str], seen: Set[int], wanted: int) -> set[int]:
    """The best units of memories other than these, whose many units left no room for them in the lists, until there are
    as many memories as `wanted`."""
    others: dict[int, list[int]] = {}
    row_of: dict[int, int] = {}
    limit, full = ask.limit, True
    while full and limit < DEEPEST and len(seen) + len(others) < wanted:
        limit *= DEEPER
        lists = _lists(index, ask, terms, limit)
        full = any(len(hits) == limit for hits in lists)
        fresh = {hit.unit for hits in lists for hit in hits}.difference(row_of)
        row_of |= {piece.unit: piece.row for piece in index.search.around(sorted(fresh), 0)}
        others = {}
        for hit in (hit for hits in lists for hit in hits):
            row = row_of.get(hit.unit)
            if row is not None and row not in seen:
                others.setdefault(row, []).append(hit.unit)
    return {unit for units in others.values() for unit in units[:OTHER_UNITS]}


def _window(index: Index, ask: Ask, units: Set[int]) -> _Window:
    """These units and what stands around them. A fact of an episode counts for that, if it is permitted."""
    pieces = index.search.around(sorted(units), ask.recipe.reach)
    rows = [piece.row for piece in pieces]
    facts = {piece.row for piece in pieces if piece.kind in ALONE and piece.parent_id}
    if facts:
        episodes = index.search.episodes_of(facts)
        allowed = index.search.permitted(episodes.values(), ask.where)
        barred = {fact for fact, episode in episodes.items() if episode not in allowed}
        pieces = [piece for piece in pieces if piece.row not in barred]
        rows = [episodes.get(piece.row, piece.row) for piece in pieces]
    centre = [piece.start + piece.length / 2 for piece in pieces]
    return _Window(pieces, [piece.row for piece in pieces], centre, rows)


def _missing(index: Index, ask: Ask, terms: Sequence[str], stats: TermStats, frequency: Floats) -> list[str]:
    """Terms that are known, but not from any memory of the kinds that are looked for."""
    absent = [term for term, count in zip(terms, frequency, strict=True) if stats.frequency[term] and not count.any()]
    held = index.search.held(absent, ask.where) if absent else ()
    return [term for term in absent if term not in held]


def _with_facts(index: Index, ask: Ask, missing: Sequence[str], units: Set[int], window: _Window) -> _Window:
    """Words that stand in no turn may stand in a fact that a person wrote: it speaks for its turn."""
    owner = ask.where.owner
    # a fact has a time of its own: what is demanded is demanded of the memory it speaks for
    hits = index.search.text(missing, replace(ask.where, kinds=ask.parts, filter=None), FACTS_READ)
    if owner is None or not hits:
        return window
    facts = index.search.around(sorted(hit.unit for hit in hits), 0)
    anchors = index.search.anchors(owner, ask.where.kinds[0], list({(fact.parent_id, fact.turn) for fact in facts}))
    wider = _window(index, ask, units | set(anchors.values()))
    allowed = index.search.permitted(set(wider.memory), ask.where)
    place = {piece.unit: at for at, piece in enumerate(wider.pieces) if wider.memory[at] in allowed}
    scored = [(wider.memory[at], wider.centre[at], wider.pieces[at]) for at in place.values()]
    for piece in facts:
        at = place.get(anchors.get((piece.parent_id, piece.turn), -1))
        if at is not None:
            scored.append((wider.memory[at], wider.centre[at], piece))
    scored.sort(key=lambda one: one[:2])
    rows = [row for row, _, _ in scored]
    return _Window([piece for _, _, piece in scored], rows, [at for _, at, _ in scored], rows)


def _candidates(index: Index, ask: Ask, frequency: Floats, window: _Window) -> Candidates:
    pieces = window.pieces
    cosine = np.full(len(pieces), np.nan, np.float32)
    if ask.vector is not None:
        known = index.search.cosines(ask.vector, ask.where.owner, [piece.unit for piece in pieces])
        # what words brought in is read in full; by vectors alone, what stands around a hit must be near enough itself
        least = -1.0 if ask.radius is None or ask.recipe.by_words else ask.radius
        cosine = np.where(known < least, 0.0, known).astype(np.float32)
    return Candidates(
        frequency=frequency,
        length=np.array([piece.length for piece in pieces], np.float32),
        cosine=np.nan_to_num(cosine),
        beside=np.array(window.beside, np.int64),
        memory=np.array(window.memory, np.int64),
        centre=np.array(window.centre, np.float32),
        turn=np.array([piece.turn for piece in pieces], np.int64),
    )
