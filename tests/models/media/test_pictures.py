"""The text in a picture."""

from __future__ import annotations

import io

import pytest
from papers import inline, picture, read

from everlore.models.media.formats import Refusal
from everlore.models.media.pictures import read_picture


def test_a_picture_without_words_is_kept_as_one() -> None:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGBA", (40, 40), (200, 30, 30, 0)).save(out, "PNG")
    assert read(inline("image", "png", out.getvalue(), name="dot.png")) == "[image: dot.png, no words in it]"


def test_words_in_a_picture_are_read() -> None:
    assert "Ticket 8812" in read_picture("png", picture("Ticket 8812 to Bergen"), 10**6)


def test_a_picture_with_too_many_pixels_is_refused() -> None:
    with pytest.raises(Refusal, match="900 x 120 pixels; 1000 are allowed"):
        read_picture("png", picture("x"), 1000)
