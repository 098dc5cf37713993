"""The stem of an English word: `hoping`, `hoped` and `hopes` are `hope`.

Snowball's English stemmer (Porter2) as of its release 3.1, for words of small letters. The index keeps stems, so a
change here changes what is found in vaults that are indexed already.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_VOWEL = "aeiouy"
"""`y` is a vowel, except at the beginning and behind another one, where it is written `Y` meanwhile."""


def _table(pairs: str) -> dict[str, str]:
    """`ful:` stands for an ending that goes."""
    return {ending: instead for ending, _, instead in (pair.partition(":") for pair in pairs.split())}


_WHOLE = _table(
    "andes:andes atlas:atlas bias:bias cosmos:cosmos howe:howe news:news sky:sky skies:sky skis:ski"
    " early:earli gently:gentl idly:idl only:onli singly:singl ugly:ugli"
)
_CONSONANT_Y = re.compile(f"([{_VOWEL}])y")
_POSSESSIVE = re.compile("'s'?$|'$")
_REGION = re.compile(f"[{_VOWEL}][^{_VOWEL}]")
_BEGINNING = re.compile("arsen|commun|emerg|gener|inter|later|organ|past|univers")
"""Behind these the first region begins, as if they were one syllable."""
_HAS_VOWEL = re.compile(f"[{_VOWEL}]")
_SHORT = re.compile(f"[^{_VOWEL}][{_VOWEL}][^{_VOWEL}wxY]$|^[{_VOWEL}][^{_VOWEL}]$|past$")
_DOUBLED = re.compile("(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$")
_LI = frozenset("cdeghkmnrt")

_STEP_2 = _table(
    "tional:tion enci:ence anci:ance abli:able entli:ent izer:ize ization:ize ational:ate ation:ate ator:ate alism:al"
    " aliti:al alli:al fulness:ful fulli:ful ousli:ous ousness:ous iveness:ive iviti:ive biliti:ble bli:ble ogist:og"
    " ogi:og lessli:less li:"
)
_STEP_3 = _table("tional:tion ational:ate alize:al icate:ic iciti:ic ical:ic ful: ness: ative:")
_STEP_4 = _table("al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ism: ate: iti: ous: ive: ize: ion:")


def stem(word: str) -> str:
    if word in _WHOLE:
        return _WHOLE[word]
    if len(word) < 3:
        return word
    word = word.removeprefix("'")
    marked = _CONSONANT_Y.sub(r"\1Y", f"Y{word[1:]}" if word[0] == "y" else word)
    beginning = _BEGINNING.match(marked) or _REGION.search(marked)
    first = beginning.end() if beginning else len(marked)
    rest = _REGION.search(marked, first)
    second = rest.end() if rest else len(marked)

    marked = _POSSESSIVE.sub("", marked)
    if len(marked) < 3:
        return marked.replace("Y", "y")
    marked = _verb_form(_plural(marked), first)
    if marked[-1] in "yY" and len(marked) > 2 and marked[-2] not in _VOWEL:
        marked = f"{marked[:-1]}i"
    marked = _step_2(marked, first)
    marked = _step_3(marked, first, second)
    marked = _step_4(marked, second)
    return _last_letter(marked, first, second).replace("Y", "y")


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word[-1] == "s" and word[-2] not in "su" and _HAS_VOWEL.search(word, 0, len(word) - 2):
        return word[:-1]
    return word


def _verb_form(word: str, first: int) -> str:
    ending = next((part for part in ("eedly", "ingly", "edly", "eed", "ing", "ed") if word.endswith(part)), "")
    base = word.removesuffix(ending)
    if ending in ("eed", "eedly"):
        return f"{base}ee" if len(base) >= first and base not in ("succ", "proc", "exc") else word
    if ending == "ing" and len(base) == 2 and base[1] == "y" and base[0] not in _VOWEL:
        return f"{base[0]}ie"
    kept = ending == "ing" and base in ("even", "cann", "inn", "earr", "herr", "out")
    if not ending or kept or not _HAS_VOWEL.search(base):
        return word
    if base.endswith(("at", "bl", "iz")):
        return f"{base}e"
    if _DOUBLED.search(base):
        return base if len(base) == 3 and base[0] in "aeo" else base[:-1]
    return f"{base}e" if len(base) == first and _SHORT.search(base) else base


def _step_2(word: str, first: int) -> str:
    ending = _longest(word, _STEP_2)
    base = word[: len(word) - len(ending)]
    if not ending or len(base) < first:
        return word
    if (ending == "li" and base[-1:] not in _LI) or (ending == "ogi" and base[-1:] != "l"):
        return word
    return base + _STEP_2[ending]


def _step_3(word: str, first: int, second: int) -> str:
    ending = _longest(word, _STEP_3)
    base = word[: len(word) - len(ending)]
    if not ending or len(base) < (second if ending == "ative" else first):
        return word
    return base + _STEP_3[ending]


def _step_4(word: str, second: int) -> str:
    ending = _longest(word, _STEP_4)
    base = word[: len(word) - len(ending)]
    if len(base) < second or (ending == "ion" and base[-1:] not in ("s", "t")):
        return word
    return base


def _last_letter(word: str, first: int, second: int) -> str:
    base = word[:-1]
    if word[-1] == "e" and (len(base) >= second or (len(base) >= first and not _SHORT.search(base))):
        return base
    if word.endswith("ll") and len(base) >= second:
        return base
    return word


def _longest(word: str, endings: Mapping[str, str]) -> str:
    """The longest of the endings that the word has, or nothing."""
    return next((word[-size:] for size in range(7, 1, -1) if word[-size:] in endings), "")
