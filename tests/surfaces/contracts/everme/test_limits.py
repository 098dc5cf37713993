"""How texts and numbers are made to fit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.surfaces.contracts.everme.limits import TOP_K, TOP_K_MOST, one_line, trim, wanted


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400), st.integers(60, 200))
def test_trimmed_text_fits_and_keeps_both_ends(text: str, most: int) -> None:
    short = trim(text, most)
    assert len(short) <= most
    if len(text) <= most:
        assert short == text
    else:
        assert "characters left out" in short
        head, _, tail = short.partition("\n[... ")
        assert text.startswith(head)
        assert text.endswith(tail.partition(" ...]\n")[2])
        assert 0.6 < len(head) / (len(head) + len(tail.partition(" ...]\n")[2])) < 0.8


@pytest.mark.parametrize(
    ("given_", "found"),
    [(3, 3), (51, 50), (10**9, 50), ("7", 7), (4.0, 4), (0, 5), (-1, 5), (None, 5), ("x", 5), (1.5, 5), (True, 5)],
)
def test_how_many_results(given_: Any, found: int) -> None:
    assert wanted(given_, TOP_K) == found
    assert TOP_K <= TOP_K_MOST


def test_nothing_begins_a_line_of_its_own() -> None:
    assert one_line(" a\n\n# b\t c ") == "a # b c"
