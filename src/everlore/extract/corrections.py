"""What a sentence means after the ones before: "Actually I meant Augsburg" after "I live in Munich" says where they
live, and where not; "I'm at BMW now" after "I left Siemens" says where they work. What the assistant said of them can
be corrected in the same way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from everlore.extract.reading import DENIED
from everlore.extract.readings import read, says_more
from everlore.extract.slots import of_change
from everlore.extract.vocabulary import Vocabulary

_VAGUE = ("it", "that", "this", "them", "well", "everything", "nothing", "something", "no", "yes", "you", "him", "her")
WORDS = 4
"""A longer correction is a statement of its own."""

_KNOWN = Vocabulary("corrections")
_NOT_THE_OLD = re.compile(r",? not [^,;]+$", re.IGNORECASE)


class Restated(NamedTuple):
    """`surely`: it says in so many words that something was wrong; else only what was said before can show it."""

    clause: str
    surely: bool


def restated(sentence: str) -> Restated | None:
    """The statement behind "No wait, I mean …", where one begins so."""
    found = _KNOWN["so_it_is"].match(sentence)
    return Restated(f"{found['clause'][0].upper()}{found['clause'][1:]}", bool(found["surely"])) if found else None


def instead(text: str, before: Sequence[str], speaker: str) -> str:
    """A statement with the value of an earlier one that it takes the place of; empty where there is none."""
    fresh = read(text, speaker) if text else None
    for old in before if fresh and fresh.value and not fresh.value.startswith(DENIED) else ():
        stale = read(_NOT_THE_OLD.sub("", old), speaker)
        place = _place(stale.value, old) if fresh and stale and stale.slot == fresh.slot else None
        if fresh and place and not says_more(old, speaker) and place[0].lower() not in fresh.value.lower():
            return text if of_change(text) else f"{text.rstrip('.! ')}, not {place[0]}."
    return ""


def of_listener(sentence: str) -> str:
    """ "As far as I know you live in Oslo." as the listener would say it; empty where it says nothing of them."""
    found = _KNOWN["of_you"].search(sentence)
    if not found or sentence.rstrip().endswith("?"):
        return ""
    start = "I'm" if found["are"] else "I've" if found["have"] else "I" if found["you"] else "My"
    return f"{start} {found['rest']}"


def corrected(sentence: str, before: Sequence[str], speaker: str) -> str:
    """An earlier statement with the value that was meant instead; empty where the sentence corrects no value."""
    found = _KNOWN["meant"].match(sentence)
    for old in before if found else ():
        standing = _NOT_THE_OLD.sub("", old.rstrip(".! "))
        reading = read(standing, speaker) if not old.endswith('"') else None
        if not found or reading is None or reading.value.startswith(DENIED) or says_more(old, speaker):
            continue
        place = _place(reading.value, standing)
        meant = found["v"].strip()
        if place and _alike(meant, place[0]):
            return f"{standing[: place.start()]}{meant}{standing[place.end() :].rstrip('.! ')}, not {place[0]}."
    return ""


def _place(value: str, text: str) -> re.Match[str] | None:
    """Where a value stands in a text, if in one place only."""
    places = list(re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)) if value else []
    return places[0] if len(places) == 1 else None


def _alike(one: str, other: str) -> bool:
    """Whether both can be values of one thing: two names, two figures, two words; not "the other one"."""
    if any(map(str.isdigit, one)) != any(map(str.isdigit, other)) or one[0].isupper() != other[0].isupper():
        return False
    plain = one[0].islower()
    return len(one.split()) <= (1 if plain else WORDS) and one.lower() not in (*_VAGUE, other.lower())


def moved_on(sentence: str, before: str, speaker: str) -> str:
    """Where somebody works who said just before that they left their work; empty for any other sentence.

    Alone, "I'm at IKEA now" may be a visit.
    """
    found = _KNOWN["at_now"].match(sentence)
    if not found or not (found["now"] or found["then"]):
        return ""
    reading = read(before, speaker) if before else None
    left = bool(reading and reading.slot.endswith(": works at") and _KNOWN["employer_left"].match(reading.value))
    if _KNOWN["no_employer"].match(found["v"]) or not (left or _KNOWN["new_job"].search(before)):
        return ""
    return f"{speaker} works at {found['v'].rstrip('.')} now."
