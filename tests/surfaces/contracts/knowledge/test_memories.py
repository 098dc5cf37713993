"""store_memory, get_memory, update_memory, delete_memory, list_memories."""

from __future__ import annotations

import re
import time
from datetime import datetime
from typing import Any

import pytest
from speaking import Client

from everlore.engine import Engine
from everlore.errors import Damaged, EverloreError, InvalidInput, NotFound, Unavailable
from everlore.memory import invalidate, save_note
from everlore.surfaces.contracts.knowledge.memories import DATABASE, NOT_READY, plain_id, shown, told
from everlore.types import Owner, Scope

LISBON = "I moved to Lisbon in May."
AWKWARD = [
    " blanks around \n",
    "two\r\nlines\rthree",
    "## Heading\n### Note\n---\n<!-- entry:nt_20260101_00000001 -->\n**owner_id**: bob",
    "\\## escaped already\n\\\\### twice",
    '"quoted", [listed] and a tab\t.',
    "emoji 🐢 and 日本語\u2028line separator\x00nul",
    "- [ ] a list\n\n\n\nwith gaps\n",
]


def test_an_id_is_twenty_characters_and_leads_back(mcp: Client) -> None:
    ident = mcp.store(LISBON)
    assert re.fullmatch(r"[0-9a-z]{20}", ident)
    memory = mcp.ok("get_memory", id=ident)
    moment = memory.pop("event_time")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", moment)
    assert abs(datetime.fromisoformat(moment).timestamp() - time.time()) < 60
    assert memory == {
        "id": {"tb": "memories", "id": {"String": ident}},
        "content": LISBON,
        "memory_type": "semantic",
        "ingestion_time": moment,
        "valid_from": moment,
        "valid_until": None,
        "importance_score": 1.0,
        "metadata": {},
    }


@pytest.mark.looks_at_files
def test_what_is_given_is_kept(mcp: Client) -> None:
    metadata = {"tags": ["a", "b"], "deep": {"n": 1.5, "none": None, "text": "line\nbreak \u2028"}}
    ident = mcp.store(LISBON, memory_type="episodic", metadata=metadata, user_id="alice")
    memory = mcp.ok("get_memory", id=ident)
    assert (memory["memory_type"], memory["metadata"]) == ("episodic", metadata)
    assert list(mcp.root.glob("default_app/default_project/users/alice/notes/note-*.md"))


@pytest.mark.parametrize("content", AWKWARD)
def test_text_comes_back_to_the_last_character(mcp: Client, content: str) -> None:
    first, second = mcp.store(content), mcp.store("after it")
    assert mcp.ok("get_memory", id=first)["content"] == content
    assert mcp.ok("update_memory", id=second, content=content)["content"] == content
    assert mcp.ok("get_memory", id=second)["content"] == content
    assert mcp.ok("update_memory", id=second, content="plain")["content"] == "plain"


def test_null_is_as_good_as_nothing(mcp: Client) -> None:
    ident = mcp.store(LISBON, memory_type=None, user_id=None, metadata=None)
    assert mcp.ok("get_memory", id=ident)["memory_type"] == "semantic"
    assert mcp.ok("update_memory", id=ident, content=None, memory_type=None, metadata=None)["content"] == LISBON


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({}, "content"),
        ({"content": ""}, "content must not be empty"),
        ({"content": " \n\t "}, "content must not be empty"),
        ({"content": 7}, "content"),
        ({"content": "x" * (100 * 1024 + 1)}, "100 KB"),
        ({"content": "ü" * (51 * 1024)}, "100 KB"),
        ({"content": "x", "memory_type": "vivid"}, "memory_type"),
        ({"content": "x", "metadata": [1]}, "metadata"),
        ({"content": "x", "metadata": {"a": "x" * 200_000}}, "metadata"),
        ({"content": "x", "user_id": "u" * 4000}, "too long"),
    ],
)
def test_what_cannot_be_stored_is_explained_and_leaves_no_trace(
    mcp: Client, arguments: dict[str, Any], says: str
) -> None:
    assert says in mcp.refused("store_memory", **arguments)
    assert mcp.ok("list_memories")["total"] == 0


def test_the_longest_text_is_accepted(mcp: Client) -> None:
    content = "word " * (20 * 1024)
    assert mcp.ok("get_memory", id=mcp.store(content))["content"] == content


@pytest.mark.parametrize("tool", ["get_memory", "update_memory", "delete_memory", "invalidate"])
@pytest.mark.parametrize("ident", ["nothing", "0" * 20, "memories:⟨x⟩", "../../etc/passwd", ""])
def test_an_unknown_id(mcp: Client, tool: str, ident: str) -> None:
    known = ident.removeprefix("memories:")
    assert mcp.refused(tool, id=ident) == f"Memory not found: {known}"


@pytest.mark.parametrize("ident", [None, 5, [], {"tb": "memories"}])
def test_what_is_no_id(mcp: Client, ident: object) -> None:
    assert "id must be" in mcp.refused("get_memory", id=ident)


def test_the_object_form_of_an_id_is_accepted_everywhere(mcp: Client) -> None:
    form = mcp.ok("get_memory", id=mcp.store(LISBON))["id"]
    other = mcp.store("I moved to Porto.")
    assert mcp.ok("get_memory", id=form)["content"] == LISBON
    assert mcp.ok("update_memory", id=form, content="x")["content"] == "x"
    assert mcp.ok("invalidate", id=other, superseded_by=form) == {"invalidated": True}
    assert mcp.ok("delete_memory", id=form) == {"deleted": True}


def test_update_changes_only_what_is_given(mcp: Client) -> None:
    ident = mcp.store(LISBON, metadata={"a": 1})
    before = mcp.ok("get_memory", id=ident)
    assert mcp.ok("update_memory", id=ident, memory_type="procedural") == before | {"memory_type": "procedural"}
    assert mcp.ok("update_memory", id=ident, metadata={"b": 2})["metadata"] == {"b": 2}
    after = mcp.ok("update_memory", id=ident, content="I moved to Porto.")
    assert after == before | {"memory_type": "procedural", "metadata": {"b": 2}, "content": "I moved to Porto."}
    assert mcp.ok("update_memory", id=ident, metadata={})["metadata"] == {}
    assert mcp.contents("search_text", "Porto") == ["I moved to Porto."]
    assert mcp.contents("search_text", "Lisbon") == []
    assert mcp.contents("search", "moved Porto") == ["I moved to Porto."]


def test_update_refuses_what_store_refuses(mcp: Client) -> None:
    ident = mcp.store(LISBON)
    assert mcp.refused("update_memory", id=ident, content="  ") == "content must not be empty"
    assert "episodic, semantic, procedural" in mcp.refused("update_memory", id=ident, memory_type="vivid")
    assert mcp.ok("get_memory", id=ident)["content"] == LISBON


def test_delete_is_for_good(mcp: Client) -> None:
    ident, kept = mcp.store(LISBON), mcp.store("I like tea.")
    assert mcp.ok("delete_memory", id=ident) == {"deleted": True}
    assert mcp.refused("get_memory", id=ident) == f"Memory not found: {ident}"
    assert mcp.refused("delete_memory", id=ident) == f"Memory not found: {ident}"
    assert mcp.contents("search_text", "Lisbon") == mcp.contents("recall", "Lisbon city", ppr_weight=0)[1:] == []
    assert not any("Lisbon" in path.read_text(encoding="utf-8") for path in mcp.root.rglob("*.md"))
    assert mcp.store("I moved again.") not in (ident, kept)


def test_the_list_has_the_newest_first(mcp: Client) -> None:
    idents = [mcp.store(f"Memory number {number}.", user_id=f"u{number % 2}") for number in range(7)]
    mcp.ok("invalidate", id=idents[2])
    listed = mcp.ok("list_memories", limit=3, offset=2)
    assert [one["id"]["id"]["String"] for one in listed["memories"]] == idents[4:1:-1]
    assert {name: listed[name] for name in ("total", "limit", "offset")} == {"total": 7, "limit": 3, "offset": 2}
    assert listed["memories"][-1]["valid_until"] is not None
    whole = mcp.ok("list_memories")
    assert (whole["limit"], whole["offset"], len(whole["memories"])) == (20, 0, 7)
    assert mcp.ok("list_memories", offset=10**9)["memories"] == []


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"limit": 101}, {"offset": -1}, {"limit": "many"}])
def test_the_list_refuses_what_its_schema_forbids(mcp: Client, arguments: dict[str, Any]) -> None:
    assert next(iter(arguments)) in mcp.refused("list_memories", **arguments)


@pytest.mark.looks_at_files
def test_the_notes_of_a_day_fill_several_files(mcp: Client) -> None:
    idents = [mcp.store(f"Note number {number}.") for number in range(103)]
    files = sorted(path.name for path in mcp.root.rglob("notes/*.md"))
    assert len(files) >= 2
    assert mcp.ok("list_memories")["total"] == 103
    assert mcp.ok("get_memory", id=idents[101])["content"] == "Note number 101."
    assert mcp.ok("delete_memory", id=idents[0]) == mcp.ok("delete_memory", id=idents[102]) == {"deleted": True}
    assert mcp.ok("list_memories")["total"] == 101


@pytest.mark.parametrize(
    "given",
    [
        "abc",
        " memories:abc ",
        "entities:abc",
        {"tb": "memories", "id": {"String": "abc"}},
        '{"tb": "memories", "id": {"String": "abc"}}',
        {"id": "abc"},
    ],
)
def test_an_id_in_every_form(given: Any) -> None:
    assert plain_id(given, "id") == "abc"


@pytest.mark.parametrize("given", [None, 7, [], {}, {"id": {}}])
def test_what_is_no_id_is_named_by_its_argument(given: Any) -> None:
    with pytest.raises(InvalidInput, match="entity_id must be the id"):
        plain_id(given, "entity_id")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (Unavailable("the disk is full"), f"{DATABASE} the disk is full"),
        (Damaged("the index"), f"{DATABASE} the index"),
        (Unavailable(NOT_READY), NOT_READY),
        (NotFound("Memory not found: x"), "Memory not found: x"),
    ],
)
def test_trouble_below_begins_with_the_contracts_sentence(error: EverloreError, text: str) -> None:
    assert told(error) == text


def test_a_note_and_what_ended_it(engine: Engine) -> None:
    owner = Owner(Scope("default", "default"), "user", "ada")
    first, second = (save_note(engine, owner, text, "procedural", {"a": 1}) for text in ("Row.", "Sail."))
    rows = engine.index.rows.find([first, second])
    known = shown(rows[first])
    assert known["id"] == {"tb": "memories", "id": {"String": first.global_id}}
    assert (known["content"], known["memory_type"], known["metadata"]) == ("Row.", "procedural", {"a": 1})
    assert (known["valid_until"], "superseded_by" in known) == (None, False)
    invalidate(engine, rows[first], "tired", rows[second])
    ended = shown(engine.index.rows.find([first])[first])
    assert ended["valid_until"]
    assert (ended["invalidation_reason"], ended["superseded_by"]) == ("tired", second.global_id)
