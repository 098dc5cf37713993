"""Recall: from a question to ranked memories with their facts, explained stage by stage on request."""

from __future__ import annotations

import time
from collections.abc import Sequence

from everlore.engine import Engine
from everlore.errors import Misconfigured, Unavailable
from everlore.index.base import Vector
from everlore.index.tokens import query_terms
from everlore.search.agentic import expand
from everlore.search.query import Hit, Query, Recall
from everlore.search.rank import Ask, Ranked, Ranking, rank
from everlore.types import Json, Stored, Where

KINDS = {"user": ("episode",), "agent": ("case", "skill")}
CAP = {"episode": 100, "case": 10, "skill": 10}
"""How many of a kind `top_k` -1 returns at most."""
CANDIDATES = 100
"""Units asked of each list; more when more memories are wanted."""
FACTS_EACH = 10
BY_ASSISTANT = 0.85
"""What an assistant said is found by many questions, since it says so much; people's own words go first."""
FURTHER_FACT = 0.6
"""A second fact of the same turn says less that is new."""


def recall(engine: Engine, query: Query) -> Recall:
    begin = time.perf_counter()
    vector, note = _embed(engine, query)
    embedded = time.perf_counter()
    radius = query.radius
    if radius is None and query.top_k == -1:
        radius = engine.settings.search.default_radius
    hits: dict[str, list[Hit]] = {}
    stages: list[dict[str, Json]] = []
    for kind in KINDS[query.owner.track]:
        wanted = CAP[kind] if query.top_k == -1 else query.top_k
        ranking, rounds = _rank(engine, query, kind, vector, radius, wanted)
        hits[kind] = _hits(engine, query, kind, ranking.memories[:wanted], ranking.idf)
        if query.explain:
            stages.append(_stage(kind, ranking, rounds, hits[kind]))
    if not query.explain:
        return Recall(hits)
    trace: dict[str, Json] = {
        "method": query.method,
        "terms": query_terms(query.text),
        "model": engine.embedder.name if vector is not None else None,
        "radius": radius,
        "note": note,
        "embed_ms": round((embedded - begin) * 1000, 2),
        "total_ms": round((time.perf_counter() - begin) * 1000, 2),
        "stages": stages,
    }
    return Recall(hits, trace)


def _embed(engine: Engine, query: Query) -> tuple[Vector | None, str | None]:
    """The query's vector. Words go on alone when the model is out of reach, unless only vectors were asked for."""
    if query.method == "keyword":
        return None, None
    try:
        return engine.embedder.encode([query.text])[0], None
    except (Unavailable, Misconfigured) as error:
        if query.method == "vector":
            raise
        return None, f"searched by words alone: {error}"


def _rank(
    engine: Engine, query: Query, kind: str, vector: Vector | None, radius: float | None, wanted: int
) -> tuple[Ranking, list[dict[str, Json]]]:
    kinds = (kind, "fact") if kind == "episode" else (kind,)
    ask = Ask(
        weights=dict.fromkeys(query_terms(query.text), 1.0),
        vector=vector,
        where=Where(query.owner, kinds, query.filter),
        borrow=kind,
        limit=max(CANDIDATES, 4 * wanted),
        radius=radius,
        text=query.method != "vector",
    )
    ranking = rank(engine, ask)
    if query.method != "agentic":
        return ranking, []
    return expand(engine, ask, ranking)


def _hits(engine: Engine, query: Query, kind: str, ranked: Sequence[Ranked], idf: dict[str, float]) -> list[Hit]:
    stored = engine.index.stored(one.row for one in ranked)
    found = [(one, stored[one.row]) for one in ranked if one.row in stored]
    facts: dict[str, list[Stored]] = {}
    if kind == "episode":
        parents = [row.parent_id for _, row in found if row.parent_id]
        for fact in engine.index.children(query.owner, "fact", parents):
            if fact.validity.end is None:
                facts.setdefault(fact.parent_id, []).append(fact)
    return [Hit(row, round(one.score, 6), _facts(one, facts.get(row.parent_id, []), idf)) for one, row in found]


def _facts(one: Ranked, facts: Sequence[Stored], idf: dict[str, float]) -> tuple[Hit, ...]:
    """The facts of the turns that matched, the more telling ones of a turn first."""
    by_turn: dict[int, list[tuple[float, Stored]]] = {}
    for fact in facts:
        turn = int(fact.data.get("turn", -1))
        if turn in one.turns and one.turns[turn].score > 0:
            by_turn.setdefault(turn, []).append((_overlap(str(fact.data["content"]), idf), fact))
    hits = []
    for turn, told in by_turn.items():
        told.sort(key=lambda pair: (-pair[0], pair[1].key.entry))
        for place, (_, fact) in enumerate(told):
            share = FURTHER_FACT**place * (1.0 if fact.data.get("by_user", True) else BY_ASSISTANT)
            hits.append(Hit(fact, round(one.turns[turn].score * share, 6)))
    hits.sort(key=lambda hit: (-hit.score, hit.stored.key.entry))
    return tuple(hits[:FACTS_EACH])


def _overlap(text: str, idf: dict[str, float]) -> float:
    return sum(idf.get(term, 0.0) for term in set(query_terms(text)))


def _stage(kind: str, ranking: Ranking, rounds: list[dict[str, Json]], hits: Sequence[Hit]) -> dict[str, Json]:
    by_row = {one.row: one for one in ranking.memories}
    return {
        "kind": kind,
        "text_candidates": ranking.text_hits,
        "dense_candidates": ranking.dense_hits,
        "units_scored": ranking.units,
        "memories_ranked": len(ranking.memories),
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
