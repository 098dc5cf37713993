"""Who "he" and "she" are in a fact that is read alone."""

from __future__ import annotations

import pytest
from talk import facts, said


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "My best friend Tim just got divorced. He lives in Austin and he's a heavy smoker.",
            "Alice's best friend Tim lives in Austin and he's a heavy smoker.",
        ),
        ("My wife Anna works at Goldman Sachs. She hates her commute.", "Alice's wife Anna hates her commute."),
        ("I got a dog! He's a corgi called Momo.", "Alice's dog is a corgi called Momo."),
        ("I have a daughter, Sophie. She's been playing the violin.", "Alice's daughter Sophie has been playing"),
        ("My daughter started school. Her favourite colour is pink.", "Alice's daughter's favourite colour is pink."),
        ("My mom moved to Florida last year. But she'll visit in May.", "Alice's mom will visit in May."),
        ("My dog Rex is sick. I'm worried. He's got an infection.", "Alice's dog Rex has got an infection."),
        ("My boss is loud. He shouts a lot. He lives in Bonn.", "Alice's boss lives in Bonn."),
        ("I adopted a puppy. Her name's Coco.", "Alice's puppy's name is Coco."),
        ("Sophie turned eight! She plays drums now.", 'Alice said: "Sophie plays drums now."'),
    ],
)
def test_the_one_who_was_named_is_named_again(text: str, told: str) -> None:
    assert any(fact.startswith(told) for fact in facts(said(text)))


@pytest.mark.parametrize(
    "text",
    [
        "My sister visited my mom. She moved to Rome.",
        "My brother met Anna in Rome. She works at Aldi.",
        "My dad is a fan of Roger Federer. He won 20 slams.",
        "My friend said he left her. She moved to Rome.",
        "My friend's dog died. She lives in Rome.",
        "My husband told me that his boss quit. He moved to Rome.",
        "My daughter has a new friend. She lives in Rome.",
        "My dad talked to Roger. He works at Aldi.",
        "I read a book about Kafka. He lived in Prague.",
    ],
)
def test_where_two_may_be_meant_the_words_stay(text: str) -> None:
    second = text.split(". ")[1]
    assert f'Alice said: "{second}"' in facts(said(text))


def test_a_question_and_what_leans_on_more_stay_as_they_are() -> None:
    assert facts(said("My mom moved to Florida last year. She loves it there. Is she happy?")) == [
        "Alice's mom moved to Florida last year (2022)."
    ]
