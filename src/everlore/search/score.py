"""How a unit, a turn and a memory are scored: pure arithmetic over a few hundred candidates of one query.

- Text: BM25, term by term. A term counts once per unit: as often as it stands there, or as it stands in a
  neighbour, faded with the distance. So the answer "Yes, in Lisbon" profits from the question before it.
- Dense: the cosine, drawn a little towards those of the units beside it, since nobody repeats in each sentence what
  the talk is about; then stretched so that unrelated text is 0 and identical text is 1.
- Both are absolute, not relative to the other candidates: a poor best hit keeps a poor score.
- A memory is worth its best turn, and further good turns add to it at a discount. All scores are in [0, 1].

The constants were chosen on development data where their neighbourhood is flat; `bench/` measures them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everlore.stores.base import TermStats
from everlore.stores.bm25 import telling, worth
from everlore.stores.tokens import own_terms, query_terms
from everlore.types import Owner

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

OWN = 3.0
"""What a word counts that names something of the asker's ("my phone"), where others count 1: what a question is about
besides, half the vault is about too."""
OF_OWNER = 0.1
"""What the name of the owner counts: all their memories are of them, and those that name them ("I'm Ann, hello!") are
no better answers to "Where does Ann live?"."""
NO_NAME = "default"
"""The owner of who has not said another one; in "the default branch" it is a word."""
BY_ASSISTANT = 0.85
"""What an assistant said is found by many questions, since it says so much; people's own words go first."""
FADE = 60.0
"""Tokens of distance at which a neighbour's term has lost two thirds of its worth."""
LENT_MOST = 0.9
CONTEXT = 0.1
"""What the cosine of the unit before and that of the unit behind count, where the unit's own counts 1."""
BEND = 0.7
"""From here on a text score grows more slowly."""
FURTHER = 0.5
"""Each further turn of a memory counts this much of the one before it."""
TURNS = 4
"""Turns of a memory that count."""
FEW = 10
"""A source with so many items is measured half by itself and half by all."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Units sorted by (beside, centre)."""

    frequency: Floats
    """(terms, units): how often each query term stands in each unit."""
    length: Floats
    cosine: Floats
    """0 where there is no vector, or none near enough."""
    beside: Ints
    """The row it stands in: units of the same lend each other words."""
    memory: Ints
    """The memory it counts for."""
    centre: Floats
    """Tokens of the row before the middle of the unit."""
    turn: Ints


def looked_for(query: str, owner: Owner | None = None) -> dict[str, float]:
    """The terms that a query looks for in the memories of an owner, and how much each counts."""
    own = dict.fromkeys(own_terms(query), OWN)
    if owner is not None and owner.id != NO_NAME:
        own |= dict.fromkeys(query_terms(owner.id), OF_OWNER)
    return {term: own.get(term, 1.0) for term in query_terms(query)}


def term_weights(stats: TermStats, weights: Mapping[str, float]) -> Floats:
    """How telling each of these terms is among the units that were counted, times what it counts."""
    frequency = np.array([stats.frequency.get(term, 0) for term in weights], np.float32)
    told: Floats = (telling(stats.units, frequency) * np.array(list(weights.values()))).astype(np.float32)
    return told


def text_scores(c: Candidates, idf: Floats, mean_length: float, reach: int = 0) -> Floats:
    """Before it is bent, 1 is a unit of average length in which every term of the query stands once."""
    own = (idf[:, None] * worth(c.frequency, c.length, mean_length)).astype(np.float32)
    whole = float(idf.sum())
    if whole <= 0:
        return np.zeros(len(c.length), np.float32)
    return _bounded(_lend(own, c, reach).sum(0) / whole)


def _lend(scores: Floats, c: Candidates, reach: int) -> Floats:
    out = scores.copy()
    count = scores.shape[1]
    for step in range(1, min(reach, count - 1) + 1):
        left, right = slice(None, count - step), slice(step, None)
        together = c.beside[left] == c.beside[right]
        distance = np.abs(c.centre[right] - c.centre[left])
        share = np.where(together, np.minimum(np.exp(-distance / FADE), LENT_MOST), 0).astype(np.float32)
        np.maximum(out[:, right], share * scores[:, left], out=out[:, right])
        np.maximum(out[:, left], share * scores[:, right], out=out[:, left])
    return out


def in_context(c: Candidates) -> Floats:
    """The cosines as the units beside them let one read them. A unit without a vector lends none and gets none."""
    known = c.cosine > 0
    left, right = slice(None, -1), slice(1, None)
    share = np.where((c.beside[left] == c.beside[right]) & known[left] & known[right], CONTEXT, 0).astype(np.float32)
    total, weight = c.cosine.copy(), np.ones_like(c.cosine)
    for one, other in ((left, right), (right, left)):
        total[one] += share * c.cosine[other]
        weight[one] += share
    drawn: Floats = total / weight
    return drawn


def dense_scores(cosine: Floats, low: float) -> Floats:
    """`low`: the cosine that counts as nothing."""
    stretched: Floats = np.clip((cosine - low) / (1 - low), 0, 1).astype(np.float32)
    return stretched


def _bounded(values: NDArray[np.floating]) -> Floats:
    """Below 1 for ever: up to the bend as it is, beyond it ever slower, so that equal scores mean equal matches."""
    beyond = np.maximum(values - BEND, 0)
    bent: Floats = np.where(values <= BEND, values, 1 - (1 - BEND) * np.exp(-beyond / (1 - BEND))).astype(np.float32)
    return bent


def added(score: float, more: float) -> float:
    """A score with further evidence: the sum, which grows more slowly beyond the bend and stays below 1."""
    if score + more <= BEND:
        return score + more
    straight = max(score, BEND)
    return 1 - (1 - straight) * math.exp((straight - score - more) / (1 - BEND))


def roll_up(scores: Floats, starts: Ints) -> Floats:
    """Each memory's score from its turns' scores: at least the best, never above 1.

    `scores` are grouped by memory, best first; `starts` tells where each memory begins.
    """
    place = np.arange(len(scores)) - np.repeat(starts, np.diff(np.append(starts, len(scores))))
    share = np.where(place < TURNS, FURTHER**place, 0.0)
    worth: Floats = (1.0 - np.multiply.reduceat(1.0 - scores * share, starts)).astype(np.float32)
    return worth


def z_scores(sources: Sequence[Sequence[float]]) -> list[list[float]]:
    """The scores of several sources on one scale.

    Each source is measured by its own mean and spread. Those of a few items say little (of two, one is always above
    the mean and one below), so they lean on the mean and spread of all, the more the fewer the items.
    """
    every = np.array([score for source in sources for score in source])
    found: list[list[float]] = []
    for source in sources:
        scores = np.array(source)
        own = len(source) / (len(source) + FEW)
        mean = own * scores.mean() + (1 - own) * every.mean() if len(source) else 0.0
        spread = float(np.sqrt(own * scores.var() + (1 - own) * every.var())) if len(source) else 0.0
        # rounded, because the last digits must not decide between equals
        found.append([0.0 if spread < 1e-6 else round(float((score - mean) / spread), 9) for score in source])
    return found
