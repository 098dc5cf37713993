"""A review as it stands in its file."""

from __future__ import annotations

from dataclasses import replace

import pytest
from vaults import ALICE, MAY_28

from everlore.errors import Damaged
from everlore.kinds.review import EDITS, Edit, Review, from_entry, to_entry, to_row
from everlore.types import LogEntry

DRAFT = LogEntry("ep_1", {"owner_id": "alice", "sender_ids": ("alice", "bob")}, {"Subject": "Old", "Content": "Talk"})
AFTER = LogEntry("ep_1", {**DRAFT.fields, "reviewed_by": "me"}, {**DRAFT.sections, "Subject": "New"})
GONE = LogEntry("af_1", {"turn": "1"}, {"Fact": 'Alice said: "Hi"'})
REVIEW = Review(
    ALICE,
    "rv_1",
    "s",
    MAY_28,
    "mc_1",
    ("alice",),
    "ep_1",
    "me",
    MAY_28 + 5,
    "~ title",
    (Edit("f.md", GONE, None),),
    "d",
)


def test_it_reads_back_as_it_was_written() -> None:
    assert from_entry(to_entry(REVIEW), ALICE) == REVIEW


def test_of_what_changed_only_the_difference_is_kept() -> None:
    entry = to_entry(replace(REVIEW, edits=(Edit("e.md", DRAFT, AFTER),)))
    assert "Talk" not in entry.sections[EDITS]
    [edit] = from_entry(entry, ALICE).edits
    assert edit.before == LogEntry("ep_1", {}, {"Subject": "Old"})
    assert edit.after == LogEntry("ep_1", {"reviewed_by": "me"}, {"Subject": "New"})


@pytest.mark.parametrize("text", ["", "```json\nnot json\n```", "```json\n[]\n```", '```json\n{"path": 1}\n```'])
def test_edits_that_a_person_broke_are_damage(text: str) -> None:
    entry = to_entry(REVIEW)
    with pytest.raises(Damaged):
        from_entry(LogEntry(entry.id, entry.fields, {**entry.sections, EDITS: text}), ALICE)


def test_no_search_finds_it() -> None:
    row = to_row(REVIEW, MAY_28)
    assert (row.units, row.validity.end) == ((), None)
