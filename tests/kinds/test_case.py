"""Cases read back as they were written."""

from __future__ import annotations

from everlore.kinds import case
from everlore.types import Owner, Scope

BOT = Owner(Scope(), "agent", "bot")
AT = 1_780_000_000_000


def test_it_reads_back_as_it_was_written() -> None:
    learned = ("Book a flight.", "1. search", 0.75, "Ask for the date first.")
    done = case.Case(BOT, "ac_1", "s", AT, "mc_1", ("alice", "bot"), *learned)
    assert case.from_entry(case.to_entry(done), BOT) == done


def test_it_is_told_by_task_way_and_lesson() -> None:
    done = case.Case(BOT, "ac_1", "s", AT, "", (), "Book a flight.", "1. search", 0.75)
    assert case.CASE.text(case.to_row(done, AT).data) == "Book a flight.\n\n1. search"
    assert case.to_row(done, AT).sender_ids == ("bot",)
