"""Facts read back as they were written; those that ended are kept and lead nowhere."""

from __future__ import annotations

import pytest

from everlore.errors import Damaged
from everlore.kinds import fact
from everlore.types import LogEntry, Owner, Scope

ALICE = Owner(Scope(), "user", "alice")
AT = 1_780_000_000_000


def test_it_reads_back_as_it_was_written() -> None:
    known = fact.Fact(ALICE, "af_1", "s", AT, "mc_1", ("alice",), "Alice sings.", 2, False, "alice: x", AT + 1, "af_2")
    assert fact.from_entry(fact.to_entry(known), ALICE) == known


def test_an_ended_fact_is_kept_and_leads_nowhere() -> None:
    known = fact.Fact(ALICE, "af_1", "s", AT, "mc_1", ("alice",), "Alice sings.", 0, valid_until=AT + 1)
    row = fact.to_row(known, AT)
    assert row.units == ()
    assert row.data["content"] == "Alice sings."
    assert row.validity.end == AT + 1


def test_a_time_that_a_person_broke_is_named() -> None:
    with pytest.raises(Damaged, match="is not an ISO-8601 time"):
        fact.from_entry(LogEntry("af_1", {"timestamp": "yesterday"}, {"Fact": "x"}), ALICE)
