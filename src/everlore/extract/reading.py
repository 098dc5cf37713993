"""How the reading of a statement looks, and the pieces of grammar that readings share.

Statements are read in the third person, as facts have them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from everlore.extract.lexicon import EMPLOYERS, STOPWORDS
from everlore.extract.verb_tables import lemminflect


@dataclass(frozen=True, slots=True)
class Reading:
    """`sign` is "+" or "-" for things one is, does or likes, empty for values. `limit` is what narrows the statement.

    A value that begins with "not " ends that value and no other; "not " alone ends any. `closes` are other slots in
    which something is over: of `whom`, where one is named. `at` is the employer of who works or has a trade, again
    with "not " where that is over.
    """

    slot: str
    value: str
    sign: str = ""
    limit: str = ""
    closes: tuple[str, ...] = ()
    whom: str = ""
    at: str = ""


DENIED = "not "
ADVERB = r"(?:(?:now|currently|actually|really|also|just|still|recently|finally|already|mostly|usually|always)\s+)*"
HAS = rf"{ADVERB}(?:has )?{ADVERB}"
PROPER = r"(?P<v>(?-i:[A-Z])[\w'&.-]*(?: (?:(?:of|de|la|the|del) )*(?-i:[A-Z])[\w'&.-]*)*)"
SMALL = r"(?P<small>(?-i:[a-z])[\w&-]+)(?=[.,!;]|$| (?:and|but|now|as|because|so|since|last|this|these|any ?more)\b)"
"""A single word that may be a name as people write it who use no capitals."""
CLAUSE_END = r"(?=[.,!;]|$| (?:and|after|because|but|last|in|for good|to|any ?more)\b)"
LONG_AGO = re.compile(r"\b(?:in (?:the )?\d{4}|(?:months?|years?) ago|before|when|once|first|again)\b", re.IGNORECASE)
_PEOPLE = """mother mom mum father dad wife husband partner girlfriend boyfriend fiancé fiancée fiance fiancee son
daughter brother sister grandma grandmother grandpa grandfather aunt uncle cousin niece nephew friend boss manager
colleague coworker parents grandparents neighbor neighbour roommate flatmate stepson stepdaughter stepbrother
stepsister ex"""
PEOPLE = tuple(_PEOPLE.split())
_NO_NAMES = frozenset({"uni", "wfh", "hq", "nite"})
_SUBJECTS = STOPWORDS | frozenset(
    {"everybody", "nobody", "somebody", "anybody", "people", "others", "another", "everything", "half", "one"}
)


def anonymous(who: str, text: str) -> str:
    """The text with WHO for a name, so that patterns need not be made for each."""
    return re.sub(rf"(?<!\w){re.escape(who)}(?!\w)", "WHO", text, flags=re.IGNORECASE)


def named(found: re.Match[str]) -> str:
    """The name that was found, or empty where a word in small letters is just a word."""
    if found["v"]:
        return str(found["v"]).rstrip(".")
    small = str(found["small"] or "")
    return small if is_name(small) else ""


@lru_cache(maxsize=4096)
def is_name(word: str) -> bool:
    """Whether a word in small letters can only be a name: no dictionary has it."""
    return bool(word) and (word in EMPLOYERS or (word not in _NO_NAMES and not lemminflect().getAllLemmas(word)))


def is_somebody(word: str) -> bool:
    """Whether a word that begins a statement can be somebody's name: "Jane", "rex"; not "Everybody"."""
    return word.lower() not in _SUBJECTS and (word[:1].isupper() or is_name(word))


def names_of(who: str, kin: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{who}'s {one}: name" for one in kin)
