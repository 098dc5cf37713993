"""Memories as the contract shows them."""

from __future__ import annotations

from everlore.engine import Engine
from everlore.memory import invalidate, save_note
from everlore.search import Hit
from everlore.surfaces.contracts.knowledge import present
from everlore.types import Owner, Scope

OWNER = Owner(Scope("default", "default"), "user", "ada")


def test_a_note_and_what_ended_it(engine: Engine) -> None:
    first, second = (save_note(engine, OWNER, text, "procedural", {"a": 1}) for text in ("Row.", "Sail."))
    rows = engine.index.rows.find([first, second])
    shown = present.memory(rows[first])
    assert shown["id"] == {"tb": "memories", "id": {"String": first.global_id}}
    assert (shown["content"], shown["memory_type"], shown["metadata"]) == ("Row.", "procedural", {"a": 1})
    assert (shown["valid_until"], "superseded_by" in shown) == (None, False)
    invalidate(engine, rows[first], "tired", rows[second])
    ended = present.memory(engine.index.rows.find([first])[first])
    assert ended["valid_until"]
    assert (ended["invalidation_reason"], ended["superseded_by"]) == ("tired", second.global_id)
    assert present.hit(Hit(rows[second], 0.5), engine.clock) == {
        "id": second.global_id,
        "content": "Sail.",
        "memory_type": "procedural",
        "score": 0.5,
    }
