"""Cutting long text into pieces that an embedder reads well."""

from __future__ import annotations

import re
from collections.abc import Iterable

from everlore.types import Unit

TARGET = 1000
"""Characters. About 220 English tokens: small enough to be about one thing, large enough to be understood."""
LONGEST = 1300
"""A single sentence beyond this is cut at a blank."""

_PARAGRAPH = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*•]|\d+[.)])\s)")
_SENTENCE = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")


def split_text(text: str, target: int = TARGET) -> list[str]:
    """Pieces of about `target` characters, cut at paragraphs, else sentences, else blanks. Never empty text."""
    text = text.strip()
    if len(text) <= target * 1.3:
        return [text] if text else []
    pieces: list[str] = []
    current = ""
    for part in _parts(text, target):
        if current and len(current) + len(part) + 1 > target:
            pieces.append(current)
            current = part
        else:
            current = f"{current}\n{part}" if current else part
    if current:
        pieces.append(current)
    return pieces


def units_of(texts: Iterable[str]) -> tuple[Unit, ...]:
    """A unit for each text that says something."""
    return tuple(Unit(turn=number, dense=text, words=text) for number, text in enumerate(texts) if text)


def _parts(text: str, target: int) -> list[str]:
    parts: list[str] = []
    for paragraph in _PARAGRAPH.split(text):
        if len(paragraph) <= target:
            parts.append(paragraph.strip())
            continue
        for sentence in _SENTENCE.split(paragraph):
            parts.extend(_hard_cut(sentence.strip()))
    return [part for part in parts if part]


def _hard_cut(sentence: str) -> list[str]:
    cuts = []
    while len(sentence) > LONGEST:
        at = sentence.rfind(" ", LONGEST // 2, LONGEST)
        at = at if at > 0 else LONGEST
        cuts.append(sentence[:at].strip())
        sentence = sentence[at:].strip()
    return [*cuts, sentence]
