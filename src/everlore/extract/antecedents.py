"""Who "he" and "she" are, where the sentence before leaves one answer: "My friend Tim moved. He lives in Bonn now."

A fact is read without the sentence before it. Where two people may be meant, or somebody whom no word names, the
pronoun stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from everlore.extract.lead_ins import opened
from everlore.extract.lexicon import GIVEN_NAMES
from everlore.extract.phrases import word_set
from everlore.extract.reading import PEOPLE
from everlore.extract.relationships import PETS
from everlore.extract.sentences import is_question

_MEN = word_set("father dad husband boyfriend son brother grandpa grandfather uncle nephew stepson stepbrother")
_WOMEN = word_set(
    "mother mom mum wife girlfriend daughter sister grandma grandmother aunt niece stepdaughter stepsister"
)
_KIN = rf"(?:{'|'.join(sorted({*PEOPLE, *PETS} - {'parents', 'grandparents'}))})"
_CALLED = r"(?:,? (?:(?:named|called) )?(?P<name>(?-i:[A-Z])\w+))?"
_MINE = re.compile(
    rf"\b(?:my|our) (?:(?P<which>(?!new\b)[\w-]+) |new )?(?P<kin>{_KIN})\b(?!['’]){_CALLED}", re.IGNORECASE
)
_GOT = re.compile(
    rf"^(?:I|we)(?:['’]ve| have)?(?: just| also| finally| recently)? (?:have|got|adopted|bought|had) (?:an?|one) "
    rf"(?:[\w-]+ ){{0,3}}?(?P<kin>{_KIN})\b(?!['’]){_CALLED}",
    re.IGNORECASE,
)
_PERSON = re.compile(
    rf"\b(?:{_KIN}s?|parents|grandparents|guys?|m[ae]n|wom[ae]n|girls?|boys?|lady|someone|somebody|doctor|teacher"
    r"|kids?|child(?:ren)?|person|people|couple|baby)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<!^)\b(?!I\b)[A-Z]\w*")
_PLACE = re.compile(
    r"\b(?:at|in|on|from|(?:moved|moving|went|going|flew|back|relocated|trip) to) (?:the )?[A-Z]\w*(?: [A-Z]\w+)*"
)
"""Names that are nobody's: of places, employers and days."""
_PRONOUN = re.compile(r"\b(?:(?P<he>he|him|his)|she|hers?)\b", re.IGNORECASE)
_AGAIN = re.compile(
    r"^(?P<lead>(?:(?:And|But|Also|Now|Plus|So|Unfortunately|Sadly|Luckily),? )?)"
    r"(?:(?P<who>he|she)(?P<short>['’](?:s|ll))?|(?P<whose>his|her)) (?P<next>\w+)",
    re.IGNORECASE,
)
_NAMES = re.compile(r"^ name['’]s\b")
_LEANS = re.compile(r"\b(?:it|there|that|this|them|those|these|they|same|too|either)\b", re.IGNORECASE)
"""What a name alone does not make clear."""
_HAS = word_set("been got had become gone started moved lived worked taken decided finished lost grown")


class _Person(NamedTuple):
    """How a sentence can name them, and the pronouns that may mean them."""

    called: str
    pronouns: frozenset[str]


_HE, _SHE = frozenset({"he", "his"}), frozenset({"she", "her"})


def named_again(sentences: Sequence[str], people: frozenset[str]) -> list[str]:
    """The sentences of one message, with the name for a pronoun that begins one and has a single meaning."""
    found: list[str] = []
    person: _Person | None = None
    for sentence in sentences:
        told = _with_name(sentence, person)
        found.append(told)
        person = _whom(opened(told, people), person)
    return found


def _with_name(sentence: str, person: _Person | None) -> str:
    again = _AGAIN.match(sentence) if person else None
    if again is None or person is None or is_question(sentence) or _LEANS.search(sentence):
        return sentence
    if (again["who"] or again["whose"]).lower() not in person.pronouns:
        return sentence
    verb = "" if not again["short"] else " will" if again["short"].endswith("ll") else " is"
    if verb == " is" and again["next"].lower() in _HAS:
        verb = " has"
    called = f"{person.called}'s" if again["whose"] else f"{person.called}{verb}"
    if again["lead"] and called.startswith("My "):
        called = f"my {called[3:]}"
    rest = sentence[again.start("next") - 1 :]
    return f"{again['lead']}{called}{_NAMES.sub(' name is', rest) if again['whose'] else rest}"


def _whom(sentence: str, before: _Person | None) -> _Person | None:
    """The one person or animal of a sentence; who was spoken of before, where it has none."""
    mentions = [*_MINE.finditer(sentence), *_GOT.finditer(sentence)]
    persons = len(_PERSON.findall(sentence))
    if mentions:
        others = [word for word in _NAME.findall(_PLACE.sub("", sentence)) if word != mentions[0]["name"]]
        return _of_mine(mentions[0], sentence) if len(mentions) == persons == 1 and not others else None
    if persons or _NAME.search(_PLACE.sub("", sentence)):
        return None
    first = sentence.split(" ")[0]
    return _fitting(first, sentence) if first.lower() in GIVEN_NAMES else before


def _of_mine(mention: re.Match[str], sentence: str) -> _Person | None:
    kin = mention["kin"].lower()
    called = " ".join(filter(None, ("My", mention.groupdict().get("which"), mention["kin"], mention["name"])))
    if kin in _MEN or kin in _WOMEN:
        return _Person(called, _HE if kin in _MEN else _SHE)
    return _fitting(called, sentence)


def _fitting(called: str, sentence: str) -> _Person | None:
    """With the pronouns that the sentence itself has for them; where it has both, somebody else is in it."""
    used = {_HE if pronoun["he"] else _SHE for pronoun in _PRONOUN.finditer(sentence)}
    return None if len(used) > 1 else _Person(called, next(iter(used), _HE | _SHE))
