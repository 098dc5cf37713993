"""What somebody would rather have, and when they have changed their mind."""

from __future__ import annotations

import pytest
from talk import listed
from telling import after, assert_over, assert_stands


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


Pairs = list[tuple[str, str]]


DIETS_OVER: Pairs = [
    ("I'm vegan.", "I eat meat now"),
    ("I'm vegan.", "I used to be vegan"),
    ("I'm vegan.", "I gave up veganism"),
    ("I'm vegan.", "I started eating meat again."),
    ("I'm a vegetarian.", "I eat chicken now."),
    ("I'm vegetarian.", "I'm eating fish again."),
    ("I'm vegan.", "I quit being vegan."),
    ("I'm vegan.", "I was vegan until last month."),
    ("I'm vegan.", "I eat eggs these days."),
    ("I eat meat.", "I became a vegetarian."),
    ("I'm vegan.", "I no longer follow a vegan diet"),
    ("I'm a vegetarian.", "I went back to eating meat."),
    ("I'm vegan.", "I'm pescatarian now."),
    ("I'm vegetarian.", "I've gone fully vegan since February."),
    ("I'm vegetarian.", "I turned vegan last month."),
    ("I've gone vegan.", "I started eating fish again."),
    ("I'm vegan.", "I'm vegetarian these days."),
]


DIETS_STANDS: Pairs = [
    ("I'm vegan.", "My wife eats meat."),
    ("I'm vegan.", "I don't eat meat."),
    ("I'm vegan.", "I eat meat substitutes."),
    ("I'm vegan.", "I used to be vegetarian."),
    ("I'm vegetarian.", "I'm vegan for January."),
    ("I'm vegetarian.", "My wife went vegan."),
    ("I'm vegan.", "I used to eat meat."),
    ("I'm vegan.", "My dog eats meat."),
    ("I'm vegetarian.", "I eat eggs."),
    ("I'm vegan.", "I cooked meat for my dad."),
    ("I'm vegan.", "I would eat fish."),
]


WISHES_OVER: Pairs = [
    ("I want to buy a house.", "We bought a house"),
    ("I want to run a marathon.", "I ran the marathon yesterday!"),
    ("I'm training for a marathon.", "I finally ran my first marathon"),
    ("I want to buy a car.", "I bought a new car!"),
    ("I'm planning to adopt a dog.", "We adopted a dog."),
    ("I want to visit Japan.", "I visited Japan last month."),
    ("I plan to run the Berlin Marathon.", "I ran the Berlin Marathon on Sunday."),
    ("I'm saving for a house.", "We finally bought our first house."),
    ("I hope to climb Mount Fuji.", "I climbed Mount Fuji yesterday."),
    ("I'm training for a marathon.", "I finished the marathon!"),
    ("I'd like to write a novel.", "I finished my novel."),
    ("I want to get a cat.", "I got a cat."),
    ("I dream of buying a boat.", "We bought a boat."),
]


WISHES_STANDS: Pairs = [
    ("I want to buy a house.", "We bought a house plant."),
    ("I want to buy a house.", "My brother bought a house."),
    ("I want to buy a car.", "I bought a car for my mom."),
    ("I want to run a marathon.", "I ran a half marathon."),
    ("I want to run a marathon.", "I watched the marathon."),
    ("I want to visit Japan.", "I visited Korea."),
    ("I want to visit Japan.", "I visited Japan in 2010."),
    ("I want to buy a boat.", "I sold a boat."),
    ("I want to write a novel.", "I finished a novel by Kafka."),
    ("I want to buy a house.", "I might have bought a house."),
    ("I want to read more books.", "I read a book."),
    ("I want to buy a house.", "I rented a house."),
]


@pytest.mark.parametrize(("first", "then"), [*DIETS_OVER, *WISHES_OVER])
def test_what_is_over(first: str, then: str) -> None:
    assert_over(first, then)


@pytest.mark.parametrize(("first", "then"), [*DIETS_STANDS, *WISHES_STANDS])
def test_what_stands(first: str, then: str) -> None:
    assert_stands(first, then)
