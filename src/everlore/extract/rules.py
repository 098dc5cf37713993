"""Rules that somebody gives: what they want of who listens for good ("Never use emojis."), and what takes one back.

`languages/<code>/rules.toml` has the beginnings, the verbs and the exceptions; its examples are the tests.
"""

from __future__ import annotations

import re
from functools import cache
from re import Pattern
from typing import Any

from everlore.extract.language import Language, language_of, phrases, small, words

CATEGORY = "rule"
LONGEST = 60
"""Words of a rule; what is longer is a task."""
_CODE = re.compile(
    r"`|\w_\w|\w\(\)|\w/\w+[/.]|\b[a-z]+[A-Z]\w*\b|(?<!\w)--?[a-z][\w-]+|\b[\w-]+\.(?:[a-z]{2,4}|[ch])\b(?!\.)"
)
"""`code`, snake_case, call(), src/a.py, camelCase, --flag, file.ext."""


def is_rule(sentence: str, *, to_friends: bool = False) -> bool:
    """Whether a sentence gives or takes back a rule. Among friends "Always believe in yourself" is none: there it must
    say how one is to be called, or that it lasts."""
    known, low = language_of(sentence), small(sentence).strip(" \"'“”*-•")
    table: dict[str, Any] = known.data.get("rules", {})
    if not table or len(words(low)) > LONGEST:
        return False
    parts = _patterns(known)
    if low.endswith(("?", "？")):  # "Could you always answer in English?"
        asked = parts["asked"].match(low)
        low = low[asked.end() :].strip(" ?,") if asked else ""
        if not parts["always"].match(low) or not (parts["lasting"].search(low) or parts["kept"].match(low)):
            return False
    if parts["never"].match(low):
        return False
    if parts["back"].match(low):
        return bool(parts["back_lasting"].search(low))
    if to_friends:
        return bool(parts["friends"].match(low))
    if not known.spaced:
        lasts = parts["always"].match(low) or parts["lasting"].search(low)
        return bool(lasts) and not parts["once"].search(low)
    if parts["always"].match(low):
        return not (parts["once"].search(low) and not parts["lasting"].search(low))
    polite = parts["polite"].match(low)
    order = low[polite.end() :].lstrip(" ,") if polite else low
    verb = bool(parts["verbs"].match(order))
    return verb and bool(parts["lasting"].search(low) or (polite and not parts["once"].search(order)))


def may_be_rule(sentence: str) -> bool:
    """Whether nothing in its words speaks against a rule: "Please translate this." is for once."""
    low = small(sentence).strip(" \"'“”*-•")
    parts = _patterns(language_of(sentence))
    lasts = parts["always"].match(low) or parts["lasting"].search(low)
    return (
        not parts["never"].match(low) and not parts["back"].match(low) and bool(lasts or not parts["once"].search(low))
    )


def takes_back(sentence: str) -> bool:
    known, low = language_of(sentence), small(sentence)
    return bool(known.data.get("rules")) and bool(_patterns(known)["back"].match(low))


def may_take_back(sentence: str) -> bool:
    """ "Bullet points are fine again." """
    known, low = language_of(sentence), small(sentence)
    return takes_back(sentence) or bool(known.data.get("rules") and _patterns(known)["back_lasting"].search(low))


def of_work(text: str) -> bool:
    """Whether it speaks of what is worked on, code above all: in such words, or by a name that only code has."""
    return bool(_CODE.search(text) or _patterns(language_of(text))["work"].search(small(text)))


@cache
def _patterns(known: Language) -> dict[str, Pattern[str]]:
    table = known.data.get("rules", {})
    groups = (
        "always",
        "lasting",
        "verbs",
        "polite",
        "once",
        "never",
        "back",
        "back_lasting",
        "friends",
        "asked",
        "kept",
        "work",
    )
    return {group: phrases(table.get(group, ()), spaced=known.spaced) for group in groups}
