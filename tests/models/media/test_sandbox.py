"""A parser in a process of its own: so much time, so much memory, and an answer whatever happens to it."""

from __future__ import annotations

import io
import sys

import pytest
from papers import inline, letter, pdf, refused


def test_a_parser_has_so_much_time_and_no_more() -> None:
    assert "longer than 0.02 seconds" in refused(inline("pdf", "pdf", pdf("x")), parse_seconds=0.02)


def test_a_parser_has_so_much_memory_and_no_more() -> None:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGBA", (7000, 7000)).save(out, "PNG")  # 196 MB when it is unpacked, and again when it is laid on white
    assert "more memory than is allowed" in refused(inline("image", "png", out.getvalue()), parse_memory_mb=512)


def test_a_parser_that_ends_without_an_answer_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/true")
    assert "ended without an answer" in refused(inline("email", "eml", letter("x", "y").as_bytes()))
