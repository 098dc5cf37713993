"""What a statement says of its speaker: the slot it fills, with which value, and what it says is over.

Only plain present statements are read; a hope, a plan and a doubt are not.
"""

from __future__ import annotations

import re
from functools import lru_cache

from everlore.extract.employment import dismissed, employment
from everlore.extract.habits import DETERMINER, being, fulfilled, habit, wished
from everlore.extract.languages import is_joint, said_in
from everlore.extract.lead_ins import LEAD_IN
from everlore.extract.lexicon import PRODUCTS
from everlore.extract.orders import ordered
from everlore.extract.places import place_class
from everlore.extract.plural_subject import OF_ALL, QUOTED, as_one
from everlore.extract.reading import (
    DENIED,
    LONG_AGO,
    Reading,
    for_a_time,
    for_work,
    is_remark,
    named,
    names_of,
    names_value,
)
from everlore.extract.relationships import COUPLE, HAS_PARTNER, SPOUSES, by_name, has_pet, of_mine, over
from everlore.extract.third_person import third_form, verb_forms
from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("readings")
_USED_TO = re.compile(r"^ (?:also |once |actually |really )?used to (?P<verb>[a-z]+)\b", re.IGNORECASE)
_DATED = re.compile(r"(\bbirthday is )[^()]{3,20}\((\d{1,2} [A-Z]\w+) \d{4}\)")
"""A birthday that is tomorrow, with the date that tomorrow has."""
_BRACKET = re.compile(r"\s*\([^)]*\)")
_NUMBERS = _KNOWN.words("numbers")
PHONE = 6
"""Digits of a phone number at least."""


@lru_cache(maxsize=1024)  # one statement is read for its slot, for what it ends, and for the profile
def read(text: str, speaker: str) -> Reading | None:
    who = speaker.strip().lower()
    plain = text.strip().replace("’", "'")
    start = len(who) if plain.lower().startswith(who) else 0  # a name may have brackets of its own: "Bob (he/him)"
    plain = plain[:start] + _BRACKET.sub("", plain[start:])
    if "birthday" in plain and _DATED.search(text):
        plain = _DATED.sub(r"\1\2", text.strip())
    if not who or len(plain) > 300:
        return None
    if not plain.lower().startswith(who):
        plain = LEAD_IN.sub("", plain)
    if ended := over(who, plain) or dismissed(who, plain):
        return ended
    if (one := as_one(plain, speaker.strip())) != plain:
        return _of_each(read(one, speaker), one)
    if not plain.lower().startswith(who):
        return by_name(who, plain, _states) if not _KNOWN["unsure"].search(plain) else None
    rest = _not_any_more(plain[len(who) :])
    if rest.startswith(QUOTED):
        return _quoted(who, rest[len(QUOTED) :].rstrip('"'))
    if wish := wished(who, rest):
        return wish
    if _KNOWN["unsure"].search(rest):
        return None
    if rest.startswith("'s "):
        return _owned(who, rest[3:]) or of_mine(who, rest[3:], _states)
    return _states(who, rest[1:]) if rest.startswith(" ") else None


def _not_any_more(rest: str) -> str:
    """ "used to smoke" as "no longer smokes"."""
    found = _USED_TO.match(rest)
    if not found:
        return rest
    verb = found["verb"].lower()
    return f" {'is no longer' if verb == 'be' else f'no longer {third_form(verb)}'}{rest[found.end() :]}"


def _quoted(who: str, words: str) -> Reading | None:
    if order := ordered(who, words):
        return order
    if _KNOWN["unsure"].search(words):
        return None
    said = said_in(words)
    if said and said.slot:
        return Reading(f"{who}{said.slot}", f"{DENIED}{said.value}" if said.denied else said.value, said.sign)
    return by_name(who, words, _states) if said is None else None


def _of_each(reading: Reading | None, text: str) -> Reading | None:
    """What is told of several, where it holds for each of them; "we moved to Postgres" is of a firm."""
    if reading is None or not OF_ALL.search(reading.slot):
        return None
    moved = reading.slot.endswith(": lives in") and not re.search(r"\bliv(?:es|ing|ed)\b", text)
    return None if moved and place_class(reading.value.removeprefix(DENIED)) == "unknown" else reading


def says_more(text: str, speaker: str = "") -> bool:
    """Whether a statement has another half, which may hold when this one does not."""
    text = as_one(text, speaker) if speaker else text
    if QUOTED in text and is_joint(text.partition(QUOTED)[2]):
        return True
    return bool(_KNOWN["compound"].search(_KNOWN["one_half"].sub("", text)))


_MY_NAME = re.compile(r"^(?:full |first |last )?name is (?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)")


def _owned(who: str, rest: str) -> Reading | None:
    if found := _KNOWN["favorite"].match(rest):
        slot = f"{who}: favorite {found['what'].lower().strip().replace('colour', 'color')}"
        if found["no"] or found["not"]:
            return Reading(slot, f"{DENIED}{_value(found['v'])}")
        return Reading(slot, _value(found["v"])) if not is_remark(found["v"]) else None
    if found := _KNOWN["car_is"].match(rest):
        return Reading(f"{who}: drives", found["v"].rstrip("."))
    if found := _KNOWN["property"].match(rest) or _KNOWN["is_other_now"].match(rest):
        return _property(who, found)
    if found := _KNOWN["name"].match(rest):
        return Reading(f"{who}'s {found['kin'].lower()}: name", found["v"])
    if (found := _KNOWN["who_is"].match(rest)) and names_value("boss", found["v"]):
        return Reading(f"{who}'s {found['kin'].lower()}: name", found["v"])
    if found := _KNOWN["their_age"].match(rest):
        child = " ".join(filter(None, (found["kin"].lower(), found["name"])))
        return Reading(f"{who}'s {child}: age", found["v"])
    if found := _MY_NAME.match(rest):
        return Reading(f"{who}: name", found["v"])
    return None


_AND_NOW = re.compile(r"^(?P<event>[a-z]+)\b[^.;]{0,80}?(?:,|,? and|,? but) (?P<now>now [a-z]+s\b.*)", re.I)
"""An event and what holds since then: "graduated and now works as a lawyer"."""


def _property(who: str, found: re.Match[str]) -> Reading | None:
    what = re.sub(r"e-?mail(?: address)?", "email", found["what"].lower().strip())
    if what == "number":  # of a phone, where it is long enough for one
        what = "phone number" if sum(map(str.isdigit, found["v"])) >= PHONE else what
    value = _value(found["v"]).removeprefix("on ") if "email" not in what else found["v"].split()[0].strip(" .,!")
    return Reading(f"{who}: {what}", value) if names_value(what, found["v"]) else None


def _states(who: str, rest: str) -> Reading | None:
    """Where somebody lives and works; else what they are and have."""
    if found := _KNOWN["lives"].match(rest):
        if (place := _place(found)) and place.split()[0].lower() not in PRODUCTS:
            return None if for_a_time(rest[found.end() :]) else Reading(f"{who}: lives in", place)
        return None
    if found := _KNOWN["settled"].match(rest):
        return Reading(f"{who}: lives in", _place(found)) if _place(found) else None
    alone = rest
    if who in rest.lower():  # "left Berlin, Alice is in Munich now"
        alone = re.sub(rf"(?<=, ){re.escape(who)} |(?<= and ){re.escape(who)} ", "", rest, flags=re.I)
    if found := _KNOWN["lives_now"].match(alone):
        return Reading(f"{who}: lives in", found["v"].rstrip("."))
    if (now := _AND_NOW.match(alone)) and "VBD" in verb_forms(now["event"].lower()):
        return _states(who, now["now"])
    if work := employment(who, alone):
        return work
    if (found := _KNOWN["moved_out"].match(rest)) and _place(found):
        return Reading(f"{who}: lives in", f"{DENIED}{_place(found)}")
    if (found := _KNOWN["lives_with"].match(rest)) and not for_a_time(rest[found.end("v") :]):
        return Reading(f"{who}: lives with", re.sub(r" (?:now|again|in [A-Z].*)$", "", found["v"]).lower())
    return _condition(who, rest)


def _condition(who: str, rest: str) -> Reading | None:
    """Age, relationship, car, weight and what somebody is; else what they have."""
    if found := _KNOWN["age"].match(rest):
        return Reading(f"{who}: age", found["v"])
    if found := _KNOWN["relation"].match(rest):
        return _relation(who, found["v"].lower().replace("in a relationship", "dating"), rest)
    if found := _KNOWN["drives"].match(rest) or _KNOWN["drives_now"].match(rest):
        return None if for_work(rest[found.end() :]) else Reading(f"{who}: drives", found["v"].rstrip("."))
    if found := _KNOWN["sold"].match(rest):
        return Reading(f"{who}: drives", f"{DENIED}{found['v'].rstrip('.')}")
    if found := _KNOWN["weighs"].match(rest):
        return Reading(f"{who}: weight", found["v"].lower())
    return being(who, rest) or _belongings(who, rest)


def _belongings(who: str, rest: str) -> Reading | None:
    """Partners, pets, numbers and how many of a thing somebody has; else what they do."""
    if found := _KNOWN["has_named"].match(rest):
        kin = found["kin"].lower()
        with_status = (f"{who}: relationship status",) if kin in (*SPOUSES, *COUPLE) else ()
        return Reading(f"{who}'s {kin}: name", found["v"], closes=with_status)
    if _KNOWN["partner"].match(rest):
        return Reading(f"{who}: {HAS_PARTNER}", "", "+", closes=(f"{who}: relationship status",))
    if found := _KNOWN["pet"].match(rest):
        done = fulfilled(who, rest)
        return Reading(has_pet(who, found["pet"].lower()), "", "+", closes=done.closes if done else ())
    if found := _KNOWN["no_pet"].match(rest):
        kind = found["pet"].lower().rstrip("s")
        return Reading(has_pet(who, kind), "", "-", closes=names_of(who, (kind,)))
    if found := _KNOWN["changed"].match(rest) or _KNOWN["has_new"].match(rest):
        return _property(who, found)
    if (found := _KNOWN["count"].match(rest)) and (found["v"].isdigit() or found["v"].lower() in _NUMBERS):
        return Reading(f"{who}: number of {found['what'].lower().rstrip('s')}s", found["v"].lower())
    return habit(who, rest) or fulfilled(who, rest)


def _relation(who: str, status: str, rest: str) -> Reading:
    closes: tuple[str, ...] = ()
    if status in ("divorced", "single") and not LONG_AGO.search(rest) and not says_more(rest):
        closes = names_of(who, SPOUSES if status == "divorced" else (*SPOUSES, *COUPLE))
    return Reading(f"{who}: relationship status", status, closes=closes)


def _place(found: re.Match[str]) -> str:
    return str(found["known"] or "") or named(found)


def _value(text: str) -> str:
    cut = re.split(
        r"\s+(?:because|since|which|and it|and they|but|so)\b|(?<!\b[DM][rs])(?<!\bMrs)[.!,;(](?:\s|$)| \(",
        text,
        maxsplit=1,
    )[0]
    return DETERMINER.sub("", cut.strip(" .!,")).lower()
