"""Facts are what people say that is worth keeping and clear alone."""

from __future__ import annotations

from functools import partial

import pytest
from growth import assert_linear
from talk import MAY_8, MINUTE, cell, message

from everlore.extract.facts import FACTS_OF_PASTE, about, sentences_of, write_facts
from everlore.extract.rules import CATEGORY


def told(*texts: str) -> list[str]:
    """What is kept of one talk; texts that begin with "A: " are the assistant's, with "B: " Bob's."""
    turns = []
    for number, text in enumerate(texts):
        at = MAY_8 + number * MINUTE
        if text.startswith("A: "):
            turns.append(message(text[3:], "bot", "assistant", at=at))
        elif text.startswith("B: "):
            turns.append(message(text[3:], "bob", at=at, name="Bob"))
        else:
            turns.append(message(text, at=at))
    return [draft.text for draft in write_facts(cell(*turns)) if not draft.tentative]


def test_a_statement_is_told_of_its_speaker_with_its_day() -> None:
    assert told("I moved to Lisbon yesterday.") == ["Alice moved to Lisbon yesterday (7 May 2023)."]
    assert told("Ich wohne in Köln.") == ['Alice said: "Ich wohne in Köln."']


@pytest.mark.parametrize(
    "text",
    [
        "Thanks!",
        "Wow, that's great!",
        "Stay positive!",
        "ok",
        "I'm so tired.",
        "I got it.",
        "How are you?",
        "See you soon!",
    ],
)
def test_courtesies_and_moods_are_no_facts(text: str) -> None:
    assert told(text) == []


def test_what_an_assistant_says_is_no_fact() -> None:
    assert told("A: You should visit the Uffizi in Florence, which opened in 1769.") == []


def test_what_points_outside_itself_stays_in_its_turn() -> None:
    assert told("She gave it to them last week.") == []


def test_statements_inside_questions_are_kept() -> None:
    assert told("I have an apartment in Miami with two cats, what should I pack?")[:1] == [
        "Alice has an apartment in Miami with two cats."
    ]


def test_two_statements_can_end_alone() -> None:
    assert told("I live in Berlin and work at Siemens.") == ["Alice lives in Berlin.", "Alice works at Siemens."]
    ours = ['Alice said: "We moved to Graz."', 'Alice said: "We bought a house."']
    assert told("We moved to Graz and bought a house.") == ours, "whoever does the one does the other"
    assert told("I have two dogs and I love walks with them.") == [
        "Alice has two dogs and Alice loves walks with them."
    ]


def test_a_list_keeps_its_heading() -> None:
    assert sentences_of("I am allergic to:\n- peanuts\n- cats") == [
        "I am allergic to:",
        "I am allergic to: peanuts",
        "I am allergic to: cats",
    ]


def test_a_rule_is_a_kind_of_its_own() -> None:
    [draft] = write_facts(cell(message("Never use emojis.")))
    assert (draft.text, draft.category) == ('Alice said: "Never use emojis."', CATEGORY)


def test_a_correction_takes_the_place_of_what_it_corrects() -> None:
    assert told("I live in Munich. No wait, I mean Augsburg.") == ["Alice lives in Augsburg."]
    assert told("My flight is on Tuesday.", "Sorry, I meant Thursday.") == ["Alice's flight is on Thursday."]


def test_a_short_answer_brings_its_question() -> None:
    assert told("A: Where do you live?", "Graz") == ['Asked "Where do you live?", Alice said: "Graz"']
    assert told("A: Shall I go on?", "Sure!") == []


def test_a_document_gives_few_facts() -> None:
    text = " ".join(f"The company Acme {number} was founded in {1900 + number} in Ohio." for number in range(90))
    assert len(told(text)) <= FACTS_OF_PASTE


def test_slots() -> None:
    assert about("Alice lives in Rome.", "Alice") == "alice: lives in"
    assert about("Alice laughed.", "Alice") == ""


def test_long_messages_take_time_in_proportion() -> None:
    assert_linear(lambda size: partial(write_facts, cell(message("I went to Rome, and it was fine. " * size))), 40)
