"""Notes and entity pages read back as they were written, whatever is in them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.errors import Damaged
from everlore.kinds import entity, note
from everlore.kinds.base import with_end
from everlore.kinds.entity import Entity, Relation
from everlore.kinds.note import Note
from everlore.kinds.paths import locate, page_path, part_path
from everlore.types import LogEntry, Owner, Scope
from everlore.vault.markdown import parse_log, parse_sheet, render_entry, render_sheet

ALICE = Owner(Scope(), "user", "alice")
MOMENT = 1_780_000_000_123
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200).filter(
    lambda text: text.strip() != ""
)
LINES = st.lists(st.sampled_from(["## x", "### Note", "---", "**a**: b", "\\### y", "", " ", "\r", "text"]), min_size=1)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def read_back(given_note: Note) -> Note:
    text = render_entry(note.to_entry(given_note))
    (entry,) = parse_log(text, "note.md").entries
    return note.from_entry(entry, given_note.owner)


@settings(max_examples=150, deadline=None)
@given(TEXT | LINES.map("\n".join).filter(lambda text: text.strip() != ""))
def test_content_is_kept_to_the_last_character(content: str) -> None:
    given_note = Note(ALICE, "nt_20260528_00000001", MOMENT, content)
    assert read_back(given_note) == given_note


@settings(max_examples=80, deadline=None)
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), VALUES, max_size=4))
def test_metadata_is_kept(metadata: dict[str, Any]) -> None:
    given_note = Note(ALICE, "nt_1", MOMENT, "x", "episodic", MOMENT - 5, MOMENT - 9, 2.5, metadata)
    assert read_back(given_note) == given_note


def test_a_persons_edit_of_the_text_wins_over_the_exact_copy() -> None:
    entry = note.to_entry(Note(ALICE, "nt_1", MOMENT, "padded \r\n"))
    assert note.from_entry(entry, ALICE).content == "padded \r\n"
    edited = LogEntry(entry.id, entry.fields, {"Note": "corrected"})
    assert note.from_entry(edited, ALICE).content == "corrected"


@pytest.mark.parametrize("field", [{"metadata": "{"}, {"metadata": "(1)"}, {"importance": "much"}])
def test_a_field_that_cannot_be_read_is_reported(field: dict[str, str]) -> None:
    entry = note.to_entry(Note(ALICE, "nt_1", MOMENT, "x"))
    with pytest.raises(Damaged, match=next(iter(field))):
        note.from_entry(LogEntry(entry.id, {**entry.fields, **field}, entry.sections), ALICE)


def test_what_has_ended_is_not_searched_and_what_will_end_is() -> None:
    row = note.to_row(Note(ALICE, "nt_1", MOMENT, "x"), updated=MOMENT)
    assert with_end(row, None, "", "") == row
    ended, ending = with_end(row, MOMENT + 5, "r", "h"), with_end(row, MOMENT + 10**9, "", "")
    assert (ended.units, ended.validity.end, ended.data["invalidation_reason"]) == ((), MOMENT + 5, "r")
    assert ending.units == row.units
    assert len({row.digest, ended.digest, ending.digest}) == 3


def test_a_day_goes_on_in_the_next_file() -> None:
    paths = [part_path(note.NOTE, ALICE, MOMENT, number) for number in (1, 100, 101, 201)]
    assert [path.rsplit("/", 1)[1] for path in paths] == [
        "note-2026-05-28.md",
        "note-2026-05-28.md",
        "note-2026-05-28-2.md",
        "note-2026-05-28-3.md",
    ]
    assert all((found := locate(path)) and found.day == "2026-05-28" for path in paths)
    assert locate("default_app/default_project/users/alice/notes/note-2026-05-28-1.md") is None


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
