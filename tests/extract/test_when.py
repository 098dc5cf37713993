from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from talk import MAY_8

from everlore.clock import LATEST_MS
from everlore.extract.when import with_dates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I went yesterday.", "I went yesterday (7 May 2023)."),
        ("It was last week.", "It was last week (week of 1 May 2023)."),
        ("We fly next month!", "We fly next month (June 2023)!"),
        ("two days ago", "two days ago (6 May 2023)"),
        ("last Friday", "last Friday (5 May 2023)"),
        ("last Monday", "last Monday (1 May 2023)"),
        ("this Friday", "this Friday (12 May 2023)"),
        ("next Friday", "next Friday (19 May 2023)"),
        ("this weekend", "this weekend (13–14 May 2023)"),
        ("last weekend", "last weekend (6–7 May 2023)"),
        ("I'm leaving in 2 weeks", "I'm leaving in 2 weeks (week of 22 May 2023)"),
        ("I lost 5 kg in 2 weeks", "I lost 5 kg in 2 weeks"),
        ("tonight", "tonight (8 May 2023)"),
        ("last night", "last night (7 May 2023)"),
        ("a year ago", "a year ago (2022)"),
        ("five months ago", "five months ago (December 2022)"),
        ("a couple of days ago", "a couple of days ago (around 6 May 2023)"),
        ("A couple weeks ago", "A couple weeks ago (around week of 24 April 2023)"),
        ("a few weeks ago", "a few weeks ago (around week of 17 April 2023)"),
        ("a few months ago", "a few months ago (around February 2023)"),
        ("I'm leaving in a few days", "I'm leaving in a few days (around 11 May 2023)"),
        ("quite a few years ago", "quite a few years ago"),
        ("last summer", "last summer (summer 2022)"),
        ("last June", "last June (June 2022)"),
        ("the day before yesterday", "the day before yesterday (6 May 2023)"),
        ("昨天我去了", "昨天 (7 May 2023)我去了"),
        ("today's news and the last week's end", "today's news and the last week's end"),
        ("yesterday (7 May 2023)", "yesterday (7 May 2023)"),
        ("At last, this is nothing.", "At last, this is nothing."),
    ],
)
def test_relative_times_get_their_date(text: str, expected: str) -> None:
    assert with_dates(text, MAY_8) == expected


WORDS = [
    "last",
    "next",
    "this",
    "in",
    "a",
    "two",
    "999",
    "days",
    "years",
    "ago",
    "week",
    "may",
    "May",
    "today",
    "is",
    "(",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), st.integers(0, LATEST_MS))
def test_twice_is_once_at_any_time(text: str, moment: int) -> None:
    once = with_dates(text, moment)
    assert with_dates(once, moment) == once
