"""Limits and markdown of the EverMe surfaces, apart from any process."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.surfaces.contracts.everme import markdown
from everlore.surfaces.contracts.everme.limits import TOP_K, TOP_K_MOST, one_line, trim, wanted

words = st.text(max_size=300)
rows = st.fixed_dictionaries({"id": words, "timestamp": words, "sessionId": words, "episode": words, "userId": words})
bundles = st.fixed_dictionaries(
    {
        "items": st.lists(rows, max_size=6),
        "profiles": st.lists(st.fixed_dictionaries({"profileData": st.fixed_dictionaries({"embed_text": words})})),
        "rawMessages": st.lists(
            st.fixed_dictionaries({"contentItems": st.lists(st.fixed_dictionaries({"text": words}), max_size=2)}),
            max_size=3,
        ),
        "agentMemory": st.fixed_dictionaries(
            {"cases": st.lists(st.fixed_dictionaries({"taskIntent": words, "approach": words}), max_size=3)}
        ),
    }
)


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


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), bundles, st.integers(120, 2000))
def test_stored_text_never_makes_a_line_of_its_own_and_the_whole_fits(query: str, found: Any, budget: int) -> None:
    text = markdown.search_results(query, found, budget)
    for line in text.split("\n"):
        assert line == "" or line.startswith(("- [", "## EverMe", "### ", "_(", "_The lines")), line
    assert text.count("“") == text.count("”")
    if markdown.NOTICE in text:
        assert markdown.tokens(text) <= budget


def test_nothing_gives_nothing() -> None:
    assert markdown.search_results("x", {}).endswith(markdown.NOTHING_FOUND)
    assert markdown.context(None, {}) == ""
    assert one_line(" a\n\n# b\t c ") == "a # b c"


def test_a_gateway_of_another_make_is_rendered_too() -> None:
    profile = {
        "explicit_info": [{"category": "food", "description": "Likes quince", "evidence": "2026-01-02: said so"}],
        "implicit_traits": [{"trait": "curious", "description": "asks a lot", "basis": "3 talks", "evidence": "e"}],
    }
    text = markdown.context(profile, {})
    assert "- [profile] said 2026-01-02, “food”: “Likes quince”" in text
    assert "- [profile] trait (“3 talks”): “curious” “asks a lot”" in text
    assert markdown.line_count(text) == 2
