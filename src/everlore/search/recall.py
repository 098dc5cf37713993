"""Recall: from a question to ranked memories with their facts, explained stage by stage on request."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext

from everlore.engine import Engine
from everlore.errors import Misconfigured, Unavailable
from everlore.index.base import Vector
from everlore.index.tokens import query_terms
from everlore.models.chat import Meter
from everlore.search.agentic import LEARN_FROM, expand
from everlore.search.asking import deepen, rerank
from everlore.search.query import Hit, Method, Query, Recall
from everlore.search.rank import Ask, Ranked, Ranking, Turn, rank
from everlore.search.score import BY_ASSISTANT, COSINE_LOW, term_weights
from everlore.search.window import inside, stretch
from everlore.types import Json, Stored, Track, Where

KINDS: dict[Track, dict[str, tuple[str, ...]]] = {
    "user": {"episode": ("episode", "note", "record")},
    "agent": {"case": ("case",), "skill": ("skill",)},
}
"""What is looked for together, on one scale, under the name of its first kind."""
CAP = {"episode": 100, "case": 10, "skill": 10}
"""How many of a kind `top_k` -1 returns at most."""
CANDIDATES = 20
"""Units asked of each list; more when more memories are wanted. With their neighbours that is plenty."""
FACT_TURNS = 30
"""Turns of all results whose facts are shown, the best ones;"""
FACT_TURNS_EACH = 2
"""and at least so many of each result."""
MATCHED = 0.6
"""Turns of an episode whose facts count as matching: those that score so much of what its best turn scores."""
FURTHER_FACT = 0.6
"""A second fact of the same turn says less that is new."""


def recall(engine: Engine, query: Query) -> Recall:
    begin = time.perf_counter()
    vector, note = _embed(engine, query)
    embedded = time.perf_counter()
    radius = query.radius
    if radius is None and query.top_k == -1:
        radius = engine.settings.search.default_radius
    meant = stretch(query.text, engine.clock.now(), engine.clock.zone)
    meter = Meter(engine.settings.llm.search_seconds)
    hits: dict[str, list[Hit]] = {}
    stages: list[dict[str, Json]] = []
    # one view of the index for every step; not while a language model may be asked, which takes seconds
    with nullcontext() if query.method == "agentic" else engine.index.snapshot():
        for kind, kinds in KINDS[query.owner.track].items():
            wanted = CAP[kind] if query.top_k == -1 else query.top_k
            ranking, rounds = _rank(engine, query, kinds, vector, radius, wanted, meant, meter)
            hits[kind] = _hits(engine, query, kind, ranking.memories[:wanted], radius)
            if query.explain:
                stages.append(_stage(kind, ranking, rounds, hits[kind]))
    if query.rerank and query.method == "hybrid" and query.owner.track == "agent":
        hits = rerank(engine, query.text, hits, meter)
    if not query.explain:
        return Recall(hits, usage=meter.usage)
    trace: dict[str, Json] = {
        "method": query.method,
        "terms": query_terms(query.text),
        "model": engine.embedder.name if vector is not None else None,
        "radius": radius,
        "time": [engine.clock.show(moment) for moment in meant] if meant else None,
        "note": note,
        "embed_ms": round((embedded - begin) * 1000, 2),
        "total_ms": round((time.perf_counter() - begin) * 1000, 2),
        "stages": stages,
    }
    return Recall(hits, trace, meter.usage)


def _embed(engine: Engine, query: Query) -> tuple[Vector | None, str | None]:
    """The query's vector. Words go on alone when the model is out of reach, unless only vectors were asked for."""
    if query.method == "keyword":
        return None, None
    try:
        return engine.embedder.query(query.text), None
    except (Unavailable, Misconfigured) as error:
        if query.method == "vector":
            raise
        return None, f"searched by words alone: {error}"


def _rank(
    engine: Engine,
    query: Query,
    kinds: tuple[str, ...],
    vector: Vector | None,
    radius: float | None,
    wanted: int,
    meant: tuple[int, int] | None,
    meter: Meter,
) -> tuple[Ranking, list[dict[str, Json]]]:
    ask = Ask(
        weights=dict.fromkeys(query_terms(query.text), 1.0),
        vector=vector,
        where=Where(query.owner, kinds, query.filter),
        limit=max(CANDIDATES, 2 * wanted),
        keep=max(wanted, LEARN_FROM),
        radius=radius,
        text=query.method != "vector",
        smaller="fact" if "episode" in kinds else "",
        favoured=inside(*meant, query.filter) if meant else None,
    )
    ranking = rank(engine, ask)
    if query.method != "agentic":
        return ranking, []
    return deepen(engine, ask, query.text, ranking, meter) or expand(engine, ask, ranking)


def _hits(engine: Engine, query: Query, kind: str, ranked: Sequence[Ranked], radius: float | None) -> list[Hit]:
    stored = engine.index.stored(one.row for one in ranked)
    facts = _facts(engine, query, ranked, radius) if kind == "episode" else {}
    return [
        Hit(stored[one.row], round(one.score, 6), tuple(facts.get(one.parent_id, ())))
        for one in ranked
        if one.row in stored
    ]


def _facts(engine: Engine, query: Query, ranked: Sequence[Ranked], radius: float | None) -> dict[str, list[Hit]]:
    """The facts of the turns that matched best, by cell, the more telling ones of a turn first."""
    matched = {one.parent_id: _matched(one, query.method) for one in ranked if one.parent_id}
    scores = {(parent, turn.turn): turn.score for parent, turns in matched.items() for turn in turns}
    best = sorted(scores, key=lambda place: (-scores[place], place))[:FACT_TURNS]
    first = [(parent, turn.turn) for parent, turns in matched.items() for turn in turns[:FACT_TURNS_EACH]]
    terms = _weights(engine, query)
    told: dict[tuple[str, int], list[tuple[float, Stored]]] = {}
    for fact, turn, tokens in engine.index.in_turns(query.owner, "fact", sorted({*best, *first})):
        overlap = sum(weight for term, weight in terms.items() if f" {term} " in tokens)
        told.setdefault((fact.parent_id, turn), []).append((overlap, fact))
    hits: dict[str, list[Hit]] = {}
    for place, facts in told.items():
        facts.sort(key=lambda pair: (-pair[0], pair[1].key.entry))
        if query.method == "keyword":  # those with no word of the query, unless the words stand in none
            facts = [pair for pair in facts if pair[0] > 0] or facts[:1]
        for number, (_, fact) in enumerate(facts):
            share = FURTHER_FACT**number * (1.0 if fact.data["by_user"] else BY_ASSISTANT)
            score = round(scores[place] * share, 6)
            if query.method != "vector" or radius is None or score >= radius:
                hits.setdefault(place[0], []).append(Hit(fact, score))
    for found in hits.values():
        found.sort(key=lambda hit: (-hit.score, hit.stored.key.entry))
    return hits


def _weights(engine: Engine, query: Query) -> dict[str, float]:
    """How telling each word of the query is."""
    terms = query_terms(query.text)
    weights = term_weights(engine.index.term_stats(terms, query.owner), terms)
    return dict(zip(terms, weights.tolist(), strict=True))


def _matched(one: Ranked, method: Method) -> list[Turn]:
    def worth(turn: Turn) -> float:
        # cosines lie so close together that only their distance from the unrelated tells
        return max(0.0, turn.cosine - COSINE_LOW) if method == "vector" else turn.score

    turns = sorted((turn for turn in one.turns.values() if turn.score > 0), key=lambda turn: (-turn.score, turn.turn))
    return [turn for turn in turns if worth(turn) >= MATCHED * worth(turns[0])]


def _stage(kind: str, ranking: Ranking, rounds: list[dict[str, Json]], hits: Sequence[Hit]) -> dict[str, Json]:
    by_row = {one.row: one for one in ranking.memories}
    return {
        "kind": kind,
        "text_candidates": ranking.text_hits,
        "dense_candidates": ranking.dense_hits,
        "units_scored": ranking.units,
        "memories_found": ranking.found,
        "term_weights": {term: round(weight, 4) for term, weight in ranking.idf.items()},
        "rounds": rounds,
        "results": [
            {
                "id": hit.stored.key.public_id,
                "score": hit.score,
                "turns": [
                    {
                        "turn": turn.turn + 1,
                        "score": round(turn.score, 4),
                        "text": round(turn.text, 4),
                        "cosine": round(turn.cosine, 4),
                    }
                    for turn in sorted(by_row[hit.stored.id].turns.values(), key=lambda t: -t.score)[:4]
                ],
            }
            for hit in hits
        ],
    }
