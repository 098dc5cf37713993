"""Why a search found what it found, in numbers that add up: what `"explain": true` returns.

A turn's score comes from its words and its meaning, a memory's from its turns, and each later step tells its reason and
the score it left. So every score of the answer can be computed again from what stands beside it:

    turn   = (weights.meaning x meaning + weights.text x text) x (weights.assistant if an unnamed assistant said it)
    memory = 1 - product over its best turns of (1 - turn x weights.further ^ place), place from 0
    by vectors alone: turn = cosine, memory = its best turn
    recipes that add up parts: memory = the sum of weight x part

`docs/guides/search.md` tells it at length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from everlore.clock import Clock
from everlore.engine import Engine
from everlore.search.candidates import Ask
from everlore.search.passages import Told
from everlore.search.query import Hit, Query
from everlore.search.rank import Ranked, Ranking, Turn
from everlore.search.recipes import Recipe
from everlore.search.score import BY_ASSISTANT, FURTHER, TURNS
from everlore.search.supersede import Changes
from everlore.search.vectors import unrelated_cosine
from everlore.stores.base import TermStats
from everlore.stores.tokens import query_terms
from everlore.types import AllOf, AnyOf, Filter, Json, Predicate

DIGITS = 6


@dataclass(frozen=True, slots=True)
class Stage:
    """The search for one kind of memory."""

    kind: str
    ask: Ask
    ranking: Ranking
    stats: TermStats
    told: list[Told] = field(default_factory=list)
    changes: Changes = field(default_factory=Changes)
    hits: list[Hit] = field(default_factory=list)
    rounds: Sequence[dict[str, Json]] = ()
    superseded: Sequence[dict[str, Json]] = ()
    least: float | None = None
    """What scores less is not returned."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the search was done with."""

    embedded: bool
    radius: float | None
    time: tuple[int, int] | None
    note: str | None = None
    rerank: dict[str, Json] | None = None
    milliseconds: Mapping[str, float] = field(default_factory=dict)


def explained(
    engine: Engine,
    query: Query,
    recipe: Recipe,
    given: Circumstances,
    stages: Sequence[Stage],
    hits: Mapping[str, Sequence[Hit]],
) -> dict[str, Json]:
    clock = engine.clock
    return {
        "method": recipe.name,
        "terms": query_terms(query.text),
        "model": engine.embedder.name if given.embedded else None,
        "top_k": query.top_k,
        "filters": shown_filter(query.filter, clock) if query.filter else None,
        "radius": given.radius,
        "time": [clock.show(moment) for moment in given.time] if given.time else None,
        "weights": _weights(engine, recipe, given.embedded),
        "note": given.note,
        "rerank": given.rerank,
        **{f"{name}_ms": round(spent, 2) for name, spent in given.milliseconds.items()},
        "stages": [_stage(stage, hits[stage.kind]) for stage in stages],
    }


def shown_filter(node: Filter, clock: Clock) -> str:
    """A filter as one reads it: `session_id eq a and (timestamp gte 2026-05-03T00:00:00Z or sender_id in a, b)`."""
    match node:
        case Predicate(field, op, value):
            told = clock.show(value) if field == "timestamp" and isinstance(value, int) else value
            return f"{field} {op} {', '.join(told) if isinstance(told, tuple) else told}"
        case AllOf(nodes):
            return " and ".join(_within(child, clock) for child in nodes)
        case AnyOf(nodes):
            return " or ".join(_within(child, clock) for child in nodes)


def _within(node: Filter, clock: Clock) -> str:
    told = shown_filter(node, clock)
    return told if isinstance(node, Predicate) or len(node.nodes) < 2 else f"({told})"


def _weights(engine: Engine, recipe: Recipe, embedded: bool) -> dict[str, Json]:
    if not recipe.by_words:
        return {"cosine": 1.0}
    if not recipe.by_turns:
        return {"meaning": recipe.meaning, "text": recipe.words, "graph": recipe.graph}
    of_each: dict[str, Json] = {"text": 1.0}
    if embedded:
        low = unrelated_cosine(engine, recipe)
        of_each = {"meaning": recipe.meaning, "text": recipe.words, "unrelated_cosine": low}
    return {**of_each, "graph": recipe.graph, "assistant": BY_ASSISTANT, "further": FURTHER, "turns": TURNS}


def _stage(stage: Stage, hits: Sequence[Hit]) -> dict[str, Json]:
    ranking = stage.ranking
    by_row = {one.row: one for one in ranking.memories}
    return {
        "kind": stage.kind,
        "text_candidates": ranking.text_hits,
        "dense_candidates": ranking.dense_hits,
        "units_scored": ranking.units,
        "graph_nodes": ranking.nodes,
        "memories_found": ranking.found,
        "least_score": None if stage.least is None else round(stage.least, DIGITS),
        "returned": len(hits),
        "term_weights": {term: round(weight, 4) for term, weight in ranking.idf.items()},
        "rounds": list(stage.rounds),
        "superseded": list(stage.superseded),
        "results": [_result(hit, by_row[hit.stored.id]) for hit in hits],
    }


def _result(hit: Hit, ranked: Ranked) -> dict[str, Json]:
    reranked = [(why, hit.score) for why in hit.moved[len(ranked.steps) - 1 :]] if ranked.steps else []
    steps = [*ranked.steps, *reranked]
    best = sorted(ranked.turns.values(), key=lambda turn: (-turn.score, turn.turn))[:TURNS]
    return {
        "id": hit.stored.key.public_id,
        "score": hit.score,
        "steps": [{"why": why, "score": round(score, DIGITS)} for why, score in steps],
        "parts": {name: round(getattr(hit.parts, name), DIGITS) for name in ("meaning", "words", "graph")},
        "turns": [_turn(turn) for turn in best],
        "facts": [
            {"id": fact.stored.key.public_id, "turn": int(fact.stored.data["turn"]) + 1, "score": fact.score}
            for fact in hit.facts
        ],
    }


def _turn(turn: Turn) -> dict[str, Json]:
    return {
        "turn": turn.turn + 1,
        "score": round(turn.score, DIGITS),
        "text": round(turn.text, DIGITS),
        "cosine": round(turn.cosine, DIGITS),
        "meaning": round(turn.meaning, DIGITS),
        **({"assistant": True} if turn.by_assistant else {}),
    }
