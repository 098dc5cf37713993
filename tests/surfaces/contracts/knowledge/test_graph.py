"""create_entity, create_relation, get_related, and how entities lead recall."""

from __future__ import annotations

import time
from typing import Any

import pytest
from speaking import Client


def entity(mcp: Client, name: str, **more: Any) -> str:
    ident: str = mcp.ok("create_entity", name=name, **more)["id"]
    return ident


def relate(mcp: Client, origin: str, kind: str, end: str, **more: Any) -> str:
    ident: str = mcp.ok("create_relation", from_entity=origin, relation_type=kind, to_entity=end, **more)["id"]
    return ident


def pages(mcp: Client) -> list[str]:
    return sorted(path.stem for path in mcp.root.rglob("entities/*.md"))


def names(found: dict[str, Any]) -> set[str]:
    assert (found["entity_count"], found["relation_count"]) == (len(found["entities"]), len(found["relations"]))
    return {one["name"] for one in found["entities"]}


def test_the_same_name_is_the_same_entity(mcp: Client) -> None:
    first = entity(mcp, "Rust")
    assert entity(mcp, " rust ", entity_type="language") == first
    assert entity(mcp, "RUST", entity_type="fungus", description="A systems language") == first
    assert entity(mcp, "Rust", user_id="alice") != first
    other = entity(mcp, "Alice")
    relate(mcp, other, "uses", first)
    (known,) = mcp.ok("get_related", entity_id=other)["entities"]
    assert known == {
        "id": first,
        "name": "Rust",
        "entity_type": "language",
        "description": "A systems language",
        "user_id": "default",
    }
    assert mcp.ok("get_status")["entities_count"] == 3


@pytest.mark.looks_at_files
def test_different_names_have_different_pages(mcp: Client) -> None:
    odd = ["C++", "C#", "C/", "C\\", "con", "a:b", "a|b", "..", ".hidden", "x" * 200, "日本", "%41", "#tag", "[[x]]"]
    idents = [entity(mcp, name) for name in odd]
    assert len(set(idents)) == len(set(pages(mcp))) == len(odd)
    assert [entity(mcp, name) for name in odd] == idents
    assert mcp.ok("get_status")["entities_count"] == len(odd)


@pytest.mark.parametrize("name", ["", "  ", "x" * 301, "bell\x07"])
def test_what_is_no_name(mcp: Client, name: str) -> None:
    assert "name must" in mcp.refused("create_entity", name=name)


@pytest.mark.looks_at_files
def test_a_relation_is_a_link_on_the_page_and_a_repeat_changes_its_weight(mcp: Client) -> None:
    alice, project = entity(mcp, "Alice"), entity(mcp, "Project X")
    first = relate(mcp, alice, "works_on", project, weight=0.25)
    (page,) = mcp.root.rglob("entities/Alice.md")
    assert "- works_on [[Project X]] <!-- en_" in page.read_text(encoding="utf-8")
    assert relate(mcp, alice, "works_on", project) == first
    assert relate(mcp, alice, "leads", project) != first
    assert relate(mcp, project, "works_on", alice) != first
    relations = mcp.ok("get_related", entity_id=alice)["relations"]
    assert relations[0] == {
        "id": first,
        "from_entity": alice,
        "to_entity": project,
        "relation_type": "works_on",
        "weight": 1.0,
    }
    assert len(relations) == 2


def test_depth_and_direction(mcp: Client) -> None:
    a, b, c, d = (entity(mcp, name) for name in "ABCD")
    for origin, end in ((a, b), (b, c), (c, d), (d, a)):
        relate(mcp, origin, "next", end)
    assert names(mcp.ok("get_related", entity_id=a)) == {"B"}
    assert names(mcp.ok("get_related", entity_id=a, depth=2)) == {"B", "C"}
    assert names(mcp.ok("get_related", entity_id=a, depth=3)) == {"B", "C", "D"}
    assert names(mcp.ok("get_related", entity_id=a, direction="incoming")) == {"D"}
    assert names(mcp.ok("get_related", entity_id=a, direction="both")) == {"B", "D"}
    assert mcp.ok("get_related", entity_id=a, depth=3, direction="both")["relation_count"] == 4
    lonely = entity(mcp, "E")
    nothing = {"entities": [], "relations": [], "entity_count": 0, "relation_count": 0}
    assert mcp.ok("get_related", entity_id=lonely, direction="both", depth=3) == nothing
    assert "depth" in mcp.refused("get_related", entity_id=a, depth=4)
    assert "direction" in mcp.refused("get_related", entity_id=a, direction="sideways")


def test_bad_relations_are_refused(mcp: Client) -> None:
    alice, bob = entity(mcp, "Alice"), entity(mcp, "Bob", user_id="bob")
    memory = mcp.store("Alice knows Bob.")
    for unknown in ("nobody", memory):
        refused = mcp.refused("create_relation", from_entity=alice, to_entity=unknown, relation_type="knows")
        assert refused == f"Entity not found: {unknown}"
        assert mcp.refused("get_related", entity_id=unknown) == f"Entity not found: {unknown}"
    assert "different users" in mcp.refused("create_relation", from_entity=alice, to_entity=bob, relation_type="knows")
    for bad in ({"relation_type": ""}, {"relation_type": "[[x]]"}, {"weight": 1.5}, {"weight": -1}):
        given = {"from_entity": alice, "to_entity": alice, "relation_type": "is"} | bad
        assert next(iter(bad)) in mcp.refused("create_relation", **given)
    assert mcp.ok("get_related", entity_id=alice)["relation_count"] == 0


@pytest.mark.looks_at_files
def test_a_page_written_by_hand_is_an_entity(mcp: Client) -> None:
    alice = entity(mcp, "Alice")
    (page,) = mcp.root.rglob("entities/Alice.md")
    page.write_text(page.read_text(encoding="utf-8") + "\nShe is kind.\n\n- knows [[Bob Jones]]\n", encoding="utf-8")
    (page.parent / "Bob Jones.md").write_text("---\naliases: [Bobby]\n---\nA friend.\n", encoding="utf-8")
    deadline = time.monotonic() + 120
    while not mcp.ok("get_related", entity_id=alice)["entities"] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert names(mcp.ok("get_related", entity_id=alice)) == {"Bob Jones"}
    bob = entity(mcp, "Bobby", entity_type="person")
    assert names(mcp.ok("get_related", entity_id=bob, direction="incoming")) == {"Alice"}
    relate(mcp, alice, "knows", bob, weight=0.5)
    assert mcp.ok("get_related", entity_id=alice)["relation_count"] == 1
    text = page.read_text(encoding="utf-8")
    assert "She is kind." in text
    assert text.count("[[Bob Jones]]") == 1


def test_entities_lead_from_one_memory_to_another(mcp: Client) -> None:
    """Nothing but the relation connects the two, and both name their entity in small letters."""
    mcp.store("my colleague at work is very fond of rust for tools")
    mcp.store("the borrow checker refuses shared mutable state")
    for number in range(20):
        mcp.store(f"a walk in the park, number {number}, with some rain and wind")
    relate(mcp, entity(mcp, "Rust"), "has", entity(mcp, "borrow checker"))
    found = mcp.ok("recall", query="which language does my colleague like", vector_weight=0, limit=3)["results"]
    reached = [one for one in found if "borrow checker" in one["content"]]
    assert reached
    assert reached[0]["ppr_score"] > 0
    assert all(one["content"] != "Rust" for one in found)


def test_entities_are_no_memories(mcp: Client) -> None:
    ident = entity(mcp, "Zanzibar", description="an island")
    assert mcp.ok("list_memories")["total"] == mcp.ok("get_valid")["count"] == 0
    for tool in ("search", "search_text", "recall"):
        assert mcp.contents(tool, "Zanzibar island") == []
    assert mcp.refused("get_memory", id=ident) == f"Memory not found: {ident}"
    assert mcp.refused("delete_memory", id=ident) == f"Memory not found: {ident}"
