"""How the EverOS API shows a kind: by its shapes, and by what the kind's spec says."""

from __future__ import annotations

from typing import Any

import pytest

from everlore.clock import Clock
from everlore.search import Hit, Recall
from everlore.surfaces.contracts.everos import presentation
from everlore.types import IndexedMemory, Key, Owner, Scope, Validity

AT = 1_780_000_000_000
OWNER = Owner(Scope("space.app", "p"), "user", "alice")
CLOCK = Clock()


def stored(kind: str, data: dict[str, Any], **more: Any) -> IndexedMemory:
    known: dict[str, Any] = {
        "id": 1,
        "key": Key(OWNER, kind, "1"),
        "session_id": "s",
        "path": "a.md",
        "parent_type": "",
        "parent_id": "",
        "slot": "",
        "timestamp": AT,
        "updated": AT,
        "sender_ids": ("bob",),
        "validity": Validity(start=AT),
        "data": data,
    }
    return IndexedMemory(**known | more)


def test_notes_and_records_are_shown_as_episodes() -> None:
    assert set(presentation.SHAPES["episode"].kinds) == {"episode", "note"}
    assert presentation.SHAPES["record"].kinds == ("record",)
    assert presentation.memory_type("note") == presentation.memory_type("record") == "episode"
    note = stored("note", {"content": "Bees\nI keep " + "bees " * 100})
    (item,) = presentation.listed("episode", [note], 1, "app", CLOCK).episodes
    assert (item.subject, item.user_id, item.app_id, item.sender_ids) == ("Bees", "alice", "app", ("alice",))
    assert len(item.summary) == 200


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("episode", "episode"),
        ("fact", "atomic_fact"),
        ("case", "agent_case"),
        ("skill", "agent_skill"),
        ("entity", "entity"),
    ],
)
def test_kinds_have_the_contracts_names(kind: str, name: str) -> None:
    assert presentation.memory_type(kind) == name


def test_hits_stand_in_the_array_of_their_kind_with_their_facts() -> None:
    episode = stored("episode", {"subject": "Bees", "summary": "Bees.", "episode": "Alice keeps bees."})
    fact = stored("fact", {"content": "Alice keeps bees."})
    recall = Recall({"episode": [Hit(episode, 0.9, (Hit(fact, 0.8),))], "case": []})
    found = presentation.found(recall, None, [], "app", CLOCK)
    (item,) = found.episodes
    assert (item.score, item.sender_ids, item.episode) == (0.9, ("bob",), "Alice keeps bees.")
    assert [(one.content, one.score) for one in item.atomic_facts] == [("Alice keeps bees.", 0.8)]
    assert (found.agent_cases, found.profiles) == ([], [])
    assert "trace" not in found.model_dump()


def test_a_statement_is_told_with_its_time_and_what_took_its_place() -> None:
    old = stored("fact", {"content": "Alice lives in Rome."}, validity=Validity(start=AT, end=AT + 1000))
    new = stored("fact", {"content": "Alice lives in Lisbon."}, key=Key(OWNER, "fact", "2"))
    told = presentation.stated(old, None, new, "app", CLOCK)
    assert (told.content, told.memory_type, told.episode_id) == ("Alice lives in Rome.", "atomic_fact", None)
    assert told.superseded_by == new.key.public_id
    assert told.valid_until == CLOCK.show(AT + 1000)
    assert presentation.stated(new, None, None, "app", CLOCK).valid_until is None
