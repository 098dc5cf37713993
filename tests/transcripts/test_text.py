"""Cutting texts."""

from __future__ import annotations

from everlore.transcripts.text import pieces, trim


def test_texts_are_cut_without_losing_anything() -> None:
    text = "\n\n".join(f"Paragraph {number}. " + "word " * 60 for number in range(40))
    parts = pieces(text, 1000)
    assert all(len(part) <= 1000 for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert pieces("x" * 2500, 1000) == ["x" * 1000, "x" * 1000, "x" * 500]
    assert len(trim("y" * 9000, 8000)) == 8000
    assert trim("short", 8000) == "short"
