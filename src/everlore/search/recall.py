"""Recall: from a question to ranked memories with their facts, explained stage by stage on request."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from everlore.engine import Engine
from everlore.errors import Misconfigured, Unavailable
from everlore.index.base import Vector
from everlore.kinds.registry import kind as kind_of
from everlore.kinds.registry import parts_of, searched
from everlore.models.chat import Meter
from everlore.search.agentic import LEARN_FROM, expand
from everlore.search.asking import deepen, rerank
from everlore.search.evidence import await_embedder
from everlore.search.meaning import default_radius, nothing
from everlore.search.query import Hit, Method, Query, Recall
from everlore.search.rank import Ask, Ranked, Ranking, Turn, rank
from everlore.search.score import BY_ASSISTANT, looked_for, term_weights
from everlore.search.superseded import brought_up_to_date
from everlore.search.trace import Circumstances, Stage, explained
from everlore.search.window import inside, stretch
from everlore.sync import embed_fresh
from everlore.types import IndexedMemory, Json, Where

WENT = "how well the run went"
UNPROVEN = 0.1
"""What a run loses of its score that failed altogether; one that went half well loses half of that."""
LEAST_SHARE = 0.3
"""Of the best score: what scores less is not worth returning, where `top_k` is left to us."""
CANDIDATES = 30
"""Units asked of each list; more when more memories are wanted. With their neighbours that is plenty."""
FACT_TURNS = 30
"""Turns of all results whose facts are shown, the best ones;"""
FACT_TURNS_EACH = 2
"""and at least so many of each result."""
MATCHED = 0.6
"""Turns of an episode whose facts count as matching: those that score so much of what its best turn scores."""
LOADING_SECONDS = 5.0
"""How long a search waits for a model that is loading. The first one after a start does, for a second at most."""
FRESH_SECONDS = 1.0
"""How long it then waits for the vectors of what was stored meanwhile."""
FEW_FRESH = 16
"""Units without a vector that any other search embeds before it begins, if some are of the owner it asks about,"""
MOMENT_SECONDS = 0.25
"""or waits for when another thread is at them; so few are soon done."""
SHORT = 40
"""Characters of a fact that hardly says anything: who, and a few words."""
FURTHER_FACT = 0.6
"""A second fact of the same turn says less that is new."""


def recall(engine: Engine, query: Query) -> Recall:
    begin = time.perf_counter()
    vector, note = _embed(engine, query)
    embedded = time.perf_counter()
    radius = query.radius
    if radius is None and query.top_k == -1 and vector is not None:
        radius = default_radius(engine)
    meant = stretch(query.text, engine.clock.now(), engine.clock.zone)
    meter = Meter(engine.settings.llm.search_seconds)
    hits: dict[str, list[Hit]] = {}
    stages: list[Stage] = []
    reranked: dict[str, Json] | None = None
    # one view of the index for every step; not while a language model may be asked, which takes seconds
    with nullcontext() if query.method == "agentic" else engine.index.snapshot():
        for kind, kinds in searched(query.owner.track).items():
            wanted = kind_of(kind).most_found if query.top_k == -1 else query.top_k
            stage = _search(engine, query, kind, kinds, vector, radius, wanted, meant, meter)
            best = [one for one in stage.ranking.memories if stage.least is None or one.score >= stage.least][:wanted]
            hits[kind] = _hits(engine, query, kind, best, radius)
            stages.append(stage)
    if query.rerank and query.method == "hybrid" and query.owner.track == "agent":
        hits, reranked = rerank(engine, query.text, hits, meter)
    if not query.explain:
        return Recall(hits, usage=meter.usage)
    if vector is not None and (waiting := engine.index.waiting(query.owner)):
        note = f"{waiting} pieces of this owner have no vector of the model yet; only words find them"
    spent = {"embed": (embedded - begin) * 1000, "total": (time.perf_counter() - begin) * 1000}
    given = Circumstances(vector is not None, radius, meant, note, reranked, spent)
    return Recall(hits, explained(engine, query, given, stages, hits), meter.usage)


def _embed(engine: Engine, query: Query) -> tuple[Vector | None, str | None]:
    """The query's vector. Words go on alone when the model is out of reach, unless only vectors were asked for."""
    if query.method == "keyword":
        return None, None
    loading = query.method != "vector" and engine.embedder.state() == "loading"
    if loading and not await_embedder(engine, LOADING_SECONDS):
        return None, "searched by words alone: the embedding model is not ready yet"
    try:
        vector = engine.embedder.query(query.text)
    except (Unavailable, Misconfigured) as error:
        if query.method == "vector":
            raise
        return None, f"searched by words alone: {error}"
    # words alone would score far too low what was stored while the model was loading, or edited a moment ago
    if loading:
        embed_fresh(engine, FRESH_SECONDS)
    else:
        embed_fresh(engine, MOMENT_SECONDS, FEW_FRESH, query.owner)
    return vector, None


def _search(
    engine: Engine,
    query: Query,
    kind: str,
    kinds: tuple[str, ...],
    vector: Vector | None,
    radius: float | None,
    wanted: int,
    meant: tuple[int, int] | None,
    meter: Meter,
) -> Stage:
    """The ranking of one kind of memories, its further rounds, and which facts gave way to later ones."""
    ask = Ask(
        weights=looked_for(query.text),
        vector=vector,
        where=Where(query.owner, kinds, query.filter),
        limit=max(CANDIDATES, 2 * wanted),
        keep=max(wanted, LEARN_FROM),
        radius=radius,
        text=query.method != "vector",
        smaller=next(iter(parts_of(kind)), ""),
        favoured=inside(*meant, query.filter) if meant else None,
    )
    ranking = first = rank(engine, ask)
    rounds: list[dict[str, Json]] = []
    ended: list[dict[str, Json]] = []
    if query.method == "agentic":
        ranking, rounds = _further(engine, ask, query.text, first, meter)
    # who asks for a time asks for what held then
    if ask.smaller and query.method not in ("keyword", "vector") and not meant:
        ranking, ended = brought_up_to_date(engine, ask, ranking)
    if kind_of(kind).quality and query.method not in ("keyword", "vector"):
        ranking = _proven(engine, ranking, kind_of(kind).quality)
    return Stage(kind, ranking, rounds, ended, _least(query, first, ranking))


def _further(
    engine: Engine, ask: Ask, question: str, first: Ranking, meter: Meter
) -> tuple[Ranking, list[dict[str, Json]]]:
    """Further rounds, led by a language model where there is one that answers."""
    try:
        return deepen(engine, ask, question, first, meter) or expand(engine, ask, first)
    except (Unavailable, Misconfigured) as error:
        ranking, rounds = expand(engine, ask, first)
        return ranking, [{"round": 1, "model": f"did not answer: {error}"}, *rounds]


def _proven(engine: Engine, ranking: Ranking, quality: str) -> Ranking:
    """Of runs that match alike, the one that went well goes first: it tells how to do it."""
    stored = engine.index.stored(one.row for one in ranking.memories)
    told = [one for one in ranking.memories if one.row in stored]
    doubts = {one.row: UNPROVEN * (1 - _share(stored[one.row].data[quality])) for one in told}
    moved = [one.moved(WENT, one.score * (1 - doubts[one.row])) if doubts[one.row] else one for one in told]
    return replace(ranking, memories=sorted(moved, key=lambda one: (-one.score, one.parent_id, one.row)))


def _share(value: Json) -> float:
    return min(1.0, max(0.0, float(value)))  # a person may write what they like


def _least(query: Query, first: Ranking, ranking: Ranking) -> float | None:
    """Who leaves it to us how many there are gets no long tail of those that share a common word.

    What a single round would have returned stays, however good the best of a further round is.
    """
    if query.top_k != -1 or query.radius is not None or not ranking.memories:
        return None
    least = LEAST_SHARE * ranking.memories[0].score
    if ranking is first:
        return least
    at_first = {one.row for one in first.memories if one.score >= LEAST_SHARE * first.memories[0].score}
    return min([least, *(one.score for one in ranking.memories if one.row in at_first)])


def _hits(engine: Engine, query: Query, kind: str, ranked: Sequence[Ranked], radius: float | None) -> list[Hit]:
    stored = engine.index.stored(one.row for one in ranked)
    facts = _facts(engine, query, ranked, radius) if parts_of(kind) else {}
    return [
        Hit(stored[one.row], round(one.score, 6), tuple(facts.get(one.parent_id, ())))
        for one in ranked
        if one.row in stored
    ]


def _facts(engine: Engine, query: Query, ranked: Sequence[Ranked], radius: float | None) -> dict[str, list[Hit]]:
    """The facts of the turns that matched best, by cell, the more telling ones of a turn first."""
    low = nothing(engine) if query.method == "vector" else 0.0
    matched = {one.parent_id: _matched(one, query.method, low) for one in ranked if one.parent_id}
    scores = {(parent, turn.turn): turn.score for parent, turns in matched.items() for turn in turns}
    best = sorted(scores, key=lambda place: (-scores[place], place))[:FACT_TURNS]
    first = [(parent, turn.turn) for parent, turns in matched.items() for turn in turns[:FACT_TURNS_EACH]]
    terms = _weights(engine, query)
    most = {one.parent_id: one.score for one in ranked}
    told: dict[tuple[str, int], list[tuple[float, IndexedMemory]]] = {}
    for fact, turn, tokens in engine.index.in_turns(query.owner, "fact", sorted({*best, *first})):
        overlap = sum(weight for term, weight in terms.items() if f" {term} " in tokens)
        told.setdefault((fact.parent_id, turn), []).append((overlap, fact))
    worded = {parent for (parent, _), facts in told.items() if any(overlap for overlap, _ in facts)}
    hits: dict[str, list[Hit]] = {}
    for place, facts in told.items():
        facts.sort(key=lambda pair: (-pair[0], _says_little(pair[1]), pair[1].key.local_id))
        if query.method == "keyword":  # a turn may be here for its neighbours' words, but a fact must have one itself
            facts = [pair for pair in facts if pair[0] > 0] if place[0] in worded else facts[:1]
        for number, (_, fact) in enumerate(facts):
            share = FURTHER_FACT**number * (1.0 if fact.data["by_user"] else BY_ASSISTANT)
            score = round(min(scores[place] * share, most[place[0]]), 6)  # no fact is worth more than its memory
            if query.method != "vector" or radius is None or score >= radius:
                hits.setdefault(place[0], []).append(Hit(fact, score))
    for found in hits.values():
        found.sort(key=lambda hit: (-hit.score, hit.stored.key.local_id))
    return hits


def _says_little(fact: IndexedMemory) -> tuple[bool, bool]:
    """Orders facts that share as many words with a question: a statement about something before small talk."""
    return not fact.slot, len(str(fact.data["content"])) < SHORT


def _weights(engine: Engine, query: Query) -> dict[str, float]:
    """How telling each word of the query is."""
    counts = looked_for(query.text)
    terms = list(counts)
    weights = term_weights(engine.index.term_stats(terms, query.owner), terms)
    return {term: count * weight for (term, count), weight in zip(counts.items(), weights.tolist(), strict=True)}


def _matched(one: Ranked, method: Method, low: float) -> list[Turn]:
    def worth(turn: Turn) -> float:
        # cosines lie so close together that only their distance from the unrelated tells
        return max(0.0, turn.cosine - low) if method == "vector" else turn.score

    turns = sorted((turn for turn in one.turns.values() if turn.score > 0), key=lambda turn: (-turn.score, turn.turn))
    return [turn for turn in turns if worth(turn) >= MATCHED * worth(turns[0])]
