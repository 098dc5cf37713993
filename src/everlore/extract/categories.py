"""What a statement says of its speaker for good: the category it has in the profile, or none.

Most statements are in the third person, with the user's name in front or behind a lead-in ("The only problem: Alice
is allergic to cats"). Of quoted ones only the plainest are read: joint ones with "we", Chinese, and
what `languages` knows.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from everlore.extract.languages import said_in
from everlore.extract.lead_ins import LEAD_IN
from everlore.extract.lexicon import FLEETING
from everlore.extract.orders import standing
from everlore.extract.plural_subject import QUOTED, as_one
from everlore.extract.third_person import base_form, verb_forms
from everlore.extract.verb_tables import lemminflect
from everlore.extract.vocabulary import Vocabulary


class Told(NamedTuple):
    """`words` is the part of a fact that is about the user; `rest` is what is left of it without the name."""

    words: str
    rest: str
    category: str


_KNOWN = Vocabulary("categories")
_CATEGORIES = [(category, re.compile(form, re.IGNORECASE)) for category, form in _KNOWN.rows("categories")]
_QUOTED = [(category, re.compile(form, re.IGNORECASE)) for category, form in _KNOWN.rows("quoted")]
TITLE = re.compile(r"(?<!\w)'[^']+'(?!\w)|“[^”]+”")
"""Somebody else's words in a statement: what 'The Daily' is called says nothing of habits."""

_OF_ALL = {
    "health": re.compile(""),
    "family": re.compile(""),
    "preference": re.compile(""),
    "home": re.compile(r"\b(?:in|to|from|near) (?:the )?[A-Z]"),
    "possession": re.compile(r"\b(?:house|home|flat|apartment|condo|cabin|farm|car|van|boat|camper)\b"),
}
"""What "we" say of ourselves and not of a firm or of mankind, and what must be named then."""
_LIGHT = _KNOWN.words("light")
_MAKING = _KNOWN.words("making")
HABIT = 7
"""Words of a habit that is said in general."""


def own_words(text: str, name: str) -> str:
    """The part of a fact that the user says of themselves, in the third person; empty when there is none.

    A fact may begin with a capital that the name has not, as "User123 lives in Rome" does.
    """
    lead = LEAD_IN.match(text)
    for words in (text, text[lead.end() :] if lead else ""):
        begins, rest = words[: len(name)], words[len(name) :]
        named = begins[:1].lower() + begins[1:] == name[:1].lower() + name[1:]
        if named and rest.startswith((" ", "'s ")) and not rest.startswith((" shared [", " said:")):
            return f"{name}{rest}" if not rest.endswith('"') else ""
    return ""


def told_of(text: str, name: str) -> Told | None:
    """What a fact says of the user, or None when it has no place in a profile."""
    one = as_one(text, name)
    words = own_words(one, name)
    if not words:
        return _quoted(text, name)
    rest = words[len(name) :]
    plain = TITLE.sub("''", rest)
    category = (
        ""
        if plain.endswith(":") or _KNOWN["not_quite"].match(plain) or _KNOWN["opinion"].match(plain)
        else _category(plain)
    )
    if one == text:
        return Told(words, rest, category)
    needed = _OF_ALL.get(category)
    if needed and needed.search(rest) and not _KNOWN["for_now"].search(rest):
        return Told(text, rest, category)
    return _quoted(text, name)


def _category(rest: str) -> str:
    found = next((category for category, pattern in _CATEGORIES if pattern.search(rest)), "")
    if not found and (named := _KNOWN["is_proper"].match(rest)) and not lemminflect().getAllLemmas(named[1].lower()):
        return "identity"
    return found or ("habit" if _is_habit(rest) else "")


def _is_habit(rest: str) -> bool:
    """Whether somebody does a thing in general: the present of a verb, and a time that comes again or no object that is
    at hand."""
    found = _KNOWN["does"].match(rest)
    if not found or "VBZ" not in verb_forms(found["verb"]) or found["verb"] == "has":
        return False
    verb = base_form(found["verb"])
    if _KNOWN["again_and_again"].search(found["rest"]):
        return True
    if len(rest.split()) > HABIT or _KNOWN["narrow"].search(found["rest"]):
        return False
    return verb not in FLEETING | _LIGHT or (verb in _MAKING and bool(_KNOWN["many"].match(found["rest"])))


def _quoted(text: str, name: str) -> Told | None:
    start = f"{name}{QUOTED}"
    if not text.startswith(start) or not text.endswith('"'):
        return None
    words = text[len(start) : -1]
    if standing(words):
        return Told(text, "", "preference")
    if words.rstrip().endswith(("?", "？")):
        return None
    if said := said_in(words):
        return Told(text, "", said.category)
    category = next((category for category, pattern in _QUOTED if pattern.search(words)), "")
    return Told(text, "", category) if category else None
