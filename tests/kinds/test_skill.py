"""Skills read back as they were written."""

from __future__ import annotations

import pytest

from everlore.errors import Damaged
from everlore.kinds import skill
from everlore.types import MemoryFile, Owner, Scope

BOT = Owner(Scope(), "agent", "bot")
AT = 1_780_000_000_000


def test_it_reads_back_as_it_was_written() -> None:
    skilled = skill.Skill(BOT, "sk_20260528_00000001", "book", "How to book.", "## Steps", 0.5, 0.25, ("bot_ac_1",), AT)
    assert skill.from_sheet(skill.to_sheet(skilled), BOT, "book") == skilled


def test_one_of_another_program_has_the_id_of_its_folder() -> None:
    first, again, other = (skill.from_sheet(MemoryFile({}, "Do it."), BOT, name) for name in ("a", "a", "b"))
    assert first.local_id == again.local_id != other.local_id
    assert "id" not in skill.to_sheet(first).front
    with pytest.raises(Damaged, match="has no text"):
        skill.from_sheet(MemoryFile({}, " "), BOT, "a")
