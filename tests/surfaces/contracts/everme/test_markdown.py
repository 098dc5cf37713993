"""Recalled memories as markdown: data, never instructions, within a budget."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.surfaces.contracts.everme import markdown
from everlore.surfaces.contracts.quoting import NOTICE

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


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80), bundles, st.integers(120, 2000))
def test_stored_text_never_makes_a_line_of_its_own_and_the_whole_fits(query: str, found: Any, budget: int) -> None:
    text = markdown.search_results(query, found, budget)
    for line in text.split("\n"):
        assert line == "" or line.startswith(("- [", "## EverMe", "### ", "_(", "_The lines")), line
    assert text.count("“") == text.count("”")
    if NOTICE in text:
        assert markdown.tokens(text) <= budget


def test_nothing_gives_nothing() -> None:
    assert markdown.search_results("x", {}).endswith(markdown.NOTHING_FOUND)
    assert markdown.context(None, {}) == ""


def test_a_gateway_of_another_make_is_rendered_too() -> None:
    profile = {
        "explicit_info": [{"category": "food", "description": "Likes quince", "evidence": "2026-01-02: said so"}],
        "implicit_traits": [{"trait": "curious", "description": "asks a lot", "basis": "3 talks", "evidence": "e"}],
    }
    text = markdown.context(profile, {})
    assert "- said 2026-01-02: “Likes quince”" in text
    assert "- 3 talks: “curious: asks a lot”" in text
    assert markdown.line_count(text) == 2
