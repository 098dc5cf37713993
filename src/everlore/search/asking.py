"""A language model's part in a search, within a time budget. Without its answer the local ranking stands.

- `deepen` (method agentic): the model says what is still missing, and that is searched for as well.
- `rerank` (enable_llm_rerank): the model orders an agent's cases and skills anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from everlore.engine import Engine
from everlore.errors import Misconfigured, Unavailable
from everlore.extract.prompts import ENOUGH, RERANK
from everlore.extract.sentences import clip
from everlore.kinds.episode import parse_turns
from everlore.models.chat import Meter
from everlore.search.query import Hit
from everlore.search.rank import Ask, Ranked, Ranking, rank
from everlore.search.score import looked_for
from everlore.types import IndexedMemory, Json

SHOWN = 10
"""Memories that the model sees of each kind."""
TURNS = 3
TEXT = 400
FOLLOW_UPS = 3
REORDERED = "the language model put it in this place"
FURTHER_QUERY = "found by a further query"
FOLLOWED = 0.9
"""What a further query finds counts so much of what it would count for the question itself."""


def deepen(
    engine: Engine, ask: Ask, question: str, first: Ranking, meter: Meter
) -> tuple[Ranking, list[dict[str, Json]]] | None:
    """The ranking with what further queries found, and what was asked; None without a model. Raises if it fails."""
    if engine.llm is None:
        return None
    shown = first.memories[:SHOWN]
    stored = engine.index.stored(one.row for one in shown)
    results = [_ranked(one, stored[one.row]) for one in shown if one.row in stored]
    answer = engine.llm.ask(ENOUGH, {"query": question, "results": results}, meter)
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
        {"number": number, "kind": kind, "text": _told(hit.stored)} for number, (kind, hit) in enumerate(shown, start=1)
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
        hit if hit is old else replace(hit, score=old.score, moved=REORDERED)
        for hit, old in zip(order, found, strict=True)
    ]


def _following(engine: Engine, ask: Ask, query: str) -> Ask:
    vector = None
    if ask.vector is not None:
        try:
            vector = engine.embedder.query(query)
        except (Unavailable, Misconfigured):
            vector = None
    return replace(ask, weights=looked_for(query), vector=vector)


def _joined(one: Ranking, other: Ranking, keep: int) -> Ranking:
    best = {memory.row: memory for memory in one.memories}
    for memory in other.memories:
        score = memory.score * FOLLOWED
        known = best.get(memory.row)
        if known is None or known.score < score:
            best[memory.row] = memory.moved(FURTHER_QUERY, score)
    ordered = sorted(best.values(), key=lambda memory: (-memory.score, memory.row))[:keep]
    return replace(one, memories=ordered, found=max(one.found, other.found, len(best)), idf=other.idf | one.idf)


def _ranked(one: Ranked, stored: IndexedMemory) -> str:
    if stored.key.kind != "episode":
        return _told(stored)
    _, turns = parse_turns(str(stored.data["episode"]))
    best = sorted(one.turns.values(), key=lambda turn: -turn.score)[:TURNS]
    said = [turns[turn.turn] for turn in sorted(best, key=lambda turn: turn.turn) if 0 <= turn.turn < len(turns)]
    return "\n".join([str(stored.data["subject"]), *(f"{turn.speaker}: {clip(turn.text, TEXT)}" for turn in said)])


def _told(stored: IndexedMemory) -> str:
    names = ("task_intent", "key_insight", "approach", "name", "description", "content", "subject", "summary")
    return clip("\n".join(str(stored.data[name]) for name in names if stored.data.get(name)), 2 * TEXT)
