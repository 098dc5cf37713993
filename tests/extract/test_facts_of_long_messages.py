"""A long message in which people speak of themselves is read like a short one; a pasted document is not."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import pytest
from growth import assert_linear
from talk import facts, listed, said

TALK = [
    "I grew up in a small village near Cork.",
    "My father kept bees and my mother taught at the school.",
    "I moved to Dublin when I was eighteen.",
    "I studied chemistry there for four years.",
    "I met my wife Anna in the second year.",
    "We like to walk along the canal on Sundays.",
    "My brother still thinks I should have stayed at home.",
    "Last summer I rebuilt the shed behind the house.",
]
LAST = "I am allergic to penicillin. I work as a baker in Bonn."


def own_talk(size: int) -> str:
    """A message of about so many characters, no sentence twice."""
    lines: list[str] = []
    while sum(map(len, lines)) < size:
        number = len(lines)
        lines.append(TALK[number % len(TALK)].replace(".", f" ({number})."))
    return " ".join([*lines, LAST])


@pytest.mark.parametrize("size", [1_500, 2_100, 4_000, 8_000])
def test_the_end_of_a_long_message_is_read(size: int) -> None:
    told = facts(said(own_talk(size)))
    assert {"Alice is allergic to penicillin.", "Alice works as a baker in Bonn."} <= set(told)
    assert "Alice is allergic to penicillin." in listed(own_talk(size))


def test_there_is_no_cliff() -> None:
    counts = [len(facts(said(own_talk(size)))) for size in range(1_700, 2_600, 100)]
    assert all(after >= before - 1 for before, after in pairwise(counts))


PASTE = " ".join(f"The committee of city {n} met in Hall {n} to vote on budget {n}." for n in range(900))


def test_a_document_does_not_flood() -> None:
    assert len(PASTE) > 50_000
    assert len(facts(said(PASTE))) == 8
    with_question = f"I live in Bonn. What does this say?\n\n{PASTE}"
    assert "Alice lives in Bonn." in facts(said(with_question))
    assert len(facts(said(with_question))) <= 9


def test_nor_does_a_whole_book_in_the_first_person() -> None:
    assert len(facts(said(own_talk(50_000)))) <= 40


def test_a_long_message_is_read_in_linear_time() -> None:
    facts(said(LAST))
    assert_linear(lambda size: partial(facts, said(own_talk(size))), 6_000)


def test_what_a_document_repeats_leaves_room_for_the_rest() -> None:
    again = "The report of the Gallup institute notes that productivity rose by 4 percent in 2025 in remote teams. "
    told = facts(said(f"Please summarise this article: {again * 12}Managers in finance remain sceptical of it."))
    assert len(told) == len(set(told))
    assert 'Alice shared: "Managers in finance remain sceptical of it."' in told
