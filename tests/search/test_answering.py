"""The sentence that answers is found although it shares no word with its question."""

from __future__ import annotations

import numpy as np
import pytest

from everlore.search.answering import NAMES, Said, features, leaves_open, question, worths
from everlore.stores.tokens import query_terms


def best(asked: str, *turns: tuple[str, list[str]]) -> str:
    """Of turns that all mean the same, the sentence that answers."""
    terms = query_terms(asked)
    said = [
        Said(
            at,
            speaker,
            "10:00",
            sentences,
            np.array([term in query_terms(" ".join(sentences)) for term in terms]),
            0.3,
            False,
        )
        for at, (speaker, sentences) in enumerate(turns)
    ]
    lines, worth = worths(question(asked, dict.fromkeys(terms, 1.0)), said)
    line = lines[int(np.argmax(worth))]
    return said[line.turn].sentences[line.place]


def test_an_answer_follows_the_turn_that_asks() -> None:
    talk = [
        ("Tom", ["Nice weather today."]),
        ("Ann", ["And where is the piano going to stay?"]),
        ("Tom", ["With the parents of Jonas."]),
        ("Ann", ["That is good."]),
    ]
    assert best("Where does the piano stay?", *talk) == "With the parents of Jonas."


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("How much is the flat?", "It costs 940 a month."),
        ("Who else has seen the flat?", "My colleague Frieda was there."),
        ("When can we have the flat?", "We can move in April."),
        ("Wie viel kostet die Wohnung?", "Das sind 940 im Monat."),
    ],
)
def test_what_was_asked_for_tells_which_sentence_answers(asked: str, answer: str) -> None:
    assert best(asked, ("Ann", ["It is quiet there and rather nice.", answer, "I like that very much."])) == answer


def test_the_sentences_of_a_talk_are_judged_in_order() -> None:
    said = [Said(0, "Ann", "10:00", ["One.", "Two?"], np.zeros(1, np.bool_), 0.5, False)]
    lines, given = features(question("Where?", {"where": 1.0}), said)
    assert [tuple(line) for line in lines] == [(0, 0), (0, 1)]
    assert given.shape == (2, len(NAMES))
    assert given[:, NAMES.index("asks")].tolist() == [0.0, 1.0]
    assert worths(question("Where?", {}), [])[0] == []


def test_what_is_still_to_be_done_is_known_by_its_words() -> None:
    assert leaves_open("The next step is the migration.")
    assert leaves_open("Wir müssen noch die Doku schreiben.")
    assert not leaves_open("The migration is done.")
