"""What somebody would rather have, and when they have changed their mind."""

from __future__ import annotations

import pytest
from talk import listed
from telling import after


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("I prefer window seats.", "I prefer aisle seats now."),
        ("I prefer dark mode.", "These days I prefer light mode."),
        ("I prefer dark mode.", "I don't like dark mode anymore."),
        ("I prefer tea to coffee.", "I prefer coffee to tea."),
        ("I prefer tabs over spaces.", "I prefer spaces over tabs now."),
        ("I really dislike spicy food.", "I've started to enjoy spicy food since my trip to Thailand."),
        ("I hate olives.", "I've grown to love olives."),
        ("My favorite band is Coldplay.", "My favourite band these days is Radiohead."),
    ],
)
def test_a_mind_that_was_changed(before: str, now: str) -> None:
    memory = after(before, now)
    assert len(memory.over) == len(memory.standing) == 1
    assert memory.over[0] not in memory.listed


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("I prefer quiet hotels.", "I prefer cheap hotels."),
        ("I prefer window seats.", "I prefer short answers now."),
        ("I prefer tea to coffee.", "I prefer beer to wine."),
        ("I prefer window seats.", "I don't like aisle seats."),
        ("I hate olives.", "I started to cook with olives."),
    ],
)
def test_tastes_that_go_together(before: str, now: str) -> None:
    memory = after(before, now)
    assert memory.over == []
    assert memory.standing[0] in memory.listed


@pytest.mark.parametrize("text", ["I water them every evening.", "I use it every day.", "I usually feed him at noon."])
def test_a_habit_of_something_unnamed_is_not_listed(text: str) -> None:
    assert listed(text) == []
