"""Few words can say much of somebody; and what a plain sentence says of habits and states belongs to the profile."""

from __future__ import annotations

import pytest
from talk import facts, listed, said

KEPT = [
    *("I'm now freelancing.", "I resigned.", "I paint.", "I was adopted.", "I always double-check everything."),
    *("I'm retired.", "I smoke.", "I'm French.", "I'm Muslim.", "I'm gay.", "I wear glasses.", "I need a wheelchair."),
    *("I had a stroke in 2019.", "I take levothyroxine.", "I graduated.", "I crochet.", "I meditate daily.", "I vape."),
    *("I'm disabled.", "I'm Jewish.", "I'm bisexual.", "I'm an introvert.", "I use hearing aids.", "I rarely drink."),
    *("I had a heart attack.", "I collect stamps.", "I'm unemployed.", "I commute by bike.", "I sleep badly."),
    *("I was widowed in 2020.", "I enlisted.", "I'm homeschooling my kids.", "I work nights."),
]


@pytest.mark.parametrize("text", KEPT)
def test_a_short_statement_is_a_fact(text: str) -> None:
    (fact,) = facts(said(text))
    assert fact.startswith("Alice ")


@pytest.mark.parametrize(
    "text",
    [
        *("I laughed.", "I see.", "I tried.", "I forgot.", "I checked it.", "I promise.", "I cried.", "I waited."),
        *("I'm cooking.", "I'm leaving now.", "I'm listening.", "I understand.", "I apologize.", "I insist."),
        *("I'm ready.", "I'm here.", "I'm done.", "I'm puzzled.", "I know.", "I wonder.", "I suppose so.", "I did it!"),
        *("I'm Ok.", "I'm OK!", "I disagree.", "I called.", "I mean it.", "I doubt it.", "I was joking."),
    ],
)
def test_a_moment_is_none(text: str) -> None:
    assert facts(said(text)) == []
    assert listed(text) == []


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
