"""Agentic recall without a language model: look, learn from what was found, look again.

Each round takes the best turns so far, picks the words that set them apart (what a question about the same matter
would use) and the entities in them that the graph knows from few other memories, and asks again with these as weak
extra terms. So a memory is reached that shares no word with the question but shares its cluster, or an entity with
what was found. It ends when the best memories stay the same, in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from everlore.engine import Engine
from everlore.graph.neighbourhood import MOST_LINKS, rarity
from everlore.index.tokens import STOP_WORDS
from everlore.search.rank import Ask, Ranked, Ranking, Turn, rank
from everlore.search.score import term_weights
from everlore.types import Json

ROUNDS = 3
LEARN_FROM = 10
"""Memories that are learned from: their best turns' words."""
LEARN_TURNS = 5
LEARN = 10
"""Words learned in a round."""
LEARNED_WEIGHT = 0.15
"""How much a learned word counts against one of the question's own."""
ENTITIES = 5
"""Entities followed in a round."""
ENTITY_WEIGHT = 0.2


def expand(engine: Engine, ask: Ask, first: Ranking) -> tuple[Ranking, list[dict[str, Json]]]:
    ranking, rounds = first, []
    for number in range(2, ROUNDS + 1):
        turns = _best_turns(ranking.memories)
        learned, entities = _learn(engine, ask, turns), _entities(engine, ask, ranking, turns)
        if not learned and not entities:
            break
        named = dict.fromkeys((word for name in entities for word in name.split()), ENTITY_WEIGHT)
        # twice as many, so that what was asked for is not crowded out by what then has to go
        wider = replace(ask, weights=learned | named | ask.weights, keep=2 * ask.keep)
        following = rank(engine, wider)
        settled = _best(following) == _best(ranking)
        told: dict[str, Json] = {"round": number, "learned": sorted(learned), "entities": entities}
        rounds.append({**told, "memories": following.found, "settled": settled})
        ranking = following
        if settled:
            break
    return _asked_for(ask, first, ranking), rounds


def _asked_for(ask: Ask, first: Ranking, last: Ranking) -> Ranking:
    """As many as were to be kept. Where there is a limit to how far a memory may be from the question, learned words
    alone do not get past it."""
    at_first = {one.row for one in first.memories}
    near = [
        one
        for one in last.memories
        if ask.radius is None or one.row in at_first or any(turn.cosine >= ask.radius for turn in one.turns.values())
    ]
    return replace(last, memories=near[: ask.keep])


def _best(ranking: Ranking) -> list[int]:
    return [one.row for one in ranking.memories[:LEARN_FROM]]


def _learn(engine: Engine, ask: Ask, turns: Sequence[Turn]) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for turn in turns:
        counts.update(set(turn.piece.tokens.split()))
    fresh = [
        word
        for word in counts
        if word not in ask.weights and len(word) > 2 and not word.isdigit() and word not in STOP_WORDS
    ]
    if not fresh:
        return {}
    stats = engine.index.term_stats(fresh, ask.where.owner)
    idf = term_weights(stats, fresh)
    worth = {word: counts[word] * float(value) for word, value in zip(fresh, idf, strict=True)}
    chosen = sorted(worth, key=lambda word: (-worth[word], word))[:LEARN]
    return dict.fromkeys(chosen, LEARNED_WEIGHT)


def _entities(engine: Engine, ask: Ask, ranking: Ranking, turns: Sequence[Turn]) -> list[str]:
    """Names of the best memories that stand in their best turns and lead on to others, the most telling first."""
    said = {word for turn in turns for word in turn.piece.tokens.split()}
    counts = Counter(
        edge.target
        for _, edge in engine.index.edges_of(_best(ranking))
        if said.issuperset(words := edge.target.split())
        and not any(word in ask.weights or word in STOP_WORDS or word.isdigit() or len(word) < 3 for word in words)
    )
    scope = ask.where.owner.scope if ask.where.owner else ask.where.scope
    links = engine.index.degrees(counts, scope, MOST_LINKS + 1)
    worth = {name: counts[name] * rarity(count) for name, count in links.items() if 1 < count <= MOST_LINKS}
    return sorted(worth, key=lambda name: (-worth[name], name))[:ENTITIES]


def _best_turns(memories: list[Ranked]) -> list[Turn]:
    turns = [turn for one in memories[:LEARN_FROM] for turn in one.turns.values()]
    return sorted(turns, key=lambda turn: (-turn.score, turn.piece.parent_id, turn.turn))[:LEARN_TURNS]
