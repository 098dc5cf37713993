"""Long text is cut into pieces that hold all of it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.kinds.pieces import LONGEST, split_text


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=6000))
def test_pieces_hold_every_word_and_are_bounded(text: str) -> None:
    pieces = split_text(text)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(0 < len(piece) <= LONGEST for piece in pieces)
