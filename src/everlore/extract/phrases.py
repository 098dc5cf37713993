"""Sentences and single lines of what agents and their users say, without marks that mean something in our files."""

from __future__ import annotations

import re

HEARD = 2_000
"""Characters of what a user says that are looked at."""

_SENTENCE = re.compile(
    r"(?<=[.!?])(?<!\b[DMSJ]r\.)(?<!\bMrs\.)(?<!\bM[sr]\.)(?<!\bSt\.)(?<!\bProf\.)\s+(?=[\"'“(]?[A-Z0-9`])|(?<=\w\w\.)(?<!\bvs\.)(?<!\bno\.)(?<!\bapprox\.)\s+(?=[a-z])|(?<=[!?])\s+"
    r"|(?<=[。！？])|\n+"
)
"""People who type in haste begin sentences with small letters."""
_MARKUP = re.compile(r"^(?:[#>*•\s-]|\d+[.)]\s)+")


def one_line(text: str, limit: int) -> str:
    """Blanks made single, and cut with an ellipsis at a word where there is one near."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    blank = cut.rfind(" ")
    return (cut[:blank] if blank > limit * 0.7 else cut).rstrip() + "…"


def sentences(text: str) -> list[str]:
    """Never empty. Without list and heading marks."""
    parts = [_MARKUP.sub("", part).strip() for part in _SENTENCE.split(text)]
    return [part for part in parts if any(map(str.isalnum, part))] or [_MARKUP.sub("", text).strip() or "…"]


def heard(text: str) -> str:
    """The beginning and the end of a long text: what somebody asks stands before or after what they paste."""
    return text if len(text) <= HEARD else f"{text[: HEARD * 3 // 4]}\n{text[-HEARD // 4 :]}"


def shortly(text: str, limit: int) -> str:
    """The first sentences, as many as there is room for; a list as one sentence."""
    told = ""
    for sentence in sentences(text):
        longer = f"{told}{'' if told[-1:] in '.!?…:;,' else ';'} {sentence}" if told else sentence
        if told and len(longer) > limit:
            break
        told = longer
    return one_line(told, limit)
