"""What somebody says of other people: where a sister lives, that a friend married.

Whoever is named goes by the name, since the next talk may give no more than that. Of others only few things are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from everlore.extract.partings import PETS, STATES
from everlore.extract.reading import PEOPLE, Reading, anonymous, is_somebody, names_of

_KIN = rf"(?P<kin>{'|'.join(PEOPLE)})"
_NAME = r"(?P<name>(?-i:[A-Z])[\w'-]*\w)(?:,| who)?"
_MINE = re.compile(
    rf"^(?:(?:new|old|best|little|big|younger|older|twin) )*{_KIN},? (?:{_NAME} )?(?P<rest>\w.*)", re.IGNORECASE
)
_BY_NAME = re.compile(rf"^{_NAME} (?P<rest>\w.*)", re.IGNORECASE)
_OF_ME = re.compile(r"^(?:my|our) ", re.IGNORECASE)
_IS_KIN = re.compile(
    rf"^(?P<name>(?-i:[A-Z])\w+) is (?:WHO's|my) (?:new )?(?P<kin>{'|'.join((*PEOPLE, *PETS))})[.!]*$",
    re.I,
)
_SEVERAL = frozenset(PEOPLE) - {"mother", "mom", "mum", "father", "dad", "parents", "wife", "husband", "boss"}

States = Callable[[str, str], Reading | None]


def of_mine(who: str, rest: str, states: States) -> Reading | None:
    """ "sister Jane lives in Leeds", after "Alice's"."""
    found = _MINE.match(rest)
    return _told(who, found["name"] or found["kin"].lower(), found["rest"], states) if found else None


def by_name(who: str, words: str, states: States) -> Reading | None:
    """ "Jane moved to York" and "My parents live in Kiel", as they were said."""
    if " is " in words and (kin := _IS_KIN.match(anonymous(who, words))):
        [slot] = names_of(who, (kin["kin"].lower(),))
        return Reading(slot, kin["name"])
    if of_me := _OF_ME.match(words):
        return of_mine(who, words[of_me.end() :], states)
    found = _BY_NAME.match(words)
    return _told(who, found["name"], found["rest"], states) if found and is_somebody(found["name"]) else None


def has_several(subject: str) -> bool:
    """Whether one may have more than one of them, so that another statement may be about another one."""
    return subject in _SEVERAL


def _told(who: str, called: str, rest: str, states: States) -> Reading | None:
    reading = states(f"{who}'s {called.lower()}", rest)
    return reading if reading and reading.slot.rpartition(": ")[2] in STATES else None
