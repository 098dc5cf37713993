"""The benchmarks' own arithmetic: a wrong ruler would measure nothing."""

from __future__ import annotations

import math

import pytest

from bench.data import Haystack, Question, Session, Turn
from bench.measure import Answer, Figures, Turns, judge, read_answer

LINES = {
    "1": ["Where did you spend the summer?", "In Lisbon, with my sister Carla."],
    "2": ["I bought a red bicycle yesterday.", "Lovely! I still walk to the office."],
}


@pytest.fixture
def turns() -> Turns:
    sessions = tuple(
        Session(name, tuple(Turn(f"{name}:{at}", "ada", "Ada", "user", 1, text) for at, text in enumerate(lines)))
        for name, lines in LINES.items()
    )
    return Turns(Haystack("app", "project", "ada", sessions, ()))


def test_a_fact_is_matched_to_the_turn_it_quotes(turns: Turns) -> None:
    assert turns.match("2", "Ada bought a red bicycle on 4 May 2023.") == "2:0"


def test_the_question_a_fact_repeats_does_not_claim_it(turns: Turns) -> None:
    fact = 'Asked "Where did you spend the summer?", Ada said: "In Lisbon, with my sister Carla."'
    assert turns.match("1", fact) == "1:1"


def test_a_fact_of_other_words_or_another_session_matches_nothing(turns: Turns) -> None:
    assert turns.match("1", "Ada bought a red bicycle.") is None
    assert turns.match("3", "Ada bought a red bicycle.") is None


def test_facts_of_all_episodes_are_ordered_by_score(turns: Turns) -> None:
    data = {
        "episodes": [
            {"session_id": "1", "atomic_facts": [{"content": "In Lisbon, with my sister Carla", "score": 0.2}]},
            {"session_id": "2", "atomic_facts": [{"content": "Ada bought a red bicycle", "score": 0.9}]},
            {"session_id": "1", "atomic_facts": []},
        ]
    }
    answer = read_answer(data, turns, 0.1)
    assert answer.sessions == ["1", "2"]
    assert answer.turns == ["2:0", "1:1"]


def test_bm25_ranks_the_turn_that_holds_the_rare_word_first(turns: Turns) -> None:
    answer = turns.bm25("Who has a bicycle?")
    assert (answer.sessions[0], answer.turns[0]) == ("2", "2:0")


def test_figures_count_what_they_say() -> None:
    figures = Figures()
    question = Question("?", frozenset({"1:0", "2:0"}), frozenset({"1", "2"}))
    judge(figures, question, Answer(["3", "1"], ["1:0", None, "1:0", *[f"3:{at}" for at in range(9)], "2:0"]))
    assert figures.mean("session any@5") == 1
    assert figures.mean("session all@5") == 0
    assert figures.mean("turn fraction@10") == 0.5
    assert figures.mean("turn fraction@30") == 1
    assert figures.mean("fact fraction@10") == 0.5
    assert math.isnan(figures.mean("never measured"))


def test_a_name_that_a_fact_repeats_does_not_hide_its_turn() -> None:
    said = (
        Turn("s:0", "user-cc06de0d", None, "user", 1, "I take the train, and my daily train fare is actually $6."),
        Turn("s:1", "assistant", None, "assistant", 2, "A daily train fare of $6 adds up! Is it actually cheaper?"),
    )
    turns = Turns(Haystack("app", "project", "user-cc06de0d", (Session("s", said),), ()))
    assert turns.match("s", "User-cc06de0d's daily train fare is actually $6.") == "s:0"
    assert turns.match("s", 'The assistant said: "A daily train fare of $6 adds up!"') == "s:1"
