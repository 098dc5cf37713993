"""The name and the description of a skill: what its tasks have in common, without what only one of them is about.

"Book a hotel in Porto for 12-15 December" and "Find a hotel in Vienna" are "book a hotel", `book-hotel`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from everlore.extract.phrases import one_line
from everlore.extract.requests import is_order
from everlore.extract.vocabulary import Vocabulary
from everlore.stem import stem

DESCRIBED = 140
NAME, WORDS = 48, 4

KNOWN = Vocabulary("skill")
_STOP = KNOWN.words("stop")
_ASKED_BY = re.compile(r" \(asked by [^)]*\)$")
_CONTEXT = re.compile(r"^(?P<request>.+?) \((?P<context>.+)\)$")
_WORD = re.compile(r"[^\W_]+")
_ONE_OF_THEM = re.compile(r"\s*`[^`]*`|(?<=\w)\s+(?:#\d+|\w*[a-z-]\w*\d[\w.-]*|\d{3,})(?=\s)")
NAMES = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?:'s)?(?: [A-Z][a-z]+)*\b")
_ASIDE = re.compile(r"\s*\([^()]*\)(?=[\s,.])")
_ONLY_HERE = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|\d|\S@\S|(?<=\w)[/.]\w|(?<=[a-z,:] )[A-Z][a-z]+\b|\w_\w")
"""What names one thing in the world: a quotation, a number, a path, a name."""


def without_asker(intent: str) -> str:
    return _ASKED_BY.sub("", intent)


def plain(intent: str) -> str:
    return without_asker(one_line(intent, 200)).rstrip(".")


def stems(text: str) -> frozenset[str]:
    words = [word.lower() for word in _WORD.findall(text)]
    return frozenset(stem(word) for word in words if word not in _STOP)


def in_common(intents: Sequence[str]) -> frozenset[str]:
    """The stems that at least half of the intents have, and two of them."""
    spread = Counter(found for intent in intents for found in stems(intent))
    return frozenset(found for found, count in spread.items() if count > 1 and count * 2 >= len(intents))


def general(intents: Sequence[str]) -> str:
    """What all these ask for, in the words of the one that is most about what they share; the better ones first."""
    common = in_common(intents)
    orders = [intent for intent in intents if is_order(intent)] or intents
    told = [_without_details(plain(intent), common) for intent in orders]
    # a problem says what is wrong, an order what to do about it
    return max(told, key=lambda text: (_share(text, common), not text.startswith("Fix:"), -len(text)))


def _share(text: str, common: frozenset[str]) -> float:
    found = stems(text)
    return len(found & common) / len(found) if found else 0.0


def _without_details(intent: str, common: frozenset[str]) -> str:
    """The first phrase, and of the others those with something in common that name nothing of their own."""
    if told := _CONTEXT.match(intent):
        return " ".join([_without_details(told["request"], common), f"({_without_details(told['context'], common)})"])
    first, *others = [part for part in KNOWN["phrase"].split(_ASIDE.sub("", intent)) if part]
    while others and not stems(first) & common:  # "Get rid | of the old logs"
        first += others.pop(0)
    kept = [part for part in others if stems(part) & common and not _ONLY_HERE.search(part)]
    named = NAMES.sub(lambda name: name[0] if stems(name[0]) & common else "…", _ONE_OF_THEM.sub("", first))
    text = " ".join("".join([named, *kept]).split())
    return text.strip(" ,;:-–") or intent


def skill_name(intents: Sequence[str]) -> str:
    """A slug of what they have in common: the verb of an order, and what it is about."""
    text = general(intents)
    common = in_common(intents)
    words = [word.lower() for word in _WORD.findall(text)]
    telling = [word for word in words if word not in _STOP]
    chosen = [word for at, word in enumerate(telling) if (at == 0 and is_order(text)) or stem(word) in common]
    if len(chosen) < 2:
        chosen = telling
    if words[1:2] == ["up"] and chosen[:1] == words[:1]:
        chosen[0] += "-up"  # to back up is not to back
    return "-".join(list(dict.fromkeys(chosen))[:WORDS])[:NAME].strip("-")


def free_name(name: str, taken: Collection[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free = f"{name}-{number}"
        number += 1
    return free


def how_to(intents: Sequence[str]) -> str:
    """As it goes on from "How to"."""
    text = general(intents)
    order = is_order(text) and any(map(is_order, intents))  # cut short, a statement may read like one
    return one_line(text[:1].lower() + text[1:] if order else f"handle “{text}”", DESCRIBED)
