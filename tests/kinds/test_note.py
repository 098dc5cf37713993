"""Notes read back as they were written, whatever is in them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.errors import Damaged
from everlore.kinds import note
from everlore.kinds.note import Note
from everlore.kinds.paths import locate, part_path
from everlore.types import LogEntry, Owner, Scope
from everlore.vault.entries import render_entry
from everlore.vault.markdown import parse_log

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
