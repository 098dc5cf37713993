"""What views are made of."""

from __future__ import annotations

import pytest

from everlore.surfaces.page.views.parts import clipped, prose, size

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "![x](javascript:alert(1))",
    '<a href="javascript:alert(1)">x</a>',
    "<svg/onload=alert(1)>",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_of_memories_holds_no_markup_of_theirs(text: str) -> None:
    made = prose(f"**bold** {text}").lower()
    assert "<strong>bold</strong>" in made
    assert "<script" not in made
    assert "<img src=x" not in made
    assert "<svg" not in made
    assert '<a href="javascript' not in made
    assert "<img" not in made


def test_sizes_have_units_and_long_texts_an_end() -> None:
    assert [size(one) for one in (0, 999, 1500, 25_000_000, 3_200_000_000)] == [
        "0 B",
        "999 B",
        "1.5 kB",
        "25 MB",
        "3.2 GB",
    ]
    assert clipped("a" * 300, 10) == "aaaaaaaaa…"
    assert clipped("short") == "short"
