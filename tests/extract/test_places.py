"""Where people live, as it changes.

The pairs are told a month apart: newer words end older ones that they contradict, and no others.
"""

from __future__ import annotations

import pytest
from telling import after, assert_over, assert_stands

Pairs = list[tuple[str, str]]


HOMES_OVER: Pairs = [
    ("We live in Ghent", "We moved to Bruges"),
    ("I live in Galway.", "I live in Dublin."),
    ("We live in Ghent.", "We've moved to Antwerp."),
    ("I live in Ghent.", "We live in Bruges now."),
    ("We live in Leeds.", "I moved to York."),
    ("We live in Ghent.", "We relocated to Liège last month."),
    ("We live in Lyon.", "We just moved from Lyon to Nice."),
    ("I live in Galway.", "I live in Cork."),
    ("i live in graz", "i moved to linz"),
    ("I live in Rome.", "I used to live in Rome."),
]


HOMES_STANDS: Pairs = [
    ("I live in Leeds.", "Jane moved to York."),
    ("We live in Ghent.", "We moved to Postgres."),
    ("We live in Ghent.", "We moved to Kafka last week."),
    ("We live in Ghent.", "We moved to Bruges for the summer."),
    ("We live in Ghent.", "They moved to Bruges."),
    ("We live in Ghent.", "We almost moved to Bruges."),
    ("We live in Ghent.", "We moved the meeting to Bruges."),
    ("We live in Ghent.", "We visited Bruges."),
    ("I live in Berlin.", "I used to live in Rome."),
    ("I live in Dublin.", "I lived in Galway."),
    ("I live in Dublin.", "I'm from Galway."),
    ("i live in graz", "i live in fear"),
    ("I live in Dublin.", "My parents live in Cork."),
    ("I live in Dublin.", "I'm staying in Cork."),
    ("I live in Dublin.", "Actually I love Cork."),
]


@pytest.mark.parametrize(("first", "then"), HOMES_OVER)
def test_what_is_over(first: str, then: str) -> None:
    assert_over(first, then)


@pytest.mark.parametrize(("first", "then"), HOMES_STANDS)
def test_what_stands(first: str, then: str) -> None:
    assert_stands(first, then)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I live in Kreuzberg.", "I live in Berlin."),
        ("I live in Munich.", "I live in München."),
        ("I live in Zurich.", "I live in Zürich."),
        ("I live in New York.", "I live in NYC."),
    ],
)
def test_a_place_said_in_other_words_is_no_change(first: str, then: str) -> None:
    memory = after(first, then)
    assert memory.over == []
    assert len(memory.listed) == 1  # the newest words for it
