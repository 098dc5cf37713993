from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from talk import ALICE, MAY_8, cell, message

from everlore.extract.facts import as_fact, write_facts
from everlore.extract.profile import add_facts, project
from everlore.extract.profile_items import KEPT, MOST
from everlore.kinds.fact import Fact
from everlore.kinds.profile import Info, Profile, from_sheet, to_sheet

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


def test_statements_become_items_with_category_and_evidence() -> None:
    made = profile(
        "I live in Berlin.",
        "My favorite coffee shop is Blue Bottle in SOMA.",
        "I bike to work most days.",
        "I'm allergic to peanuts.",
        "My email is alice@example.org.",
        "I want to climb El Capitan one day.",
        "I have two kids.",
    )
    assert {info.category for info in made.explicit_info} == {
        *("home", "preference", "habit", "health", "contact", "goal", "family")
    }
    home = next(info for info in made.explicit_info if info.category == "home")
    assert home == Info(
        "home", "Alice lives in Berlin.", "2023-05-08: Alice lives in Berlin.", "alice: lives in", MAY_8
    )
    assert "Alice lives in Berlin." in made.summary
    assert made.timestamp == NOW
    assert from_sheet(to_sheet(made), ALICE) == made


@pytest.mark.parametrize(
    ("text", "category", "description"),
    [
        ("I am vegetarian.", "health", "Alice is vegetarian."),
        ("I have diabetes.", "health", "Alice has diabetes."),
        ("I'm pregnant.", "health", "Alice is pregnant."),
        ("Allergic to nuts.", "health", "Alice is allergic to nuts."),
        ("I never drink.", "health", "Alice never drinks."),
        ("No pork for me.", "preference", 'Alice said: "No pork for me."'),
        ("I can't swim.", "identity", "Alice can't swim."),
        ("I'm left-handed.", "identity", "Alice is left-handed."),
        ("I got a dog.", "family", "Alice got a dog."),
        ("We bought a house.", "possession", 'Alice said: "We bought a house."'),
        ("I got the promotion!", "work", "Alice got the promotion!"),
        ("The only problem: I'm allergic to cats", "health", "Alice is allergic to cats"),
        ("Please note: I prefer emails over calls.", "preference", "Alice prefers emails over calls."),
        ("I have to take insulin every day.", "health", "Alice has to take insulin every day."),
        ("I'm on a keto diet.", "health", "Alice is on a keto diet."),
        ("Please always answer in French.", "preference", 'Alice said: "Please always answer in French."'),
        ("Don't use emojis with me.", "preference", 'Alice said: "Don\'t use emojis with me."'),
        ("Don't call me Miss Sato.", "preference", 'Alice said: "Don\'t call me Miss Sato."'),
        ("Never use emojis.", "preference", 'Alice said: "Never use emojis."'),
        ("We just had a baby girl!", "family", 'Alice said: "We just had a baby girl!"'),
        ("I'm getting divorced.", "family", "Alice is getting divorced."),
        ("We're getting divorced.", "family", "Alice is getting divorced."),
        ("I was born in 1988.", "identity", "Alice was born in 1988."),
        ("I was born in Rome.", "home", "Alice was born in Rome."),
        ("我对花生过敏", "health", 'Alice said: "我对花生过敏"'),
        ("我住在上海。", "home", 'Alice said: "我住在上海。"'),
        ("我叫李雷。", "identity", 'Alice said: "我叫李雷。"'),
        ("soy alérgico a la penicilina", "health", 'Alice said: "soy alérgico a la penicilina"'),
        ("Vivo en Madrid desde 2010.", "home", 'Alice said: "Vivo en Madrid desde 2010."'),
        ("No me gusta el café.", "preference", 'Alice said: "No me gusta el café."'),
    ],
)
def test_short_foreign_and_led_in_statements(text: str, category: str, description: str) -> None:
    (info,) = profile(text).explicit_info
    assert (info.category, info.description) == (category, description)


@pytest.mark.parametrize(
    "text",
    [
        "I'm not vegetarian.",
        "If you visit: I'm allergic to cats",
        "When I was small: I loved cats",
        "我妈妈对花生过敏",
        "Mi hermano es alérgico a la penicilina.",
        "We bought a cake for the party.",
        "I have a meeting with Bob in Rome.",
        "Please answer this in French.",
        "Always use metric units in this table.",
        "Never talk to strangers.",
        "We had a baby shower for Ann.",
    ],
)
def test_what_is_not_of_the_user_for_good(text: str) -> None:
    assert profile(text).explicit_info == ()


def test_what_was_given_up_leaves_the_profile() -> None:
    for ending in ("We got divorced.", "I got divorced."):
        made = profile("I'm married to Paul.", ending)
        assert [info.description for info in made.explicit_info] == ["Alice got divorced."]
    made = profile("I drive a Clio.", "I sold the Clio and drive a Panda now.")
    assert [info.description for info in made.explicit_info] == ["Alice sold the Clio and drives a Panda now."]
    assert "drives a Clio" not in made.summary


def test_a_fact_that_begins_with_a_capital_the_name_has_not() -> None:
    said = facts("I live in Berlin.")
    made = add_facts(None, said, ALICE, NOW, "alice")
    assert [info.description for info in made.explicit_info] == ["alice lives in Berlin."]


def test_newest_value_of_a_slot_wins_whatever_the_order() -> None:
    old, new = facts("I live in Berlin.", "I moved to Munich.")
    for order in ([old, new], [new, old]):
        made = add_facts(None, order, ALICE, NOW, "Alice")
        assert [info.description for info in made.explicit_info] == ["Alice moved to Munich."]
    later = add_facts(add_facts(None, [new], ALICE, NOW, "Alice"), [old], ALICE, NOW + 1, "Alice")
    assert [info.description for info in later.explicit_info] == ["Alice moved to Munich."]


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
        "My son is such a genius.",
        "My boss is an idiot.",
        "My sister is so annoying sometimes.",
        "My mother-in-law is the worst driver.",
        "My therapist told me: rest more.",
        "I live for pizza.",
        "I work like a horse.",
        "I'm married to my job.",
        "I have a question about dogs.",
        "I'd like a table for two.",
        "I moved to Linux last year.",
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
        ("My new doctor is Dr. Klein.", "health"),
        ("I'm married to my high school sweetheart.", "family"),
        ("I moved to Linz last year.", "home"),
        ("I rent an apartment in Somerville.", "home"),
        ("My favorite is the amazing banana split.", "preference"),
        ("im a nurse", "identity"),
    ],
)
def test_plain_statements_beside_them_are(said: str, category: str) -> None:
    assert [info.category for info in profile(said).explicit_info] == [category]


@pytest.mark.parametrize(
    ("said", "listed"),
    [
        (["I'm using neovim and I prefer tabs over spaces."], ["Alice prefers tabs over spaces."]),
        (["I would move if it paid and I love Rome."], []),
        (["I use neovim.", "I switched from neovim to Zed."], ["Alice switched from neovim to Zed."]),
        (["Always run the tests before you commit."], ['Alice said: "Always run the tests before you commit."']),
        (["Never push directly to main."], ['Alice said: "Never push directly to main."']),
        (["Never heard of it before today."], []),
        (["Call me Lex."], ['Alice said: "Call me Lex."']),
        (["Call me Monday."], []),
        (["Never run with scissors."], []),
        (["I switched to plan B."], []),
        (["We moved to Denver for the summer."], []),
        (["I live in Boston.", "We moved to Denver."], ['Alice said: "We moved to Denver."']),
        (["I drive a Honda Civic.", "I sold the Civic."], []),
        (["I drive a Tesla.", "I sold my Tesla stock."], ["Alice drives a Tesla."]),
        (["I weigh 92 kg.", "My weight is 89 kg now."], ["Alice's weight is 89 kg now."]),
        (["I go to the gym every Monday and Friday.", "I no longer go to the gym."], []),
        (["I go to the gym every Monday.", "I can't go to the gym."], ["Alice goes to the gym every Monday."]),
        (["My son is 4.", "My son is 5 now."], ["Alice's son is 5 now."]),
        (["My son is 4.", "My son is 7."], ["Alice's son is 4.", "Alice's son is 7."]),
        (["I'm single.", "Eva and I got married!"], ["Alice got married to Eva!"]),
        (["i cant eat gluten"], ["Alice can't eat gluten"]),
        (["Im vegan btw"], ["Alice is vegan"]),
        (["my fav food is ramen", "My favorite food is pho."], ["Alice's favorite food is pho."]),
        (["I'm the CTO of Acme."], ["Alice is the CTO of Acme."]),
        (["Use pnpm, not npm."], ['Alice said: "Use pnpm, not npm."']),
        (["My wife says I live in the garage."], []),
        (["My birthday is tomorrow."], ["Alice's birthday is tomorrow (9 May 2023)."]),
    ],
)
def test_what_a_reader_of_the_talk_would_note(said: list[str], listed: list[str]) -> None:
    assert [info.description for info in profile(*said).explicit_info] == listed


def test_a_wish_and_a_dislike_are_no_signs_of_a_trait() -> None:
    assert profile("I wish I had a dog.", "I have no pets.", "I don't like cats.").implicit_traits == ()


def test_a_tool_is_no_home() -> None:
    made = profile("I live in Graz.", "I moved to Linux.", "I moved from Slack to Discord.")
    assert [info.description for info in made.explicit_info] == ["Alice lives in Graz."]


def test_an_age_ends_with_the_birthday() -> None:
    made = profile("I'm 29.", "I turned 30 yesterday!")
    assert [info.description for info in made.explicit_info] == ["Alice turned 30 yesterday (8 May 2023)!"]


def test_a_trait_needs_repeated_evidence() -> None:
    assert profile("I love hiking in Norway.", "I went camping with my dad.").implicit_traits == ()
    (trait,) = profile(
        "I love hiking in Norway.", "I went camping with my dad.", "I climbed a mountain in May."
    ).implicit_traits
    assert trait.trait == "outdoor person"
    assert trait.evidence.count(" | ") == 2
    assert "2023-05-10" in trait.basis


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


def test_many_items_are_thinned_out_and_stay_so() -> None:
    said = facts(*(f"I love the museum of Town{n} in summer." for n in range(MOST + 5)))
    made = add_facts(None, said, ALICE, NOW, "Alice")
    assert KEPT <= len(made.explicit_info) <= MOST
    assert any(f"Town{MOST + 4}" in info.description for info in made.explicit_info)
    assert not any("Town0 " in info.description for info in made.explicit_info)
    assert add_facts(made, said, ALICE, NOW + 1, "Alice") == made


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
