"""A trade and an employer told in one statement: either may be over, and another employer ends both."""

from __future__ import annotations

import pytest
from telling import after, assert_over, assert_stands

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


Pairs = list[tuple[str, str]]


WORK_OVER: Pairs = [
    ("I work as a teacher.", "I no longer work as a teacher"),
    ("I work at SAP.", "I started at BMW this week"),
    ("I work at SAP.", "I joined Google last month"),
    ("I work at SAP.", "I got hired by Google"),
    ("I work at SAP.", "SAP let me go"),
    ("I work at SAP.", "I used to work at SAP"),
    ("I'm a student.", "I graduated and now work as a lawyer"),
    ("i work at siemens", "i left siemens, im at bmw now"),
    ("I work at SAP.", "I just started at BMW!"),
    ("I work at SAP.", "I've joined Siemens as a developer"),
    ("I work for SAP.", "I was hired by Bosch last week"),
    ("I work at SAP.", "I got let go by SAP last week"),
    ("I work at SAP.", "SAP laid me off yesterday"),
    ("I work at SAP.", "They let me go."),
    ("I work at SAP.", "My boss fired me."),
    ("I work at SAP.", "I got sacked."),
    ("I work at SAP.", "I resigned from SAP today"),
    ("I work at SAP.", "I stopped working for SAP"),
    ("I work at SAP.", "I left SAP for Google."),
    ("I work at SAP.", "I lost my job at SAP"),
    ("i work at google", "i quit google"),
    ("i work for bosch", "i got fired from bosch"),
    ("I work at SAP.", "I accepted a position at Bosch."),
    ("I work at SAP.", "I landed my dream job at Pixar!"),
    ("I work at SAP.", "I don't work at SAP anymore."),
    ("I work at SAP.", "I'm no longer with SAP."),
    ("I work at SAP.", "I'm not working for SAP any more."),
    ("I work at SAP.", "So I joined Stripe, and I love it."),
    ("I'm a nurse.", "I'm no longer a nurse."),
    ("I work as a nurse.", "I used to be a nurse."),
    ("I'm a student.", "I graduated last week!"),
    ("I'm a student.", "I finally finished my degree."),
    ("I'm a teacher.", "I retired last month."),
    ("I'm a math teacher.", "I'm not a teacher any more."),
    ("I'm a student.", "I finished university and now work as an engineer."),
    ("I'm a waiter.", "I quit being a waiter."),
]


WORK_STANDS: Pairs = [
    ("I work at SAP.", "I visited BMW."),
    ("I work at Dell.", "My boss quit Dell."),
    ("I work at SAP.", "I used to work at SAP's building."),
    ("I work at SAP.", "I started at 9 this morning."),
    ("I work at SAP.", "I started at Gold's Gym last week."),
    ("I work at SAP.", "I joined Anna for lunch."),
    ("I work at SAP.", "I joined Instagram last month."),
    ("I work at SAP.", "I joined the Rotary Club."),
    ("I work at SAP.", "I joined Tinder."),
    ("I work at SAP.", "I joined Zoom late today."),
    ("I work at SAP.", "My sister joined Google last month."),
    ("I work at SAP.", "SAP let me go home early."),
    ("I work at SAP.", "My mom let me go to the party."),
    ("I work at SAP.", "I quit smoking."),
    ("I work at SAP.", "I quit the game."),
    ("I work at SAP.", "I left SAP at 6 pm."),
    ("I work at SAP.", "I left home early."),
    ("I work at SAP.", "I got fired up."),
    ("I work at SAP.", "I used to work at IBM."),
    ("I work at SAP.", "I used to work late at night."),
    ("I work at SAP.", "I might join Google."),
    ("I work at SAP.", "I got a job offer from Google."),
    ("I work at SAP.", "I applied for a job at Google."),
    ("I work at SAP.", "I started at Harvard this fall."),
    ("I work at SAP.", "Tom got hired by Google."),
    ("I work at SAP.", "I almost joined Google."),
    ("I work at SAP.", "I joined a choir."),
    ("I work at SAP.", "I was hired by Google in 2010."),
    ("I work at SAP.", "I joined Greenpeace."),
    ("I work at SAP.", "i work at night"),
    ("I work at SAP.", "i work at home now"),
    ("I'm a teacher.", "I used to be a nurse."),
    ("I'm a teacher.", "My wife is no longer a teacher."),
    ("I'm a teacher.", "I'm not a morning person."),
    ("I'm a student.", "My son graduated last week."),
    ("I'm a student.", "I graduated from high school last month."),
    ("I'm a student.", "I graduated in 2015."),
    ("I'm a teacher.", "I'm not a good teacher."),
    ("I'm a teacher.", "I quit being lazy."),
    ("I work at SAP.", "Paul joined Google."),
]


@pytest.mark.parametrize(("first", "then"), WORK_OVER)
def test_what_is_over(first: str, then: str) -> None:
    assert_over(first, then)


@pytest.mark.parametrize(("first", "then"), WORK_STANDS)
def test_what_stands(first: str, then: str) -> None:
    assert_stands(first, then)
