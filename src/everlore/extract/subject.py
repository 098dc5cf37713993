"""One line that says who talked and about what: one or two of the most telling statements, as they were made.

A statement is taken whole where it fits. A cut shows as an ellipsis, and none is made that would take away a "not".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, tzinfo

from everlore.extract.facts import FactDraft
from everlore.extract.sentences import clip, content_words, split
from everlore.extract.turns import Spoken
from everlore.extract.when import show

LONGEST = 100
NAMES = 40
FIRST = 5
"""Sentences among which the first telling one is looked for."""
SPOKEN = 2000
"""Characters of a turn that are looked at for its first sentence."""

_FRAME = re.compile(
    r'^(?:Asked ".*?", )?.+? (?:said(?: in a role-play)?|listed|asked|shared): "(?P<words>.*)"$', re.DOTALL
)
_DATE = re.compile(r"\s*\([^)]*\d{4}[^)]*\)")
_DENIAL = re.compile(
    r"\b(?:not|no|never|nor|neither|none|nothing|without|except|unless|any ?more|longer|stopped|quit|used to|until|but"
    r"|cannot)\b|n['’]t\b|不|没|沒",
    re.IGNORECASE,
)


def subject_line(turns: list[Spoken], drafts: list[FactDraft], timestamp: int, zone: tzinfo) -> str:
    by_users = any(turn.message.role == "user" for turn in turns)
    heard = [turn for turn in turns if turn.message.role == "user"] if by_users else turns
    names = list(dict.fromkeys(turn.name for turn in heard))
    date = f" ({show(datetime.fromtimestamp(timestamp / 1000, zone).date())})"
    who = clip(names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}", NAMES)
    room = LONGEST - len(date) - len(who) - 2
    told = _told([draft for draft in drafts if draft.weight and draft.by_user == by_users], names, room)
    return f"{who}: {told or _first_words(heard, room)}{date}"


def _told(drafts: list[FactDraft], names: list[str], room: int) -> str:
    """The most telling statement that fits, and a second one if there is room; in the order they were made.

    Quoted words are often only a remark, so they come second to nothing.
    """
    ranked = sorted(range(len(drafts)), key=lambda at: (not drafts[at].own_voice, -drafts[at].weight, at))
    texts = {at: _statement(drafts[at].text, names) for at in ranked}
    chosen: list[int] = []
    for at in ranked:
        used = sum(len(texts[other]) + 2 for other in chosen)
        good = content_words(texts[at]) and (not chosen or drafts[at].own_voice)
        if good and used + len(texts[at]) <= room:
            chosen.append(at)
        if len(chosen) == 2:
            break
    if chosen:
        return "; ".join(texts[at] for at in sorted(chosen))
    return _cut((texts[at] for at in ranked if content_words(texts[at])), room)


def _statement(text: str, names: list[str]) -> str:
    """Without the name that stands at the head of the line anyway, and without the date."""
    framed = _FRAME.match(text)
    plain = _DATE.sub("", framed["words"] if framed else text).strip()
    if len(names) == 1 and not plain.startswith(f"{names[0]} and "):
        plain = plain.removeprefix(f"{names[0]}'s ").removeprefix(f"{names[0]} ")
    return plain.rstrip(" .,;:")


def _cut(texts: Iterable[str], room: int) -> str:
    """The first text that can be cut without losing a denial, else the first."""
    found = [(text, clip(text, max(room, 20))) for text in texts]
    kept = (short for text, short in found if not _DENIAL.search(text[len(short) - 1 :]))
    return next(kept, found[0][1] if found else "")


def _first_words(turns: list[Spoken], room: int) -> str:
    sentences = [sentence for turn in turns for sentence in split(turn.message.text[:SPOKEN])]
    readable = [sentence for sentence in sentences if any(map(str.isalnum, sentence))]
    telling = max(readable[:FIRST], key=lambda sentence: min(len(content_words(sentence)), 3), default="")
    if not readable:
        return "tool work" if any(turn.message.tool_calls for turn in turns) else "no words"
    return clip(telling, max(room, 20))
