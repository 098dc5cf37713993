"""What somebody says of other people: that a sister moved, that a couple parted, that somebody died.

Whoever is named goes by the name, since the next talk may give no more than that. Of others only few things are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from everlore.extract.lexicon import STOPWORDS
from everlore.extract.reading import LONG_AGO, PEOPLE, Reading, anonymous, is_somebody, names_of
from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("relationships")
PETS = _KNOWN.in_order("pets")
COUPLE = _KNOWN.in_order("couple")
SPOUSES = _KNOWN.in_order("spouses")
PARTNERS = (*SPOUSES, *COUPLE)
STATES = ("lives in", "works at", "job", "relationship status", "age", "drives")
"""What is told of people and ends with them."""
PARTED, LOST, HAS_PARTNER = "parted", "lost", "has partner"
_ONLY = ("mother", "mom", "mum", "father", "dad", "boss")
"""Of whom one has one, so that no name is needed."""


def over(who: str, text: str) -> Reading | None:
    """That a couple parted, that somebody died, or that an animal is gone."""
    if not _KNOWN["hint"].search(text) or LONG_AGO.search(text):
        return None
    told = anonymous(who, text)
    if found := _KNOWN["died"].match(told):
        return _died(who, (found["kin"] or "").lower(), found["name"] or found["alone"] or "")
    if found := _KNOWN["gave_away"].match(told):
        return _gone(who, next(filter(None, found.groups())))
    if found := _KNOWN["both"].match(told) or _KNOWN["one"].match(told) or _KNOWN["left"].match(told):
        return _parted(who, next(filter(None, found.groups()), ""), found[0].lower())
    return None


def with_partner(who: str) -> tuple[str, ...]:
    """The slots that tell of a partner."""
    return (*names_of(who, PARTNERS), f"{who}: relationship status")


def has_pet(who: str, kind: str) -> str:
    return f"{who}: has {kind}"


def _parted(who: str, other: str, words: str) -> Reading | None:
    kin, _, name = re.sub(r"^(?:WHO's|their|my) ", "", other).replace(",", "").partition(" ")
    if kin.lower() not in PARTNERS:
        kin, name = "", kin
    status = next((status for status in ("divorced", "separated") if status in words), "")
    if status and not other:
        return None  # a status as any other
    closes = names_of(who, (kin.lower(),) if kin else SPOUSES if status == "divorced" else PARTNERS)
    if status:
        return Reading(f"{who}: relationship status", status, closes=closes, whom=name)
    return Reading(f"{who}: {PARTED}", "", closes=(*closes, f"{who}: relationship status"), whom=name)


def _died(who: str, kin: str, name: str) -> Reading | None:
    """A name alone may be of anybody: what is told of them, and that they are somebody's partner or animal, is over."""
    if name.lower() in STOPWORDS:
        return None
    kinds = (kin,) if kin in (*PETS, *PARTNERS) else () if kin else (*PETS, *PARTNERS)
    called = (name, kin if kin in _ONLY else "")
    states = tuple(f"{who}'s {one.lower()}: {state}" for one in called if one for state in STATES)
    has = (has_pet(who, kin),) if kin in PETS and not name else ()
    ages = tuple(f"{who}'s {one} {name}: age" for one in kinds if name)
    closes = (*names_of(who, kinds), *has, *ages, *states)
    return Reading(f"{who}: {LOST}", "", closes=closes, whom=name) if closes else None


def _gone(who: str, what: str) -> Reading:
    kind = re.sub(r"^(?:their|our|the) ", "", what, flags=re.IGNORECASE).lower()
    if kind in PETS:
        return Reading(f"{who}: {LOST}", "", closes=(*names_of(who, (kind,)), has_pet(who, kind)))
    return Reading(f"{who}: {LOST}", "", closes=names_of(who, PETS), whom=what)


_SEVERAL = frozenset(PEOPLE) - {"mother", "mom", "mum", "father", "dad", "parents", "wife", "husband", "boss"}

States = Callable[[str, str], Reading | None]


def of_mine(who: str, rest: str, states: States) -> Reading | None:
    """ "sister Jane lives in Leeds", after "Alice's"."""
    found = _KNOWN["mine"].match(rest)
    return _told(who, found["name"] or found["kin"].lower(), found["rest"], states) if found else None


def by_name(who: str, words: str, states: States) -> Reading | None:
    """ "Jane moved to York" and "My parents live in Kiel", as they were said."""
    if " is " in words and (kin := _KNOWN["is_kin"].match(anonymous(who, words))):
        [slot] = names_of(who, (kin["kin"].lower(),))
        return Reading(slot, kin["name"])
    if of_me := _KNOWN["of_me"].match(words):
        return of_mine(who, words[of_me.end() :], states)
    found = _KNOWN["by_name"].match(words)
    return _told(who, found["name"], found["rest"], states) if found and is_somebody(found["name"]) else None


def has_several(subject: str) -> bool:
    """Whether one may have more than one of them, so that another statement may be about another one."""
    return subject in _SEVERAL


def _told(who: str, called: str, rest: str, states: States) -> Reading | None:
    reading = states(f"{who}'s {called.lower()}", rest)
    return reading if reading and reading.slot.rpartition(": ")[2] in STATES else None
