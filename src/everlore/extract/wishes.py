"""What somebody wants to do, and what fulfils it: "wants to buy a house" is over when the house is bought.

A wish goes by its verb and its object without "a", "new" and the like. A name in what was done is only more exact: who
ran the Berlin marathon has run a marathon, but who ran a half marathon has not.
"""

from __future__ import annotations

import re

from everlore.extract.reading import ADVERB, LONG_AGO, Reading
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
    rf"^ {ADVERB}(?:wants|plans|hopes|is trying) to (?:quit|stop|give up) (?P<what>[a-z]+ing)\b",
    re.I,
)
_DONE = re.compile(rf"^{ADVERB}(?:has |have )?{ADVERB}(?P<verb>[a-z]+) (?P<o>.+)", re.I)
_OBJECT = re.compile(
    r"^(?:(?:an?|the|their|our|my) |(?=[A-Z]))(?P<o>(?:[\w'-]+ ){0,3}?[\w'-]+)"
    r"(?=[.,!;(]|$| (?:in|on|at|with|near|this|last|yesterday|today|one|some|someday|soon|and|but|because|so|after"
    r"|before"
    r"|from|to|as|again|for (?:\w+ )?(?:myself|me|us|themself|the first)|when|finally)\b)"
)
_PLAIN = re.compile(
    r"(?:new|own|first|second|nice|small|little|big|bigger|beautiful|cute|lovely|whole|full|used|great)$",
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
