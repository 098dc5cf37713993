"""Ids in every form that clients send, memories as the contract shows them, and trouble in its words."""

from __future__ import annotations

from typing import Any

import pytest

from everlore.engine import Engine
from everlore.errors import Damaged, EverloreError, InvalidInput, NotFound, Unavailable
from everlore.memory import invalidate, save_note
from everlore.surfaces.contracts.knowledge.asking import DATABASE, NOT_READY, NotReady, memory, plain_id, told
from everlore.types import Owner, Scope


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
def test_what_is_no_id(given: Any) -> None:
    with pytest.raises(InvalidInput, match="entity_id must be the id"):
        plain_id(given, "entity_id")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (Unavailable("the disk is full"), f"{DATABASE} the disk is full"),
        (Damaged("the index"), f"{DATABASE} the index"),
        (NotReady(NOT_READY), NOT_READY),
        (NotFound("Memory not found: x"), "Memory not found: x"),
    ],
)
def test_trouble_below_begins_with_the_contracts_sentence(error: EverloreError, text: str) -> None:
    assert told(error) == text


def test_a_note_and_what_ended_it(engine: Engine) -> None:
    owner = Owner(Scope("default", "default"), "user", "ada")
    first, second = (save_note(engine, owner, text, "procedural", {"a": 1}) for text in ("Row.", "Sail."))
    rows = engine.index.rows.find([first, second])
    shown = memory(rows[first])
    assert shown["id"] == {"tb": "memories", "id": {"String": first.global_id}}
    assert (shown["content"], shown["memory_type"], shown["metadata"]) == ("Row.", "procedural", {"a": 1})
    assert (shown["valid_until"], "superseded_by" in shown) == (None, False)
    invalidate(engine, rows[first], "tired", rows[second])
    ended = memory(engine.index.rows.find([first])[first])
    assert ended["valid_until"]
    assert (ended["invalidation_reason"], ended["superseded_by"]) == ("tired", second.global_id)
