"""What ends what: values in, values out, in whatever order they are told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from talk import ALICE, MAY_8, cell, message
from telling import MONTH, after, assert_over, assert_stands

from everlore.extract.facts import as_fact, write_facts
from everlore.extract.supersede import evidence, likely, may_end, slots_of, superseded, words_of
from everlore.kinds.fact import Fact

NOW = MAY_8 + 2 * MONTH


def fact(text: str, at: int = MAY_8, entry: str = "af_1") -> Fact:
    talk = cell(message(text, at=at))
    return as_fact(write_facts(talk)[0], talk, ALICE, entry)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I live in Rome.", "I moved to Lisbon."),
        ("I work at Siemens.", "I left Siemens and joined BMW."),
        ("I'm vegan.", "I'm not vegan anymore."),
        ("My favorite color is blue.", "My favourite colour is green now."),
        ("My cat is called Mimi.", "Mimi died last night."),
        ("My wife is called Anna.", "I got divorced."),
        ("Our standup is at 9:30.", "Our standup moved to 10:00."),
        ("We use Redis for the queue.", "We decided to drop Redis."),
        ("We run Jenkins.", "We finally got rid of Jenkins."),
        ("Ich wohne in Köln.", "Ich wohne jetzt in Bonn."),
        ("我住在上海。", "我搬到杭州了。"),
        ("Never use emojis.", "You can use emojis again."),
    ],
)
def test_ends(first: str, then: str) -> None:
    assert_over(first, then)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I live in Rome.", "I'm living in Vienna for the summer."),
        ("I live in Rome.", "I moved to Paris in 2005."),
        ("I work at Siemens.", "I moved to Lisbon."),
        ("I love jazz.", "I hate jazz when I'm tired."),
        ("My dog is called Rex.", "My dog is called Bella."),
        ("My boss is Karen.", "My boss is annoying."),
        ("I am vegetarian.", "I am single."),
        ("Meine Frau heißt Anna.", "Ich wohne jetzt in Wien."),
        ("We use pnpm.", "We decided to drop Redis."),
        ("I have a dog.", "My friend's dog died."),
        ("I ride my bike to work.", "I can't ride my bike right now."),
    ],
)
def test_stands(first: str, then: str) -> None:
    assert_stands(first, then)


def test_an_end_names_what_it_followed_in_either_order() -> None:
    old, new = fact("I live in Rome."), fact("I moved to Lisbon.", MAY_8 + MONTH, "af_2")
    for known, told in (([old], [new]), ([new], [old])):
        [ended] = superseded(known, told, NOW)
        assert (ended.local_id, ended.superseded_by, ended.valid_until) == ("af_1", "af_2", MAY_8 + MONTH)


def test_an_end_that_a_person_gave_stays() -> None:
    old = replace(fact("I live in Rome."), valid_until=MAY_8 + 5)
    assert superseded([old], [fact("I moved to Lisbon.", MAY_8 + MONTH, "af_2")], NOW) == []


def test_others_are_not_compared() -> None:
    old, new = fact("I live in Rome."), fact("I moved to Lisbon.", MAY_8 + MONTH, "af_2")
    assert superseded([replace(old, sender_ids=("bob",))], [new], NOW) == []
    assert likely(new, [replace(old, by_user=False)]) == []


def test_what_is_asked_of_the_index() -> None:
    new = fact("I moved to Lisbon.")
    assert slots_of([new], {"ali"}) == ["alice: lives in", "ali: lives in"]
    assert may_end(new)
    assert not may_end(replace(new, by_user=False))
    assert words_of(new) == "I moved to Lisbon."
    assert evidence(new, new) == 0


def test_a_chain_ends_one_by_one() -> None:
    memory = after("I live in Rome.", "I moved to Lisbon.", "I moved to Oslo.")
    assert memory.over == ["Alice lives in Rome.", "Alice moved to Lisbon."]
    assert memory.listed == ["Alice moved to Oslo."]


def test_what_is_dated_in_the_future_ends_nothing_and_is_ended_by_anything() -> None:
    old, wrong = fact("I live in Rome."), fact("I moved to Lisbon.", MAY_8 + 900 * MONTH, "af_2")
    for known, told in (([old], [wrong]), ([wrong], [old])):
        [ended] = superseded(known, told, NOW)
        assert (ended.local_id, ended.superseded_by) == ("af_2", "af_1")
        assert ended.valid_until == wrong.timestamp  # so it never held
    later = fact("I moved to Oslo.", MAY_8 + MONTH, "af_3")
    assert {one.local_id for one in superseded([old, wrong], [later], NOW)} == {"af_1", "af_2"}
