"""What a statement says of its speaker: the slot it fills, with which value, and what it says is over.

Only plain present statements are read; a hope, a plan and a doubt are not.
"""

from __future__ import annotations

import re
from functools import lru_cache

from everlore.extract.employment import MONTH, dismissed, employment
from everlore.extract.habits import DETERMINER, being, fulfilled, habit, wished
from everlore.extract.languages import is_joint, said_in
from everlore.extract.lead_ins import LEAD_IN
from everlore.extract.lexicon import CITIES, COUNTRIES, PRODUCTS
from everlore.extract.orders import ordered
from everlore.extract.places import place_class
from everlore.extract.plural_subject import OF_ALL, QUOTED, as_one
from everlore.extract.reading import (
    ADVERB,
    CLAUSE_END,
    DENIED,
    HAS,
    LONG_AGO,
    PROPER,
    SMALL,
    Reading,
    for_a_time,
    for_work,
    is_remark,
    named,
    names_of,
    names_value,
)
from everlore.extract.relationships import COUPLE, HAS_PARTNER, PETS, SPOUSES, by_name, has_pet, of_mine, over
from everlore.extract.third_person import third_form, verb_forms

_UNSURE = re.compile(
    r"\b(?:used to|would|might|(?<!in )(?-i:may)|could|should|if|wants? to|hopes?|plan(?:s|ning)|thinking"
    r"|considering|almost|maybe|prob(?:ably)?|wish(?:es)?|thinks?|dreams?(?! job)|asked|said)\b|\?",
    re.IGNORECASE,
)
_USED_TO = re.compile(r"^ (?:also |once |actually |really )?used to (?P<verb>[a-z]+)\b", re.IGNORECASE)
_COMPOUND = re.compile(r"\b(?:and|but|while)\b(?![^,;]* (?:it|there)\b[^,;]{0,12}$)|;", re.IGNORECASE)
"""Another half; "and loves it there" ends with the first."""
_GIVEN_UP = r"(?:sold|traded in|gave away|scrapped|crashed|left|quit|graduated|retired|finished)(?: [^.;]{1,60}?)? and "
"""The half of a statement that makes room for the other one: what it says holds as long as that."""
_ONE_HALF = re.compile(
    rf"{_GIVEN_UP}|\b(?:\w+days?,? )+and (?=\w+days?\b)"
    r"|\bwith [^.;,]{1,40}? and (?:(?:their|an?|the|two|three|four|\d+) (?:(?!(?:is|are|was|has|have|lives?|works?"
    r"|likes?|loves?)\b)\w+ ?){1,4}|(?-i:[A-Z])\w+)(?: and (?-i:[A-Z])\w+)?(?=[.,!;(]|$)",
    re.IGNORECASE,
)
_DATED = re.compile(r"(\bbirthday is )[^()]{3,20}\((\d{1,2} [A-Z]\w+) \d{4}\)")
"""A birthday that is tomorrow, with the date that tomorrow has."""
_BRACKET = re.compile(r"\s*\([^)]*\)")
_NUMBER_WORDS = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "a", "an", "no"}
_COUNTED = (
    r"(?:kids|children|sons?|daughters?|siblings|brothers?|sisters?|dogs?|cats?|pets|cars?|bikes?|bicycles|houses|"
    r"plants|grandchildren|roommates|guitars?|cameras?|tanks?|aquariums?)"
)
_OWNED = (
    r"(?:birthday|major|hometown|boss|manager|height|weight|salary|rent|job title|address|home address|"
    r"wi-?fi password|username|time ?zone|blood type|nickname|pronouns|dentist|doctor|therapist|landlord|"
    r"(?:(?:phone|mobile|cell|work|home)(?: phone)? )?number|(?:work |personal |private )?e-?mail(?: address)?|"
    r"(?:personal best|PB)[\w ]{0,30}|[\w ]{0,20}\brecord)"
)
PHONE = 6
"""Digits of a phone number at least."""
_KIN = (
    r"(?:husband|wife|partner|boyfriend|girlfriend|mother|mom|father|dad|dog|cat|puppy|kitten|horse|bird|son|daughter)"
)
_STATUS = {
    "single": "single",
    "married": "married",
    "engaged": "engaged",
    "divorced": "divorced",
    "widowed": "widowed",
    "separated": "separated",
    "in a relationship": "dating",
    "dating": "dating",
}


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
        return by_name(who, plain, _states) if not _UNSURE.search(plain) else None
    rest = _not_any_more(plain[len(who) :])
    if rest.startswith(QUOTED):
        return _quoted(who, rest[len(QUOTED) :].rstrip('"'))
    if wish := wished(who, rest):
        return wish
    if _UNSURE.search(rest):
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
    if _UNSURE.search(words):
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
    return bool(_COMPOUND.search(_ONE_HALF.sub("", text)))


_FAVORITE = re.compile(
    rf"^(?:new |current )?fav(?:e|ou?rite)? (?P<what>[\w' -]{{2,40}}?) "
    rf"(?:(?:these days|nowadays|at the moment) )?{ADVERB}"
    rf"(?:is|are|(?P<no>isn't|aren't))(?P<not> not| no longer)? {ADVERB}(?P<v>.+)",
    re.I,
)
_IS_OTHER_NOW = re.compile(
    rf"^(?P<what>{_OWNED}) {ADVERB}(?:has )?{ADVERB}(?:changed|been changed)"
    r"(?: (?:from \S+ )?to|[,.;:]* (?:and |so )?(?:it's|it is|the new one is)(?: now)?) (?P<v>.+)",
    re.I,
)
_PROPERTY = re.compile(rf"^(?:new |current )?(?P<what>{_OWNED}) {ADVERB}(?:is|are) {ADVERB}(?P<v>.+)", re.I)
_NAME = re.compile(rf"^(?P<kin>{_KIN})(?:'?s name is| is (?:named|called)) (?P<v>(?-i:[A-Z])\w+|\w+(?=[.!]*$))", re.I)
_WHO_IS = re.compile(rf"^(?P<kin>{'|'.join((*SPOUSES, *COUPLE))}) is (?P<v>(?-i:[A-Z])\w+)(?=[.,!]|$)", re.I)
_THEIR_AGE = re.compile(
    rf"^(?P<kin>{_KIN})(?: (?P<name>(?-i:[A-Z])\w+))? (?:is|(?:just )?turned) (?P<v>\d{{1,2}})"
    r"(?= years old| now| today| yesterday| last|[.,!]|$)",
    re.I,
)
_MY_NAME = re.compile(r"^(?:full |first |last )?name is (?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)")


def _owned(who: str, rest: str) -> Reading | None:
    if found := _FAVORITE.match(rest):
        slot = f"{who}: favorite {found['what'].lower().strip().replace('colour', 'color')}"
        if found["no"] or found["not"]:
            return Reading(slot, f"{DENIED}{_value(found['v'])}")
        return Reading(slot, _value(found["v"])) if not is_remark(found["v"]) else None
    if found := _CAR_IS.match(rest):
        return Reading(f"{who}: drives", found["v"].rstrip("."))
    if found := _PROPERTY.match(rest) or _IS_OTHER_NOW.match(rest):
        return _property(who, found)
    if found := _NAME.match(rest):
        return Reading(f"{who}'s {found['kin'].lower()}: name", found["v"])
    if (found := _WHO_IS.match(rest)) and names_value("boss", found["v"]):
        return Reading(f"{who}'s {found['kin'].lower()}: name", found["v"])
    if found := _THEIR_AGE.match(rest):
        child = " ".join(filter(None, (found["kin"].lower(), found["name"])))
        return Reading(f"{who}'s {child}: age", found["v"])
    if found := _MY_NAME.match(rest):
        return Reading(f"{who}: name", found["v"])
    return None


_PLACE = rf"(?:the )?(?:{PROPER}|(?P<known>{'|'.join(sorted(CITIES | COUNTRIES))})\b|{SMALL})"
"""A name, or a place as people write it who use no capitals."""
_LIVES = re.compile(
    rf"^{ADVERB}(?:lives? {ADVERB}in|is {ADVERB}(?:living|based) in|(?:has )?{ADVERB}(?:moved|relocated)"
    rf"(?: back)?(?: from [\w ,]+?)? to) {_PLACE}",
    re.I,
)
_AND_NOW = re.compile(r"^(?P<event>[a-z]+)\b[^.;]{0,80}?(?:,|,? and|,? but) (?P<now>now [a-z]+s\b.*)", re.I)
"""An event and what holds since then: "graduated and now works as a lawyer"."""
_CHANGED = re.compile(rf"^{HAS}(?:changed|updated|switched) their (?P<what>{_OWNED})(?: from \S+)? to (?P<v>.+)", re.I)
_HAS_NEW = re.compile(
    rf"^{HAS}(?:has|got) {ADVERB}an? new (?P<what>{_OWNED})(?::|,(?: (?:and )?(?:it's|it is)(?: now)?)?| -) (?P<v>.+)",
    re.I,
)
""" "I got a new number: 123." """


def _property(who: str, found: re.Match[str]) -> Reading | None:
    what = re.sub(r"e-?mail(?: address)?", "email", found["what"].lower().strip())
    if what == "number":  # of a phone, where it is long enough for one
        what = "phone number" if sum(map(str.isdigit, found["v"])) >= PHONE else what
    value = _value(found["v"]).removeprefix("on ") if "email" not in what else found["v"].split()[0].strip(" .,!")
    return Reading(f"{who}: {what}", value) if names_value(what, found["v"]) else None


_LONG = r"(?=[^.;]* (?:since|for|all)\b)"
_SETTLED = re.compile(rf"^{ADVERB}has {ADVERB}(?:been (?:living|based) in|lived in{_LONG}) {_PLACE}", re.I)
_LIVES_NOW = re.compile(
    rf"^{ADVERB}(?:has )?{ADVERB}left (?-i:[A-Z])[^.;]{{1,40}}?(?:,| and)(?: has)? {ADVERB}"
    rf"(?:(?:moved|relocated) to|lives {ADVERB}in|is {ADVERB}(?:living )?in) {PROPER}",
    re.I,
)
_AGE = re.compile(
    rf"^{ADVERB}(?:is {ADVERB}|(?:has )?{ADVERB}turned |is turning )(?P<v>\d{{1,2}})"
    r"(?: years old| yo| today| now| yesterday| last| this|[.,!]|$)",
    re.I,
)
_RELATION = re.compile(
    rf"^{ADVERB}(?:is {ADVERB}|got |has gotten )(?P<v>single|married|engaged|divorced|widowed|separated"
    r"|in a relationship|dating)(?![\w-])"
    rf"(?! (?:in(?! (?:(?-i:[A-Z])|{MONTH}|\d{{4}}|spring|summer|autumn|fall|winter))|with|from"
    r"|to (?:their|the))\b)",
    re.I,
)
_CAR_IS = re.compile(rf"^(?:new )?car is {ADVERB}an? (?:\w+ )?{PROPER}", re.I)
_LIVES_WITH = re.compile(rf"^{ADVERB}lives {ADVERB}(?P<v>alone|by themself|on their own|with [^.,;!]+)", re.I)
_DRIVES = re.compile(rf"^{ADVERB}drives? {ADVERB}an? (?:\w+ )?{PROPER}", re.I)
_DRIVES_NOW = re.compile(
    rf"^{ADVERB}(?:{_GIVEN_UP}{ADVERB}drives? {ADVERB}|(?:traded in|traded|swapped) (?:the"
    rf"|their) [\w ]+? for )an? (?:\w+ )?{PROPER}",
    re.I,
)
_SOLD = re.compile(rf"^{ADVERB}(?:has )?{ADVERB}sold (?:the|their) (?:old )?{PROPER}{CLAUSE_END}", re.I)
_WEIGHS = re.compile(
    rf"^{ADVERB}(?:weighs {ADVERB}|is {ADVERB}(?:down|up) to (?=\d+ ?(?:kg|kilos|lbs|pounds)))"
    r"(?P<v>\d[\d.,]*(?: ?(?:kg|kilos?|lbs?|pounds|stone))?)\b",
    re.I,
)
_HAS_NAMED = re.compile(
    rf"^{ADVERB}(?:(?:has|got|adopted|bought) {ADVERB}(?:an?|their) |is {ADVERB}(?:dating|with) an? )"
    rf"(?:new )?(?P<kin>{_KIN})(?:,| named| called) (?P<v>[A-Z]\w+)",
    re.I,
)
_PARTNER = re.compile(
    rf"^{ADVERB}(?:has {ADVERB}an? (?:new )?(?:{'|'.join((*SPOUSES, *COUPLE))})|is {ADVERB}seeing (?:someone|somebody))"
    r"(?=[.,!;]|$| (?:now|and|again|who|for)\b)",
    re.I,
)
_COUNT = re.compile(
    rf"^{ADVERB}(?:has|owns) {ADVERB}(?P<v>\d+|[a-z]+) (?P<what>{_COUNTED})\b"
    r"(?! (?:in|at(?! home)|with|on|from|to|for|today|left|over)\b)",
    re.I,
)
_PET_KIND = rf"(?P<pet>{'|'.join(PETS)})"
_PET = re.compile(
    rf"^{HAS}(?:has|owns|got|adopted|bought) {ADVERB}an? (?:[\w-]+ )?{_PET_KIND}(?=[.,!;]|$| (?:and|who|from|at home"
    rf"|now|that)\b)",
    re.I,
)
_NO_PET = re.compile(
    rf"^{HAS}(?:(?:doesn't|does not) {ADVERB}have|no longer has|sold) (?:an?|the|their"
    rf"|any) {_PET_KIND}s?(?: any ?more)?"
    r"(?=[.,!;]|$| (?:because|since|and|but|so)\b)",
    re.I,
)
_MOVED_OUT = re.compile(
    rf"^{ADVERB}(?:has )?{ADVERB}(?:no longer lives? in|(?:doesn't|does not) {ADVERB}live in"
    rf"|is (?:no longer|not) (?:living|based) in|moved (?:away from|out of)"
    rf"|left(?= [^.,;]* (?:for good|forever|permanently)\b)) {_PLACE}{CLAUSE_END}",
    re.I,
)


def _states(who: str, rest: str) -> Reading | None:
    """Where somebody lives and works; else what they are and have."""
    if found := _LIVES.match(rest):
        if (place := _place(found)) and place.split()[0].lower() not in PRODUCTS:
            return None if for_a_time(rest[found.end() :]) else Reading(f"{who}: lives in", place)
        return None
    if found := _SETTLED.match(rest):
        return Reading(f"{who}: lives in", _place(found)) if _place(found) else None
    alone = rest
    if who in rest.lower():  # "left Berlin, Alice is in Munich now"
        alone = re.sub(rf"(?<=, ){re.escape(who)} |(?<= and ){re.escape(who)} ", "", rest, flags=re.I)
    if found := _LIVES_NOW.match(alone):
        return Reading(f"{who}: lives in", found["v"].rstrip("."))
    if (now := _AND_NOW.match(alone)) and "VBD" in verb_forms(now["event"].lower()):
        return _states(who, now["now"])
    if work := employment(who, alone):
        return work
    if (found := _MOVED_OUT.match(rest)) and _place(found):
        return Reading(f"{who}: lives in", f"{DENIED}{_place(found)}")
    if (found := _LIVES_WITH.match(rest)) and not for_a_time(rest[found.end("v") :]):
        return Reading(f"{who}: lives with", re.sub(r" (?:now|again|in [A-Z].*)$", "", found["v"]).lower())
    return _condition(who, rest)


def _condition(who: str, rest: str) -> Reading | None:
    """Age, relationship, car, weight and what somebody is; else what they have."""
    if found := _AGE.match(rest):
        return Reading(f"{who}: age", found["v"])
    if found := _RELATION.match(rest):
        return _relation(who, _STATUS[found["v"].lower()], rest)
    if found := _DRIVES.match(rest) or _DRIVES_NOW.match(rest):
        return None if for_work(rest[found.end() :]) else Reading(f"{who}: drives", found["v"].rstrip("."))
    if found := _SOLD.match(rest):
        return Reading(f"{who}: drives", f"{DENIED}{found['v'].rstrip('.')}")
    if found := _WEIGHS.match(rest):
        return Reading(f"{who}: weight", found["v"].lower())
    return being(who, rest) or _belongings(who, rest)


def _belongings(who: str, rest: str) -> Reading | None:
    """Partners, pets, numbers and how many of a thing somebody has; else what they do."""
    if found := _HAS_NAMED.match(rest):
        kin = found["kin"].lower()
        with_status = (f"{who}: relationship status",) if kin in (*SPOUSES, *COUPLE) else ()
        return Reading(f"{who}'s {kin}: name", found["v"], closes=with_status)
    if _PARTNER.match(rest):
        return Reading(f"{who}: {HAS_PARTNER}", "", "+", closes=(f"{who}: relationship status",))
    if found := _PET.match(rest):
        done = fulfilled(who, rest)
        return Reading(has_pet(who, found["pet"].lower()), "", "+", closes=done.closes if done else ())
    if found := _NO_PET.match(rest):
        kind = found["pet"].lower().rstrip("s")
        return Reading(has_pet(who, kind), "", "-", closes=names_of(who, (kind,)))
    if found := _CHANGED.match(rest) or _HAS_NEW.match(rest):
        return _property(who, found)
    if (found := _COUNT.match(rest)) and (found["v"].isdigit() or found["v"].lower() in _NUMBER_WORDS - {"a", "an"}):
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
