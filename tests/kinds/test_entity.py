"""Entity pages read back as they were written, by us or by a person."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.errors import Damaged
from everlore.kinds import entity
from everlore.kinds.entity import Entity, Relation
from everlore.kinds.paths import locate, page_path
from everlore.types import Owner, Scope
from everlore.vault.markdown import parse_sheet, render_sheet

ALICE = Owner(Scope(), "user", "alice")


@settings(max_examples=150, deadline=None)
@given(st.text(min_size=1, max_size=120).filter(lambda name: name.strip() != ""))
def test_any_name_has_a_page_that_is_found_again(name: str) -> None:
    entry = entity.new_entry(name)
    file_name = entity.page_name(name, entry)
    found = locate(page_path(entity.ENTITY, ALICE, file_name))
    assert found is not None
    assert (found.kind, found.owner, found.name) == (entity.ENTITY, ALICE, file_name)
    assert len(file_name.encode()) <= 250


def test_pages_keep_names_apart() -> None:
    names = ["a/b", "a:b", "a?b", "CON", "con1", "x" * 90, "x" * 91]
    assert len({entity.page_name(name, entity.new_entry(name)).casefold() for name in names}) == len(names)
    assert entity.page_name("Project X", "en_1") == "Project X"


def test_relations_are_lines_that_a_person_can_write() -> None:
    page = Entity(
        ALICE, "en_0123456789ab", "Alice", body="Likes tea.\n\n- knows [[Bob]]\n- [[not one]]\n* likes  [[C|c]]"
    )
    assert page.relations == (Relation("knows", "Bob"), Relation("likes", "C"))
    more = entity.with_relation(page, Relation("knows", "Bob", "en_ffffffffffff", 0.25))
    assert more.relations[0] == Relation("knows", "Bob", "en_ffffffffffff", 0.25)
    more = entity.with_relation(more, Relation("works_on", "Project X", "en_eeeeeeeeeeee"))
    assert more.relations[-1] == Relation("works_on", "Project X", "en_eeeeeeeeeeee")
    sheet = parse_sheet(render_sheet(entity.to_sheet(more)))
    assert entity.from_sheet(sheet, ALICE, "").relations == more.relations
    assert sheet.body.startswith("Likes tea.")
    fresh = entity.with_relation(Entity(ALICE, "en_0123456789ab", "A"), Relation("is", "B", "en_ffffffffffff"))
    assert fresh.body == "## Relations\n- is [[B]] <!-- en_ffffffffffff weight 1 -->\n"


def test_a_page_without_front_matter_is_named_by_its_file() -> None:
    page = entity.from_sheet(parse_sheet("Some words.\n"), ALICE, "Bob Jones")
    assert (page.name, page.local_id) == ("Bob Jones", entity.new_entry("bob jones"))
    with pytest.raises(Damaged, match="id"):
        entity.from_sheet(parse_sheet("---\nid: 5\n---\n"), ALICE, "x")
