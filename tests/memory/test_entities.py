"""Pages of entities: one for each name, filled in and never emptied, with relations that lead both ways."""

from __future__ import annotations

import pytest
from vaults import ALICE, assert_index_equals_files

from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.memory import create_entity, create_relation, related
from everlore.memory.entities import find_entity
from everlore.types import IndexedMemory, Owner


def page(engine: Engine, name: str) -> IndexedMemory:
    key = create_entity(engine, ALICE, name)
    return engine.index.rows.find([key])[key]


def test_a_name_has_one_page_that_is_filled_in(engine: Engine) -> None:
    first = create_entity(engine, ALICE, "Project X")
    assert create_entity(engine, ALICE, "project  x", "project", "A rocket.") == first
    assert create_entity(engine, ALICE, "Project X", "ship", "Something else.") == first
    known = engine.index.rows.find([first])[first]
    assert (known.data["entity_type"], known.data["description"]) == ("project", "A rocket.")
    assert_index_equals_files(engine)


def test_names_that_only_look_the_same_in_a_folder_have_pages_of_their_own(engine: Engine) -> None:
    one, other = page(engine, "a/b"), page(engine, "a:b")
    assert one.key != other.key
    assert one.path != other.path
    found = find_entity(engine, ALICE, "a:b")
    assert found is not None
    assert found.key == other.key


def test_relations_lead_both_ways_and_are_written_once(engine: Engine) -> None:
    anna, work, town = (page(engine, name) for name in ("Anna", "Project X", "Graz"))
    first = create_relation(engine, anna, "works_on", work, 0.5)
    assert create_relation(engine, anna, "works_on", work, 0.8) == first
    create_relation(engine, work, "based_in", town)
    near, (relation,) = related(engine, page(engine, "Anna"), 1, "outgoing")
    assert [one.data["name"] for one in near] == ["Project X"]
    assert (relation.id, relation.weight) == (first, 0.8)
    assert {one.data["name"] for one in related(engine, town, 2, "incoming")[0]} == {"Project X", "Anna"}
    assert related(engine, anna, 1, "incoming") == ([], [])


@pytest.mark.parametrize(("kind", "weight"), [("", 1.0), ("works [on]", 1.0), ("works_on", 1.5)])
def test_relations_that_no_page_can_hold_are_refused(engine: Engine, kind: str, weight: float) -> None:
    anna, work = page(engine, "Anna"), page(engine, "Project X")
    with pytest.raises(InvalidInput):
        create_relation(engine, anna, kind, work, weight)
    assert related(engine, page(engine, "Anna"), 1, "both") == ([], [])


def test_relations_stay_with_one_owner(engine: Engine) -> None:
    key = create_entity(engine, Owner(ALICE.scope, "user", "bob"), "Anna")
    with pytest.raises(InvalidInput, match="different users"):
        create_relation(engine, page(engine, "Anna"), "knows", engine.index.rows.find([key])[key])
