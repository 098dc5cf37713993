"""Orders that hold from now on, and how they are taken back.

The pairs are told a month apart: newer words end older ones that they contradict, and no others.
"""

from __future__ import annotations

import pytest
from telling import after, assert_over, assert_stands

Pairs = list[tuple[str, str]]


ORDERS_OVER: Pairs = [
    ("Never use emojis.", "You can use emojis again."),
    ("Please always answer in French.", "Please answer in English from now on."),
    ("Never use emojis.", "Emojis are fine again."),
    ("Don't use emojis with me.", "Feel free to use emojis again."),
    ("Keep your answers short.", "You don't have to keep answers short anymore."),
    ("Call me Lex.", "Call me Alex."),
    ("Stop using emojis.", "You may use emojis now."),
    ("From now on answer in German.", "You can answer in English again."),
    ("Can you keep your answers short?", "Please make your answers longer from now on."),
]


ORDERS_STANDS: Pairs = [
    ("Never use emojis.", "Use an emoji here."),
    ("Never use emojis.", "You used emojis again."),
    ("Never use emojis.", "Can you use the API again?"),
    ("Please always answer in French.", "Answer this in English."),
    ("Please always answer in French.", "My teacher always answers in English."),
    ("Keep your answers short.", "Keep it long this time."),
    ("Call me Lex.", "Call me tomorrow."),
    ("Please always answer in French.", "Can you answer in English?"),
    ("Never use emojis.", "I use emojis again."),
]


@pytest.mark.parametrize(("first", "then"), ORDERS_OVER)
def test_what_is_over(first: str, then: str) -> None:
    assert_over(first, then)


@pytest.mark.parametrize(("first", "then"), ORDERS_STANDS)
def test_what_stands(first: str, then: str) -> None:
    assert_stands(first, then)


def test_orders_in_one_sentence_can_be_taken_back_one_by_one() -> None:
    memory = after("Please always answer in Spanish and keep it short.", "You can answer in English again.")
    assert memory.over == ['Alice said: "Please always answer in Spanish."']
    assert 'Alice said: "Always keep it short."' in memory.listed


def test_what_is_forbidden_in_one_breath_stays_together() -> None:
    text = "Never use emojis and answer in French."
    assert after(text).standing == [f'Alice said: "{text}"']
