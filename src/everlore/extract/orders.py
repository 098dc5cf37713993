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
_ONCE = _KNOWN.pattern("once")
_POLITE = _KNOWN.pattern("polite")
_FROM_NOW_ON = _KNOWN.pattern("from_now_on")
_AND = re.compile(r",? and (?:also |please )?")
_LEADS_ALL = _KNOWN.pattern("leads_all")
_EACH_TIME = _KNOWN.pattern("each_time")
_TAIL = _KNOWN.pattern("tail")
_NOT = _KNOWN.pattern("not")
_ALWAYS = _KNOWN.pattern("always")
_LASTING = _KNOWN.pattern("lasting")
_CALLED = _KNOWN.pattern("called")
_NOT_CALLED = _KNOWN.pattern("not_called")
_WITH_ME = _KNOWN.pattern("with_me")
_TONGUE = _KNOWN.pattern("tongue")
_SWITCHED = _KNOWN.pattern("switched")
_LENGTH = _KNOWN.pattern("length")
_USES = _KNOWN.pattern("uses")
_OF_ANSWERS = re.compile(r"\b(?:answers?|repl\w+|respon\w+|messages?|explanations?|be)\b", re.IGNORECASE)
_TOLD = _KNOWN.pattern("told")
_HINT = _KNOWN.pattern("hint")
_ALLOWED = _KNOWN.pattern("allowed")


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
        for words in (right, f"always {right}" if _LEADS_ALL.search(left) else ""):
            if words and standing(words):
                return [left, *each_order(f"{words[0].upper()}{words[1:]}")]
    return [sentence]


def ordered(who: str, sentence: str) -> Reading | None:
    """The slot of an order, or of one that is taken back; None where nothing could take its place."""
    found = _order(sentence)
    return Reading(f"{who}: asks {found.about}", found.value, found.sign) if found and found.about else None


@lru_cache(maxsize=1024)
def _order(sentence: str) -> _Order | None:
    if not _HINT.search(sentence):
        return None
    lasting = bool(_FROM_NOW_ON.search(sentence))
    plain = _POLITE.sub("", _FROM_NOW_ON.sub("", sentence).strip(" ,"))
    bare = _TAIL.sub("", plain)
    if found := _ALLOWED.match(plain.rstrip(" .!")):
        return _taken_back(found)
    if found := _SWITCHED.match(bare):
        return _Order("for answers in", found["v"].lower())
    if _ONCE.search(bare):
        return None
    if found := _CALLED.match(bare):
        return _Order("for the name", found["v"])
    if _NOT_CALLED.match(bare):
        return _Order()
    forbidden = bool(_NOT.match(bare))
    core = _ALWAYS.sub("", _NOT.sub("", bare))
    told = (lasting or _EACH_TIME.match(bare)) and _TOLD.match(f"{core} ")
    lasting_words = _LASTING.match(bare) or _WITH_ME.match(plain)
    return _about(core, forbidden) if told or lasting_words else None


def _about(core: str, forbidden: bool) -> _Order:
    if (found := _TONGUE.match(core)) and not forbidden:
        return _Order("for answers in", found["v"].lower())
    if found := _USES.match(core):
        return _Order(f"to use {found['o'].lower().rstrip('s')}", sign="-" if forbidden else "+")
    if (found := _LENGTH.search(core)) and not forbidden and _OF_ANSWERS.search(core):
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
