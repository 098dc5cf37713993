"""Sentences and single lines of what agents and their users say."""

from __future__ import annotations

import pytest

from everlore.extract.phrases import HEARD, heard, one_line, sentences, shortly


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Dr. Smith called. He waits.", ["Dr. Smith called.", "He waits."]),
        ("fix it. then run it", ["fix it.", "then run it"]),
        ("# Plan\n- first\n2. second", ["Plan", "first", "second"]),
        ("!!!", ["!!!"]),
        ("", ["…"]),
    ],
)
def test_sentences_are_never_empty_and_have_no_marks(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


def test_a_line_is_cut_at_a_word_where_one_is_near() -> None:
    assert one_line("a  b\n c", 10) == "a b c"
    assert one_line("several words stand here", 16) == "several words…"
    assert one_line("x" * 20, 10) == "x" * 9 + "…"


def test_of_a_long_text_its_beginning_and_its_end_are_heard() -> None:
    text = "start " + "x" * 3 * HEARD + " end"
    assert heard("short") == "short"
    assert len(heard(text)) == HEARD + 1
    assert heard(text).startswith("start")
    assert heard(text).endswith("end")


def test_as_many_sentences_as_there_is_room_for() -> None:
    assert shortly("It runs. It is fast. It is small.", 21) == "It runs. It is fast."
    assert shortly("- one\n- two", 20) == "one; two"
