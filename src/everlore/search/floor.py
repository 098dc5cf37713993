"""Whether a memory fits what was asked at all: a small learned judgement, so that nothing is shown where nothing fits.

A score tells which memory is the best one, not that it is any good: "Write a haiku about the sea" has a best one too.
What tells is how much of what is asked stands in the memory, how rare that is, how much of it the vault has never heard
of, and how near the meanings are. The weights lie in `floor.json`, made by `python -m bench.train_floor`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from everlore.search.answering import Question, about_oneself
from everlore.search.passages import Told
from everlore.search.score import Floats
from everlore.stores.base import TermStats, Vector
from everlore.stores.bm25 import telling
from everlore.stores.tokens import MINE, own_terms

NAMES = (
    "score", "meaning", "words", "held", "held together", "unheard of", "terms", "terms held", "rarest held", "own",
    "asks", "of a sort", "ahead", "meaning and held", "of oneself", "of oneself, asks", "of oneself, of a sort",
    "brief", "of oneself, unheard of", "of oneself, meaning", "first",
)  # fmt: skip
MANY = 4
BRIEF = 12
"""Words of a prompt that is a question rather than a task with its material."""
WHOLE, WORDED = 0.8, 0.5
"""What a turn must hold of what is asked to fit for that alone, as a few keywords are no sentence that a model could
read; and where nothing could be compared but words."""


def fitting(asked: Question, told: Sequence[Told], stats: TermStats, vector: Vector | None, model: str) -> list[bool]:
    """Of each memory, in their order, whether it fits. One without any score does not, whatever is asked."""
    given = features(asked, told, stats)
    score, held = given[:, NAMES.index("score")], given[:, NAMES.index("held")]
    if vector is None:
        return [bool(one >= WORDED) for one in held]
    kept = _kept()
    of_model = kept["model"] == model
    plain = kept["plain" if of_model else "plain alone"]
    worth = given @ np.array([plain[name] for name in NAMES]) + kept["bias" if of_model else "bias alone"]
    if of_model:  # what the model takes the prompt for: a thing to do, common knowledge, or somebody's own affairs
        worth = worth + float(vector @ np.array(kept["vector"]))
    return [bool(one) for one in (score > 0) & ((worth >= 0) | (held >= WHOLE))]


@cache
def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return kept


def features(asked: Question, told: Sequence[Told], stats: TermStats) -> Floats:
    """Each memory as numbers, in the order of `NAMES`."""
    terms = list(asked.share)
    share = np.array([asked.share[term] for term in terms], np.float64)
    frequency = np.array([stats.frequency.get(term, 0) for term in terms], np.float64)
    rare = telling(stats.units, frequency) / max(1e-6, float(telling(stats.units, np.array([1.0]))[0]))
    unheard = float(share @ (frequency == 0))
    low, oneself = asked.text.lower(), float(about_oneself(asked.text))
    own = float(bool(own_terms(asked.text)) or not asked.words.isdisjoint(MINE))
    asks, sort = float("?" in low), float(bool(asked.sorts))
    brief = float(len(low.split()) <= BRIEF)
    rows = []
    for number, hit in enumerate(told):
        held = [np.array([f" {term} " in turn.piece.tokens for term in terms], np.bool_) for turn in hit.turns]
        each = [float(share @ one) for one in held]
        top = held[int(np.argmax(each))] if held else np.zeros(len(terms), np.bool_)
        every = np.logical_or.reduce(held) if held else top
        meaning = max((turn.meaning for turn in hit.turns), default=0.0)
        others = max((one.one.score for one in told if one is not hit), default=0.0)
        covered = max(each, default=0.0)
        rows.append([
            hit.one.score, meaning, hit.one.parts.words, covered, float(share @ every), unheard,
            min(len(terms), 40) / 40, min(int(top.sum()), MANY) / MANY, float((rare * top).max()) if top.any() else 0.0,
            own, asks, sort, hit.one.score - others, meaning * covered, oneself, oneself * asks, oneself * sort, brief,
            oneself * unheard, oneself * meaning, float(number == 0),
        ])  # fmt: skip
    return np.array(rows, np.float32).reshape(len(rows), len(NAMES))
