"""Search: by meaning, by words, and by both with the graph."""

from __future__ import annotations

import math
from typing import Annotated, Any

import structlog

from everlore.code import code_hits
from everlore.engine import Engine
from everlore.errors import InvalidInput, Misconfigured, Unavailable
from everlore.index.base import Vector
from everlore.search.evidence import await_embedder, by_meaning, by_words
from everlore.search.graph_recall import (
    CodeHit,
    Recalled,
    Recollection,
    Weights,
    measured,
    merged,
    recall_code,
    recall_memories,
)
from everlore.surfaces.contracts.knowledge import present
from everlore.surfaces.contracts.knowledge.asking import Maybe, NotReady, limited, scope_of, tool
from everlore.surfaces.contracts.knowledge.code_tools import is_local
from everlore.surfaces.contracts.memory_text import memory_text
from everlore.surfaces.contracts.toolset import Caller
from everlore.types import IndexedMemory, Json

PATIENCE_SECONDS = 2.0
"""How long a search waits for a model that is loading."""

WEIGHTS = Weights()

Limit = Annotated[int, "Maximum results (default: 10, max: 50)"]
Bounded = Annotated[Limit, {"minimum": 1, "maximum": 50}]

log = structlog.get_logger("everlore.mcp")


@tool("Search by meaning", reads=True)
def search(
    ask: Caller, query: Annotated[str, "The search query text (will be embedded)"], limit: Bounded = 10
) -> dict[str, Json]:
    """Semantic vector search over memories using HNSW index."""
    engine = ask.engine
    found = by_meaning(engine, scope_of(engine), _embedded(engine, _told(query)), limit)
    results = [present.hit(one.stored, one.score) for one in found]
    return {"results": results, "count": len(results), "query": query}


@tool("Search by words", reads=True)
def search_text(
    ask: Caller, query: Annotated[str, "The keyword query for full-text search"], limit: Bounded = 10
) -> dict[str, Json]:
    """Full-text keyword search using BM25 algorithm."""
    engine = ask.engine
    found = by_words(engine, scope_of(engine), _told(query), limit)
    results = [present.hit(one.stored, one.score) for one in found]
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
    vector_weight: Annotated[float, "Weight for vector similarity (default: 0.40)"] = WEIGHTS.vector,
    bm25_weight: Annotated[float, "Weight for BM25 (default: 0.15)"] = WEIGHTS.words,
    ppr_weight: Annotated[float, "Weight for PPR graph ranking (default: 0.45)"] = WEIGHTS.graph,
) -> dict[str, Json]:
    """Hybrid search combining vector similarity, BM25 keywords, and graph context (PPR).
    Can search memories, code, or both with Z-Score normalization."""
    engine, query, limit = ask.engine, _told(query), limited(limit, 50)
    weights = _weights(vector_weight=vector_weight, bm25_weight=bm25_weight, ppr_weight=ppr_weight)
    both = include_memories and include_code
    memories, code = Recollection(), list[Recalled]()
    wanted = measured(limit) if both else limit
    if include_memories:
        memories = recall_memories(engine, scope_of(engine), query, wanted, weights)
    if include_code and is_local(ask):
        code = recall_code(engine, _code, query, project_id, language, wanted, weights)
    results = merged(memories.results, code, limit) if both else memories.results or code
    return {
        "results": [_result(one) for one in results],
        "query": query,
        "subgraph_nodes": memories.nodes,
        "memories_count": sum(isinstance(one.item, IndexedMemory) for one in results),
        "code_count": sum(isinstance(one.item, CodeHit) for one in results),
    }


def _code(engine: Engine, query: str, project: str | None, language: str | None, limit: int) -> list[CodeHit]:
    return [
        CodeHit(
            id=hit.id,
            content=hit.content,
            file_path=hit.file_path,
            start_line=hit.start_line,
            end_line=hit.end_line,
            vector_score=hit.vector_score,
            text_score=hit.bm25_score,
            graph_score=hit.ppr_score,
        )
        for hit in code_hits(engine, query, project, language, limit)
    ]


def _result(one: Recalled) -> dict[str, Any]:
    scores = {
        "score": one.score,
        "vector_score": one.vector_score,
        "bm25_score": one.words_score,
        "ppr_score": one.graph_score,
    }
    rounded = {name: round(value, 6) for name, value in scores.items()}
    if isinstance(one.item, IndexedMemory):
        return {"id": one.item.key.global_id, "content": memory_text(one.item), "source": "memory"} | rounded
    place = {"file_path": one.item.file_path, "start_line": one.item.start_line, "end_line": one.item.end_line}
    return {"id": one.item.id, "content": one.item.content, "source": "code"} | rounded | place


def _told(query: str) -> str:
    if not query.strip():
        raise InvalidInput("query must not be empty")
    return query


def _weights(**given: float) -> Weights:
    for name, value in given.items():
        if not math.isfinite(value) or value < 0:
            raise InvalidInput(f"{name} must be a number of at least 0")
    return Weights(*map(float, given.values()))


def _embedded(engine: Engine, query: str) -> Vector:
    """The query's vector; a model that has just begun to load is waited for a little."""
    if not await_embedder(engine, PATIENCE_SECONDS) and engine.embedder.state() == "loading":
        raise NotReady
    try:
        return engine.embedder.query(query)
    except (Unavailable, Misconfigured) as error:
        log.warning("the embedding model failed", error=str(error))
        raise NotReady from error


TOOLS = (search, search_text, recall)
