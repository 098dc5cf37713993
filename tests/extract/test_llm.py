"""A language model tells of several tasks: each case takes what was told of its own turns."""

from __future__ import annotations

from runs import HELPER, agent, bash, session, user

from everlore.extract.agent.case import tasks_of, write_case
from everlore.extract.llm import with_case
from everlore.extract.prompts import CaseAnswer
from everlore.extract.turns import spoken

CELL = session(
    user("Restart the queue worker"),
    bash("systemctl restart worker"),
    agent("It runs."),
    user(" "),
    user("Book a hotel in Rome"),
    bash("travel book hotel", "booked"),
    agent("Booked."),
)


def answer(turn: int) -> CaseAnswer:
    return CaseAnswer(turn=turn, task_intent=f"Told of {turn}", key_insight="", quality_score=0.5)


def test_turns_are_numbered_as_the_model_sees_them() -> None:
    texts = {turn.number + 1: turn.message.text for turn in spoken(CELL)}
    for task in tasks_of(CELL, HELPER):
        assert task[0].turn in texts
    assert [texts[task[0].turn] for task in tasks_of(CELL, HELPER)] == [
        "Restart the queue worker",
        "Book a hotel in Rome",
    ]


def test_each_task_takes_its_own() -> None:
    first, second = tasks_of(CELL, HELPER)
    told = [answer(first[0].turn), answer(second[0].turn + 1)]
    intents = [with_case(write_case(task, CELL, HELPER, "ac_1"), task, told).task_intent for task in (first, second)]
    assert intents == [f"Told of {first[0].turn}", f"Told of {second[0].turn + 1}"]


def test_a_task_of_which_nothing_was_told_stays_as_it_is() -> None:
    first, second = tasks_of(CELL, HELPER)
    case = write_case(second, CELL, HELPER, "ac_1")
    assert with_case(case, second, [answer(first[0].turn), answer(99)]) == case
    assert with_case(case, second, []) == case
