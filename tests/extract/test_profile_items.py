from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from talk import ALICE, MAY_8, cell, message

from everlore.extract.facts import as_fact, write_facts
from everlore.extract.profile import add_facts, project
from everlore.kinds.fact import Fact
from everlore.kinds.profile import Profile

DAY = 24 * 3600 * 1000
NOW = MAY_8 + 1000 * DAY


def facts(*texts: str, first_day: int = 0, sender: str = "alice") -> list[Fact]:
    found = []
    for number, text in enumerate(texts):
        talk = cell(message(text, sender, at=MAY_8 + (first_day + number) * DAY))
        found += [as_fact(draft, talk, ALICE, f"af_{number}") for draft in write_facts(talk)]
    return found


def profile(*texts: str) -> Profile:
    return add_facts(None, facts(*texts), ALICE, NOW, "Alice")


@pytest.mark.parametrize(
    ("text", "category", "description"),
    [
        ("I am vegetarian.", "health", "Alice is vegetarian."),
        ("I have diabetes.", "health", "Alice has diabetes."),
        ("I'm pregnant.", "health", "Alice is pregnant."),
        ("I'm left-handed.", "identity", "Alice is left-handed."),
        ("I got a dog.", "family", "Alice got a dog."),
        ("We bought a house.", "possession", 'Alice said: "We bought a house."'),
        ("The only problem: I'm allergic to cats", "health", "Alice is allergic to cats"),
        ("Please note: I prefer emails over calls.", "preference", "Alice prefers emails over calls."),
        ("I have to take insulin every day.", "health", "Alice has to take insulin every day."),
        ("I'm on a keto diet.", "health", "Alice is on a keto diet."),
        ("I was born in 1988.", "identity", "Alice was born in 1988."),
        ("我对花生过敏", "health", 'Alice said: "我对花生过敏"'),
        ("我住在上海。", "home", 'Alice said: "我住在上海。"'),
        ("我叫李雷。", "identity", 'Alice said: "我叫李雷。"'),
        ("soy alérgico a la penicilina", "health", 'Alice said: "soy alérgico a la penicilina"'),
        ("Vivo en Madrid desde 2010.", "home", 'Alice said: "Vivo en Madrid desde 2010."'),
    ],
)
def test_short_foreign_and_led_in_statements(text: str, category: str, description: str) -> None:
    (info,) = profile(text).explicit_info
    assert (info.category, info.description) == (category, description)


@pytest.mark.parametrize(
    "text",
    ["I'm not vegetarian.", "When I was small: I loved cats", "我妈妈对花生过敏", "Please answer this in French."],
)
def test_what_is_not_of_the_user_for_good(text: str) -> None:
    assert profile(text).explicit_info == ()


def test_what_has_stopped_leaves_the_list() -> None:
    made = profile("I bike to work most days.", "I no longer bike to work.")
    assert made.explicit_info == ()


def test_others_and_passing_moods_are_not_the_user() -> None:
    assert add_facts(None, facts("I live in Rome.", sender="bob"), ALICE, NOW, "Alice").explicit_info == ()
    assert profile("I'm swamped with the kids and work.").explicit_info == ()


@pytest.mark.parametrize(
    "said",
    [
        "My brother is a terrible cook.",
        "My boss is an idiot.",
        "My sister is so annoying sometimes.",
        "My mother-in-law is the worst driver.",
        "My therapist told me: rest more.",
        "I live for pizza.",
        "I work like a horse.",
        "I'd like a table for two.",
        "I switched from the old brand because Max had a reaction to it.",
        "Write a bio: I'm a painter from Prague who loves cats.",
    ],
)
def test_opinions_of_others_and_figures_of_speech_are_not_listed(said: str) -> None:
    assert profile(said).explicit_info == ()


@pytest.mark.parametrize(
    ("said", "category"),
    [
        ("My sister is a doctor in Berlin.", "family"),
        ("My brother is a cook.", "family"),
        ("I'm married to my high school sweetheart.", "family"),
        ("I moved to Linz last year.", "home"),
        ("I rent an apartment in Somerville.", "home"),
    ],
)
def test_plain_statements_beside_them_are(said: str, category: str) -> None:
    assert [info.category for info in profile(said).explicit_info] == [category]


def test_a_wish_and_a_dislike_are_no_signs_of_a_trait() -> None:
    assert profile("I wish I had a dog.", "I have no pets.", "I don't like cats.").implicit_traits == ()


def test_what_has_ended_leaves_items_traits_and_summary() -> None:
    said = facts(
        "I love hiking in Norway.", "I went camping with my dad.", "I climbed a mountain in May.", "I live in Bonn."
    )
    made = add_facts(None, said, ALICE, NOW, "Alice")
    left = add_facts(made, [], ALICE, NOW + 1, "Alice", said[:1])
    assert [info.description for info in left.explicit_info] == ["Alice lives in Bonn."]
    assert left.implicit_traits == ()
    assert (left.summary, left.timestamp) == ("Alice lives in Bonn.", NOW + 1)
    assert add_facts(left, [], ALICE, NOW + 2, "Alice", said[:1]) == left


STATEMENTS = [
    "I live in Berlin.",
    "I moved to Munich.",
    "I love coffee.",
    "I don't like coffee any more.",
    "I bike to work most days.",
    "I stopped biking to work.",
    "I have two dogs.",
    "My favorite color is red.",
    "My favorite color is green.",
    "I went hiking with my dog.",
    "I live in Berlin but my parents are from Rome.",
    "I live in Rome and love coffee.",
    "I work at Siemens.",
    "I left Siemens and joined BMW.",
    "I was fired from Siemens.",
    "I got laid off.",
    "Ich wohne in Graz und arbeite bei Siemens.",
    "Ich wohne jetzt in Wien.",
    "Ich arbeite nicht mehr bei Siemens.",
    "Ich mag keinen Kaffee.",
    "We moved to Denver.",
    "I'm using vim and I love coffee.",
    "I drive a Panda.",
    "I sold the Panda.",
    "My son is 4.",
    "My son is 5 now.",
    *(f"I love the park of Town{n} in May." for n in range(50)),
]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(STATEMENTS), max_size=60), st.randoms(use_true_random=False))
def test_same_facts_again_change_nothing_and_order_does_not_matter(texts: list[str], random: object) -> None:
    said = facts(*texts)
    once = add_facts(None, said, ALICE, NOW, "Alice")
    assert add_facts(once, said, ALICE, NOW + 1, "Alice") == once
    assert add_facts(None, said[::-1], ALICE, NOW, "Alice") == once
    assert project(None, said, ALICE, NOW) == (once if once.generated else project(None, [], ALICE, NOW))
