"""get_status, reset_all_memory, the list of tools, and what other surfaces see."""

from __future__ import annotations

import json
from typing import Any

import pytest
from embeddings import Endpoint
from speaking import Client
from vaults import ALICE, HELPER, open_vault, says

from everlore.memory import flush, forget, listing, remember
from everlore.search import Query, recall
from everlore.types import Scope

TOOLS = [
    "store_memory",
    "get_memory",
    "update_memory",
    "delete_memory",
    "list_memories",
    "search",
    "search_text",
    "recall",
    "create_entity",
    "create_relation",
    "get_related",
    "get_valid",
    "get_valid_at",
    "invalidate",
]
UNCONFIRMED = {"reset": False, "message": "Confirmation required. Set confirm=true to delete all data."}


def test_the_tools_come_in_the_contracts_order(mcp: Client) -> None:
    tools = mcp.request("tools/list", {})["result"]["tools"]
    assert [tool["name"] for tool in tools][: len(TOOLS)] == TOOLS
    assert [tool["name"] for tool in tools][-2:] == ["get_status", "reset_all_memory"]
    by_name = {tool["name"]: tool for tool in tools}
    assert by_name["store_memory"]["inputSchema"]["properties"]["memory_type"] == {
        "description": "Type of memory: episodic, semantic, or procedural",
        "type": "string",
        "enum": ["episodic", "semantic", "procedural"],
        "nullable": True,
    }
    assert by_name["reset_all_memory"]["inputSchema"]["required"] == ["confirm"]
    assert by_name["reset_all_memory"]["annotations"]["destructiveHint"] is True
    assert by_name["recall"]["annotations"]["readOnlyHint"] is True


def test_the_status_counts(mcp: Client) -> None:
    empty = mcp.ok("get_status")
    assert (empty["version"], empty["status"]) == ("0.1.0", "healthy")
    assert (empty["memories_count"], empty["entities_count"], empty["code_chunks_count"]) == (0, 0, 0)
    mcp.store("Alice plays the violin in a quartet, and this sentence is new.")
    mcp.ok("create_entity", name="Alice")
    mcp.ok("search", query="violin")
    status = mcp.ok("get_status")
    assert (status["memories_count"], status["entities_count"]) == (1, 1)
    assert status["embedding"]["status"] == "ready"
    assert status["embedding"]["dimensions"] == status["db_dimension"] == 64
    cache = status["embedding"]["cache_stats"]
    before = empty["embedding"]["cache_stats"]
    assert cache["misses"] > before["misses"]
    assert cache["size"] > before["size"]
    mcp.store("Alice plays the violin in a quartet, and this sentence is new.")
    mcp.ok("search", query="violin")
    assert mcp.ok("get_status")["embedding"]["cache_stats"]["hits"] > cache["hits"]


@pytest.mark.parametrize("arguments", [{}, {"confirm": False}, {"confirm": "true"}, {"confirm": 1}, {"confirm": None}])
def test_nothing_is_forgotten_without_a_clear_yes(mcp: Client, arguments: dict[str, Any]) -> None:
    ident = mcp.store("Alice plays the violin.")
    assert mcp.ok("reset_all_memory", **arguments) == UNCONFIRMED
    assert mcp.ok("get_memory", id=ident)["content"] == "Alice plays the violin."


def test_everything_is_forgotten(mcp: Client) -> None:
    for number in range(3):
        mcp.store(f"Memory {number}.", user_id=f"u{number}")
    a, b = (mcp.ok("create_entity", name=name)["id"] for name in "AB")
    mcp.ok("create_relation", from_entity=a, to_entity=b, relation_type="knows")
    deleted = {"memories": 3, "entities": 2, "relations": 1, "code_chunks": 0}
    assert mcp.ok("reset_all_memory", confirm=True) == {"reset": True, "deleted": deleted}
    assert mcp.ok("reset_all_memory", confirm=True)["deleted"] == dict.fromkeys(deleted, 0)
    assert mcp.ok("list_memories")["total"] == mcp.ok("get_status")["entities_count"] == 0
    assert mcp.contents("search_text", "Memory") == []
    assert list(mcp.root.rglob("users/*/*/*.md")) == []


@pytest.mark.looks_at_files
def test_one_memory_every_surface(mcp: Client, vectors: Endpoint) -> None:
    """What was talked about is found by the tools, and what the tools stored is found like an episode."""
    mcp.store("Alice keeps her violin in the attic.\nIt is old.", user_id="alice")
    engine = open_vault(mcp.root, vectors.url)
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "violins"}'}}
    remember(
        engine,
        Scope(),
        "s1",
        [
            says("I climb in Yosemite every spring with my sister."),
            says("Please search the catalogue for cellos."),
            says("Searching.", "helper", role="assistant", tool_calls=[call]),
            says("4 cellos found.", "tools", role="tool", tool_call_id="c1"),
            says("Done, there are 4 cellos.", "helper", role="assistant"),
        ],
    )
    flush(engine, Scope(), "s1")
    listed = mcp.ok("list_memories")
    assert {one["memory_type"] for one in listed["memories"]} == {"semantic", "episodic", "procedural"}
    assert listed["total"] == mcp.ok("get_status")["memories_count"] == 3
    for tool in ("search_text", "search", "recall"):
        found = mcp.ok(tool, query="climbing in Yosemite")["results"]
        assert "Yosemite" in found[0]["content"]
        assert len(found) == len({one["id"] for one in found})
    (episode,) = listing(engine, ALICE, "episode").rows
    (case,) = listing(engine, HELPER, "case").rows
    assert mcp.ok("get_memory", id=episode.key.global_id)["content"] == episode.data["episode"]
    assert "cellos" in mcp.ok("get_memory", id=case.key.global_id)["content"]
    assert "Store a new memory" in mcp.refused("update_memory", id=episode.key.global_id, content="x")
    hits = recall(engine, Query(ALICE, "violin attic")).hits["episode"]
    assert hits[0].stored.data["content"] == "Alice keeps her violin in the attic.\nIt is old."
    mcp.ok("invalidate", id=episode.key.global_id, reason="no more")
    mcp.ok("invalidate", id=case.key.global_id)
    assert all("Yosemite" not in text for text in mcp.contents("search_text", "climb Yosemite"))
    assert recall(engine, Query(ALICE, "climb Yosemite")).hits["episode"] == []
    assert mcp.ok("get_memory", id=episode.key.global_id)["invalidation_reason"] == "no more"
    forget(engine, ALICE, hits[0].stored.key.public_id)
    assert mcp.ok("delete_memory", id=episode.key.global_id) == {"deleted": True}
    assert listing(engine, ALICE, "fact").rows == []
    assert mcp.ok("list_memories")["total"] == 0  # the case of the same talk went with the episode
    engine.close()


@pytest.mark.looks_at_files
def test_a_broken_vault_is_explained(mcp: Client) -> None:
    ident = mcp.store("Alice plays the violin.")
    (path,) = mcp.root.rglob("notes/note-*.md")
    path.write_bytes(b"\xff\xfe not text")
    assert mcp.refused("update_memory", id=ident, content="x").startswith("Database error. Please try again.")
    assert json.dumps(mcp.ok("get_memory", id=ident))
    path.unlink()
