"""search, search_text, recall."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from embeddings import Endpoint, endpoint
from speaking import Client, speaking

WEIGHTS = {"vector_weight": 0.40, "bm25_weight": 0.15, "ppr_weight": 0.45}


@pytest.fixture
def filled(mcp: Client) -> Client:
    for text in (
        "Alice plays the violin in Rome.",
        "Bob cooks ramen every Friday.",
        "The deployment of Project Falcon runs on Kubernetes.",
        "Carol leads Project Falcon.",
        "Carol lives in Oslo with her dog.",
    ):
        mcp.store(text)
    mcp.store("Dave plays the violin too.", user_id="dave", memory_type="episodic")
    return mcp


@pytest.mark.parametrize("tool", ["search", "search_text"])
def test_results_have_the_contracts_shape(filled: Client, tool: str) -> None:
    found = filled.ok(tool, query="plays violin")
    assert found["query"] == "plays violin"
    assert found["count"] == len(found["results"])
    best = found["results"][:2]
    assert {one["content"] for one in best} == {"Alice plays the violin in Rome.", "Dave plays the violin too."}
    assert {one["memory_type"] for one in best} == {"semantic", "episodic"}
    assert all(set(one) == {"id", "content", "memory_type", "score"} for one in found["results"])
    scores = [one["score"] for one in found["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert filled.ok("get_memory", id=best[0]["id"])["content"] == best[0]["content"]


def test_words_find_only_what_holds_one(filled: Client) -> None:
    assert filled.contents("search_text", "kubernetes") == ["The deployment of Project Falcon runs on Kubernetes."]
    assert filled.contents("search_text", "saxophone") == []
    assert filled.contents("search_text", "?!") == []


@pytest.mark.parametrize("tool", ["search", "search_text", "recall"])
def test_limits(filled: Client, tool: str) -> None:
    assert len(filled.contents(tool, "Carol Project violin ramen", limit=2)) == 2
    assert "limit" in filled.refused(tool, query="x", limit=0)
    assert "query" in filled.refused(tool, query="   ")
    assert "query" in filled.refused(tool)
    if tool == "recall":
        assert filled.ok(tool, query="Carol", limit=5000)["memories_count"] >= 1
    else:
        assert "limit" in filled.refused(tool, query="x", limit=51)


def test_fifty_memories_are_fifty_results(mcp: Client) -> None:
    for number in range(55):
        mcp.store(f"Violin lesson number {number}.\n\n{'An exercise for both hands. ' * 80}")
    for tool in ("search", "search_text", "recall"):
        found = mcp.ok(tool, query="violin lesson exercise", limit=50)["results"]
        assert len({one["id"] for one in found}) == 50


def test_recall_is_the_weighted_sum(filled: Client) -> None:
    for weights in (WEIGHTS, {"vector_weight": 1, "bm25_weight": 0, "ppr_weight": 0.25}):
        found = filled.ok("recall", query="Who leads Project Falcon?", **weights)
        assert found["memories_count"] == len(found["results"]) > 0
        assert found["code_count"] == 0
        assert found["query"] == "Who leads Project Falcon?"
        for one in found["results"]:
            parts = [one["vector_score"], one["bm25_score"], one["ppr_score"]]
            assert all(0 <= part <= 1 for part in parts)
            total = sum(weight * part for weight, part in zip(weights.values(), parts, strict=True))
            assert math.isclose(one["score"], total, abs_tol=1e-5)
            assert one["source"] == "memory"
            assert "file_path" not in one
        assert found["results"][0]["content"] == "Carol leads Project Falcon."
        assert found["subgraph_nodes"] > 0
    assert filled.ok("recall", query="Who leads Project Falcon?") == filled.ok(
        "recall", query="Who leads Project Falcon?", **WEIGHTS
    )


def test_recall_reaches_what_shares_no_word_with_the_question(filled: Client) -> None:
    """Falcon is led by Carol, and Carol lives in Oslo: one step over a name."""
    found = filled.ok("recall", query="Who leads Falcon?", vector_weight=0)
    by_graph = {one["content"]: one for one in found["results"]}
    reached = by_graph["Carol lives in Oslo with her dog."]
    assert (reached["bm25_score"], reached["vector_score"] > 0) == (0, True)
    assert reached["ppr_score"] > 0
    assert found["results"].index(reached) < 4
    without = filled.contents("recall", "Who leads Falcon?", vector_weight=0, ppr_weight=0)
    assert "Carol lives in Oslo with her dog." not in without[:2]
    assert filled.ok("recall", query="Who leads Falcon?", ppr_weight=0)["subgraph_nodes"] == 0


def test_nothing_is_near_to_a_question_that_nothing_answers(filled: Client) -> None:
    answered = filled.ok("recall", query="Who leads Project Falcon?")["results"][0]
    unanswered = filled.ok("recall", query="How do tides depend on the moon?")["results"]
    assert max(one["ppr_score"] for one in unanswered) < answered["ppr_score"] / 2


def test_memories_may_be_left_out(filled: Client) -> None:
    nothing = {"results": [], "query": "violin", "subgraph_nodes": 0, "memories_count": 0, "code_count": 0}
    assert filled.ok("recall", query="violin", include_memories=False) == nothing


@pytest.mark.parametrize("bad", [{"vector_weight": -1}, {"bm25_weight": "heavy"}])
def test_weights_are_checked(filled: Client, bad: dict[str, Any]) -> None:
    assert next(iter(bad)) in filled.refused("recall", query="violin", **bad)


def test_without_a_model_words_go_on(tmp_path: Path) -> None:
    with endpoint() as vectors:
        vectors.broken = True
        with speaking(tmp_path / "root", vectors.url) as mcp:
            ident = mcp.store("Alice plays the violin.")
            assert mcp.contents("search_text", "violin") == ["Alice plays the violin."]
            assert mcp.refused("search", query="violin") == "Embedding service not ready. Please try again."
            found = mcp.ok("recall", query="violin")["results"]
            assert [(one["id"], one["vector_score"]) for one in found] == [(ident, 0)]
            assert mcp.ok("update_memory", id=ident, content="Alice plays the cello.")["content"].endswith("cello.")
            assert mcp.ok("get_status")["embedding"]["status"] == "error"


def test_other_scopes_are_never_shown(mcp: Client, vectors: Endpoint) -> None:
    mine = mcp.store("Alice plays the violin.")
    with speaking(mcp.root, vectors.url, {"EVEROS_MCP__PROJECT": "other", "EVEROS_MCP__USER": "zoe"}) as other:
        theirs = other.store("Zoe plays the violin.")
        more = other.store("Yan plays the violin.", user_id="yan")
        for tool in ("search", "search_text", "recall"):
            assert set(other.contents(tool, "violin")) == {"Zoe plays the violin.", "Yan plays the violin."}
            assert mcp.contents(tool, "violin") == ["Alice plays the violin."]
        assert other.ok("list_memories")["total"] == other.ok("get_valid")["count"] == 2
        assert other.ok("get_status")["memories_count"] == 2
        for tool in ("get_memory", "delete_memory", "invalidate", "update_memory"):
            assert other.refused(tool, id=mine) == f"Memory not found: {mine}"
        assert mcp.refused("invalidate", id=mine, superseded_by=more) == f"Memory not found: {more}"
        entity = other.ok("create_entity", name="Zoe")["id"]
        assert mcp.refused("get_related", entity_id=entity) == f"Entity not found: {entity}"
        assert other.ok("reset_all_memory", confirm=True)["deleted"]["memories"] == 2
    assert mcp.refused("get_memory", id=theirs) == f"Memory not found: {theirs}"
    assert mcp.ok("get_memory", id=mine)["content"] == "Alice plays the violin."
