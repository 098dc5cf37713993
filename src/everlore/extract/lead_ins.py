"""What stands before a statement and leaves it true: "Well,", "Please remember that", "Right now".

What tells nothing goes before the statement is made a fact. A time or a regret stays in the fact and is only skipped
when the fact is read. Whatever makes a statement less than true ("if", "maybe", "she says") is in neither list.
"""

from __future__ import annotations

import re
from functools import lru_cache

from everlore.extract.sentences import words
from everlore.extract.vocabulary import Vocabulary

LEAD = 100
"""Characters in which lead-ins are looked for."""

_KNOWN = Vocabulary("lead_ins")
_JOINED = re.compile(r"(?:And|But)\s+")
BITTER = re.compile(r"^(?:oh,? )?yeah,? right\b(?=[,.!;…]| I\b)|^as if I\b|(?:^|\s)/s\W*$|🙄", re.IGNORECASE)
"""What is said so is not meant."""
LEAD_IN = _KNOWN["lead_in"]


@lru_cache(maxsize=4096)
def opened(sentence: str, people: frozenset[str]) -> str:
    """The sentence without "Well," or "Yeah, Mel!" in front and "btw" behind. Names go only when they are of people in
    the talk."""
    rest = sentence
    if BITTER.search(sentence):
        return sentence
    while len(sentence) - len(rest) < LEAD and (found := _KNOWN["empty"].match(rest) or _vocative(rest, people)):
        rest = rest[found.end() :]
    if joined := _JOINED.match(rest):
        rest = rest[joined.end() :]
    rest = _KNOWN["closing"].sub(r"\g<stop>", rest)
    return rest[0].upper() + rest[1:] if rest != sentence and len(words(rest)) > 1 else sentence


def _vocative(text: str, people: frozenset[str]) -> re.Match[str] | None:
    found = _KNOWN["to_somebody"].match(text)
    return found if found and found["name"].lower() in people else None
