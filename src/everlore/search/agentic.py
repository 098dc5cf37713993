"""Agentic recall without a language model: look, learn from what was found, look again.

Each round takes the best turns so far, picks the words that set them apart (names, places, things: what a
question about the same matter would use) and asks again with these as weak extra terms. So a memory is reached
that shares no word with the question but shares its cluster. It ends when the best memories stay the same, in order.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from everlore.engine import Engine
from everlore.index.tokens import STOP_WORDS
from everlore.search.rank import Ask, Ranked, Ranking, Turn, rank
from everlore.search.score import inverse_frequency
from everlore.types import Json

ROUNDS = 3
LEARN_FROM = 10
"""Memories that are learned from: their best turns' words."""
LEARN_TURNS = 5
LEARN = 10
"""Words learned in a round."""
LEARNED_WEIGHT = 0.15
"""How much a learned word counts against one of the question's own."""


def expand(engine: Engine, ask: Ask, first: Ranking) -> tuple[Ranking, list[dict[str, Json]]]:
    ranking, rounds = first, []
    for number in range(2, ROUNDS + 1):
        learned = _learn(engine, ask, ranking)
        if not learned:
            break
        wider = replace(ask, weights=ask.weights | learned)
        following = rank(engine, wider)
        settled = _best(following) == _best(ranking)
        rounds.append({"round": number, "learned": sorted(learned), "memories": following.found})
        ranking = following
        if settled:
            break
    return ranking, rounds


def _best(ranking: Ranking) -> list[int]:
    return [one.row for one in ranking.memories[:LEARN_FROM]]


def _learn(engine: Engine, ask: Ask, ranking: Ranking) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for turn in _best_turns(ranking.memories):
        counts.update(set(turn.piece.tokens.split()))
    fresh = [
        word
        for word in counts
        if word not in ask.weights and len(word) > 2 and not word.isdigit() and word not in STOP_WORDS
    ]
    if not fresh:
        return {}
    stats = engine.index.term_stats(fresh, ask.where.owner)
    idf = inverse_frequency(stats.units, np.array([stats.frequency.get(word, 0) for word in fresh], np.float32))
    worth = {word: counts[word] * float(value) for word, value in zip(fresh, idf, strict=True)}
    chosen = sorted(worth, key=lambda word: (-worth[word], word))[:LEARN]
    return dict.fromkeys(chosen, LEARNED_WEIGHT)


def _best_turns(memories: list[Ranked]) -> list[Turn]:
    turns = [turn for one in memories[:LEARN_FROM] for turn in one.turns.values()]
    return sorted(turns, key=lambda turn: (-turn.score, turn.piece.parent_id, turn.turn))[:LEARN_TURNS]
