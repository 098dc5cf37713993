"""How fields read, how memories end, and what makes two rows differ."""

from __future__ import annotations

import pytest

from everlore.errors import Damaged
from everlore.kinds import note
from everlore.kinds.base import declared_end, index_row, list_field, moment_field, number_field, text_field, with_end
from everlore.kinds.note import Note
from everlore.types import Key, LogEntry, MemoryFile, Owner, Scope, Unit, Validity

ALICE = Owner(Scope(), "user", "alice")
AT = 1_780_000_000_000


def test_what_has_ended_is_not_searched_and_what_will_end_is() -> None:
    row = note.to_row(Note(ALICE, "nt_1", AT, "x"), updated=AT)
    assert with_end(row, None, "", "") == row
    ended, ending = with_end(row, AT + 5, "r", "h"), with_end(row, AT + 10**9, "", "")
    assert (ended.units, ended.validity.end, ended.data["invalidation_reason"]) == ((), AT + 5, "r")
    assert ending.units == row.units
    assert len({row.digest, ended.digest, ending.digest}) == 3


def test_an_entry_without_a_time_is_of_the_day_of_its_file() -> None:
    assert moment_field(LogEntry("nt_1", {}, {}), "1970-01-02") == 86_400_000
    with pytest.raises(Damaged, match="nt_1 has no"):
        moment_field(LogEntry("nt_1", {}, {}))
    with pytest.raises(Damaged, match="nt_1 has no"):
        moment_field(LogEntry("nt_1", {"timestamp": ""}, {}), "1970-01-02")


def test_fields_read_as_they_are_meant() -> None:
    entry = LogEntry("nt_1", {"who": ("a", "b"), "one": "a", "much": "7", "odd": "x"}, {})
    assert (text_field(entry, "who"), list_field(entry, "one"), list_field(entry, "none")) == ("a, b", ("a",), ())
    assert (number_field(entry, "much", 0.5), number_field(entry, "none", 0.5)) == (1.0, 0.5)
    with pytest.raises(Damaged, match="not a number"):
        number_field(entry, "odd", 0.5)


def test_an_end_is_declared_in_an_entry_or_in_front_matter() -> None:
    said = {"valid_until": "1970-01-01T00:00:01Z", "invalidation_reason": "r", "superseded_by": "h"}
    assert declared_end(LogEntry("nt_1", said, {})) == declared_end(MemoryFile(said, "")) == (1000, "r", "h")
    assert declared_end(MemoryFile({}, "")) == (None, "", "")
    with pytest.raises(Damaged, match="valid_until"):
        declared_end(MemoryFile({"valid_until": "soon"}, ""))


def test_a_digest_covers_what_can_be_seen() -> None:
    key = Key(ALICE, "note", "nt_1")
    told = (Unit(0, "x", "x"),)
    rows = [
        index_row(key, AT, {"content": "x"}, told),
        index_row(key, AT, {"content": "y"}, told),
        index_row(key, AT, {"content": "x"}, ()),
        index_row(key, AT, {"content": "x"}, told, timestamp=1),
        index_row(key, AT, {"content": "x"}, told, session_id="s"),
        index_row(key, AT, {"content": "x"}, told, parent_id="mc_1"),
        index_row(key, AT, {"content": "x"}, told, sender_ids=("alice",)),
        index_row(key, AT, {"content": "x"}, told, validity=Validity(1)),
        index_row(key, AT, {"content": "x"}, told, validity=Validity(None, 1)),
        index_row(key, AT, {"content": "x"}, told, slot="home"),
    ]
    assert len({row.digest for row in rows}) == len(rows)
    assert index_row(key, AT + 1, {"content": "x"}, told).digest == rows[0].digest
    assert [row.parent_type for row in rows if row.parent_type] == ["memcell"]
