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
from everlore.extract.sentences import is_question
from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("antecedents")
_MEN = _KNOWN.words("men")
_WOMEN = _KNOWN.words("women")
_NAME = re.compile(r"(?<!^)\b(?!I\b)[A-Z]\w*")
_NAMES = re.compile(r"^ name['’]s\b")
_HAS = _KNOWN.words("has")


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
    again = _KNOWN["again"].match(sentence) if person else None
    if again is None or person is None or is_question(sentence) or _KNOWN["leans"].search(sentence):
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
    mentions = [*_KNOWN["mine"].finditer(sentence), *_KNOWN["got"].finditer(sentence)]
    persons = len(_KNOWN["person"].findall(sentence))
    if mentions:
        others = [word for word in _NAME.findall(_KNOWN["place"].sub("", sentence)) if word != mentions[0]["name"]]
        return _of_mine(mentions[0], sentence) if len(mentions) == persons == 1 and not others else None
    if persons or _NAME.search(_KNOWN["place"].sub("", sentence)):
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
    used = {_HE if pronoun["he"] else _SHE for pronoun in _KNOWN["pronoun"].finditer(sentence)}
    return None if len(used) > 1 else _Person(called, next(iter(used), _HE | _SHE))
