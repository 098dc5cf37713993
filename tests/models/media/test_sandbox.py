"""A parser in a process of its own: so much time, so much memory, and an answer whatever happens to it."""

from __future__ import annotations

import io
import sys

import pytest
from papers import inline, letter, pdf, refused

from everlore.config import MultimodalSection
from everlore.models.media.formats import FORMATS
from everlore.models.media.sandbox import allowed


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


def test_a_small_page_gets_little_and_never_more_than_the_settings_allow() -> None:
    html, audio = (next(form for form in FORMATS if form.name == name) for name in ("html", "mp3"))
    settings = MultimodalSection()
    seconds, memory_mb = allowed(html, 4096, settings)
    assert memory_mb < 1024
    assert seconds < 60
    assert allowed(html, 10 * 2**20, settings)[1] > memory_mb
    everything = (int(settings.parse_seconds) + 1, settings.parse_memory_mb)
    assert allowed(html, 10**9, settings) == allowed(audio, 4096, settings) == everything
