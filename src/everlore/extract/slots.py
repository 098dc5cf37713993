"""What a fact states a single value of, and whether a newer value ends an older one.

Precision over recall: a wrong end hides something true, a missed one only leaves both to be read, newest first. So a
slot is given only to plain present statements about the speaker, and an end needs either two values that exclude each
other or words of change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from everlore.extract.lexicon import CITIES, COUNTRIES, HABIT_VERBS, OCCUPATIONS
from everlore.extract.voice import base_form, verb_forms

_ADVERB = r"(?:(?:now|currently|actually|really|also|just|still|recently|finally|already|mostly|usually|always)\s+)*"
_UNSURE = re.compile(
    r"\b(?:used to|would|might|may|could|should|if|wants? to|hopes?|plan(?:s|ning)|thinking|considering|almost|maybe"
    r"|wish(?:es)?|thinks?|dreams?|asked|said)\b|\?",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:now|no longer|any ?more|moved|relocated|stopped|quit|switched|changed|became|started|joined|new|these days"
    r"|nowadays|got|turned|recently|since|left)\b",
    re.IGNORECASE,
)
_COMPOUND = re.compile(r"\b(?:and|but|while)\b|;", re.IGNORECASE)
_GIVEN_UP = r"(?:sold|traded in|gave away|scrapped|crashed|left|quit) [^.;]{1,60}? and "
"""The half of a statement that makes room for the other one: what it says holds as long as that."""
_TAIL = re.compile(
    r"\s*(?:[,;.!(—–]|\b(?:in|on|at|for|with|because|since|when|while|and|but|so|as|which|who|that|every|most|each|after"
    r"|before|during|than|these|right|too|anymore|any more|now|from|by|lately|twice|once|daily|a lot|very|so)\b).*$",
    re.IGNORECASE | re.DOTALL,
)
_DENIED = "not "
_DETERMINER = re.compile(r"^(?:the|a|an|their|to|some|any)\s+", re.IGNORECASE)
_POINTING = frozenset({"it", "them", "this", "that", "these", "those", "how", "what", "when", "all", "just"})
_BRACKET = re.compile(r"\s*\([^)]*\)")
_NUMBER_WORDS = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "a", "an", "no"}
_COUNTED = (
    r"(?:kids|children|sons?|daughters?|siblings|brothers?|sisters?|dogs?|cats?|pets|cars?|bikes?|bicycles|houses|"
    r"plants|grandchildren|roommates|guitars?|cameras?|tanks?|aquariums?)"
)
_OWNED = (
    r"(?:birthday|major|hometown|boss|manager|height|weight|salary|job title|address|home address|"
    r"wi-?fi password|username|time ?zone|blood type|nickname|dentist|doctor|therapist|landlord|"
    r"(?:phone|mobile|cell|work|home)(?: phone)? number|(?:work |personal |private )?e-?mail(?: address)?|"
    r"personal best[\w ]{0,30}|[\w ]{0,20}\brecord)"
)
_KIN = (
    r"(?:husband|wife|partner|boyfriend|girlfriend|mother|mom|father|dad|dog|cat|puppy|kitten|horse|bird|son|daughter)"
)
_LIKES = {"love": "+", "like": "+", "enjoy": "+", "adore": "+", "prefer": "", "hate": "-", "dislike": "-"}
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


@dataclass(frozen=True, slots=True)
class _Reading:
    """`sign` is "+" or "-" for things one is, does or likes, empty for values. `limit` is what narrows the statement.

    A value that begins with "not " ends that value and no other; "not " alone ends any.
    """

    slot: str
    value: str
    sign: str = ""
    limit: str = ""


def about(text: str, speaker: str) -> str:
    """The slot a statement fills, e.g. "alice: favorite coffee shop"; empty for most statements."""
    reading = _read(text, speaker)
    return reading.slot if reading else ""


def ends(new: str, old: str, slot: str) -> bool:
    """Whether the newer of two statements in `slot` makes the older one untrue."""
    speaker = _speaker(slot)
    fresh, stale = _read(new, speaker), _read(old, speaker)
    if fresh is None or stale is None or fresh.slot != slot or stale.slot != slot:
        return False
    if says_more(old):
        return False
    if fresh.sign or stale.sign:
        return fresh.sign != stale.sign and fresh.limit in ("", stale.limit)
    if stale.value.startswith(_DENIED):
        return False  # that somebody left stays true
    if fresh.value.startswith(_DENIED):
        return _overlap(fresh.value.removeprefix(_DENIED), stale.value)
    if _overlap(fresh.value, stale.value):
        return False
    return _exclusive(slot.rpartition(": ")[2], fresh.value, stale.value, bool(_CHANGE.search(new)))


def denies(text: str, slot: str) -> bool:
    """Whether a statement only says what does not hold any more: "left Siemens"."""
    reading = _read(text, _speaker(slot))
    return reading is not None and reading.value.startswith(_DENIED)


def says_more(text: str) -> bool:
    """Whether a statement has another half, which may hold when this one does not."""
    return bool(_COMPOUND.search(re.sub(_GIVEN_UP, "", text, count=1, flags=re.IGNORECASE)))


def _speaker(slot: str) -> str:
    return slot.partition(": ")[0].partition("'s ")[0]


def _overlap(one: str, two: str) -> bool:
    """Whether two values may be the same thing said with more or fewer words."""
    left, right = set(one.lower().split()), set(two.lower().split())
    return not left or not right or left <= right or right <= left


def _exclusive(kind: str, new: str, old: str, change: bool) -> bool:
    if kind == "lives in":
        return change or (_place_class(new) == _place_class(old))
    if kind in ("job", "name") or kind.startswith("number of"):
        return change or kind.startswith("number of")
    return True


def _place_class(place: str) -> str:
    name = place.lower()
    return "country" if name in COUNTRIES else "city" if name in CITIES else "unknown"


def _read(text: str, speaker: str) -> _Reading | None:
    who = speaker.strip().lower()
    plain = _BRACKET.sub("", text.strip().replace("’", "'"))
    if not who or not plain.lower().startswith(who) or len(plain) > 300:
        return None
    rest = plain[len(who) :]
    if _UNSURE.search(rest):
        return None
    if rest.startswith("'s "):
        return _owned(who, rest[3:])
    return _states(who, rest[1:]) if rest.startswith(" ") else None


_FAVORITE = re.compile(
    rf"^(?:new |current )?favou?rite (?P<what>[\w' -]{{2,40}}?) {_ADVERB}(?:is|are) {_ADVERB}(?P<v>.+)", re.I
)
_PROPERTY = re.compile(rf"^(?:new |current )?(?P<what>{_OWNED}) {_ADVERB}is {_ADVERB}(?P<v>.+)", re.I)
_NAME = re.compile(rf"^(?P<kin>{_KIN})(?:'s name is| is (?:named|called)) (?P<v>[A-Z]\w+)", re.I)
_MY_NAME = re.compile(r"^(?:full |first |last )?name is (?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)")


def _owned(who: str, rest: str) -> _Reading | None:
    if found := _FAVORITE.match(rest):
        return _Reading(f"{who}: favorite {found['what'].lower().strip()}", _value(found["v"]))
    if found := _PROPERTY.match(rest):
        what = re.sub(r"e-?mail(?: address)?", "email", found["what"].lower().strip())
        return _Reading(f"{who}: {what}", _value(found["v"]) if "email" not in what else found["v"].strip(" .!"))
    if found := _NAME.match(rest):
        return _Reading(f"{who}'s {found['kin'].lower()}: name", found["v"])
    if found := _MY_NAME.match(rest):
        return _Reading(f"{who}: name", found["v"])
    return None


_PROPER = r"(?P<v>(?-i:[A-Z])[\w'&.-]*(?: (?:(?-i:[A-Z])[\w'&.-]*|of|de|la|the|del))*)"
_LIVES = re.compile(
    rf"^{_ADVERB}(?:lives? {_ADVERB}in|is {_ADVERB}(?:living|based) in|(?:has )?{_ADVERB}(?:moved|relocated)"
    rf"(?: back)?(?: from [\w ,]+?)? to) {_PROPER}",
    re.I,
)
_WORKS = re.compile(
    rf"^{_ADVERB}(?:works? {_ADVERB}(?:at|for)|is {_ADVERB}(?:working|employed) (?:at|by|for)"
    rf"|started (?:working (?:at|for)|a (?:new )?job at)|got a (?:new )?job at) {_PROPER}",
    re.I,
)
_WORKS_NOW = re.compile(
    rf"^{_ADVERB}(?:has )?{_ADVERB}(?:(?:left|quit) (?:(?-i:[A-Z])|their (?:old )?job)|(?:switched|changed) jobs)"
    rf"[^.;]{{0,60}}?(?:,| and)(?: has)? {_ADVERB}(?:joined|started (?:working )?(?:at|for|with)"
    rf"|works {_ADVERB}(?:at|for)|is {_ADVERB}(?:working )?(?:at|for)) {_PROPER}(?! for\b)",
    re.I,
)
_LIVES_NOW = re.compile(
    rf"^{_ADVERB}(?:has )?{_ADVERB}left (?-i:[A-Z])[^.;]{{1,40}}?(?:,| and)(?: has)? {_ADVERB}"
    rf"(?:(?:moved|relocated) to|lives {_ADVERB}in|is {_ADVERB}(?:living )?in) {_PROPER}",
    re.I,
)
_JOB = re.compile(
    rf"^{_ADVERB}(?:is {_ADVERB}|works? {_ADVERB}as |became )(?:an? )(?P<v>[\w -]{{0,30}}?\b(?P<job>[a-z]+))"
    r"(?= (?:at|in|for|with|and|by|now|from)\b|[.,!;]|$)",
    re.I,
)
_AGE = re.compile(
    rf"^{_ADVERB}(?:is {_ADVERB}|(?:has )?{_ADVERB}turned |is turning )(?P<v>\d{{1,2}})"
    r"(?: years old| yo| today| now|[.,!]|$)",
    re.I,
)
_RELATION = re.compile(
    rf"^{_ADVERB}(?:is {_ADVERB}|got |has gotten )(?P<v>single|married|engaged|divorced|widowed|separated"
    r"|in a relationship|dating)(?![\w-])(?! (?:in|with|from)\b)",
    re.I,
)
_DRIVES = re.compile(rf"^{_ADVERB}drives? {_ADVERB}an? (?:\w+ )?{_PROPER}", re.I)
_DRIVES_NOW = re.compile(
    rf"^{_ADVERB}{_GIVEN_UP}{_ADVERB}drives? {_ADVERB}an? (?:\w+ )?{_PROPER}",
    re.I,
)
_COUNT = re.compile(rf"^{_ADVERB}(?:has|owns) {_ADVERB}(?P<v>\d+|[a-z]+) (?P<what>{_COUNTED})\b", re.I)
_STOPPED = re.compile(
    rf"^{_ADVERB}(?:has )?{_ADVERB}(?:stopped|quit|gave up|given up) (?P<verb>\w+ing)\b(?P<o>.*)", re.I
)
_SWITCHED = re.compile(rf"^{_ADVERB}(?:has )?{_ADVERB}switched from (?P<o>[\w' -]+?) to\b", re.I)
_NO_LONGER = re.compile(r"^no longer (?P<verb>\w+)\b(?P<o>.*)", re.I)
_NOT = re.compile(rf"^{_ADVERB}(?:doesn't|does not|can't|cannot) {_ADVERB}(?P<verb>\w+)\b(?P<o>.*)", re.I)
_DOES = re.compile(rf"^{_ADVERB}(?P<verb>\w+s)\b(?P<o>.*)", re.I)
_CLAUSE_END = r"(?=[.,!;]|$| (?:and|after|because|but|last|in|for good|to|any ?more)\b)"
_LEFT = re.compile(
    rf"^{_ADVERB}(?:has )?{_ADVERB}(?:(?:left|quit)(?: (?:their|a|the) (?:old )?(?:job|position|role) (?:at|with))?"
    r"|(?:quit|stopped) working (?:at|for)|(?:resigned|retired) from|(?:was|got) (?:fired|laid off) (?:from|by|at)"
    rf"|no longer works? (?:at|for)|(?:doesn't|does not) {_ADVERB}work (?:at|for)"
    rf"|is (?:no longer|(?:not|no longer) (?:working|employed)) (?:at|for|by|with)) {_PROPER}{_CLAUSE_END}",
    re.I,
)
_OUT_OF_WORK = re.compile(
    rf"^{_ADVERB}(?:has )?{_ADVERB}(?:(?:left|quit|lost) their (?:old )?job|(?:was|got) (?:fired|laid off)"
    rf"|retired(?: last| in|[.!]|$)|is {_ADVERB}(?:retired|unemployed))(?! (?:as|at|by|from|up|with)\b)",
    re.I,
)
_MOVED_OUT = re.compile(
    rf"^{_ADVERB}(?:has )?{_ADVERB}(?:no longer lives? in|(?:doesn't|does not) {_ADVERB}live in"
    rf"|is (?:no longer|not) (?:living|based) in|moved (?:away from|out of)) {_PROPER}{_CLAUSE_END}",
    re.I,
)
_IS = re.compile(
    rf"^{_ADVERB}(?:(?P<no>isn't|is (?:not|no longer)|(?:has )?stopped being)|is|has been|became|went) "
    rf"{_ADVERB}(?:an? )?(?:\w+ly )?(?:(?P<v>vegan|vegetarian|pescatarian|pregnant|(?:lactose|gluten)[- ]intolerant"
    r"|on (?:an?|the) (?:[\w-]+ )?[\w-]+ diet)"
    r"(?=[.,!;]|$| (?:and|any ?more|again|as|at|because|but|for|in|now|since|so|these|this|when|while|with)\b)"
    r"|allergic to (?P<o>[^.;]+))",
    re.I,
)


def _states(who: str, rest: str) -> _Reading | None:
    if found := _LIVES.match(rest):
        return _Reading(f"{who}: lives in", found["v"].rstrip("."))
    if found := _WORKS.match(rest):
        return _Reading(f"{who}: works at", found["v"].rstrip("."))
    alone = rest
    if who in rest.lower():  # "left Berlin, Alice is in Munich now"
        alone = re.sub(rf"(?<=, ){re.escape(who)} |(?<= and ){re.escape(who)} ", "", rest, flags=re.I)
    if found := _LIVES_NOW.match(alone):
        return _Reading(f"{who}: lives in", found["v"].rstrip("."))
    if found := _WORKS_NOW.match(alone):
        return _Reading(f"{who}: works at", found["v"].rstrip("."))
    if (found := _LEFT.match(rest)) and _place_class(found["v"].rstrip(".")) == "unknown":
        return _Reading(f"{who}: works at", f"{_DENIED}{found['v'].rstrip('.')}")
    if _OUT_OF_WORK.match(rest):
        return _Reading(f"{who}: works at", _DENIED)
    if found := _MOVED_OUT.match(rest):
        return _Reading(f"{who}: lives in", f"{_DENIED}{found['v'].rstrip('.')}")
    if (found := _JOB.match(rest)) and found["job"].lower() in OCCUPATIONS:
        return _Reading(f"{who}: job", found["v"].lower())
    if found := _AGE.match(rest):
        return _Reading(f"{who}: age", found["v"])
    if found := _RELATION.match(rest):
        return _Reading(f"{who}: relationship status", _STATUS[found["v"].lower()])
    if found := _DRIVES.match(rest) or _DRIVES_NOW.match(rest):
        return _Reading(f"{who}: drives", found["v"].rstrip("."))
    if found := _IS.match(rest):
        return _being(who, found)
    if (found := _COUNT.match(rest)) and (found["v"].isdigit() or found["v"].lower() in _NUMBER_WORDS - {"a", "an"}):
        return _Reading(f"{who}: number of {found['what'].lower().rstrip('s')}s", found["v"].lower())
    return _habit(who, rest)


def _being(who: str, found: re.Match[str]) -> _Reading | None:
    state = found["v"].lower().replace("-", " ") if found["v"] else f"allergic to {_thing(found['o'])}"
    return _Reading(f"{who}: is {state}", "", "-" if found["no"] else "+") if not state.endswith(" ") else None


def _habit(who: str, rest: str) -> _Reading | None:
    if found := _SWITCHED.match(rest):
        return _Reading(f"{who}: use {_thing(found['o'])}", "", "-")
    if found := _STOPPED.match(rest):
        return _doing(who, base_form(found["verb"].lower()), found["o"], "-")
    if found := _NO_LONGER.match(rest):
        return _doing(who, base_form(found["verb"].lower()), found["o"], "-")
    if found := _NOT.match(rest):
        return _doing(who, found["verb"].lower(), found["o"], "-")
    if (found := _DOES.match(rest)) and "VBZ" in verb_forms(found["verb"].lower()):
        return _doing(who, base_form(found["verb"].lower()), found["o"], "+")
    return None


def _doing(who: str, verb: str, rest: str, sign: str) -> _Reading | None:
    rest = rest.strip()
    if verb == "stand" and sign == "-":
        verb, sign = "hate", "+"
    if verb in _LIKES:
        liking = _LIKES[verb] or "+"
        shown = liking if sign == "+" else ("-" if liking == "+" else "+")
        thing = "" if rest.startswith("the ") else _thing(rest)  # "the idea" is one of this talk
        return _Reading(f"{who}: likes {thing}", "", shown, _limit(rest)) if thing else None
    if verb not in HABIT_VERBS:
        return None
    to = "to " if rest.startswith("to ") else ""
    thing = _thing(rest)
    name = f"{verb} {to}{thing}".strip()
    return _Reading(f"{who}: {name}", "", sign, _limit(rest)) if thing or verb == "smoke" else None


def _thing(text: str) -> str:
    """The thing a verb is about: up to four words, before anything that narrows it."""
    cut = _TAIL.sub("", _DETERMINER.sub("", text.strip()).strip(" .!,")).lower().split()
    if not 0 < len(cut) <= 4 or cut[0] in _POINTING or "to" in cut[1:2]:
        return ""
    return " ".join(cut)


_LIMIT = re.compile(r"\b(?:in|on|at|for|with|when|while|after|before|during|from)\b [^,.;!(]*", re.IGNORECASE)


def _limit(text: str) -> str:
    """What narrows a like or habit ("in the evening"): its denial says nothing about the rest."""
    found = _LIMIT.search(text)
    return re.sub(r"\s*\b(?:any ?more|now)\b", "", found[0]).strip().lower() if found else ""


def _value(text: str) -> str:
    cut = re.split(r"\s+(?:because|since|which|and it|and they|but|so)\b|[.!,;(](?:\s|$)| \(", text, maxsplit=1)[0]
    return _DETERMINER.sub("", cut.strip(" .!,")).lower()
