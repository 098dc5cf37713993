"""Search: by meaning, by words, and by both with the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from everlore.clock import Clock
from everlore.code import CodeHit
from everlore.engine import Engine
from everlore.errors import InvalidInput, Misconfigured, Unavailable
from everlore.index.base import Vector
from everlore.search import Hit, Query, Recipe, recall
from everlore.search.recipes import RECALL, SEARCH, SEARCH_TEXT
from everlore.search.score import z_scores
from everlore.search.vectors import await_embedder
from everlore.surfaces.mcp.knowledge import present
from everlore.surfaces.mcp.knowledge.arguments import Arguments, NotReady, Run, guarded, limited, log, scope_of
from everlore.surfaces.mcp.toolset import Tool
from everlore.types import Json

PATIENCE_SECONDS = 2.0
"""How long a search waits for a model that is loading."""


MEASURED = 50
"""Items of each source, at least, that z-scores are taken over; three times as many as are wanted, if that is more."""

CodeSearch: TypeAlias = Callable[[Engine, str, str | None, str | None, int], Sequence[CodeHit]]
"""(engine, query, project id, language, limit)."""
Scored: TypeAlias = tuple[float, Hit | CodeHit]


def _search(engine: Engine, arguments: Arguments) -> Json:
    return _found(engine, arguments, SEARCH, _embedded(engine, _query(arguments)))


def _search_text(engine: Engine, arguments: Arguments) -> Json:
    return _found(engine, arguments, SEARCH_TEXT)


def _found(engine: Engine, arguments: Arguments, recipe: Recipe, vector: Vector | None = None) -> Json:
    query, limit = _query(arguments), limited(arguments, 50, 10)
    hits = recall(engine, Query(None, query, limit, scope=scope_of(engine), vector=vector), recipe).best
    results = [present.hit(hit, engine.clock) for hit in hits]
    return {"results": results, "count": len(results), "query": query}


def _recall(search_code: CodeSearch) -> Run:
    def run(engine: Engine, arguments: Arguments) -> Json:
        query, limit, recipe = _query(arguments), limited(arguments, 50, 10), _weighted(arguments)
        with_memories, with_code = arguments.get("include_memories") is not False, bool(arguments.get("include_code"))
        memories, code, nodes = list[Scored](), list[Scored](), 0
        wanted = max(MEASURED, 3 * limit) if with_memories and with_code else limit
        if with_memories:
            found = recall(engine, Query(None, query, wanted, scope=scope_of(engine)), recipe)
            memories, nodes = [(hit.score, hit) for hit in found.best], found.nodes
        if with_code:
            project, language = arguments.get("project_id"), arguments.get("language")
            chunks = search_code(engine, query, project, language, wanted)
            code = [(_sum(recipe, one), one) for one in chunks]
            code.sort(key=lambda pair: -pair[0])
        results = _merged(memories, code, limit) if with_memories and with_code else memories or code
        return {
            "results": [_result(score, one, engine.clock) for score, one in results],
            "query": query,
            "subgraph_nodes": nodes,
            "memories_count": sum(isinstance(one, Hit) for _, one in results),
            "code_count": sum(isinstance(one, CodeHit) for _, one in results),
        }

    return run


def _sum(recipe: Recipe, one: CodeHit) -> float:
    """Code has a graph of its own: which piece names which."""
    return recipe.meaning * one.vector_score + recipe.words * one.bm25_score + recipe.graph * one.ppr_score


def _merged(memories: list[Scored], code: list[Scored], limit: int) -> list[Scored]:
    """The best of both sources by their z-scores; among equals the one with the better own score."""
    scores = z_scores([[score for score, _ in source] for source in (memories, code)])
    both = [(z, score, one) for (score, one), z in zip([*memories, *code], [*scores[0], *scores[1]], strict=True)]
    both.sort(key=lambda each: (-each[0], -each[1]))
    return [(z, one) for z, _, one in both[:limit]]


def _result(score: float, one: Hit | CodeHit, clock: Clock) -> dict[str, Any]:
    if isinstance(one, Hit):
        parts = (one.parts.meaning, one.parts.words, one.parts.graph)
        told = {"id": one.stored.key.global_id, "content": present.content(one.stored), "source": "memory"}
        more = present.passages(one, clock) | ({"moved": list(one.moved)} if one.moved else {})
    else:
        parts = (one.vector_score, one.bm25_score, one.ppr_score)
        told = {"id": one.id, "content": one.content, "source": "code"}
        more = {"file_path": one.file_path, "start_line": one.start_line, "end_line": one.end_line}
    names = ("score", "vector_score", "bm25_score", "ppr_score")
    return told | {name: round(value, 6) for name, value in zip(names, (score, *parts), strict=True)} | more


def _query(arguments: Arguments) -> str:
    query = str(arguments["query"])
    if not query.strip():
        raise InvalidInput("query must not be empty")
    return query


def _weighted(arguments: Arguments) -> Recipe:
    """The contract's recipe, with the weights that the caller wants."""
    given = {"vector_weight": RECALL.meaning, "bm25_weight": RECALL.words, "ppr_weight": RECALL.graph}
    for name in given:
        value = arguments.get(name)
        if value is not None:
            if not math.isfinite(value) or value < 0:
                raise InvalidInput(f"{name} must be a number of at least 0")
            given[name] = float(value)
    meaning, words, graph = given.values()
    return RECALL.but(RECALL.name, meaning=meaning, words=words, graph=graph)


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
