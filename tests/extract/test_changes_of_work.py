"""A trade and an employer told in one statement: either may be over, and another employer ends both."""

from __future__ import annotations

import pytest
from telling import after

OVER = [
    ("I work as a backend engineer at Stripe.", "I quit Stripe last Friday."),
    ("I'm a nurse at Mercy Hospital.", "I quit my job at Mercy Hospital."),
    ("I work as a designer at Google.", "I got laid off from Google last month."),
    ("I work as a designer at Siemens.", "Siemens let me go."),
    ("I work as a designer at Google.", "I lost my job."),
    ("I'm a software engineer at Google.", "I left Google and joined Meta as a manager."),
    ("I'm a software engineer at Google.", "I started a new job at Meta."),
    ("I'm a software engineer at Google.", "I'm a software engineer at Meta now."),
    ("I work for Google as a designer.", "I'm a designer at Meta now."),
    ("I work at Google.", "I'm now a data analyst at Meta."),
    ("My wife Anna works at Google as a designer.", "Anna is a designer at Meta now."),
    ("My wife is a designer at Google.", "My wife left Google."),
]
STANDS = [
    ("I'm a nurse.", "I quit Stripe."),
    ("I'm a nurse.", "I started a new job at Mercy Hospital."),
    ("I'm a nurse.", "I lost my job."),
    ("I'm a software engineer at Google.", "I work at Google."),
    ("I work at Google.", "I'm a software engineer at Google."),
    ("I work at Google.", "I'm a student at Stanford."),
    ("I work as a designer at Google.", "I quit Netflix."),
    ("My friend is a designer at Google.", "My friend is a designer at Meta."),
    ("I work at Google.", "My brother is a designer at Meta now."),
]


@pytest.mark.parametrize(("before", "now"), OVER)
def test_another_employer_or_none_ends_the_work_there(before: str, now: str) -> None:
    memory = after(before, now)
    assert len(memory.over) == 1
    assert len(memory.standing) == 1
    assert memory.over[0] not in memory.listed


@pytest.mark.parametrize(("before", "now"), STANDS)
def test_what_says_nothing_against_it_leaves_it_standing(before: str, now: str) -> None:
    assert after(before, now).over == []


def test_a_trade_is_ended_also_where_the_end_is_told_first() -> None:
    memory = after()
    memory.tell("I quit Stripe.", at=2_000_000_000_000)
    memory.tell("I work as a backend engineer at Stripe.", at=1_900_000_000_000)
    assert memory.over == ["Alice works as a backend engineer at Stripe."]
