"""Further rounds of a search: look, learn from what was found, look again.

- `expand` (method agentic, no language model): each round takes the best turns so far, picks the words that set them
  apart and the entities in them that the graph knows from few other memories, and asks again with these as weak extra
  terms. So a memory is reached that shares no word with the question but shares its cluster, or an entity with what was
  found. It ends when the best memories stay the same, in order.
- `deepen` (method agentic): a language model says what is still missing, and that is searched for as well.
- `rerank` (enable_llm_rerank): the model orders an agent's cases and skills anew.

A model has a time budget; without its answer the local ranking stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from everlore.engine import Engine
from everlore.errors import Misconfigured, Unavailable
from everlore.extract.prompts import ENOUGH, RERANK
from everlore.extract.sentences import clip
from everlore.graph.neighbourhood import MOST_LINKS, rarity
from everlore.kinds.episode import turns_at
from everlore.models.chat import Meter
from everlore.search.candidates import Ask
from everlore.search.passages import text_of
from everlore.search.query import Hit
from everlore.search.rank import Ranked, Ranking, Turn, rank
from everlore.search.score import looked_for, term_weights
from everlore.stores.tokens import STOP_WORDS
from everlore.types import IndexedMemory, Json

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
SHOWN = 10
"""Memories that the model sees of each kind."""
TURNS = 3
TEXT = 400
FOLLOW_UPS = 3
REORDERED = "the language model put it in this place"
FURTHER_QUERY = "found by a further query"
FOLLOWED = 0.9
"""What a further query finds counts so much of what it would count for the question itself."""


def further(engine: Engine, ask: Ask, first: Ranking, meter: Meter) -> tuple[Ranking, list[dict[str, Json]]]:
    """Further rounds, led by a language model where there is one that answers."""
    try:
        return deepen(engine, ask, first, meter) or expand(engine, ask, first)
    except (Unavailable, Misconfigured) as error:
        ranking, rounds = expand(engine, ask, first)
        return ranking, [{"round": 1, "model": f"did not answer: {error}"}, *rounds]


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
    stats = engine.index.search.term_stats(fresh, ask.where.owner)
    idf = term_weights(stats, dict.fromkeys(fresh, 1.0))
    worth = {word: counts[word] * float(value) for word, value in zip(fresh, idf, strict=True)}
    chosen = sorted(worth, key=lambda word: (-worth[word], word))[:LEARN]
    return dict.fromkeys(chosen, LEARNED_WEIGHT)


def _entities(engine: Engine, ask: Ask, ranking: Ranking, turns: Sequence[Turn]) -> list[str]:
    """Names of the best memories that stand in their best turns and lead on to others, the most telling first."""
    said = {word for turn in turns for word in turn.piece.tokens.split()}
    counts = Counter(
        edge.target
        for _, edge in engine.index.links.of(_best(ranking))
        if said.issuperset(words := edge.target.split())
        and not any(word in ask.weights or word in STOP_WORDS or word.isdigit() or len(word) < 3 for word in words)
    )
    links = engine.index.links.degrees(counts, ask.where, MOST_LINKS + 1)
    worth = {name: counts[name] * rarity(count) for name, count in links.items() if 1 < count <= MOST_LINKS}
    return sorted(worth, key=lambda name: (-worth[name], name))[:ENTITIES]


def _best_turns(memories: list[Ranked]) -> list[Turn]:
    turns = [turn for one in memories[:LEARN_FROM] for turn in one.turns.values()]
    return sorted(turns, key=lambda turn: (-turn.score, turn.piece.parent_id, turn.turn))[:LEARN_TURNS]


def deepen(engine: Engine, ask: Ask, first: Ranking, meter: Meter) -> tuple[Ranking, list[dict[str, Json]]] | None:
    """The ranking with what further queries found, and what was asked; None without a model. Raises if it fails."""
    if engine.llm is None:
        return None
    shown = first.memories[:SHOWN]
    stored = engine.index.rows.stored(one.row for one in shown)
    results = [_ranked(one, stored[one.row]) for one in shown if one.row in stored]
    answer = engine.llm.ask(ENOUGH, {"query": ask.text, "results": results}, meter)
    queries = [] if answer.sufficient else list(dict.fromkeys(query.strip() for query in answer.queries))[:FOLLOW_UPS]
    ranking = first
    for query in filter(None, queries):
        ranking = _joined(ranking, rank(engine, _following(engine, ask, query)), ask.keep)
    told: dict[str, Json] = {"round": 2, "sufficient": answer.sufficient, "queries": queries, "memories": ranking.found}
    return ranking, [told]


def rerank(
    engine: Engine, question: str, hits: Mapping[str, Sequence[Hit]], meter: Meter
) -> tuple[dict[str, list[Hit]], dict[str, Json]]:
    """The hits of every kind in the model's order, and what became of the wish. One question for all kinds; each kind
    keeps its scores in order."""
    kept = {kind: list(found) for kind, found in hits.items()}
    shown = [(kind, hit) for kind, found in kept.items() for hit in found[:SHOWN]]
    if engine.llm is None:
        return kept, {"done": False, "reason": "no language model is configured"}
    if len(shown) < 2:
        return kept, {"done": False, "reason": "there is nothing to put in order"}
    results = [
        {"number": number, "kind": kind, "text": clip(text_of(hit.stored), 2 * TEXT)}
        for number, (kind, hit) in enumerate(shown, start=1)
    ]
    try:
        answer = engine.llm.ask(RERANK, {"query": question, "results": results}, meter)
    except (Unavailable, Misconfigured) as error:
        return kept, {"done": False, "reason": str(error)}
    named = [shown[number - 1] for number in dict.fromkeys(answer.ranking) if 1 <= number <= len(shown)]
    ordered = {kind: _reordered(found, [hit for of, hit in named if of == kind]) for kind, found in kept.items()}
    return ordered, {"done": True, "order": [hit.stored.key.public_id for _, hit in named]}


def _reordered(found: list[Hit], first: Sequence[Hit]) -> list[Hit]:
    """Those in front first, the others behind as they were. The scores stay where they stood, best first."""
    order = [*first, *(hit for hit in found if hit not in first)]
    return [
        hit if hit is old else replace(hit, score=old.score, moved=(*hit.moved, REORDERED))
        for hit, old in zip(order, found, strict=True)
    ]


def _following(engine: Engine, ask: Ask, query: str) -> Ask:
    vector = None
    if ask.vector is not None:
        try:
            vector = engine.embedder.query(query)
        except (Unavailable, Misconfigured):
            vector = None
    return replace(ask, text=query, weights=looked_for(query, ask.where.owner), vector=vector)


def _joined(one: Ranking, other: Ranking, keep: int) -> Ranking:
    best = {memory.row: memory for memory in one.memories}
    for memory in other.memories:
        score = memory.score * FOLLOWED
        known = best.get(memory.row)
        if known is None or known.score < score:
            best[memory.row] = memory.moved(FURTHER_QUERY, lambda old: old * FOLLOWED)
    ordered = sorted(best.values(), key=lambda memory: (-memory.score, memory.row))[:keep]
    return replace(one, memories=ordered, found=max(one.found, other.found, len(best)), idf=other.idf | one.idf)


def _ranked(one: Ranked, stored: IndexedMemory) -> str:
    best = sorted(one.turns.values(), key=lambda turn: -turn.score)[:TURNS]
    said = turns_at(str(stored.data.get("episode", "")), sorted(turn.turn for turn in best)).values()
    if not said:
        return clip(text_of(stored), 2 * TEXT)
    return "\n".join([str(stored.data["subject"]), *(f"{turn.speaker}: {clip(turn.text, TEXT)}" for turn in said)])
