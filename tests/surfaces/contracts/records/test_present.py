"""Records, and memories of other kinds, as the contract shows them."""

from __future__ import annotations

from everlore.engine import Engine
from everlore.kinds import record
from everlore.memory import save_note
from everlore.memory.records import save_record
from everlore.surfaces.contracts.records import present
from everlore.types import Owner, Scope

OWNER = Owner(Scope("default", "default"), "user", "ada")


def test_a_record_is_shown_as_it_was_saved(engine: Engine) -> None:
    saved = save_record(engine, OWNER, "decision", {"a": 1}, "chat://1", ("x",), 0.9)
    key = record.key(OWNER, saved.local_id)
    row = engine.index.rows.find([key])[key]
    assert present.item(row, 0.5) | {"createdAt": ""} == {
        "id": saved.local_id,
        "type": "decision",
        "similarity": 0.5,
        "tags": ["x"],
        "createdAt": "",
    }
    whole = present.whole(row)
    assert (whole["content"], whole["source"], whole["confidence"]) == ({"a": 1}, "chat://1", 0.9)
    assert present.link(row).uri == f"mem://item/{saved.local_id}"


def test_other_kinds_go_by_their_kind(engine: Engine) -> None:
    key = save_note(engine, OWNER, "Row.", "semantic", None)
    row = engine.index.rows.find([key])[key]
    whole = present.whole(row)
    assert (whole["id"], whole["type"], whole["tags"]) == (key.global_id, "note", [])
    assert (whole["content"], whole["source"]) == ({"text": "Row."}, f"everlore://note/{key.public_id}")
