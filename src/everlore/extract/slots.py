"""What a fact states a single value of, and whether a newer value ends an older one.

Precision over recall: a wrong end hides something true, a missed one only leaves both to be read, newest first. So a
slot is given only to plain present statements about the speaker, and an end needs either two values that exclude each
other or words of change.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from everlore.extract.readings import DENIED, PETS, Reading, place_class, read, says_more

_CHANGE = re.compile(
    r"\b(?:now|no longer|any ?more|moved|relocated|stopped|quit|switched|changed|became|started|joined|new|these days"
    r"|nowadays|got|turned|recently|since|left)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(rf"'s (?:{'|'.join(PETS)}|son|daughter): name$")
"""One may have several of them: a second name is not the end of the first."""
_EVENTS = re.compile(r": (?:lives in|works at|job|relationship status|drives)$")
_YEAR = re.compile(r"(?<![\w-])(?:19|20)\d\d(?![\w-])")
_STOPPED = re.compile(r"\b(?:stopped|quit|gave up|given up|no longer|any ?more|switched)\b", re.IGNORECASE)
_SINCE = re.compile(r"\bsince (?:\w+ )?\d{4}", re.IGNORECASE)
"""When something began that still holds."""
_RENAMED = re.compile(r"\b(?:now|renamed|these days)\b", re.IGNORECASE)


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
    if fresh is None or stale is None or stale.slot != slot or says_more(old):
        return False
    here = renamed(slot, speaker)
    if fresh.slot != here:
        return here in fresh.closes and fresh.whom.lower() in ("", stale.value.lower())
    if fresh.sign or stale.sign:
        return fresh.sign != stale.sign and _outweighs(fresh, stale, old)
    if stale.value.startswith(DENIED):
        return False  # that somebody left stays true
    if stale.value and re.search(rf"\bnot (?:in |at |for )?{re.escape(stale.value)}\b", new, re.IGNORECASE):
        return True
    if fresh.value.startswith(DENIED):
        return _overlap(fresh.value.removeprefix(DENIED), stale.value)
    if _overlap(fresh.value, stale.value):
        return False
    change = _RENAMED if _SEVERAL.search(slot) else _CHANGE
    return _exclusive(slot.rpartition(": ")[2], fresh.value, stale.value, bool(change.search(new)))


def speaker_of(slot: str) -> str:
    return slot.partition(": ")[0].partition("'s ")[0]


def renamed(slot: str, speaker: str) -> str:
    """The slot of the same thing for somebody who is called `speaker`; the slot itself without one."""
    return f"{speaker.strip().lower()}{slot[len(speaker_of(slot)) :]}" if slot and speaker else slot


def touched(text: str, slot: str) -> tuple[str, ...]:
    """The slots in which a statement about `slot` may end something: this one first, then those of what is over."""
    reading = read(text, speaker_of(slot)) if slot else None
    return (slot, *(reading.closes if reading else ()))


def one_line(new: str, old: str, slot: str, speaker: str = "", told: int = 0) -> bool:
    """Whether a list shows only the newer of two statements: not of two dogs, nor of two sides of a like."""
    if happened_before(new, slot, told):
        return False
    fresh, stale = read(new, speaker or speaker_of(slot)), read(old, speaker_of(slot))
    if fresh is None or stale is None:
        return True
    if fresh.sign and stale.sign:
        return fresh.sign == stale.sign or _outweighs(fresh, stale, old)
    return not _SEVERAL.search(slot) or _overlap(fresh.value, stale.value) or ends(new, old, slot, speaker, told)


def denies(text: str, slot: str) -> bool:
    """Whether a statement only says what does not hold any more: "left Siemens"."""
    reading = read(text, speaker_of(slot))
    return reading is not None and reading.value.startswith(DENIED)


def _outweighs(fresh: Reading, stale: Reading, old: str) -> bool:
    """A denial ends also what is said with limits; "plays tennis" does not end "no tennis on rainy days"."""
    if fresh.sign == "-" or _STOPPED.search(old):
        return fresh.limit in ("", stale.limit)
    return fresh.limit == stale.limit


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
        return change or (place_class(new) == place_class(old))
    if kind in ("job", "name") or kind.startswith("number of"):
        return change or kind.startswith("number of")
    return True
