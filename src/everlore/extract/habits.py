"""What somebody is, does, likes and wants, and what of it is over: diets, habits, preferences, wishes.

A wish goes by its verb and its object without "a", "new" and the like, and is over when it is fulfilled: who ran the
Berlin marathon has run a marathon, but who ran a half marathon has not.
"""

from __future__ import annotations

import re
from dataclasses import replace

from everlore.extract.lexicon import HABIT_VERBS
from everlore.extract.reading import LONG_AGO, Reading
from everlore.extract.third_person import base_form, verb_forms
from everlore.extract.vocabulary import Vocabulary

_KNOWN = Vocabulary("habits")
_FULFILS = {done: wishes.split() for done, wishes in _KNOWN.table("fulfils").items()}
_WISHES = frozenset(wish for wishes in _FULFILS.values() for wish in wishes)


def wished(who: str, rest: str) -> Reading | None:
    """The wish in a statement without its subject."""
    if habit := _KNOWN["to_stop"].match(rest):
        return Reading(to_stop(who, habit["what"]), "", "+")
    found = _KNOWN["wish"].match(rest)
    if not found:
        return None
    verb = (
        "run" if found["training"] else "buy" if found["saving"] else found["verb"] or base_form(found["ing"].lower())
    )
    things = _objects(verb.lower(), found["o"])
    return Reading(_slot(who, verb.lower(), things[-1]), "", "+") if verb.lower() in _WISHES and things else None


def fulfilled(who: str, rest: str) -> Reading | None:
    """What was done that somebody may have wanted to do; `rest` has no subject and no blank before it."""
    found = _KNOWN["done"].match(rest)
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
    found = _KNOWN["object"].match(text)
    words = [word for word in found["o"].split() if not _KNOWN["plain"].match(word.lower())] if found else []
    whole = " ".join(words).lower()
    if not words or _KNOWN["no_thing"].search(whole) or (verb == "get" and not _KNOWN["got"].search(whole)):
        return []
    forms = [words]
    while len(forms[0]) > 1 and forms[0][0][0].isupper():
        forms.insert(0, forms[0][1:])
    return [" ".join(form).lower() for form in forms]


DETERMINER = _KNOWN["determiner"]
_POINTING = _KNOWN.words("pointing")
_LIKES = {"love": "+", "like": "+", "enjoy": "+", "adore": "+", "prefer": "", "hate": "-", "dislike": "-"}
_NO_MEAT = ("vegan", "vegetarian", "pescatarian")
_DIETS = {food: tuple(diets.split()) for food, diets in _KNOWN.table("diets").items()}
_PURSUED = ("eat", "drink", "play", "learn", "study", "use", "practice")
_NO_LONGER = re.compile(r"^no longer (?P<verb>\w+)\b(?P<o>.*)", re.I)


def being(who: str, rest: str) -> Reading | None:
    """What somebody is: vegan, pregnant, allergic to nuts."""
    found = _KNOWN["is"].match(rest)
    if not found:
        return None
    state = found["v"].lower().replace("-", " ") if found["v"] else f"{found['bound'].lower()} {_thing(found['o'])}"
    others = (
        () if found["no"] or not (found["turned"] or state == "pescatarian" or _KNOWN["now"].search(rest)) else _NO_MEAT
    )
    eaten = () if found["no"] else tuple(f"{who}: eat {food}" for food, diets in _DIETS.items() if state in diets)
    if state in others:  # of these diets one has one
        eaten += tuple(f"{who}: is {diet}" for diet in others if diet != state)
    return Reading(f"{who}: is {state}", "", "-" if found["no"] else "+", closes=eaten) if state[-1] != " " else None


def habit(who: str, rest: str) -> Reading | None:
    if found := _KNOWN["no_diet"].match(rest):
        return Reading(f"{who}: is {(found['diet'] or found['same']).lower()}", "", "-")
    if found := _KNOWN["started"].match(rest):
        verb = found["verb"] or found["now"]
        return _doing(who, base_form(verb.lower()), found["o"] or found["more"] or "", "+")
    if found := _KNOWN["rather"].match(rest):
        one, other = _thing(found["a"]), _thing(found["b"])
        return Reading(f"{who}: rather {' or '.join(sorted((one, other)))}", one) if one and other else None
    if (found := _KNOWN["taste"].match(rest)) and found["verb"].lower() in _LIKES:
        return _doing(who, found["verb"].lower(), found["o"], "+")
    if (found := _KNOWN["switched"].match(rest)) and (left := _given_up(who, _thing(found["o"]))):
        return replace(left, slot=f"{who}: use {_thing(found['o'])}")
    if found := _KNOWN["stopped"].match(rest):
        stopped = _doing(who, base_form(found["verb"].lower()), found["o"], "-")
        return replace(stopped, closes=(to_stop(who, found["verb"]),)) if stopped else None
    if found := _KNOWN["gave_up"].match(rest):
        return _given_up(who, _thing(found["o"]))
    if found := _KNOWN["learns"].match(rest):
        return _doing(who, base_form(found["verb"].lower()), found["o"], "+")
    if found := _KNOWN["can_again"].match(rest):
        return _doing(who, found["verb"].lower(), found["o"], "+")
    if found := _NO_LONGER.match(rest) or _KNOWN["not_since"].match(rest):
        return _doing(who, base_form(found["verb"].lower()), found["o"], "-")
    if (found := _KNOWN["not"].match(rest)) and not (found["verb"] == "go" and " go" in rest and "can" in rest[:8]):
        return _doing(who, found["verb"].lower(), found["o"], "-")
    if (found := _KNOWN["does"].match(rest)) and "VBZ" in verb_forms(found["verb"].lower()):
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
    cut = _KNOWN["tail"].sub("", DETERMINER.sub("", text.strip()).strip(" .!,")).lower().split()
    if not 0 < len(cut) <= 4 or cut[0] in _POINTING or "to" in cut[1:2]:
        return ""
    return " ".join(cut)


def _limit(text: str) -> str:
    """What narrows a like or habit ("in the evening"): its denial says nothing about the rest."""
    found = _KNOWN["limit"].search(text)
    return re.sub(r"\s*\b(?:any ?more|now)\b", "", found[0]).strip().lower() if found else ""
