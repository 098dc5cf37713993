"""A correction replaces the value it corrects."""

from __future__ import annotations

import pytest

from everlore.extract.corrections import corrected, within


@pytest.mark.parametrize(
    ("before", "then", "right"),
    [
        ("I live in Munich.", "No wait, I mean Augsburg.", "I live in Augsburg."),
        ("The meeting is at 3 pm.", "Actually it's at 4 pm.", "The meeting is at 4 pm."),
        ("I was born in 1986.", "Oops, 1968, not 1986.", "I was born in 1968."),
        ("My allergy is to walnuts.", "Not walnuts, hazelnuts.", "My allergy is to hazelnuts."),
        ("My team lead is Marta.", "Sorry, Martha with h.", "My team lead is Martha."),
        ("Mein Termin ist am Montag.", "Nein, am Mittwoch.", "Mein Termin ist am Mittwoch."),
        ("我住在北京。", "不对，是天津。", "我住在天津。"),
    ],
)
def test_the_value_that_was_meant(before: str, then: str, right: str) -> None:
    assert corrected(before, then) == right


@pytest.mark.parametrize(
    "then",
    [
        "I meant the other one.",
        "I meant to call her.",
        "Sorry, I was late again because of the train.",
        "It's great.",
        "No, I don't think so at all.",
        "Wait, what?",
    ],
)
def test_what_corrects_nothing(then: str) -> None:
    assert corrected("My favorite color is blue.", then) == ""


def test_a_sentence_that_corrects_itself() -> None:
    assert within("I work at Bosch, I mean Siemens.") == "I work at Siemens."
    assert within("I moved here in 2019, er, 2018.") == "I moved here in 2018."
    assert within("I live in Graz, which I love.") == ""
