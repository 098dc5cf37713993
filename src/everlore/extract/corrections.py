"""What somebody meant: "Actually I meant Augsburg" after "I live in Munich" says where they live, and where not."""

from __future__ import annotations

import re

from everlore.extract.readings import DENIED, read, says_more

_VAGUE = ("it", "that", "this", "them", "well", "everything", "nothing", "something", "no", "yes", "you", "him", "her")
WORDS = 4
"""A longer correction is a statement of its own."""

_LEAD = r"(?:(?:oh|oops|sorry|wait|no|actually|my bad|scratch that|hm+|argh|correction)[,.!:…]*\s+)"
_MEANT = re.compile(
    rf"^(?:{_LEAD}*I meant(?: to say)?|{_LEAD}+(?:I mean|make that|it['’]s|it is))\s+(?:in |at |an? |the )?"
    r"(?P<v>[^,;!?]{1,40}?)(?:,? not [^,.;!?]+)?(?:[,.]? (?:sorry|oops|my bad))?[.!]*$",
    re.IGNORECASE,
)


def corrected(sentence: str, before: str, speaker: str) -> str:
    """The statement `before` with the value that was meant instead; empty where the sentence corrects no value."""
    found = _MEANT.match(sentence)
    reading = read(before, speaker) if found and before else None
    if not found or reading is None or not reading.value or reading.value.startswith(DENIED) or says_more(before):
        return ""
    places = list(re.finditer(rf"(?<!\w){re.escape(reading.value)}(?!\w)", before, re.IGNORECASE))
    meant = found["v"].strip()
    if len(places) != 1 or not _alike(meant, places[0][0]):
        return ""
    start, end = places[0].span()
    return f"{before[:start]}{meant}{before[end:].rstrip('.! ')}, not {places[0][0]}."


def _alike(one: str, other: str) -> bool:
    """Whether both can be values of one thing: two names, two figures, two words; not "the other one"."""
    if any(map(str.isdigit, one)) != any(map(str.isdigit, other)) or one[0].isupper() != other[0].isupper():
        return False
    plain = one[0].islower()
    return len(one.split()) <= (1 if plain else WORDS) and one.lower() not in (*_VAGUE, other.lower())
