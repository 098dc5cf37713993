"""How the reading of a statement looks, and what readings share: grammar, and a value told from a remark.

"My boss is Karen" names a value, "My boss is annoying" must not end it. Statements are in the third person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from everlore.extract.lexicon import EMPLOYERS, STOPWORDS
from everlore.extract.verb_tables import lemminflect
from everlore.extract.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Reading:
    """`sign` is "+" or "-" for things one is, does or likes, empty for values. `limit` is what narrows the statement.

    A value that begins with "not " ends that value and no other; "not " alone ends any. `closes` are other slots in
    which something is over: of `whom`, where one is named. `at` is the employer of who works or has a trade, again
    with "not " where that is over.
    """

    slot: str
    value: str
    sign: str = ""
    limit: str = ""
    closes: tuple[str, ...] = ()
    whom: str = ""
    at: str = ""


_KNOWN = Vocabulary("reading")
DENIED = "not "
LONG_AGO = _KNOWN["long_ago"]
PEOPLE = _KNOWN.in_order("people")
_NO_NAMES = _KNOWN.words("no_names")
_SUBJECTS = STOPWORDS | _KNOWN.words("subjects")


def anonymous(who: str, text: str) -> str:
    """The text with WHO for a name, so that patterns need not be made for each."""
    return re.sub(rf"(?<!\w){re.escape(who)}(?!\w)", "WHO", text, flags=re.IGNORECASE)


def named(found: re.Match[str]) -> str:
    """The name that was found, or empty where a word in small letters is just a word."""
    if found["v"]:
        return str(found["v"]).rstrip(".")
    small = str(found["small"] or "")
    return small if is_name(small) else ""


@lru_cache(maxsize=4096)
def is_name(word: str) -> bool:
    """Whether a word in small letters can only be a name: no dictionary has it."""
    return bool(word) and (word in EMPLOYERS or (word not in _NO_NAMES and not lemminflect().getAllLemmas(word)))


def is_somebody(word: str) -> bool:
    """Whether a word that begins a statement can be somebody's name: "Jane", "rex"; not "Everybody"."""
    return word.lower() not in _SUBJECTS and (word[:1].isupper() or is_name(word))


def names_of(who: str, kin: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{who}'s {one}: name" for one in kin)


_NAMES = _KNOWN.words("names")


def is_remark(text: str) -> bool:
    """Whether what something is said to be is no value of it: "closed today", "near the station"."""
    return bool(_KNOWN["remark"].match(text))


def names_value(what: str, text: str) -> bool:
    """Whether `text` can be the value of a property of the speaker's, such as their boss or their birthday."""
    if what in _NAMES:
        return bool(_KNOWN["person"].match(text))
    if what == "birthday":
        return bool(_KNOWN["date"].search(text))
    if _KNOWN["figures"].search(what):
        return any(char.isdigit() for char in text)
    if "email" in what:
        return "@" in text
    return not is_remark(text)


def for_a_time(rest: str) -> bool:
    """Whether what follows a place of living or working makes it one among others: "during the week"."""
    return bool(_KNOWN["for_a_time"].match(rest))


def for_work(rest: str) -> bool:
    return bool(_KNOWN["at_work"].match(rest)) or for_a_time(rest)
