"""Facts read back as they were written; those that ended are kept and lead nowhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from everlore.errors import Damaged
from everlore.kinds import fact
from everlore.types import IndexedMemory, LogEntry, Owner, Scope

ALICE = Owner(Scope(), "user", "alice")
AT = 1_780_000_000_000


def stored(told: fact.Fact) -> IndexedMemory:
    row = fact.to_row(told, AT)
    where = (row.session_id, row.parent_type, row.parent_id, row.timestamp, row.updated, row.sender_ids)
    return IndexedMemory(1, row.key, "a file", *where, row.validity, row.data, row.slot, row.project)


def test_it_reads_back_as_it_was_written() -> None:
    known = fact.Fact(ALICE, "af_1", "s", AT, "mc_1", ("alice",), "Alice sings.", 2, False, "alice: x", AT + 1, "af_2")
    assert fact.from_entry(fact.to_entry(known), ALICE) == known


def test_an_ended_fact_is_kept_and_leads_nowhere() -> None:
    known = fact.Fact(ALICE, "af_1", "s", AT, "mc_1", ("alice",), "Alice sings.", 0, valid_until=AT + 1)
    row = fact.to_row(known, AT)
    assert row.units == ()
    assert row.data["content"] == "Alice sings."
    assert row.validity.end == AT + 1


def test_it_hangs_on_another_talk_or_on_none_or_goes() -> None:
    told = fact.Fact(ALICE, "af_1", "s", AT, "mc_1", ("alice",), "Alice sings.", 2)
    there = replace(told, local_id="af_2", session_id="t, (x)", parent_id="mc_2", timestamp=AT + 9, turn=0)
    talk = stored(there)
    again = replace(told, sources=(fact.source(there),))
    moved = fact.elsewhere(again, lambda cell: talk if cell == "mc_2" else None)
    assert moved is not None
    assert moved == replace(there, local_id="af_1", sources=(fact.source(told),))
    assert fact.elsewhere(moved, lambda _: stored(told)) == again
    assert fact.elsewhere(again, lambda _: None) is None
    saved = fact.elsewhere(replace(again, sources=("session s", "agent")), lambda _: None)
    assert saved is not None
    assert (saved.parent_id, saved.turn, saved.sources) == ("", -1, (fact.source(told), "session s", "agent"))


def test_a_time_that_a_person_broke_is_named() -> None:
    with pytest.raises(Damaged, match="is not an ISO-8601 time"):
        fact.from_entry(LogEntry("af_1", {"timestamp": "yesterday"}, {"Fact": "x"}), ALICE)
