"""Search: by meaning, by words, and by both with the graph."""

from __future__ import annotations

import math
from typing import Any

from everlore.engine import Engine
from everlore.errors import InvalidInput, Misconfigured, Unavailable
from everlore.index.base import Vector
from everlore.search.evidence import await_embedder, by_meaning, by_words
from everlore.search.graph_recall import (
    CodeHit,
    CodeSearch,
    Recalled,
    Recollection,
    Weights,
    measured,
    merged,
    recall_code,
    recall_memories,
)
from everlore.surfaces.mcp.knowledge import present
from everlore.surfaces.mcp.knowledge.arguments import Arguments, NotReady, Run, guarded, limited, log, scope_of
from everlore.surfaces.mcp.toolset import Tool
from everlore.types import IndexedMemory, Json

PATIENCE_SECONDS = 2.0
"""How long a search waits for a model that is loading."""


def _search(engine: Engine, arguments: Arguments) -> Json:
    query, limit = _query(arguments), limited(arguments, 50, 10)
    found = by_meaning(engine, scope_of(engine), _embedded(engine, query), limit)
    results = [present.hit(one.stored, one.score) for one in found]
    return {"results": results, "count": len(results), "query": query}


def _search_text(engine: Engine, arguments: Arguments) -> Json:
    query, limit = _query(arguments), limited(arguments, 50, 10)
    results = [present.hit(one.stored, one.score) for one in by_words(engine, scope_of(engine), query, limit)]
    return {"results": results, "count": len(results), "query": query}


def _recall(search_code: CodeSearch) -> Run:
    def run(engine: Engine, arguments: Arguments) -> Json:
        query, limit, weights = _query(arguments), limited(arguments, 50, 10), _weights(arguments)
        with_memories, with_code = arguments.get("include_memories") is not False, bool(arguments.get("include_code"))
        memories, code = Recollection(), list[Recalled]()
        wanted = measured(limit) if with_memories and with_code else limit
        if with_memories:
            memories = recall_memories(engine, scope_of(engine), query, wanted, weights)
        if with_code:
            project, language = arguments.get("project_id"), arguments.get("language")
            code = recall_code(engine, search_code, query, project, language, wanted, weights)
        results = merged(memories.results, code, limit) if with_memories and with_code else memories.results or code
        return {
            "results": [_result(one) for one in results],
            "query": query,
            "subgraph_nodes": memories.nodes,
            "memories_count": sum(isinstance(one.item, IndexedMemory) for one in results),
            "code_count": sum(isinstance(one.item, CodeHit) for one in results),
        }

    return run


def _result(one: Recalled) -> dict[str, Any]:
    scores = {
        "score": one.score,
        "vector_score": one.vector_score,
        "bm25_score": one.words_score,
        "ppr_score": one.graph_score,
    }
    rounded = {name: round(value, 6) for name, value in scores.items()}
    if isinstance(one.item, IndexedMemory):
        return {"id": one.item.key.global_id, "content": present.content(one.item), "source": "memory"} | rounded
    place = {"file_path": one.item.file_path, "start_line": one.item.start_line, "end_line": one.item.end_line}
    return {"id": one.item.id, "content": one.item.content, "source": "code"} | rounded | place


def _query(arguments: Arguments) -> str:
    query = str(arguments["query"])
    if not query.strip():
        raise InvalidInput("query must not be empty")
    return query


def _weights(arguments: Arguments) -> Weights:
    default = Weights()
    given = {
        "vector_weight": default.vector,
        "bm25_weight": default.words,
        "ppr_weight": default.graph,
    }
    for name in given:
        value = arguments.get(name)
        if value is not None:
            if not math.isfinite(value) or value < 0:
                raise InvalidInput(f"{name} must be a number of at least 0")
            given[name] = float(value)
    return Weights(*given.values())


def _embedded(engine: Engine, query: str) -> Vector:
    """The query's vector; a model that has just begun to load is waited for a little."""
    if not await_embedder(engine, PATIENCE_SECONDS) and engine.embedder.state() == "loading":
        raise NotReady
    try:
        return engine.embedder.query(query)
    except (Unavailable, Misconfigured) as error:
        log.warning("the embedding model failed", error=str(error))
        raise NotReady from error


_LIMIT = {"description": "Maximum results (default: 10, max: 50)", "type": "integer"}
_BOUNDED = {**_LIMIT, "minimum": 1, "maximum": 50, "default": 10}


def tools(search_code: CodeSearch) -> tuple[Tool, ...]:
    return (
        Tool(
            name="search",
            description="Semantic vector search over memories using HNSW index.",
            input_schema={
                "type": "object",
                "properties": {
                    "query": {"description": "The search query text (will be embedded)", "type": "string"},
                    "limit": _BOUNDED,
                },
                "required": ["query"],
            },
            run=guarded(_search),
            title="Search by meaning",
            read_only=True,
            idempotent=True,
        ),
        Tool(
            name="search_text",
            description="Full-text keyword search using BM25 algorithm.",
            input_schema={
                "type": "object",
                "properties": {
                    "query": {"description": "The keyword query for full-text search", "type": "string"},
                    "limit": _BOUNDED,
                },
                "required": ["query"],
            },
            run=guarded(_search_text),
            title="Search by words",
            read_only=True,
            idempotent=True,
        ),
        Tool(
            name="recall",
            description=(
                "Hybrid search combining vector similarity, BM25 keywords, and graph context (PPR). "
                "Can search memories, code, or both with Z-Score normalization."
            ),
            input_schema={
                "type": "object",
                "properties": {
                    "query": {"description": "Search query", "type": "string"},
                    "limit": {**_LIMIT, "default": 10},
                    "include_memories": {
                        "description": "Include memory results (default: true)",
                        "type": "boolean",
                        "default": True,
                    },
                    "include_code": {
                        "description": "Include code chunk results (default: false)",
                        "type": "boolean",
                        "default": False,
                    },
                    "project_id": {
                        "description": "Filter code results by project (optional, requires include_code=true)",
                        "type": "string",
                        "nullable": True,
                    },
                    "language": {
                        "description": ("Filter code by language: rust, python, javascript, typescript, go (optional)"),
                        "type": "string",
                        "nullable": True,
                    },
                    "vector_weight": {
                        "description": "Weight for vector similarity (default: 0.40)",
                        "type": "number",
                        "default": 0.40,
                    },
                    "bm25_weight": {
                        "description": "Weight for BM25 (default: 0.15)",
                        "type": "number",
                        "default": 0.15,
                    },
                    "ppr_weight": {
                        "description": "Weight for PPR graph ranking (default: 0.45)",
                        "type": "number",
                        "default": 0.45,
                    },
                },
                "required": ["query"],
            },
            run=guarded(_recall(search_code)),
            title="Recall",
            read_only=True,
            idempotent=True,
        ),
    )
