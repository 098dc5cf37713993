"""What somebody is, does, likes and wants, and what of it is over: diets, habits, preferences, wishes.

A wish goes by its verb and its object without "a", "new" and the like, and is over when it is fulfilled: who ran the
Berlin marathon has run a marathon, but who ran a half marathon has not.
"""

from __future__ import annotations

import re
from dataclasses import replace

from everlore.extract.lexicon import HABIT_VERBS
from everlore.extract.reading import ADVERB, HAS, LONG_AGO, Reading
from everlore.extract.third_person import base_form, verb_forms

_FULFILS = {
    "buy": ("buy", "get"),
    "purchase": ("buy", "get"),
    "get": ("get", "buy", "adopt"),
    "adopt": ("adopt", "get"),
    "run": ("run",),
    "complete": ("run", "write"),
    "finish": ("run", "write"),
    **{verb: (verb,) for verb in ("visit", "climb", "write", "sell", "build", "publish", "pass", "open", "launch")},
}
"""Which wishes it fulfils when something was done."""
_WISHES = frozenset(wish for wishes in _FULFILS.values() for wish in wishes)
_GOT = re.compile(
    r"(?:dog|cat|puppy|kitten|horse|car|motorcycle|bike|house|home|flat|apartment|boat|van|tattoo|license|licence|visa"
    r"|degree|promotion|raise|phone|laptop|camera|piano|guitar)$"
)
"""What "got" is said of in the sense of having it then; a bit carried away is also got."""
_WISH = re.compile(
    rf"^ {ADVERB}(?:(?:wants|plans|hopes|intends|aims|is {ADVERB}(?:planning|hoping|going|saving(?: up)?)"
    r"|would (?:like|love)) to (?P<verb>[a-z]+)|dreams of (?P<ing>[a-z]+ing)|is (?:\w+ )?(?P<training>training) for"
    r"|is (?:\w+ )?(?P<saving>saving)(?: up)? for) (?P<o>.+)",
    re.I,
)
_TO_STOP = re.compile(
    rf"^ {ADVERB}(?:wants|plans|hopes|is trying) to (?:quit|stop|give up) (?P<what>[a-z]+ing)\b", re.I
)
_DONE = re.compile(rf"^{ADVERB}(?:has |have )?{ADVERB}(?P<verb>[a-z]+) (?P<o>.+)", re.I)
_OBJECT = re.compile(
    r"^(?:(?:an?|the|their|our|my) |(?=[A-Z]))(?P<o>(?:[\w'-]+ ){0,3}?[\w'-]+)"
    r"(?=[.,!;(]|$| (?:in|on|at|with|near|this|last|yesterday|today|one|some|someday|soon|and|but|because|so|after"
    r"|before"
    r"|from|to|as|again|for (?:\w+ )?(?:myself|me|us|themself|the first)|when|finally)\b)"
)
_PLAIN = re.compile(
    r"(?:new|own|first|second|nice|small|little|big|bigger|beautiful|cute|lovely|whole|full|used|great)$"
)
_NO_THING = re.compile(r"\b(?:lot|bit|few|bunch|pair|of|for|that|about|couple|mix|same|thing)\b")


def wished(who: str, rest: str) -> Reading | None:
    """The wish in a statement without its subject."""
    if habit := _TO_STOP.match(rest):
        return Reading(to_stop(who, habit["what"]), "", "+")
    found = _WISH.match(rest)
    if not found:
        return None
    verb = (
        "run" if found["training"] else "buy" if found["saving"] else found["verb"] or base_form(found["ing"].lower())
    )
    things = _objects(verb.lower(), found["o"])
    return Reading(_slot(who, verb.lower(), things[-1]), "", "+") if verb.lower() in _WISHES and things else None


def fulfilled(who: str, rest: str) -> Reading | None:
    """What was done that somebody may have wanted to do; `rest` has no subject and no blank before it."""
    found = _DONE.match(rest)
    verb = found["verb"].lower() if found else ""
    if not found or not verb_forms(verb) & {"VBD", "VBN"} or LONG_AGO.search(rest.replace("first", "")):
        return None
    base = base_form(verb)
    things = _objects(base, found["o"])
    if base not in _FULFILS or not things:
        return None
    closes = tuple(_slot(who, wish, thing) for wish in _FULFILS[base] for thing in things)
    return Reading(f"{who}: did {base} {things[-1]}", "", "+", closes=closes)


def to_stop(who: str, doing: str) -> str:
    """The slot of the wish to give up a habit."""
    return _slot(who, "quit", doing.lower())


def _slot(who: str, verb: str, thing: str) -> str:
    return f"{who}: wants to {verb} {thing}"


def _objects(verb: str, text: str) -> list[str]:
    """The object of a verb, also with fewer names before it, the fullest form last; empty where it is no plain one."""
    found = _OBJECT.match(text)
    words = [word for word in found["o"].split() if not _PLAIN.match(word.lower())] if found else []
    whole = " ".join(words).lower()
    if not words or _NO_THING.search(whole) or (verb == "get" and not _GOT.search(whole)):
        return []
    forms = [words]
    while len(forms[0]) > 1 and forms[0][0][0].isupper():
        forms.insert(0, forms[0][1:])
    return [" ".join(form).lower() for form in forms]


_TAIL = re.compile(
    r"\s*(?:[,;.!(—–]|\b(?:in|on|at|for|with|because|since|when|while|and|but|so|as|which|who|that|every|most|each"
    r"|after"
    r"|before|during|than|these|right|too|anymore|any more|now|from|by|lately|twice|once|daily|a lot|very|so|again|last"
    r"|yesterday|today|cold turkey|(?:\d+|an?|two|three|four|five|six|a few|some) (?:days?|weeks?|months?|years?) ago)"
    r"\b).*$",
    re.IGNORECASE | re.DOTALL,
)
DETERMINER = re.compile(r"^(?:the|a|an|their|to|some|any)\s+", re.IGNORECASE)
_POINTING = frozenset({"it", "them", "this", "that", "these", "those", "how", "what", "when", "all", "just", "to"})
_LIKES = {"love": "+", "like": "+", "enjoy": "+", "adore": "+", "prefer": "", "hate": "-", "dislike": "-"}
_NO_MEAT = ("vegan", "vegetarian", "pescatarian")
_DIETS = {
    **dict.fromkeys(("meat", "red meat", "chicken", "beef", "pork", "steak", "bacon"), _NO_MEAT),
    **dict.fromkeys(("fish", "seafood"), _NO_MEAT[:2]),
    **dict.fromkeys(("eggs", "dairy", "cheese"), _NO_MEAT[:1]),
}
"""What is eaten, and the diets that exclude it."""
_STARTED = re.compile(
    rf"^{HAS}(?:(?:started|resumed|began|went back to|is back to) (?P<verb>\w+ing)\b(?P<o> [^.;]*\bagain\b.*"
    rf"|(?<=eating).*"
    rf"|(?<=drinking).*|(?<=smoking).*)|is {ADVERB}(?P<now>\w+ing)\b(?P<more> [^.;]*\b(?:again|these days)\b.*))",
    re.I,
)
"""What was not so before. A course that somebody started is no habit yet."""
_RATHER = re.compile(
    rf"^{ADVERB}prefers {ADVERB}(?!to\b)(?P<a>[\w'-]+(?: [\w'-]+)?) (?:over|to|rather than|instead of) "
    r"(?P<b>[\w'-]+(?: [\w'-]+)?)(?: now| these days| any ?more)?[.!]*$",
    re.I,
)
_TASTE = re.compile(
    rf"^{HAS}(?:started|began|begun|come|came|grown|grew|learn(?:ed|t)) to (?P<verb>\w+)\b(?P<o>.*)", re.I
)
_STOPPED = re.compile(rf"^{ADVERB}(?:has )?{ADVERB}(?:stopped|quit|gave up|given up) (?P<verb>\w+ing)\b(?P<o>.*)", re.I)
_NO_DIET = re.compile(
    rf"^{HAS}(?:gave up|given up|quit|stopped|abandoned|dropped|is done with) (?P<diet>vegan|vegetarian)ism\b"
    rf"|^no longer (?:follows|eats|keeps to) an? (?P<same>vegan|vegetarian) diet\b",
    re.I,
)
_SWITCHED = re.compile(rf"^{HAS}(?:switched|changed) from (?P<o>[\w' -]+?) to\b", re.I)
_GAVE_UP = re.compile(rf"^{HAS}(?:gave up|given up)(?: on)? (?P<o>.+)", re.I)
_PURSUED = ("eat", "drink", "play", "learn", "study", "use", "practice")
_LEARNS = re.compile(rf"^{ADVERB}(?:is|has been) {ADVERB}(?P<verb>learning|studying)\b(?P<o>.*)", re.I)
_CAN_AGAIN = re.compile(rf"^{ADVERB}can {ADVERB}(?P<verb>\w+)\b(?P<o>.*\b(?:again|now)\b.*)", re.I)
_NO_LONGER = re.compile(r"^no longer (?P<verb>\w+)\b(?P<o>.*)", re.I)
_NOT_SINCE = re.compile(
    rf"^{ADVERB}(?:hasn't|has not) {ADVERB}(?P<verb>\w+)\b"
    r"(?P<o>.*\b(?:since|(?:in|for) (?:\w+ )?(?:years|months|weeks))\b)",
    re.I,
)
_NOT = re.compile(rf"^{ADVERB}(?:doesn't|does not|can't|cannot) {ADVERB}(?P<verb>\w+)\b(?P<o>.*)", re.I)
_DOES = re.compile(rf"^{ADVERB}(?P<verb>\w+s)\b(?P<o>.*)", re.I)
_IS = re.compile(
    rf"^{ADVERB}(?:(?P<no>isn't|is (?:not|no longer)|(?:has )?(?:stopped|quit|gave up|given up) being"
    rf"|was(?=[^.;]* until\b))|is|has been|(?P<turned>became|went|(?:has )?(?:gone|turned))) "
    rf"{ADVERB}(?:an? )?(?:\w+ly )?(?:(?P<v>vegan|vegetarian|pescatarian|pregnant|(?:lactose|gluten)[- ]intolerant"
    r"|on (?:an?|the) (?:[\w-]+ )?[\w-]+ diet)"
    r"(?=[.,!;]|$| (?:and|any ?more|again|as|at|because|but|for|in|last|now|since|so|these|this|until|when"
    r"|while|with)\b)"
    r"|(?P<bound>allergic to|afraid of|scared of|addicted to) (?P<o>[^.;]+))",
    re.I,
)
_NOW = re.compile(r"\b(?:now|since|these days|nowadays|recently|instead)\b", re.I)


def being(who: str, rest: str) -> Reading | None:
    """What somebody is: vegan, pregnant, allergic to nuts."""
    found = _IS.match(rest)
    if not found:
        return None
    state = found["v"].lower().replace("-", " ") if found["v"] else f"{found['bound'].lower()} {_thing(found['o'])}"
    others = () if found["no"] or not (found["turned"] or state == "pescatarian" or _NOW.search(rest)) else _NO_MEAT
    eaten = () if found["no"] else tuple(f"{who}: eat {food}" for food, diets in _DIETS.items() if state in diets)
    if state in others:  # of these diets one has one
        eaten += tuple(f"{who}: is {diet}" for diet in others if diet != state)
    return Reading(f"{who}: is {state}", "", "-" if found["no"] else "+", closes=eaten) if state[-1] != " " else None


def habit(who: str, rest: str) -> Reading | None:
    if found := _NO_DIET.match(rest):
        return Reading(f"{who}: is {(found['diet'] or found['same']).lower()}", "", "-")
    if found := _STARTED.match(rest):
        verb = found["verb"] or found["now"]
        return _doing(who, base_form(verb.lower()), found["o"] or found["more"] or "", "+")
    if found := _RATHER.match(rest):
        one, other = _thing(found["a"]), _thing(found["b"])
        return Reading(f"{who}: rather {' or '.join(sorted((one, other)))}", one) if one and other else None
    if (found := _TASTE.match(rest)) and found["verb"].lower() in _LIKES:
        return _doing(who, found["verb"].lower(), found["o"], "+")
    if (found := _SWITCHED.match(rest)) and (left := _given_up(who, _thing(found["o"]))):
        return replace(left, slot=f"{who}: use {_thing(found['o'])}")
    if found := _STOPPED.match(rest):
        stopped = _doing(who, base_form(found["verb"].lower()), found["o"], "-")
        return replace(stopped, closes=(to_stop(who, found["verb"]),)) if stopped else None
    if found := _GAVE_UP.match(rest):
        return _given_up(who, _thing(found["o"]))
    if found := _LEARNS.match(rest):
        return _doing(who, base_form(found["verb"].lower()), found["o"], "+")
    if found := _CAN_AGAIN.match(rest):
        return _doing(who, found["verb"].lower(), found["o"], "+")
    if found := _NO_LONGER.match(rest):
        return _doing(who, base_form(found["verb"].lower()), found["o"], "-")
    if found := _NOT_SINCE.match(rest):
        return _doing(who, base_form(found["verb"].lower()), found["o"], "-")
    if (found := _NOT.match(rest)) and not (found["verb"] == "go" and " go" in rest and "can" in rest[:8]):
        return _doing(who, found["verb"].lower(), found["o"], "-")
    if (found := _DOES.match(rest)) and "VBZ" in verb_forms(found["verb"].lower()):
        return _doing(who, base_form(found["verb"].lower()), found["o"], "+")
    return None


def _given_up(who: str, thing: str) -> Reading | None:
    """Whatever was done with it: eaten, played, learned."""
    closes = tuple(f"{who}: {verb} {thing}" for verb in _PURSUED)
    return Reading(f"{who}: gave up {thing}", "", "-", closes=closes) if thing else None


def _doing(who: str, verb: str, rest: str, sign: str) -> Reading | None:
    rest = rest.strip()
    if verb == "stand" and sign == "-":
        verb, sign = "hate", "+"
    if verb in _LIKES:
        liking = _LIKES[verb] or "+"
        shown = liking if sign == "+" else ("-" if liking == "+" else "+")
        thing = "" if rest.startswith("the ") else _thing(rest)  # "the idea" is one of this talk
        kind = thing.split()[1:][-1:]
        if verb == "prefer" and sign == "+" and kind:
            return Reading(f"{who}: prefers {kind[0]}", thing)
        preferred = (f"{who}: prefers {kind[0]}",) if kind and shown == "-" else ()
        whom = thing.split()[0] if preferred else ""
        return Reading(f"{who}: likes {thing}", "", shown, _limit(rest), preferred, whom) if thing else None
    if verb not in HABIT_VERBS:
        return None
    to = "to " if rest.startswith("to ") else ""
    thing = _thing(rest)
    name = f"{verb} {to}{thing}".strip()
    diets = _DIETS.get(thing, ()) if verb == "eat" and sign == "+" else ()
    closes = tuple(f"{who}: is {diet}" for diet in diets)
    return Reading(f"{who}: {name}", "", sign, _limit(rest), closes) if thing or verb == "smoke" else None


def _thing(text: str) -> str:
    """The thing a verb is about: up to four words, before anything that narrows it."""
    cut = _TAIL.sub("", DETERMINER.sub("", text.strip()).strip(" .!,")).lower().split()
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
