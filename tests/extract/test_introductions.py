"""Who somebody says they are."""

from __future__ import annotations

import pytest
from talk import listed

UUID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Hi, I'm Anna Berg.", "Anna Berg"),
        ("I'm Anna.", "Anna"),
        ("Hello! I am Anna Berg, nice to meet you.", "Anna Berg"),
        ("Hi there, I'm Anna and I live in Bern.", "Anna"),
        ("hey, I'm Jean-Luc!", "Jean-Luc"),
        ("My name's Anna Berg.", "Anna Berg"),
        ("my name is anna", "Anna"),
        ("Hi, I'm Anna Berg, a nurse from Leeds.", "Anna Berg"),
        ("I am Anna Berg, CEO of Acme.", "Anna Berg"),
        ("Hi I'm Anna from Leeds.", "Anna"),
        ("I'm Anna, 29, from Leeds.", "Anna"),
        ("Hello, I'm Anna and this is my dog Bo.", "Anna"),
        ("I'm Anna, thanks for your help.", "Anna"),
    ],
)
def test_the_name_is_listed(text: str, name: str) -> None:
    assert f"{UUID}'s name is {name}." in [line.rstrip(".") + "." for line in listed(text, sender=UUID)]


@pytest.mark.parametrize(
    "text",
    [
        *("I'm Irish.", "I'm Sorry.", "I'm Back!", "I'm Happy.", "Hi, I'm new here.", "This is Great.", "I'm OK."),
        *("I'm Anna's mom.", "I'm Irish, Catholic and proud.", "I'm From Leeds.", "I'm Dr. Who's fan."),
        *("I'm Team Edward.", "This is Spain.", "Hi, I'm From Leeds.", "Hi, I'm Always Late.", "This is Python."),
    ],
)
def test_what_is_no_name_is_not(text: str) -> None:
    assert not [line for line in listed(text, sender=UUID) if "name is" in line]


def test_a_name_that_is_known_is_not_told_again() -> None:
    assert listed("Hi, I'm Anna Berg.", name="Anna Berg", sender=UUID) == []
    assert listed("Hi, I'm Anna.", name="Anna Berg", sender=UUID) == []
