"""What a statement says of its speaker: the slot it fills, with which value, and what it says is over.

Only plain present statements are read; a hope, a plan and a doubt are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from everlore.extract.lexicon import CITIES, COUNTRIES, HABIT_VERBS, OCCUPATIONS
from everlore.extract.remarks import for_a_time, for_work, is_remark, names_value
from everlore.extract.voice import base_form, verb_forms

_ADVERB = r"(?:(?:now|currently|actually|really|also|just|still|recently|finally|already|mostly|usually|always)\s+)*"
LEAD_IN = re.compile(
    r"^(?!if\b|when\b|unless\b|maybe\b|used to\b|once\b|in case\b)(?:[^:?]{2,50}(?::| –| —)|(?:just so you know|fyi|ps"
    r"|heads[ -]up|for the record|remember|reminder|note|unfortunately|also|as i said|by the way|btw),"
    r"|(?:it )?turns out(?: that)?|actually(?: no)?,?|no wait,?|as of (?:now|today),?) ",
    re.IGNORECASE,
)
"""What may stand before a statement and leaves it true."""
_UNSURE = re.compile(
    r"\b(?:used to|would|might|(?<!in )(?-i:may)|could|should|if|wants? to|hopes?|plan(?:s|ning)|thinking"
    r"|considering|almost|maybe|prob(?:ably)?|wish(?:es)?|thinks?|dreams?|asked|said)\b|\?",
    re.IGNORECASE,
)
_COMPOUND = re.compile(r"\b(?:and|but|while)\b|;", re.IGNORECASE)
_GIVEN_UP = r"(?:sold|traded in|gave away|scrapped|crashed|left|quit) [^.;]{1,60}? and "
"""The half of a statement that makes room for the other one: what it says holds as long as that."""
_TAIL = re.compile(
    r"\s*(?:[,;.!(—–]|\b(?:in|on|at|for|with|because|since|when|while|and|but|so|as|which|who|that|every|most|each|after"
    r"|before|during|than|these|right|too|anymore|any more|now|from|by|lately|twice|once|daily|a lot|very|so|again|last"
    r"|yesterday|today|cold turkey|(?:\d+|an?|two|three|four|five|six|a few|some) (?:days?|weeks?|months?|years?) ago)"
    r"\b).*$",
    re.IGNORECASE | re.DOTALL,
)
DENIED = "not "
_DETERMINER = re.compile(r"^(?:the|a|an|their|to|some|any)\s+", re.IGNORECASE)
_POINTING = frozenset({"it", "them", "this", "that", "these", "those", "how", "what", "when", "all", "just"})
_BRACKET = re.compile(r"\s*\([^)]*\)")
_NUMBER_WORDS = {"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "a", "an", "no"}
_COUNTED = (
    r"(?:kids|children|sons?|daughters?|siblings|brothers?|sisters?|dogs?|cats?|pets|cars?|bikes?|bicycles|houses|"
    r"plants|grandchildren|roommates|guitars?|cameras?|tanks?|aquariums?)"
)
_OWNED = (
    r"(?:birthday|major|hometown|boss|manager|height|weight|salary|rent|job title|address|home address|"
    r"wi-?fi password|username|time ?zone|blood type|nickname|dentist|doctor|therapist|landlord|"
    r"(?:phone|mobile|cell|work|home)(?: phone)? number|(?:work |personal |private )?e-?mail(?: address)?|"
    r"personal best[\w ]{0,30}|[\w ]{0,20}\brecord)"
)
_KIN = (
    r"(?:husband|wife|partner|boyfriend|girlfriend|mother|mom|father|dad|dog|cat|puppy|kitten|horse|bird|son|daughter)"
)
PETS = ("dog", "cat", "puppy", "kitten", "horse", "bird")
_COUPLE = ("boyfriend", "girlfriend", "partner")
_SPOUSES = ("wife", "husband")
_LONG_AGO = re.compile(r"\b(?:in (?:the )?\d{4}|(?:months?|years?) ago|before|when|once|first|again)\b", re.IGNORECASE)
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
class Reading:
    """`sign` is "+" or "-" for things one is, does or likes, empty for values. `limit` is what narrows the statement.

    A value that begins with "not " ends that value and no other; "not " alone ends any. `closes` are other slots in
    which something is over: of `whom`, where one is named.
    """

    slot: str
    value: str
    sign: str = ""
    limit: str = ""
    closes: tuple[str, ...] = ()
    whom: str = ""


def read(text: str, speaker: str) -> Reading | None:
    who = speaker.strip().lower()
    plain = text.strip().replace("’", "'")
    named = len(who) if plain.lower().startswith(who) else 0  # a name may have brackets of its own: "Bob (he/him)"
    plain = plain[:named] + _BRACKET.sub("", plain[named:])
    if not who or len(plain) > 300:
        return None
    if not plain.lower().startswith(who):
        plain = LEAD_IN.sub("", plain)
    if over := _over(who, plain):
        return over
    if not plain.lower().startswith(who):
        return None
    rest = plain[len(who) :]
    if _UNSURE.search(rest):
        return None
    if rest.startswith("'s "):
        return _owned(who, rest[3:])
    return _states(who, rest[1:]) if rest.startswith(" ") else None


def says_more(text: str) -> bool:
    """Whether a statement has another half, which may hold when this one does not."""
    return bool(_COMPOUND.search(re.sub(_GIVEN_UP, "", text, count=1, flags=re.IGNORECASE)))


def place_class(place: str) -> str:
    name = place.lower()
    return "country" if name in COUNTRIES else "city" if name in CITIES else "unknown"


_FAVORITE = re.compile(
    rf"^(?:new |current )?favou?rite (?P<what>[\w' -]{{2,40}}?) {_ADVERB}"
    rf"(?:is|are|(?P<no>isn't|aren't))(?P<not> not| no longer)? {_ADVERB}(?P<v>.+)",
    re.I,
)
_PROPERTY = re.compile(rf"^(?:new |current )?(?P<what>{_OWNED}) {_ADVERB}is {_ADVERB}(?P<v>.+)", re.I)
_NAME = re.compile(rf"^(?P<kin>{_KIN})(?:'s name is| is (?:named|called)) (?P<v>(?-i:[A-Z])\w+|\w+(?=[.!]*$))", re.I)
_MY_NAME = re.compile(r"^(?:full |first |last )?name is (?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)*)")


def _owned(who: str, rest: str) -> Reading | None:
    if found := _FAVORITE.match(rest):
        slot = f"{who}: favorite {found['what'].lower().strip().replace('colour', 'color')}"
        if found["no"] or found["not"]:
            return Reading(slot, f"{DENIED}{_value(found['v'])}")
        return Reading(slot, _value(found["v"])) if not is_remark(found["v"]) else None
    if found := _PROPERTY.match(rest):
        what = re.sub(r"e-?mail(?: address)?", "email", found["what"].lower().strip())
        value = _value(found["v"]) if "email" not in what else found["v"].strip(" .!")
        return Reading(f"{who}: {what}", value) if names_value(what, found["v"]) else None
    if found := _NAME.match(rest):
        return Reading(f"{who}'s {found['kin'].lower()}: name", found["v"])
    if found := _MY_NAME.match(rest):
        return Reading(f"{who}: name", found["v"])
    return None


_OVER = re.compile(r"\b(?:broke|broken|split) up\b|\b(?:died|passed away|was put)\b", re.I)
_BROKE_UP = re.compile(
    r"^(?:WHO and (?P<a>[\w']+(?: \w+)?)|(?P<b>[\w']+(?: \w+)?) and WHO|WHO)"
    r"(?: (?:have|has|just|finally|recently|sadly))* (?:broke|broken|split) up"
    r"(?: with (?P<c>their \w+|[\w']+))?(?=[.,!]|$| (?:last|this|yesterday|today|a|two|three|after|because|and)\b)",
    re.I,
)
_DIED = re.compile(
    rf"^(?:WHO said: \"(?:(?:my|our) (?:{'|'.join(PETS)}),? )?|WHO's (?:{'|'.join(PETS)}),? )(?P<v>\w+)"
    r"(?: (?:has|just|sadly|recently))* (?:died|passed away|was put (?:down|to sleep))\b"
    r"(?! (?:laughing|down|out|on|inside|of (?:laughter|boredom|embarrassment|shame)))",
    re.I,
)


def _over(who: str, text: str) -> Reading | None:
    """That a couple parted, or that an animal died."""
    if not _OVER.search(text) or _LONG_AGO.search(text):
        return None
    anonymous = re.sub(rf"(?<!\w){re.escape(who)}(?!\w)", "WHO", text, flags=re.I)
    if found := _DIED.match(anonymous):
        return Reading(f"{who}: lost", "", closes=_names(who, PETS), whom=found["v"])
    if found := _BROKE_UP.match(anonymous):
        other = re.sub(r"^(?:WHO's|their) ", "", found["a"] or found["b"] or found["c"] or "")
        kin, _, name = other.partition(" ")
        if kin in _COUPLE:
            return Reading(f"{who}: parted", "", closes=_names(who, (kin,)), whom=name)
        return Reading(f"{who}: parted", "", closes=_names(who, _COUPLE), whom=other)
    return None


def _names(who: str, kin: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{who}'s {one}: name" for one in kin)


_PROPER = r"(?P<v>(?-i:[A-Z])[\w'&.-]*(?: (?:(?-i:[A-Z])[\w'&.-]*|of|de|la|the|del))*)"
_PLACE = rf"(?:{_PROPER}|(?P<known>{'|'.join(sorted(CITIES | COUNTRIES))})\b)"
"""A name, or a well-known place as people write it who use no capitals."""
_LIVES = re.compile(
    rf"^{_ADVERB}(?:lives? {_ADVERB}in|is {_ADVERB}(?:living|based) in|(?:has )?{_ADVERB}(?:moved|relocated)"
    rf"(?: back)?(?: from [\w ,]+?)? to) {_PLACE}",
    re.I,
)
_WORKS = re.compile(
    rf"^{_ADVERB}(?:works? {_ADVERB}(?:at|for)|is {_ADVERB}(?:working|employed) (?:at|by|for)"
    rf"|(?:started|got|landed|found|has|took) (?:an?|their) (?:new )?(?:job|position|role) (?:at|with)"
    rf"|started working (?:at|for)|is {_ADVERB}at(?=[^.,;]*\b(?:these days|nowadays)\b)) {_PROPER}",
    re.I,
)
_LONG = r"(?=[^.;]* (?:since|for|all)\b)"
_SETTLED = re.compile(rf"^{_ADVERB}has {_ADVERB}(?:been (?:living|based) in|lived in{_LONG}) {_PLACE}", re.I)
_EMPLOYED = re.compile(
    rf"^{_ADVERB}has {_ADVERB}(?:been (?:working|employed) (?:at|for|by)|worked (?:at|for){_LONG}) {_PROPER}", re.I
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
_HOW_WELL = (
    r"(?:\w+ )?(?:good|great|better|best|bad|worse|worst|terrible|horrible|awful|lousy|decent|amazing|slow|careful"
    r"|nervous|born|amateur|hobby|would-be|wannabe)"
)
"""A terrible cook is not one by trade."""
_JOB = re.compile(
    rf"^{_ADVERB}(?:is {_ADVERB}|works? {_ADVERB}as |became |started (?:a new job|working) as )"
    rf"(?:an? )(?!{_HOW_WELL}\b)(?P<v>[\w -]{{0,30}}?\b(?P<job>[a-z]+))"
    r"(?= (?:at(?! home| heart)|in|for|with|and|by|now|from|last|this|today|yesterday)\b|[.,!;]|$)",
    re.I,
)
_AGE = re.compile(
    rf"^{_ADVERB}(?:is {_ADVERB}|(?:has )?{_ADVERB}turned |is turning )(?P<v>\d{{1,2}})"
    r"(?: years old| yo| today| now|[.,!]|$)",
    re.I,
)
_RELATION = re.compile(
    rf"^{_ADVERB}(?:is {_ADVERB}|got |has gotten )(?P<v>single|married|engaged|divorced|widowed|separated"
    r"|in a relationship|dating)(?![\w-])(?! (?:in|with|from|to (?:their|the))\b)",
    re.I,
)
_DRIVES = re.compile(rf"^{_ADVERB}drives? {_ADVERB}an? (?:\w+ )?{_PROPER}", re.I)
_DRIVES_NOW = re.compile(
    rf"^{_ADVERB}{_GIVEN_UP}{_ADVERB}drives? {_ADVERB}an? (?:\w+ )?{_PROPER}",
    re.I,
)
_HAS_NAMED = re.compile(
    rf"^{_ADVERB}(?:(?:has|got|adopted|bought) {_ADVERB}(?:an?|their) |is {_ADVERB}(?:dating|with) an? )"
    rf"(?:new )?(?P<kin>{_KIN})(?:,| named| called) (?P<v>[A-Z]\w+)",
    re.I,
)
_COUNT = re.compile(
    rf"^{_ADVERB}(?:has|owns) {_ADVERB}(?P<v>\d+|[a-z]+) (?P<what>{_COUNTED})\b"
    r"(?! (?:in|at(?! home)|with|on|from|to|for|today|left|over)\b)",
    re.I,
)
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
    rf"|is (?:no longer|not) (?:living|based) in|moved (?:away from|out of)) {_PLACE}{_CLAUSE_END}",
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


def _states(who: str, rest: str) -> Reading | None:
    if found := _LIVES.match(rest):
        return None if for_a_time(rest[found.end() :]) else Reading(f"{who}: lives in", _place(found))
    if found := _WORKS.match(rest):
        return None if for_a_time(rest[found.end() :]) else Reading(f"{who}: works at", found["v"].rstrip("."))
    if found := _SETTLED.match(rest):
        return Reading(f"{who}: lives in", _place(found))
    if found := _EMPLOYED.match(rest):
        return Reading(f"{who}: works at", found["v"].rstrip("."))
    alone = rest
    if who in rest.lower():  # "left Berlin, Alice is in Munich now"
        alone = re.sub(rf"(?<=, ){re.escape(who)} |(?<= and ){re.escape(who)} ", "", rest, flags=re.I)
    if found := _LIVES_NOW.match(alone):
        return Reading(f"{who}: lives in", found["v"].rstrip("."))
    if found := _WORKS_NOW.match(alone):
        return Reading(f"{who}: works at", found["v"].rstrip("."))
    if (found := _LEFT.match(rest)) and place_class(found["v"].rstrip(".")) == "unknown":
        return Reading(f"{who}: works at", f"{DENIED}{found['v'].rstrip('.')}")
    if _OUT_OF_WORK.match(rest):
        return Reading(f"{who}: works at", DENIED)
    if found := _MOVED_OUT.match(rest):
        return Reading(f"{who}: lives in", f"{DENIED}{_place(found)}")
    if (found := _JOB.match(rest)) and found["job"].lower() in OCCUPATIONS:
        return Reading(f"{who}: job", found["v"].lower())
    if found := _AGE.match(rest):
        return Reading(f"{who}: age", found["v"])
    if found := _RELATION.match(rest):
        return _relation(who, _STATUS[found["v"].lower()], rest)
    if found := _DRIVES.match(rest) or _DRIVES_NOW.match(rest):
        return None if for_work(rest[found.end() :]) else Reading(f"{who}: drives", found["v"].rstrip("."))
    if found := _IS.match(rest):
        return _being(who, found)
    if found := _HAS_NAMED.match(rest):
        return Reading(f"{who}'s {found['kin'].lower()}: name", found["v"])
    if (found := _COUNT.match(rest)) and (found["v"].isdigit() or found["v"].lower() in _NUMBER_WORDS - {"a", "an"}):
        return Reading(f"{who}: number of {found['what'].lower().rstrip('s')}s", found["v"].lower())
    return _habit(who, rest)


def _relation(who: str, status: str, rest: str) -> Reading:
    closes: tuple[str, ...] = ()
    if status in ("divorced", "single") and not _LONG_AGO.search(rest) and not says_more(rest):
        closes = _names(who, _SPOUSES if status == "divorced" else (*_SPOUSES, *_COUPLE))
    return Reading(f"{who}: relationship status", status, closes=closes)


def _place(found: re.Match[str]) -> str:
    return str(found["v"] or found["known"]).rstrip(".")


def _being(who: str, found: re.Match[str]) -> Reading | None:
    state = found["v"].lower().replace("-", " ") if found["v"] else f"allergic to {_thing(found['o'])}"
    return Reading(f"{who}: is {state}", "", "-" if found["no"] else "+") if not state.endswith(" ") else None


def _habit(who: str, rest: str) -> Reading | None:
    if found := _SWITCHED.match(rest):
        return Reading(f"{who}: use {_thing(found['o'])}", "", "-")
    if found := _STOPPED.match(rest):
        return _doing(who, base_form(found["verb"].lower()), found["o"], "-")
    if found := _NO_LONGER.match(rest):
        return _doing(who, base_form(found["verb"].lower()), found["o"], "-")
    if found := _NOT.match(rest):
        return _doing(who, found["verb"].lower(), found["o"], "-")
    if (found := _DOES.match(rest)) and "VBZ" in verb_forms(found["verb"].lower()):
        return _doing(who, base_form(found["verb"].lower()), found["o"], "+")
    return None


def _doing(who: str, verb: str, rest: str, sign: str) -> Reading | None:
    rest = rest.strip()
    if verb == "stand" and sign == "-":
        verb, sign = "hate", "+"
    if verb in _LIKES:
        liking = _LIKES[verb] or "+"
        shown = liking if sign == "+" else ("-" if liking == "+" else "+")
        thing = "" if rest.startswith("the ") else _thing(rest)  # "the idea" is one of this talk
        return Reading(f"{who}: likes {thing}", "", shown, _limit(rest)) if thing else None
    if verb not in HABIT_VERBS:
        return None
    to = "to " if rest.startswith("to ") else ""
    thing = _thing(rest)
    name = f"{verb} {to}{thing}".strip()
    return Reading(f"{who}: {name}", "", sign, _limit(rest)) if thing or verb == "smoke" else None


def _thing(text: str) -> str:
    """The thing a verb is about: up to four words, before anything that narrows it."""
    cut = _TAIL.sub("", _DETERMINER.sub("", text.strip()).strip(" .!,")).lower().split()
    if not 0 < len(cut) <= 4 or cut[0] in _POINTING or "to" in cut[1:2]:
        return ""
    return " ".join(cut)


_LIMIT = re.compile(
    r"\b(?:in|on|at|for|with|when|while|after|before|during|from)\b [^,.;!(]*|\b(?:right now|today|tonight|yet)\b",
    re.IGNORECASE,
)


def _limit(text: str) -> str:
    """What narrows a like or habit ("in the evening"): its denial says nothing about the rest."""
    found = _LIMIT.search(text)
    return re.sub(r"\s*\b(?:any ?more|now)\b", "", found[0]).strip().lower() if found else ""


def _value(text: str) -> str:
    cut = re.split(
        r"\s+(?:because|since|which|and it|and they|but|so)\b|(?<!\b[DM][rs])(?<!\bMrs)[.!,;(](?:\s|$)| \(",
        text,
        maxsplit=1,
    )[0]
    return _DETERMINER.sub("", cut.strip(" .!,")).lower()
