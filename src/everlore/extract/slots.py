"""What a fact states a single value of, and whether a newer value ends an older one.

Precision over recall: a wrong end hides something true, a missed one only leaves both to be read, newest first. So a
slot is given only to plain present statements about the speaker, and an end needs either two values that exclude each
other or words of change.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from everlore.extract import languages
from everlore.extract.places import place_class, same_place
from everlore.extract.reading import DENIED, Reading
from everlore.extract.readings import read, says_more
from everlore.extract.relationships import HAS_PARTNER, LOST, PARTED, PARTNERS, PETS, has_several
from everlore.extract.sentences import words

_CHANGE = re.compile(
    r"\b(?:now|no longer|any ?more|moved|relocated|stopped|quit|switched|changed|became|started|joined|new|these days"
    r"|nowadays|got|turned|recently|since|left)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(rf"'s (?:{'|'.join(PETS)}|son|daughter)(?: \w+)?: (?:name|age)$|: (?:prefers \w+|lives with)$")
"""One may have several of them: a second name, age, preference or housemate is not the end of the first."""
_WORK = re.compile(r": (?:works at|job)$")
_EVENTS = re.compile(r": (?:lives in|works at|job|relationship status|drives)$")
_YEAR = re.compile(r"(?<![\w-])(?:19|20)\d\d(?![\w-])")
_STOPPED = re.compile(r"\b(?:stopped|quit|gave up|given up|no longer|any ?more|switched)\b", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:since|seit|depuis|desde|dal) (?:\w+ )?\d{4}", re.IGNORECASE)
"""When something began that still holds."""
_WITH_PARTNER = re.compile(rf": {HAS_PARTNER}$|'s (?:{'|'.join(PARTNERS)}): name$")
_FOR_NOW = re.compile(r"at the moment|for (?:now|the moment|a while)|right now|today|tonight")
_IDLE = re.compile(r"\bis (?:\w+ )?(?:unemployed|retired)\b", re.IGNORECASE)
_USED_TO = re.compile(r"\bused to\b", re.IGNORECASE)
_RENAMED = re.compile(r"\b(?:now|renamed|these days|turned)\b", re.IGNORECASE)


def about(text: str, speaker: str) -> str:
    """The slot a statement fills, e.g. "alice: favorite coffee shop"; empty for most statements."""
    reading = read(text, speaker)
    return reading.slot if reading else ""


def ends(new: str, old: str, slot: str, speaker: str = "", told: int = 0) -> bool:
    """Whether a newer statement makes an older one in `slot` untrue.

    `speaker` is how the newer one calls who said both, where that is another name than the slot has. `told` is when the
    older one was said: what happened in a year before does not end it.
    """
    if happened_before(new, slot, told):
        return False
    fresh, stale = read(new, speaker or speaker_of(slot)), read(old, speaker_of(slot))
    if fresh is None or stale is None or stale.slot != slot or says_more(old, speaker_of(slot)):
        return False
    here = renamed(slot, speaker)
    if fresh.slot != here:
        over = _works_elsewhere(new, fresh, stale) if fresh.at and _WORK.search(here) else _is_over(fresh, stale, old)
        return here in fresh.closes and over
    if _USED_TO.search(old):
        return False  # what once was stays true
    if fresh.sign or stale.sign:
        return fresh.sign != stale.sign and _outweighs(fresh, stale, old)
    if stale.value.startswith(DENIED):
        return bool(_IDLE.search(old)) and not fresh.value.startswith(DENIED)  # that somebody left stays true
    if stale.value and re.search(rf"\bnot (?:in |at |for )?{re.escape(stale.value)}\b", new, re.IGNORECASE):
        return True
    if fresh.value.startswith(DENIED):
        return _overlap(fresh.value.removeprefix(DENIED), stale.value)
    if _works_elsewhere(new, fresh, stale):
        return True
    if _overlap(fresh.value, stale.value):
        return False
    several = _SEVERAL.search(slot)
    changed = bool(_RENAMED.search(new)) if several else of_change(new)
    if several or has_several(subject_of(slot)):
        return changed
    return _exclusive(slot.rpartition(": ")[2], fresh.value, stale.value, changed)


def of_change(text: str) -> bool:
    """Whether a statement says that it was otherwise before."""
    return bool(_CHANGE.search(text) or languages.CHANGE.search(text))


def speaker_of(slot: str) -> str:
    return slot.partition(": ")[0].partition("'s ")[0]


def subject_of(slot: str) -> str:
    """Whom a slot is about other than the speaker: "sister" of "alice's sister: lives in"."""
    return slot.rpartition(": ")[0].partition("'s ")[2]


def renamed(slot: str, speaker: str) -> str:
    """The slot of the same thing for somebody who is called `speaker`; the slot itself without one."""
    return f"{speaker.strip().lower()}{slot[len(speaker_of(slot)) :]}" if slot and speaker else slot


def touched(text: str, slot: str) -> tuple[str, ...]:
    """The slots in which a statement about `slot` may end something: this one first, then those of what is over."""
    reading = read(text, speaker_of(slot)) if slot else None
    return (slot, *(reading.closes if reading else ()))


def only_newer(new: str, old: str, slot: str, speaker: str = "", told: int = 0) -> bool:
    """Whether a list shows only the newer of two statements: not of two dogs, nor of two sides of a like."""
    if happened_before(new, slot, told):
        return False
    fresh, stale = read(new, speaker or speaker_of(slot)), read(old, speaker_of(slot))
    if fresh is None or stale is None:
        return True
    if fresh.sign and stale.sign:
        return fresh.sign == stale.sign or _outweighs(fresh, stale, old)
    several = _SEVERAL.search(slot) or has_several(subject_of(slot))
    return not several or _overlap(fresh.value, stale.value) or ends(new, old, slot, speaker, told)


_CATEGORIES = {
    "lives in": "home",
    "works at": "work",
    "job": "work",
    "relationship status": "family",
    "email": "contact",
    "phone number": "contact",
    "birthday": "identity",
    "age": "identity",
}


def category(text: str, slot: str) -> str:
    """The place in a profile of what somebody says of themselves in this slot; empty where it has none by itself."""
    kind = "" if subject_of(slot) or denies(text, slot) else slot.rpartition(": ")[2]
    return _CATEGORIES.get(kind, "")


def names_value(text: str, slot: str) -> bool:
    """Whether a statement says how things are, and not only how they are not."""
    reading = read(text, speaker_of(slot)) if slot else None
    return reading is not None and bool(reading.value) and not reading.value.startswith(DENIED)


def only_ends(text: str, slot: str) -> bool:
    """Whether a statement says no more than that something is over: "was vegan until May"."""
    reading = read(text, speaker_of(slot)) if ": is " in slot else None
    return slot.endswith((f": {PARTED}", f": {LOST}")) or (reading is not None and reading.sign == "-")


def parts_from(text: str, slot: str, told: str) -> bool:
    """Whether a statement says that it is over with the partner or the animal that `told` begins with."""
    reading = read(text, speaker_of(slot)) if slot else None
    for over in reading.closes if reading else ():
        whose = over.removesuffix(": name")
        begins = whose != over and re.match(rf"{re.escape(whose)}(?!\w)", told, re.IGNORECASE)
        if begins and reading and (not reading.whom or reading.whom.lower() in map(str.lower, words(told))):
            return True
    return False


def denies(text: str, slot: str) -> bool:
    """Whether a statement only says what does not hold any more: "left Siemens"."""
    reading = read(text, speaker_of(slot))
    return reading is not None and reading.value.startswith(DENIED)


def _is_over(fresh: Reading, stale: Reading, old: str) -> bool:
    """Whether a statement that something is over means this: it held so far, and is of whom is named, if anybody is."""
    if stale.sign == "-" or stale.value.startswith(DENIED) or _USED_TO.search(old):
        return False
    if _WITH_PARTNER.search(fresh.slot):
        return stale.value == "single"
    return not fresh.whom or stale.value == "dating" or fresh.whom.lower() in map(str.lower, words(old))


def _works_elsewhere(new: str, fresh: Reading, stale: Reading) -> bool:
    """Whether both name an employer, and who works for the first does not for the second any more."""
    if not fresh.at or not stale.at or stale.at.startswith(DENIED):
        return False
    if fresh.at.startswith(DENIED):
        return _overlap(fresh.at.removeprefix(DENIED), stale.at)
    return not _overlap(fresh.at, stale.at) and (of_change(new) or not has_several(subject_of(stale.slot)))


def _outweighs(fresh: Reading, stale: Reading, old: str) -> bool:
    """A denial ends also what is said with limits; "plays tennis" does not end "no tennis on rainy days"."""
    if fresh.sign == "-" or _STOPPED.search(old):
        return fresh.limit in ("", stale.limit)
    return fresh.limit == stale.limit or bool(_FOR_NOW.fullmatch(stale.limit))


def happened_before(text: str, slot: str, told: int) -> bool:
    """ "I moved to Paris in 2005" says nothing against a home that was named years later."""
    years = [int(year) for year in _YEAR.findall(_SINCE.sub("", text))] if told and _EVENTS.search(slot) else []
    return bool(years) and max(years) < datetime.fromtimestamp(told / 1000, UTC).year


def _overlap(one: str, two: str) -> bool:
    """Whether two values may be the same thing said with more or fewer words."""
    left, right = set(one.lower().split()), set(two.lower().split())
    return not left or not right or left <= right or right <= left


def _exclusive(kind: str, new: str, old: str, change: bool) -> bool:
    if kind == "lives in":
        return not same_place(new, old) and (change or place_class(new) == place_class(old))
    if kind in ("job", "name") or kind.startswith("number of"):
        return change or kind.startswith("number of")
    return True
