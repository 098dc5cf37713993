"""What people say of themselves and others: "we", "our", "my wife and I"."""

from __future__ import annotations

import pytest
from talk import facts, listed, said


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            "I live in Utrecht with my husband Jan and our two kids Bo and Lynn.",
            "Alice lives in Utrecht with their husband Jan and their two kids Bo and Lynn.",
        ),
        ("I live in the US.", "Alice lives in the US."),
        ("I work for US Steel.", "Alice works for US Steel."),
        ("I'm from the US.", "Alice is from the US."),
        ("I love our garden in Bonn.", "Alice loves their garden in Bonn."),
        ("My mother lives with us in Bonn.", "Alice's mother lives with them in Bonn."),
        ("We're vegetarian.", 'Alice said: "We\'re vegetarian."'),
        ("Our cat died.", 'Alice said: "Our cat died."'),
        ("We moved to Bruges.", 'Alice said: "We moved to Bruges."'),
        ("Our daughter is allergic to eggs.", 'Alice said: "Our daughter is allergic to eggs."'),
    ],
)
def test_a_statement_is_a_fact(text: str, fact: str) -> None:
    assert facts(said(text)) == [fact]
    assert "died" in text or "mother" in text or listed(text) == [fact]


@pytest.mark.parametrize(
    "text",
    [
        *("My wife and I live in Vienna.", "Tom and I live in Vienna.", "My wife Eva and I now live in Vienna."),
        *(
            "We live in Vienna.",
            "We've moved to Vienna.",
            "My two kids and I moved to Vienna.",
            "We live in Vienna now.",
        ),
        *("Jan and I have been living in Vienna since May.", "We both live in Vienna."),
    ],
)
def test_a_home_of_several_is_the_home_of_each(text: str) -> None:
    first, *more = listed("I live in Berlin.", text)
    assert "Vienna" in first
    assert more == []
    assert listed(text, "I moved to Berlin.") == ["Alice moved to Berlin."]


@pytest.mark.parametrize(
    "text",
    [
        *("We have two kids.", "My husband and I are vegan.", "We're on a keto diet.", "My wife and I love sailing."),
        *("We have a dog called Rex.", "Eva and I are married.", "We're from Graz.", "We don't eat pork."),
    ],
)
def test_what_holds_for_all_of_them_is_listed(text: str) -> None:
    assert len(listed(text)) == 1


def test_the_health_organisation_is_nobody_here() -> None:
    assert facts(said("Tom and I work at the WHO in Geneva.")) == ["Tom and Alice work at the WHO in Geneva."]
    assert listed("Eva and I love the WHO.") == ["Eva and Alice love the WHO."]


@pytest.mark.parametrize(
    "text",
    [
        *("We live in a society.", "We live in difficult times.", "We need milk.", "We have a bug in production."),
        *("We moved to Postgres.", "We work with many clients.", "We should live in Rome.", "We're late."),
        *("We won the match against Rome.", "We love it!", "If we lived in Rome, we'd be happy.", "We're hiring."),
        *("My boss and I had a talk in Rome.", "You and I live in Rome?", "They told us to live in Rome."),
    ],
)
def test_what_is_not_of_their_life_is_not(text: str) -> None:
    assert listed(text) == []
