"""Standing orders: how somebody wants to be answered and worked for from now on, and that an order is taken back.

"Answer in German" asks for one answer; "from now on", "always", "never" and words for all answers ("keep answers
short") make it last. A newer order about the same thing takes the place of an older one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from everlore.extract.reading import DENIED, Reading
from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("orders")
_AND = re.compile(r",? and (?:also |please )?")
_OF_ANSWERS = re.compile(r"\b(?:answers?|repl\w+|respon\w+|messages?|explanations?|be)\b", re.IGNORECASE)


class _Order(NamedTuple):
    """`about` is what it is about, empty where nothing could take its place."""

    about: str = ""
    value: str = ""
    sign: str = ""
    taken_back: bool = False


def standing(sentence: str) -> bool:
    """ "Please always answer in French.": how the speaker wants to be spoken to from now on."""
    found = _order(sentence)
    return found is not None and not found.taken_back


def each_order(sentence: str) -> list[str]:
    """ "Always answer in French and keep it short." as two orders, of which each can be taken back; else as it is."""
    for joint in _AND.finditer(sentence):
        left, right = f"{sentence[: joint.start()]}.", sentence[joint.end() :]
        if not standing(left):
            continue
        for words in (right, f"always {right}" if _KNOWN["leads_all"].search(left) else ""):
            if words and standing(words):
                return [left, *each_order(f"{words[0].upper()}{words[1:]}")]
    return [sentence]


def ordered(who: str, sentence: str) -> Reading | None:
    """The slot of an order, or of one that is taken back; None where nothing could take its place."""
    found = _order(sentence)
    return Reading(f"{who}: asks {found.about}", found.value, found.sign) if found and found.about else None


@lru_cache(maxsize=1024)
def _order(sentence: str) -> _Order | None:
    if not _KNOWN["hint"].search(sentence):
        return None
    lasting = bool(_KNOWN["from_now_on"].search(sentence))
    plain = _KNOWN["polite"].sub("", _KNOWN["from_now_on"].sub("", sentence).strip(" ,"))
    bare = _KNOWN["tail"].sub("", plain)
    if found := _KNOWN["allowed"].match(plain.rstrip(" .!")):
        return _taken_back(found)
    if found := _KNOWN["switched"].match(bare):
        return _Order("for answers in", found["v"].lower())
    if _KNOWN["once"].search(bare):
        return None
    if found := _KNOWN["called"].match(bare):
        return _Order("for the name", found["v"])
    if _KNOWN["not_called"].match(bare):
        return _Order()
    forbidden = bool(_KNOWN["not"].match(bare))
    core = _KNOWN["always"].sub("", _KNOWN["not"].sub("", bare))
    told = (lasting or _KNOWN["each_time"].match(bare)) and _KNOWN["told"].match(f"{core} ")
    lasting_words = _KNOWN["lasting"].match(bare) or _KNOWN["with_me"].match(plain)
    return _about(core, forbidden) if told or lasting_words else None


def _about(core: str, forbidden: bool) -> _Order:
    if (found := _KNOWN["tongue"].match(core)) and not forbidden:
        return _Order("for answers in", found["v"].lower())
    if found := _KNOWN["uses"].match(core):
        return _Order(f"to use {found['o'].lower().rstrip('s')}", sign="-" if forbidden else "+")
    if (found := _KNOWN["length"].search(core)) and not forbidden and _OF_ANSWERS.search(core):
        return _Order("for the length of answers", "short" if found["short"] else "long")
    return _Order()


def _taken_back(found: re.Match[str]) -> _Order | None:
    allowed = found["o"] or found["q"] or f"use {found['p']}"
    order = _about(allowed, forbidden=False)
    if order.sign:
        return order._replace(sign="-" if found["q"] else "+", taken_back=True)
    if found["q"]:
        return order._replace(value=f"{DENIED}{order.value}", taken_back=True) if order.value else None
    other = {"short": "long", "long": "short"}.get(order.value)
    return order._replace(value=f"{DENIED}{other}", taken_back=True) if other else order if order.value else None
