"""Lines and items come and go."""

from __future__ import annotations

import pytest

from everlore.surfaces.cli.evercli.edit_text import add_below, cut_item, cut_out, shorten


@pytest.mark.parametrize("text", ["", "a\n", "a", "a\r\nb\r\n", "\n"])
def test_what_was_added_below_can_be_cut_out(text: str) -> None:
    new = add_below(text, "ours")
    start = new.index("ours")
    end = start + len("ours")
    end += len(new[end:]) - len(new[end:].lstrip("\r\n"))
    assert cut_out(new, start, end) == text


def test_an_item_goes_with_its_comma() -> None:
    assert cut_item("{a, b}", 1, 2, 2) == "{b}"
    assert cut_item("{a, b}", 4, 5, 2) == "{a}"
    assert shorten("abcdefgh", 5) == "ab..."
