"""What somebody says of other people: that a sister moved, that a couple parted, that somebody died.

Whoever is named goes by the name, since the next talk may give no more than that. Of others only few things are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from everlore.extract.lexicon import STOPWORDS
from everlore.extract.reading import LONG_AGO, PEOPLE, Reading, anonymous, is_somebody, names_of

PETS = ("dog", "cat", "puppy", "kitten", "horse", "bird", "rabbit", "hamster", "parrot")
COUPLE = ("boyfriend", "girlfriend", "partner", "fiancé", "fiancée", "fiance", "fiancee")
SPOUSES = ("wife", "husband")
PARTNERS = (*SPOUSES, *COUPLE)
STATES = ("lives in", "works at", "job", "relationship status", "age", "drives")
"""What is told of people and ends with them."""
PARTED, LOST, HAS_PARTNER = "parted", "lost", "has partner"
_ONLY = ("mother", "mom", "mum", "father", "dad", "boss")
"""Of whom one has one, so that no name is needed."""

_NAME = r"(?-i:[A-Z])\w+"
_PARTNER = rf"(?:{'|'.join(PARTNERS)})"
_PET = rf"(?:(?:their|our|the) (?:{'|'.join(PETS)})|{_NAME})"
_HINT = re.compile(
    r"\b(?:up|off|died|dead|passed|put|gave|given|give|rehomed?|left|dumped|divorced|separated|parted|together|longer"
    r"|ran)\b",
    re.I,
)
_AGO = r"(?:an?|two|three|four|\d+|a few|some) (?:days?|weeks?) ago"
_THEN = rf"(?=[.,!\"]|$| (?:last|yesterday|today|this (?!is|was)\w+|{_AGO}|after|because|and)\b)"
_AT_LAST = r"(?=[.,!\"]|$| (?:last (?!night)\w+|for (?:good|an?other|someone|somebody))\b)"
"""Behind "left", which is also said of a day."""
_DONE = r"(?: (?:have|has|are|just|finally|recently|sadly|both|officially|suddenly))*"
_BOTH = re.compile(
    rf"^(?:WHO and (?P<a>[\w']+(?: \w+)?)|(?P<b>[\w']+(?: \w+)?) and WHO|WHO(?: said: \"we)?){_DONE}"
    r" (?:(?:broke|broken|split) up|parted ways|separated|(?:got|gotten) (?:divorced|separated)|divorced"
    r"|(?:are )?no longer together|(?:are not|aren't|not) together any ?more|called off (?:the|our"
    r"|their) (?:wedding|engagement))"
    rf"(?: (?:with|from) (?P<c>(?:their|WHO's) \w+(?: {_NAME})?|[\w']+))?{_THEN}",
    re.I,
)
_ONE = re.compile(
    rf"^WHO{_DONE} (?:(?:divorced|dumped|is no longer (?:dating|seeing|engaged to|married to))"
    rf" (?P<a>(?:their|WHO's) {_PARTNER}(?: {_NAME})?|{_NAME}){_THEN}"
    rf"|(?:is not|isn't) (?:dating|seeing|with|engaged to|married to) (?P<b>{_NAME}) any ?more"
    rf"|left (?P<c>(?:their|WHO's) {_PARTNER}(?: {_NAME})?){_AT_LAST})",
    re.I,
)
_LEFT = re.compile(
    rf"^(?:WHO said: \")?(?P<a>(?:WHO's|my) {_PARTNER}(?:,? {_NAME})?|{_NAME}){_DONE}"
    rf" (?:(?:left|dumped|divorced) (?:WHO|them){_AT_LAST}|broke up with (?:WHO|them){_THEN})",
    re.I,
)
_DIED = re.compile(
    rf"^(?:WHO said: \")?(?:(?:my|our|WHO's) (?P<kin>{'|'.join((*PETS, *PEOPLE))})(?:,? (?P<name>{_NAME}))?"
    rf"|(?P<alone>\w+))"
    rf"{_DONE} (?:died|passed (?:away|on)|is (?:dead|no longer with us)|(?:was|had to be) put (?:down|to sleep)"
    rf"|ran away)\b"
    r"(?! (?:laughing|down|out|on (?:me|us|stage)|inside|of (?:laughter|boredom|embarrassment|shame)|from|her|his"
    r"|their|the)\b)",
    re.I,
)
_GAVE_AWAY = re.compile(
    rf"^(?:WHO|WHO said: \"(?:we|I)){_DONE} (?:(?:had to |decided to )?put (?P<a>{_PET}) (?:down|to sleep)"
    rf"|(?:had to |decided to )put (?:down|to sleep) (?P<b>{_PET})"
    rf"|(?:gave|given|(?:had to|decided to) give) (?P<c>{_PET}) (?:away|up for adoption)"
    rf"|(?:(?:had to|decided to) rehome|rehomed) (?P<d>{_PET}))"
    rf"(?=[.,!\"]|$| (?:to|last|this|yesterday|today|because|after|and|for|{_AGO})\b)",
    re.I,
)


def over(who: str, text: str) -> Reading | None:
    """That a couple parted, that somebody died, or that an animal is gone."""
    if not _HINT.search(text) or LONG_AGO.search(text):
        return None
    told = anonymous(who, text)
    if found := _DIED.match(told):
        return _died(who, (found["kin"] or "").lower(), found["name"] or found["alone"] or "")
    if found := _GAVE_AWAY.match(told):
        return _gone(who, next(filter(None, found.groups())))
    if found := _BOTH.match(told) or _ONE.match(told) or _LEFT.match(told):
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


_KIN = rf"(?P<kin>{'|'.join(PEOPLE)})"
_CALLED = r"(?P<name>(?-i:[A-Z])[\w'-]*\w)(?:,| who)?"
_MINE = re.compile(
    rf"^(?:(?:new|old|best|little|big|younger|older|twin) )*{_KIN},? (?:{_CALLED} )?(?P<rest>\w.*)", re.IGNORECASE
)
_BY_NAME = re.compile(rf"^{_CALLED} (?P<rest>\w.*)", re.IGNORECASE)
_OF_ME = re.compile(r"^(?:my|our) ", re.IGNORECASE)
_IS_KIN = re.compile(
    rf"^(?P<name>(?-i:[A-Z])\w+) is (?:WHO's|my) (?:new )?(?P<kin>{'|'.join((*PEOPLE, *PETS))})[.!]*$", re.I
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
