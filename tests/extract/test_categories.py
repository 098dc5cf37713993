"""What a plain sentence says of habits and states belongs to the profile."""

from __future__ import annotations

import pytest
from talk import listed


@pytest.mark.parametrize(
    "text",
    [
        *("I'm retired.", "I smoke.", "I'm French.", "I'm Muslim.", "I'm gay.", "I wear glasses.", "I paint."),
        *("I need a wheelchair.", "I had a stroke in 2019.", "I take levothyroxine.", "I'm now freelancing."),
        *(
            "I was adopted.",
            "I always double-check everything.",
            "I'm Jewish.",
            "I'm disabled.",
            "I crochet.",
            "I vape.",
        ),
        *("I meditate.", "I collect stamps.", "I'm unemployed.", "I had a heart attack.", "I use hearing aids."),
        *("I work nights.", "I'm dyslexic.", "i'm italian", "I'm transgender.", "I'm an only child."),
        *("I go to the gym on Mondays.", "I see a therapist twice a month.", "I take the bus every day."),
        *("I run half marathons.", "I write poems.", "I give lectures."),
    ],
)
def test_a_plain_state_or_habit_is_listed(text: str) -> None:
    assert len(listed(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        *("I click the button and nothing happens.", "I get an error in line 5.", "I run the script and it fails."),
        *("I need a table for two.", "I take the point.", "I see a bug here.", "I use this function.", "I feel cold."),
        *("I had a coffee in Rome.", "I had a meeting in 2019.", "I was surprised.", "I'm curious.", "I'm afraid so."),
        *("I take it back.", "I want an answer.", "I bet on Rome.", "I call the API with a token."),
        *("I run this script.", "I give up.", "I make it."),
    ],
)
def test_what_is_no_habit_and_no_state_is_not_listed(text: str) -> None:
    assert listed(text) == []
