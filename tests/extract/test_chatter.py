"""What is said in answer or along with a reaction: whole statements stand alone, fragments keep their question."""

from __future__ import annotations

import pytest
from talk import MAY_8, MINUTE, cell, facts, listed, message, said


def answers(question: str, answer: str) -> list[str]:
    return facts(cell(message(question, "bot", "assistant"), message(answer, at=MAY_8 + MINUTE)))


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("How about a mushroom risotto?", "I hate mushrooms.", ["Alice hates mushrooms."]),
        ("Is there anything you avoid?", "I hate olives, by the way.", ["Alice hates olives."]),
        ("What can I get you?", "I'm vegan.", ["Alice is vegan."]),
    ],
)
def test_a_short_statement_needs_no_question(question: str, answer: str, told: list[str]) -> None:
    assert answers(question, answer) == told


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How often can you train?", "Three times a week, mostly early mornings before my shift."),
        ("When do you usually eat?", "Around noon, right before my second meeting of the day."),
        ("Do you like the city?", "I do."),
        ("Do you like painting animals?", "Yeah, I love to."),
    ],
)
def test_what_has_no_verb_of_its_own_keeps_its_question(question: str, answer: str) -> None:
    assert answers(question, answer) == [f'Asked "{question}", Alice said: "{answer}"']


@pytest.mark.parametrize(
    "text",
    [
        "Sounds great, I love mushrooms.",
        "That sounds delicious! I love mushrooms.",
        "Sounds really good - I love mushrooms.",
    ],
)
def test_a_reaction_before_a_statement_does_not_swallow_it(text: str) -> None:
    assert "Alice loves mushrooms." in facts(said(text))


def test_a_reaction_is_none_by_itself() -> None:
    assert facts(said("Sounds great!")) == []


@pytest.mark.parametrize("text", ["I've never smoked.", "I have never smoked."])
def test_what_somebody_never_did_is_a_fact(text: str) -> None:
    assert facts(said(text)) == ["Alice has never smoked."]


def test_a_reason_for_a_request_is_listed() -> None:
    text = "I'm allergic to shellfish, so no shrimp skewers please."
    assert listed(text) == ["Alice is allergic to shellfish."]


def test_what_is_not_so_and_what_is_are_two_statements() -> None:
    text = "I don't work at Siemens, I work at Bosch."
    assert facts(said(text)) == ["Alice doesn't work at Siemens.", "Alice works at Bosch."]
    assert listed(text) == ["Alice works at Bosch."]


@pytest.mark.parametrize(
    "text",
    [
        "Yeah right, I'm totally a millionaire.",
        "Yeah, right. I'm a vegan /s",
        "Oh yeah right, I love working on Sundays",
        "As if I lived in a palace in Monaco.",
        "I love being on call at night 🙄",
    ],
)
def test_what_is_not_meant_is_only_quoted(text: str) -> None:
    assert all(fact.startswith("Alice said: ") for fact in facts(said(text)))
    assert listed(text) == []


def test_right_alone_agrees() -> None:
    assert facts(said("Right, I live in Leeds.")) == ["Alice lives in Leeds."]


def test_an_opening_stays_in_a_quotation_that_tells_nothing_else() -> None:
    text = "It's important we support the organizations of the neighbourhood."
    assert facts(said(text)) == [f'Alice said: "{text}"']
