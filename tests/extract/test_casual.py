"""Small letters, no apostrophes, no punctuation, or capitals throughout: people mean the same by it."""

from __future__ import annotations

import pytest
from talk import facts, listed, said


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("also im gluten free", "Alice is gluten free"),
        ("im 29", "Alice is 29"),
        ("im 29 btw", "Alice is 29"),
        ("my bday is july 4", "Alice's birthday is july 4"),
        ("my names dave btw", "Alice's name is Dave"),
        ("my name is dave", "Alice's name is Dave"),
        ("use metric units with me pls", 'Alice said: "use metric units with me pls"'),
        ("pls always answer in french", 'Alice said: "pls always answer in french"'),
        ("ive got two kids", "Alice has got two kids"),
        ("fyi im lactose intolerant", "Alice is lactose intolerant"),
        ("i dont eat meat", "Alice doesn't eat meat"),
        ("yeah im allergic to cats", "Alice is allergic to cats"),
        ("I'VE JUST MOVED TO GLASGOW", "Alice has just moved to Glasgow"),
        ("I AM ALLERGIC TO PEANUTS!", "Alice is allergic to peanuts!"),
        ("I LIVE IN LEEDS AND I WORK AS A NURSE", "Alice works as a nurse"),
        ("MY DOG IS CALLED REX.", "Alice's dog is called Rex."),
        ("I LIVE IN THE US.", "Alice lives in the US."),
        ("so im vegan now", "Alice is vegan now"),
    ],
)
def test_it_is_read(text: str, told: str) -> None:
    assert told in listed(text)


def test_capitals_take_the_place_of_what_was_said_before() -> None:
    assert listed("I live in Leeds.", "I'VE JUST MOVED TO GLASGOW") == ["Alice has just moved to Glasgow"]


@pytest.mark.parametrize(
    "text",
    ["im Garten ist es schön", "my names are on the list", "my name is hard to spell", "im late", "im tired lol", "OK"],
)
def test_what_is_no_such_statement(text: str) -> None:
    assert listed(text) == []


def test_words_in_capitals_stay() -> None:
    assert facts(said("I work for NASA in the USA.")) == ["Alice works for NASA in the USA."]
