"""The walk from what a query found to what shares a name with it."""

from __future__ import annotations

import pytest
from vaults import SCOPE

from everlore.engine import Engine
from everlore.graph.neighbourhood import MOST_LINKS, rarity, walk
from everlore.memory import save_note
from everlore.types import Owner, Where

ALICE = Owner(SCOPE, "user", "alice")
NOTES = Where(ALICE, ("note",))


def noted(engine: Engine, text: str) -> int:
    """The number of a new note in the index."""
    key = save_note(engine, ALICE, text)
    return engine.index.rows.find([key])[key].id


def test_a_shared_name_leads_from_one_memory_to_another(engine: Engine) -> None:
    seed = noted(engine, "Our release is led by Carol Jones.")
    near = noted(engine, "Yesterday Carol Jones flew to Oslo.")
    farther = noted(engine, "The office in Oslo has a sauna.")
    apart = noted(engine, "Milk is in the fridge.")
    found = walk(engine, NOTES, "release", {seed: 1.0})
    assert found.nearness[near] > found.nearness.get(farther, 0.0)
    assert apart not in found.nearness
    assert found.nodes >= 3


def test_a_name_that_very_many_share_is_not_followed(engine: Engine) -> None:
    notes = [noted(engine, f"Meeting {number} with Carol Jones.") for number in range(MOST_LINKS + 1)]
    assert set(walk(engine, NOTES, "meeting", {notes[0]: 1.0}).nearness) <= {notes[0]}


def test_nothing_found_leads_nowhere(engine: Engine) -> None:
    assert walk(engine, NOTES, "nothing", {}).nearness == {}


def test_rare_names_tell_more() -> None:
    assert rarity(1) == rarity(0) == pytest.approx(1.0)
    assert rarity(2) > rarity(40)
