"""Search: by meaning, by words, and by both with the graph."""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeAlias

from everlore.clock import Clock
from everlore.code import CodeHit, code_hits
from everlore.engine import Engine
from everlore.errors import InvalidInput, Misconfigured, Unavailable
from everlore.logs import get_logger
from everlore.search import Hit, Query, Recipe
from everlore.search import recall as find
from everlore.search.recipes import RECALL, SEARCH, SEARCH_TEXT
from everlore.search.score import z_scores
from everlore.search.vectors import await_embedder
from everlore.stores.base import Vector
from everlore.surfaces.contracts.knowledge.code_tools import is_local
from everlore.surfaces.contracts.knowledge.memories import NOT_READY, Maybe, memory_type, text
from everlore.surfaces.contracts.passages import passages
from everlore.surfaces.contracts.signature import limited
from everlore.surfaces.contracts.toolset import Caller, tool
from everlore.types import Json

PATIENCE_SECONDS = 2.0
"""How long a search waits for a model that is loading."""

MEASURED = 50
"""Items of each source, at least, that z-scores are taken over; three times as many as are wanted, if that is more."""

Scored: TypeAlias = tuple[float, Hit | CodeHit]

Limit = Annotated[int, "Maximum results (default: 10, max: 50)"]
Bounded = Annotated[Limit, {"minimum": 1, "maximum": 50}]

log = get_logger("everlore.mcp")


@tool("Search by meaning", reads=True)
def search(
    ask: Caller, query: Annotated[str, "The search query text (will be embedded)"], limit: Bounded = 10
) -> dict[str, Json]:
    """Semantic vector search over memories using HNSW index."""
    return _found(ask, query, limit, SEARCH, _embedded(ask.engine, _told(query)))


@tool("Search by words", reads=True)
def search_text(
    ask: Caller, query: Annotated[str, "The keyword query for full-text search"], limit: Bounded = 10
) -> dict[str, Json]:
    """Full-text keyword search using BM25 algorithm."""
    return _found(ask, _told(query), limit, SEARCH_TEXT)


def _found(ask: Caller, query: str, limit: int, recipe: Recipe, vector: Vector | None = None) -> dict[str, Json]:
    hits = find(ask.engine, Query(None, query, limit, scope=ask.user.scope, vector=vector), recipe).best
    results = [
        {
            "id": hit.stored.key.global_id,
            "content": text(hit.stored),
            "memory_type": memory_type(hit.stored),
            "score": hit.score,
            **passages(hit, ask.engine.clock),
        }
        for hit in hits
    ]
    return {"results": results, "count": len(results), "query": query}


@tool("Recall", reads=True)
def recall(
    ask: Caller,
    query: Annotated[str, "Search query"],
    limit: Limit = 10,
    include_memories: Annotated[bool, "Include memory results (default: true)"] = True,
    include_code: Annotated[bool, "Include code chunk results (default: false)"] = False,
    project_id: Annotated[Maybe[str], "Filter code results by project (optional, requires include_code=true)"] = None,
    language: Annotated[
        Maybe[str], "Filter code by language: rust, python, javascript, typescript, go (optional)"
    ] = None,
    vector_weight: Annotated[float, "Weight for vector similarity (default: 0.40)"] = RECALL.meaning,
    bm25_weight: Annotated[float, "Weight for BM25 (default: 0.15)"] = RECALL.words,
    ppr_weight: Annotated[float, "Weight for PPR graph ranking (default: 0.45)"] = RECALL.graph,
) -> dict[str, Json]:
    """Hybrid search combining vector similarity, BM25 keywords, and graph context (PPR).
    Can search memories, code, or both with Z-Score normalization."""
    query, limit = _told(query), limited(limit, 50)
    weights = {"vector_weight": vector_weight, "bm25_weight": bm25_weight, "ppr_weight": ppr_weight}
    for name, value in weights.items():
        if not 0 <= value < math.inf:
            raise InvalidInput(f"{name} must be a number of at least 0")
    meaning, words, graph = map(float, weights.values())
    both = include_memories and include_code
    memories, code, nodes = list[Scored](), list[Scored](), 0
    wanted = max(MEASURED, 3 * limit) if both else limit
    if include_memories:
        recipe = RECALL.but(RECALL.name, meaning=meaning, words=words, graph=graph)
        found = find(ask.engine, Query(None, query, wanted, scope=ask.user.scope), recipe)
        memories, nodes = [(hit.score, hit) for hit in found.best], found.nodes
    if include_code and is_local(ask):  # code has a graph of its own: which piece names which
        chunks = code_hits(ask.engine, query, project_id, language, wanted)
        code = [(meaning * one.vector_score + words * one.bm25_score + graph * one.ppr_score, one) for one in chunks]
        code.sort(key=lambda pair: -pair[0])
    results = _merged(memories, code, limit) if both else memories or code
    return {
        "results": [_result(score, one, ask.engine.clock) for score, one in results],
        "query": query,
        "subgraph_nodes": nodes,
        "memories_count": sum(isinstance(one, Hit) for _, one in results),
        "code_count": sum(isinstance(one, CodeHit) for _, one in results),
    }


def _merged(memories: list[Scored], code: list[Scored], limit: int) -> list[Scored]:
    """The best of both sources by their z-scores; among equals the one with the better own score."""
    scores = z_scores([[score for score, _ in source] for source in (memories, code)])
    both = [(z, score, one) for (score, one), z in zip([*memories, *code], [*scores[0], *scores[1]], strict=True)]
    both.sort(key=lambda each: (-each[0], -each[1]))
    return [(z, one) for z, _, one in both[:limit]]


def _result(score: float, one: Hit | CodeHit, clock: Clock) -> dict[str, Any]:
    told: dict[str, Any]
    if isinstance(one, Hit):
        parts = (one.parts.meaning, one.parts.words, one.parts.graph)
        told = {"id": one.stored.key.global_id, "content": text(one.stored), "source": "memory"}
        more = passages(one, clock) | ({"moved": list(one.moved)} if one.moved else {})
    else:
        parts = (one.vector_score, one.bm25_score, one.ppr_score)
        told = {"id": one.id, "content": one.content, "source": "code"}
        more = {"file_path": one.file_path, "start_line": one.start_line, "end_line": one.end_line}
    names = ("score", "vector_score", "bm25_score", "ppr_score")
    return told | {name: round(value, 6) for name, value in zip(names, (score, *parts), strict=True)} | more


def _told(query: str) -> str:
    if not query.strip():
        raise InvalidInput("query must not be empty")
    return Query(None, query).text  # refuses what is too long to be a question


def _embedded(engine: Engine, query: str) -> Vector:
    """The query's vector; a model that has just begun to load is waited for a little."""
    if not await_embedder(engine, PATIENCE_SECONDS) and engine.embedder.state() == "loading":
        raise Unavailable(NOT_READY)
    try:
        return engine.embedder.query(query)
    except (Unavailable, Misconfigured) as error:
        log.warning("the embedding model failed", error=str(error))
        raise Unavailable(NOT_READY) from error


TOOLS = (search, search_text, recall)
