"""What others may read of a run: without the ids, names and numbers of people.

A lesson and a skill outlive the talk they come from and are shown to whomever the agent works for next. Names become
`<name>`, ids and hashes `<id>`, addresses `<email>`; of telephone numbers, cards and dates the shape stays and the
digits become 0, since how a date is written is often the lesson: `12/03/2026` is `00/00/0000`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from everlore.extract.vocabulary import Vocabulary

NAME, ID, EMAIL = "<name>", "<id>", "<email>"
LONG = 5
"""Digits from which on a number is somebody's, not a port or a count."""

_KNOWN = Vocabulary("agent/mask")
_PUBLIC = _KNOWN.words("public")
_CODED = _KNOWN.words("coded")
_PERSONAL = _KNOWN.words("personal")
_ORDERS = Vocabulary("agent/task").words("orders")
_DIGIT = re.compile(r"\d")


def mask(text: str, people: Collection[str] = ()) -> str:
    """`people` are names and ids that are known to be of persons, in any capitals."""
    text = _KNOWN["email"].sub(EMAIL, text)
    if people:
        known = "|".join(re.escape(one) for one in sorted(people, key=len, reverse=True))
        text = re.sub(rf"(?<![^\W_])(?:{known})(?![^\W_])", NAME, text, flags=re.IGNORECASE)
    text = _KNOWN["title"].sub(NAME, text)
    text = _KNOWN["full_name"].sub(_full_name, text)
    text = _KNOWN["number"].sub(_number, text)
    return _KNOWN["numbered"].sub(_numbered, text)


def _full_name(found: re.Match[str]) -> str:
    first, *words = found[0].split()
    if _PUBLIC & {first, *words}:
        return found[0]
    return f"{first} {NAME}" if first.lower() in _ORDERS else NAME  # "Onboard Nina Falk"


def _number(found: re.Match[str]) -> str:
    return _DIGIT.sub("0", found[0]) if len(_DIGIT.findall(found[0])) >= LONG and found[0].count(".") < 2 else found[0]


def _numbered(found: re.Match[str]) -> str:
    """A word with digits: `HAT069`, `mia_li_3668` and `4f2a9c1` are somebody's; `utf-8`, `TS2304` and `v2` are not."""
    word = found[0]
    if word.startswith("#"):
        return ID
    head = re.split(r"[\d_-]", word.lower(), maxsplit=1)[0]
    digits = len(_DIGIT.findall(word))
    if digits == sum(map(str.isalnum, word)):
        return _DIGIT.sub("0", word) if digits >= LONG else word
    if head in _CODED and digits <= LONG:
        return word
    tail = re.search(r"\d+$", word)
    handle = tail is not None and len(tail[0]) >= 3 and ("_" in word or "-" in word)
    mixed = len(word) >= 6 and word.isalnum() and (word.isupper() or set(word) <= set("0123456789abcdef"))
    return ID if handle or mixed or digits >= LONG else word


def is_personal(argument: str) -> bool:
    """Whether an argument of this name holds a person."""
    return argument.lower().replace("_", " ") in _PERSONAL


def introduced(texts: Iterable[str]) -> set[str]:
    """The names by which people introduce themselves."""
    return {found["name"] for text in texts for found in _KNOWN["introduced"].finditer(text)}
