"""Words in a message that are not the speaker's own: quotations, letters, and texts they want to have worked on.

Whoever says "I" in them is somebody else, so they are kept and found, but say nothing of the speaker. What announces
them ("Tom:", "my son asked:", "here's a tweet:") holds for more than its own sentence: the words of a speaker go on to
the end of the line, what is reported to the end of the paragraph, a text to the end of the message. A letter goes from
the greeting or the headers to the name below; one that its sender signed is theirs.

So it is with what is said in a part that somebody plays: role-play, practice, a made-up person, "let's say I'm a
pilot". A part in a story or an assumption lasts to the end of its message, a role-play that is agreed on lasts until
it is plainly over. A persona that only the assistant is given ("act as a chef") makes nobody else play.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from everlore.extract.sentences import split
from everlore.extract.vocabulary import Vocabulary


class Signature(NamedTuple):
    """`end` is the number of the line behind it, `line` its first one, `by` the first name of who signed."""

    end: int
    line: int
    by: str


HEADERS = 2
"""Lines of a mail's head that make it one."""

_KNOWN = Vocabulary("attribution")
_NOBODY = _KNOWN.words("nobody")
_NAME_BELOW = re.compile(
    r"^\s{0,99}[-–—]?\s{0,9}(?P<name>(?-i:[A-Z])[\w'’.-]{0,60}(?: (?-i:[A-Z])[\w'’.-]{0,60}){0,3})\s{0,99}$", re.I
)
_AFTERWORD = re.compile(r"^\s*p\.?s\b", re.IGNORECASE)


def letters(lines: Sequence[str], name: str) -> frozenset[int]:
    """The numbers of the lines that belong to letters which are not of somebody called `name`."""
    signatures = list(_signatures(lines))
    found: set[int] = set()
    number = 0
    while number < len(lines):
        end = _mail(lines, number, signatures) or _letter(lines, number, name, signatures)
        if not end:
            number += 1
            continue
        while end < len(lines) and not lines[end].strip():
            end += 1
        if end < len(lines) and _AFTERWORD.match(lines[end]):
            end = next((at for at in range(end, len(lines)) if not lines[at].strip()), len(lines))
        found |= set(range(number, end))
        number = end
    return frozenset(found)


def _mail(lines: Sequence[str], start: int, signatures: Sequence[Signature]) -> int:
    """Where a mail ends that begins with its headers; 0 where there is none."""
    body = start
    while body < len(lines) and _KNOWN["header"].match(lines[body]):
        body += 1
    return _signed(signatures, body).end or len(lines) if body - start >= HEADERS else 0


def _letter(lines: Sequence[str], start: int, name: str, signatures: Sequence[Signature]) -> int:
    """Where a letter ends that begins with its greeting; 0 where there is none, or where it may be the sender's."""
    found = _KNOWN["greeting"].match(lines[start])
    greeted = f"{found['title'] or ''} {found['name'] or ''}".lower().split() if found else []
    if not found or not greeted or _NOBODY & set(greeted):
        return 0
    end, _, by = _signed(signatures, start)
    own = set(name.lower().split())
    if own & set(greeted):  # nobody greets themselves
        return end or (len(lines) if not found["more"] else 0)
    return 0 if by in own or by in greeted else end


def _signatures(lines: Sequence[str]) -> Iterator[Signature]:
    for number, line in enumerate(lines):
        if found := _KNOWN["in_one_line"].search(line):
            yield Signature(number + 1, number, found["name"].lower())
        elif _KNOWN["closing_line"].match(line):
            below = next((at for at in range(number + 1, min(number + 4, len(lines))) if lines[at].strip()), 0)
            if below and (found := _NAME_BELOW.match(lines[below])):
                yield Signature(below + 1, number, found["name"].split()[0].lower())


def _signed(signatures: Sequence[Signature], start: int) -> Signature:
    """The first signature from a line on."""
    place = bisect_left(signatures, start, key=lambda one: one.line)
    return signatures[place] if place < len(signatures) else Signature(0, 0, "")


LEAD = 80
"""Characters in which the words before a colon are looked for."""


QUOTATION = 500
"""Characters in which a quotation behind a colon must end."""
GREETING = 3
"""Words after a name and a colon that may be somebody's first ones, without an "I" in them."""


class Reach(Enum):
    """How far the words of somebody else go on after the sentence that announces them."""

    LINE = 1
    PARAGRAPH = 2
    MESSAGE = 3


_BEFORE_COLON = re.compile(r"^(?P<lead>(?:\[[^\]]{1,30}\] ?)?(?:[^:(]|\([^)]{1,30}\)){2,80}):(?P<rest>\s|$)")
_CLOCK = re.compile(r"\[[^\]]{0,200}\]|\([^)]{0,200}\)")
"""When it was said, as logs of a chat have it."""
_ADDRESS = re.compile(r"\s{0,99}\S{1,256}@\S|\s{0,99}[+\d(][\d /()-]{5}")
_CLOSED = re.compile(r":\s{0,9}(?:\"[^\"]{1,2000}\"|“[^”]{1,2000}”|«[^»]{1,2000}»|'[^\n]{1,2000}'(?!\w))")
"""A quotation that ends where its marks do."""
_NAME = re.compile(r"^[A-Z][\w'-]*(?: [A-Z][\w'-]*)?$")
_HINTS = _KNOWN.in_order("hints")
_LABEL = re.compile(r":(?![^\[\]]{0,200}\])")
_SIGNED = re.compile(r", [A-Z][\w'’-]+[.!]?\s*$")


def apart(text: str, name: str) -> tuple[str, str]:
    """What was said by somebody who is called so, and what was only passed on."""
    if not _may_announce(text):
        return text, ""
    own, passed_on = text, ""
    if handed := _KNOWN["handed_over"].search(text):
        own, passed_on = text[: handed.start()], text[handed.end() :]
    kept: list[str] = []
    borrowed: list[str] = []
    for line, theirs in _voices(own, name):
        (borrowed if theirs else kept).append(line)
    return "\n".join(kept), "\n".join(filter(None, (*borrowed, passed_on)))


def in_other_voice(sentence: str, name: str) -> bool:
    """ "Mia says: I am allergic to nuts", "Mom: I hate broccoli": the "I" is not who wrote this."""
    return _announced(sentence, name) is not None


def _voices(text: str, name: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text, or pieces of one, each with whether somebody else says it."""
    lines = text.split("\n")
    told = [number for number, line in enumerate(lines) if line.strip()]
    if len(told) > 1 and _KNOWN["above"].match(lines[told[-1]]):
        yield from ((line, number < told[-1]) for number, line in enumerate(lines))
        return
    in_letters = letters(lines, name)
    reach: Reach | None = None
    begun = False
    for number, line in enumerate(lines):
        if number in in_letters or line.lstrip().startswith(">"):
            if number in in_letters:
                reach = None  # it was announced, and ends by itself
            yield line.lstrip().removeprefix(">"), True
            continue
        if reach is Reach.PARAGRAPH and begun and not line.strip():
            reach = None
        if reach and (line.lstrip().startswith("^") or _own_label(line, name)):
            reach = None
        if reach:
            begun = begun or bool(line.strip())
            yield line, True
            continue
        own, theirs, reach = _cut(line, name)
        begun = not line.rstrip().endswith(":")
        if reach is None and number + 1 < len(lines) and _KNOWN["shown"].match(line.strip()):
            reach = Reach.MESSAGE
        yield own, False
        if theirs:
            yield theirs, True


def _cut(line: str, name: str) -> tuple[str, str, Reach | None]:
    """A line up to the sentence that announces other words, what comes behind it, and how far those go on."""
    sentences = split(line) if _may_announce(line) else []
    for place, sentence in enumerate(sentences):
        if (reach := _announced(sentence, name)) and not _CLOSED.search(sentence, 0, QUOTATION):
            behind = " ".join(sentences[place + 1 :])
            below = reach is Reach.LINE and not behind and sentence.endswith(":")
            goes_on = Reach.PARAGRAPH if below else None if reach is Reach.LINE else reach
            return (" ".join(sentences[: place + 1]) if behind else line), behind, goes_on
    return line, "", None


@lru_cache(maxsize=1024)
def _announced(sentence: str, name: str) -> Reach | None:
    """How far words of somebody else go that this sentence begins or announces; None where it does not."""
    if not _may_announce(sentence):
        return None
    if _KNOWN["by_comma"].match(sentence, 0, LEAD) and not _KNOWN["of_self"].search(sentence.partition(",")[0]):
        return Reach.LINE
    if _KNOWN["checked"].match(sentence):
        return Reach.MESSAGE
    found = _BEFORE_COLON.match(sentence)
    if not found or _ADDRESS.match(sentence[found.end() :]):
        return None
    lead = _CLOCK.sub("", found["lead"]).strip()
    if _KNOWN["speech"].search(lead):
        return None if _KNOWN["own_speech"].search(lead) else Reach.PARAGRAPH
    if _KNOWN["piece"].search(lead) or (_KNOWN["to_write"].match(lead) and not _KNOWN["of_self"].search(lead)):
        return Reach.MESSAGE
    if _KNOWN["of_self"].search(lead):
        return None
    if _KNOWN["somebody"].match(lead):
        return Reach.LINE
    named = _NAME.match(lead) and lead.casefold() not in (name.casefold(), "me") and not _KNOWN["labels"].search(lead)
    said = sentence[found.end() :]
    return Reach.LINE if named and (len(said.split()) <= GREETING or _KNOWN["first"].search(said)) else None


def _own_label(line: str, name: str) -> bool:
    """ "Me: I live in Rome" in the log of a chat."""
    found = _BEFORE_COLON.match(line.strip())
    lead = _CLOCK.sub("", found["lead"]).strip().casefold() if found else ""
    return bool(lead) and lead in (name.casefold(), "me", "i")


def _may_announce(text: str) -> bool:
    plain = text.lower()
    return (
        (":" in text and bool(_LABEL.search(text)))
        or any(hint in plain for hint in ("\n", *_HINTS))
        or bool(_SIGNED.search(text))
    )


class Parts(NamedTuple):
    """A message: what its writer says of their own, what in a part, and whether the play goes on after it."""

    own: str
    played: str
    playing: bool


_I = re.compile(r"\bI\b", re.IGNORECASE)
_PLAY_HINTS = _KNOWN.in_order("play_hints")
_YOU_ARE = re.compile(r"\byou(?:['’]re| are| were|['’]ll| will| be)\b", re.IGNORECASE)


def acted(text: str, playing: bool, alone: bool) -> Parts:
    """A message of somebody who is playing or not. `alone`: no other people take part, so that "you are" is said to an
    assistant, who is what it is told to be."""
    plain = text.lower()
    hinted = (
        any(hint in plain for hint in _PLAY_HINTS)
        or _KNOWN["in_story"].search(text)
        or (alone and _YOU_ARE.search(text))
    )
    if not playing and not hinted:
        return Parts(text, "", False)
    own: list[str] = []
    played: list[str] = []
    in_message = False
    for line in text.split("\n"):
        mine: list[str] = []
        theirs: list[str] = []
        for sentence in split(line):
            before = playing or in_message
            if playing and _KNOWN["over"].search(sentence):
                before = playing = in_message = False
            elif _agreed(sentence, alone):
                playing = True
            in_message = in_message or bool(_KNOWN["made_up"].search(sentence))
            in_part = before or ((playing or in_message) and _I.search(sentence))  # "My character is an elf" is true
            (theirs if in_part else mine).append(sentence)
        own.append(" ".join(mine) if theirs else line)
        played.append(" ".join(theirs))
    return Parts("\n".join(own), "\n".join(filter(None, played)), playing)


def _agreed(sentence: str, alone: bool) -> bool:
    return bool(_KNOWN["agreed"].search(sentence)) or (
        alone and "?" not in sentence and bool(_KNOWN["both"].search(sentence))
    )
