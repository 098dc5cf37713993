"""Where a sentence can be cut into statements. Only what it looks like is judged here; `parts` reads what it means.

Words are never changed: a cut half gets its full stop, and the subject that it shares with the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from everlore.extract.lexicon import ORDERS
from everlore.extract.third_person import has_verb

_SELF = r"(?:I|I['’](?:m|ve|d|ll)|im|ive|my|our|we|we['’](?:re|ve|ll|d))"
_OTHER = r"(?:you|you['’]\w+|it|it['’]\w+|he|he['’]\w+|she|she['’]\w+|they|they['’]\w+|this|that|that['’]s|there)"
_ASKS = (
    r"(?:what(?:['’]s)?|how|where|when|which|who|why|can|could|would|should|shall|will|may|do|does|did|is|are|any"
    r"|have you|has anyone)"
)
_ORDERS = (
    r"(?:please|pls|keep|don['’]?t|do not|let|make sure|remember|give|suggest|recommend|help|tell|show|find|avoid)"
)
_FACTIVE = (
    r"(?<!not )(?:because|cause)|since|although|(?<!as )though|even though"
    r"|(?:as|while)(?=\s+(?:(?:I['’]m|I am)(?! \w+ing\b)|I have|I live|I work|I own|I can['’]t|I don['’]t|my)\b)"
    r"|now that|given that|given|considering that|considering|seeing that|seeing as"
    r"|(?:found out|reali[sz]ed|discovered|learned)(?: that)?"
)
"""What follows them is so, whatever the rest of the sentence asks or wants."""
_COORDINATING = r"and|but|so|plus|then|also|btw"
_COORDINATES = re.compile(rf"\b(?:{_COORDINATING})\s+$", re.IGNORECASE)
_LINK = rf"(?:{_COORDINATING}|{_FACTIVE})"
_STOP = r"(?:[,;:]|\s[–—-]|\.{2,}|…)"
_BREAK = re.compile(
    rf"(?P<stop>{_STOP})?\s+(?P<link>(?:{_LINK}\s+)+)(?=(?:{_SELF}|{_OTHER}|{_ASKS}|{_ORDERS}|if|when|(?<=so )no)\b)"
    rf"|(?P<comma>{_STOP})\s+(?=(?:{_SELF}|{_OTHER}|{_ASKS}|{_ORDERS}|which|who|if|unless|when|as)\b)"
    r"|(?P<bare>\s)(?=(?:what|how|why)\s(?:(?!(?:you|I|he|she|they|it|we|this|that|to)\b)\w+\s){0,2}"
    r"(?:is|are|do|does|can|could|should|would|will)\s"
    r"|(?:can|could|would|should|do|will)\s(?:you|u|i|we)\b)",
    re.IGNORECASE,
)
_BEGINS = re.compile(rf"(?:(?P<link>{_FACTIVE})\s+)?(?={_SELF}\b)", re.IGNORECASE)
_CLAUSE = re.compile(
    rf"(?:(?:{_FACTIVE})\s+)?(?:{_SELF}|{_OTHER}|{_ASKS}|{_ORDERS}|{'|'.join(sorted(ORDERS))})\b", re.IGNORECASE
)
"""How a clause begins; "Ideally, I live in Rome" is one clause and not two."""
_QUESTION = re.compile(rf"(?:{_ASKS})\b", re.IGNORECASE)
_TAG = re.compile(
    r"^(?:is|are|am|was|were|do|does|did|has|have|can|will|would|should|could)(?:n['’]?t)? (?:I|you|it|he|she|we|they)"
    r"\W*$",
    re.IGNORECASE,
)
_REQUEST = re.compile(r"^(?:(?:please|hi|hey|so|ok),? )*(?:can|could|would|will) you\b", re.IGNORECASE)
_LIMITS = re.compile(r"^(?:if|unless|when)\b", re.IGNORECASE)
GOVERNS = re.compile(
    r"\b(?:if|unless|whether|in case|wish(?:es|ed)?|hop(?:e|es|ed|ing)|would|suppos\w+|imagin\w+|pretend\w*|assum\w+"
    r"|hypothetical\w*|maybe|perhaps|thinks?|thought|says?|said|saying|tell|tells|told|ask(?:s|ed)|claim(?:s|ed)"
    r"|believ\w+|wonder\w*|doubts?|wrote|writes?|draft|compose|stor(?:y|ies)|novel|poem|scene|script|role-?play"
    r"|character|song|lyrics|dreams?|dreamt|let['’]s say)\b|[\"“”]",
    re.IGNORECASE,
)
"""Words that make what follows them somebody's word, a wish or an invention."""

_JOINT = re.compile(
    rf"(?:{_STOP}?\s+(?:(?:and|but|plus|also|then|btw)\s+)+|{_STOP}\s+)"
    rf"(?=(?:(?:now|currently|nowadays|these days)\s+)?{_SELF}\b)",
    re.IGNORECASE,
)
_SHARED = re.compile(r"(?:,|,?\s+and|,?\s+but)\s+(?:(?:also|now|currently)\s+)?(?=(?-i:[a-z]))")
_RUN_ON = re.compile(
    r"\s+(?=(?:i (?:live in|work (?:at|as|for)|am|have (?:an?|two|three|\d))|i['’]?m|my \w+(?: name)? (?:is|are)) \w"
    r"|i (?:love|hate|like) \w+[.!]*$)"
)
"""What nobody says of the noun before it: "the place i live in"."""
_GOES_ON = re.compile(
    r"\b(?:and|but|so|or|because|since|that|if|when|while|as|than|sure|then|where|what|how|like"
    r"|think|know|guess|feel|wish|hope|until|before|after|whenever)$"
)
_LARGE_I = re.compile(r"\bI\b")
_BE = re.compile(r"^I(?:['’]m| am)\b", re.IGNORECASE)


class Aside(NamedTuple):
    """A clause in which somebody speaks of themselves, with what stands before it in the sentence.

    `factive` after "because" and its like.
    """

    text: str
    before: str
    factive: bool


def joints(sentence: str) -> Iterator[tuple[str, str]]:
    """The sentence in two, where a second clause has a subject of its own: "I" or "my"."""
    for found in _JOINT.finditer(sentence):
        yield _halves(sentence, found)


def run_ons(sentence: str) -> Iterator[tuple[str, str]]:
    """The same without anything between the two, by people who write "i": "i live in leeds i work as a nurse"."""
    if not _LARGE_I.search(sentence):
        for found in _RUN_ON.finditer(sentence):
            if not _GOES_ON.search(sentence, 0, found.start()):
                yield _halves(sentence, found)


def shared(sentence: str) -> Iterator[tuple[str, str]]:
    """The sentence in two, where the second half may leave out "I" or "I'm"."""
    be = bool(_BE.match(sentence))
    if be or sentence[:2] in ("I ", "i "):
        for found in _SHARED.finditer(sentence):
            left, right = _halves(sentence, found)
            yield left, f"I {right}"
            if be:
                yield left, f"I'm {right}"


def asides(sentence: str) -> Iterator[Aside]:
    """The clauses in which the speaker states something of themselves, in whatever else the sentence is."""
    breaks = [found for found in _BREAK.finditer(sentence) if not _joins_subject(sentence, found)]
    first = sentence[: breaks[0].start()] if breaks else sentence
    several = bool(_CLAUSE.match(sentence)) or has_verb(first)
    asked = _asked_from(sentence, breaks)
    ends = [*(found.start() for found in breaks), len(sentence)]
    starts = [(0, "", _BEGINS.match(sentence))] + [
        (found.end(), found["link"] or "", _BEGINS.match(sentence, found.end())) for found in breaks
    ]
    for (start, link, begins), end in zip(starts, ends, strict=True):
        if begins is None or GOVERNS.search(sentence, 0, start) or _LIMITS.match(_after(sentence, end)):
            continue
        factive = bool(begins["link"]) or (link != "" and not _COORDINATES.search(link))
        if begins["link"] and end == len(sentence):
            continue  # the reason goes on without a comma
        if start and not factive and not several:
            continue
        if start >= asked and not factive and not (_REQUEST.match(sentence) and asked == 0):
            continue
        yield Aside(_sentence(sentence[begins.end() : end]), sentence[:start], factive)


def _joins_subject(sentence: str, found: re.Match[str]) -> bool:
    """ "My girlfriend and I live in Leeds": what stands before "and I" is no clause."""
    return (found["link"] or "").strip().lower() == "and" and not has_verb(sentence[: found.start()])


def _asked_from(sentence: str, breaks: list[re.Match[str]]) -> int:
    """Where the question begins, past the end where there is none. One that only asks "don't I?" asks for all."""
    places = [0, *(found.end() for found in breaks)]
    if not sentence.rstrip().endswith("?"):
        return len(sentence)
    asked = next((place for place in places if _QUESTION.match(sentence, place)), 0)
    return 0 if _TAG.match(sentence[asked:]) else asked


def _after(sentence: str, end: int) -> str:
    """What follows a break, without the stop before it."""
    return sentence[end:].lstrip(" ,;:–—-.…")


def _halves(sentence: str, found: re.Match[str]) -> tuple[str, str]:
    return _sentence(sentence[: found.start()]), sentence[found.end() :]


def _sentence(text: str) -> str:
    plain = text.strip(" ,;:–—-?")
    return plain if plain.endswith((".", "!")) else f"{plain}."
