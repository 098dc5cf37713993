"""What people say of themselves in German, French, Italian and Spanish: the same slots as in English.

The words stay quoted as they were said; here they are only read. Every form is bound to both ends of its clause, so a
wish, a doubt or a clause that goes on in another way is not read at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from everlore.extract.vocabulary import Vocabulary


class Said(NamedTuple):
    """`slot` is what comes after the speaker's name: ": lives in", "'s wife: name"; empty where there is none.

    `category` is the place in the profile, empty for what only says that something is over.
    """

    category: str
    slot: str = ""
    value: str = ""
    sign: str = ""
    denied: bool = False


_KNOWN = Vocabulary("languages")
CHANGE = _KNOWN["change"]

_KIN = _KNOWN.by_word("kin")
_PLACES = _KNOWN.by_word("places")
_STATES = {state: re.compile(form, re.IGNORECASE) for state, form in _KNOWN.table("states").items()}
_RELATIONS = ("married", "divorced", "widowed", "single")


class Language:
    """How people speak of themselves in a language. Its forms are compiled with the first statement in it: most users
    need one, and a start none."""

    def __init__(self, name: str) -> None:
        self._known = Vocabulary(name)
        self.opens = self._known["opens"]
        """How a statement about oneself begins, so that most others are not looked at further."""
        self.joint = self._known["joint"]

    @cached_property
    def forms(self) -> Sequence[tuple[str, str, re.Pattern[str]]]:
        """A place in the profile, a slot and a form each. "not" before a slot says that something is over, "+" and "-"
        are likes and states that hold or do not; where no slot is named, the statement is only listed."""
        end = self._known.text("end")
        rows = self._known.rows("forms")
        return [(category, slot, re.compile(f"^(?:{form}){end}", re.IGNORECASE)) for category, slot, form in rows]


LANGUAGES = tuple(map(Language, ("german", "french", "italian", "spanish")))
ASKED = 3
"""Words of a question of its own."""
_COMMA = re.compile(r", ")


def said_in(words: str) -> Said | None:
    """What a sentence says of its speaker, or None."""
    plain = _KNOWN["greeting"].sub("", words.strip())
    for language in LANGUAGES:
        if language.opens.match(plain):
            for category, slot, form in language.forms:
                if (found := form.match(plain)) and (said := _said(category, slot, found)):
                    return said
    return None


def halves(words: str) -> list[str]:
    """ "Ich heiße Peter und wohne in Graz" as two statements; any other sentence whole."""
    plain = _KNOWN["greeting"].sub("", words.strip())
    for language in LANGUAGES:
        if language.opens.match(plain):
            for joint in sorted([*language.joint.finditer(plain), *_COMMA.finditer(plain)], key=re.Match.start):
                first, second = plain[: joint.start()], plain[joint.end() :]
                if said_in(first) and said_in(second):
                    second = _KNOWN["no_ich"].sub("Ich ", second)
                    return [f"{first[0].upper()}{first[1:]}.", *halves(f"{second[0].upper()}{second[1:]}")]
    return [words]


def before_question(words: str) -> list[str]:
    """ "Ich wohne in Kiel, kannst du mir helfen?": what is said before it is asked; "oder?" asks for all of it."""
    if not words.rstrip().endswith("?"):
        return []
    for comma in _COMMA.finditer(words):
        if len(words[comma.end() :].split()) >= ASKED and said_in(words[: comma.start()]):
            return halves(f"{words[: comma.start()]}.")
    return []


def is_joint(words: str) -> bool:
    """Whether more may be said than the first half."""
    return any(language.opens.match(words) and language.joint.search(words) for language in LANGUAGES)


def _said(category: str, slot: str, found: re.Match[str]) -> Said | None:
    groups = found.groupdict()
    value = (groups.get("v") or groups.get("w") or "").rstrip(".").replace("’", "'")
    sign = slot[0] if slot[:1] in ("+", "-") else ""
    if slot.endswith("allergic"):
        return Said(category, f": is allergic to {_bare(value)}", "", sign)
    if slot.endswith("likes"):
        return (
            None
            if _KNOWN["pointing"].match(value) or _KNOWN["no"].search(value)
            else Said(category, f": likes {_bare(value)}", "", sign)
        )
    if slot.endswith("state"):
        state = next(state for state, pattern in _STATES.items() if pattern.match(value))
        if state in _RELATIONS:
            return Said(category, ": relationship status", state)
        return Said(category, f": is {state}", "", sign or "+")
    if slot == "'s kin: name":
        kin = _KIN.get(groups["kin"].lower(), "")
        return Said(category, f"'s {kin}: name", value) if kin else Said(category)
    place = _PLACES.get(value.lower(), value) if slot.endswith("lives in") else value
    return Said(category, slot.removeprefix("not"), place, "", slot.startswith("not"))


def _bare(thing: str) -> str:
    return _KNOWN["article"].sub("", thing).lower()
