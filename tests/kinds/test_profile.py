"""Profiles read back as they were written, with what a person added."""

from __future__ import annotations

import pytest

from everlore.errors import Damaged
from everlore.kinds import profile
from everlore.types import MemoryFile, Owner, Scope

ALICE = Owner(Scope(), "user", "alice")
AT = 1_780_000_000_000


def test_it_reads_back_as_it_was_written() -> None:
    info = profile.Info("home", "Alice lives in Berlin.", "2026-05-28: …", "alice: lives in", AT)
    trait = profile.Trait("outdoor", "likes to be outside", "3 statements", "…")
    who = profile.Profile(ALICE, "Alice lives in Berlin.", (info,), (trait,), AT)
    assert profile.from_sheet(profile.to_sheet(who), ALICE) == who


def test_what_a_person_added_to_an_item_stays() -> None:
    item = {"category": "home", "description": "Alice lives in Berlin.", "mine": 1}
    read = profile.from_sheet(MemoryFile({"explicit_info": [item]}, ""), ALICE)
    assert profile.to_sheet(read).front["explicit_info"] == [item]
    with pytest.raises(Damaged, match="must be a list"):
        profile.from_sheet(MemoryFile({"explicit_info": "Berlin"}, ""), ALICE)
