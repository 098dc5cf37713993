"""How a skill reads, and that alike work brings alike tasks together."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from skills import ASK, FLY, made

from everlore.extract.skill_cluster import assign

# -- which cases belong together


def apart(cosine: float, count: int = 2) -> NDArray[np.float32]:
    """Vectors of which the last has this cosine to each of the others."""
    return np.array([[1, 0]] * (count - 1) + [[cosine, (1 - cosine**2) ** 0.5]], np.float32)


@pytest.mark.parametrize(("work", "together"), [(FLY, True), (ASK, False), ("1. Result: x", False)])
def test_alike_work_brings_tasks_together_that_read_less_alike(work: str, together: bool) -> None:
    one, other = made(1, "Get a flight to Rome on Friday"), made(2, "I need the cheapest flight", work)
    assert (assign(other, [one], apart(0.7)) == [one, other]) is together


def test_tools_that_do_something_else_are_another_task() -> None:
    look = "1. `free_slots(doctor=Weiss)`: ok"
    one = made(1, "Move my appointment with the doctor", f"{look}\n2. `move_appointment(id=a9)`: ok")
    other = made(2, "Get an appointment with the doctor", f"{look}\n2. `book_appointment(doctor=Weiss)`: ok")
    assert assign(other, [one], apart(0.95)) == [other]


def test_alike_work_is_not_all() -> None:
    one, other = made(1, "Get a flight to Rome on Friday"), made(2, "Why was my flight late?")
    assert assign(other, [one], apart(0.5)) == [other]


def test_work_that_an_agent_always_does_tells_nothing() -> None:
    others = [made(number, f"Look at flight number {number}") for number in range(12)]
    new = made(20, "Get the cheapest flight")
    assert assign(new, others[:3], apart(0.7, 4)) == [*others[:3], new]
    assert assign(new, others, apart(0.7, 13)) == [new]
