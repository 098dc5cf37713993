"""Every compiled pattern of Everlore, and texts that make bad ones slow: parts of what each is made to match, again."""

from __future__ import annotations

import importlib
import pkgutil
import random
import re
from collections.abc import Iterator
from re import _constants as const
from re import _parser as parser
from typing import Any

import everlore

_CLASSES = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}
_REPEATS = (const.MAX_REPEAT, const.MIN_REPEAT, const.POSSESSIVE_REPEAT)


def patterns() -> dict[str, re.Pattern[str]]:
    """By module and name; one that stands in a table, by the place in it."""
    found: dict[tuple[str, int], str] = {}
    compiled: dict[str, re.Pattern[str]] = {}
    for module in pkgutil.walk_packages(everlore.__path__, "everlore."):
        if not module.name.endswith("__main__"):
            for name, value in list(vars(importlib.import_module(module.name)).items()):
                for where, one in _inside(value, f"{module.name}.{name}", 0) if not name.startswith("__") else ():
                    if isinstance(one.pattern, str) and (one.pattern, one.flags) not in found:
                        found[one.pattern, one.flags] = where
                        compiled[where] = one
    return compiled


def _inside(value: Any, where: str, depth: int) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, re.Pattern):
        yield where, value
    elif depth < 4 and isinstance(value, dict):
        for key, inner in value.items():
            yield from _inside(inner, f"{where}[{str(key)[:20]}]", depth + 1)
    elif depth < 4 and isinstance(value, list | tuple):
        for at, inner in enumerate(value[:500]):
            yield from _inside(inner, f"{where}[{at}]", depth + 1)
    elif depth < 4 and hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        for name in value.__dataclass_fields__:
            yield from _inside(getattr(value, name, None), f"{where}.{name}", depth + 1)


def attacks(pattern: re.Pattern[str], seed: int = 1) -> list[str]:
    """Short texts to repeat: single characters that the pattern knows, and beginnings of what it matches."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    draw = random.Random(seed)
    units = {*' \n1aA("', ". ", "a ", "a\n", *sorted(_alphabet(tree))[:25]}
    for _ in range(6):
        text = _example(tree, draw)
        units |= {text, *(text[:cut] for cut in range(1, min(len(text), 24), 3))}
    return sorted(unit for unit in units if unit)


def _alphabet(tree: Any) -> set[str]:
    found: set[str] = set()
    for code, value in tree:
        if code is const.LITERAL:
            found.add(chr(value))
        elif code is const.IN:
            found |= {chr(one if kind is const.LITERAL else one[0]) for kind, one in value if kind in _ONES}
        else:
            for part in _parts(code, value):
                found |= _alphabet(part)
    return found


_ONES = (const.LITERAL, const.RANGE)


def _parts(code: Any, value: Any) -> list[Any]:
    if code in _REPEATS:
        return [value[2]]
    if code is const.SUBPATTERN:
        return [value[3]]
    if code is const.BRANCH:
        return list(value[1])
    if code in (const.ASSERT, const.ASSERT_NOT):
        return [value[1]]
    return [value] if code is const.ATOMIC_GROUP else []


def _example(tree: Any, draw: random.Random) -> str:
    """Something that the pattern, but for what it looks around for, matches or nearly does."""
    text = ""
    for code, value in tree:
        if code is const.LITERAL:
            text += chr(value)
        elif code in (const.NOT_LITERAL, const.ANY):
            text += "b" if value == 97 else "a"
        elif code is const.IN:
            kind, one = draw.choice(value)
            negated = value[0][0] is const.NEGATE
            told = chr(one if kind is const.LITERAL else one[0]) if kind in _ONES else _CLASSES.get(str(one), "a")
            text += draw.choice("a 1b-_") if negated else told
        elif code in _REPEATS:
            least, most, inner = value
            text += "".join(_example(inner, draw) for _ in range(min(max(least, int(most > 0)), 40)))
        elif code is const.BRANCH:
            text += _example(draw.choice(value[1]), draw)
        elif code in (const.SUBPATTERN, const.ATOMIC_GROUP):
            text += _example(value[3] if code is const.SUBPATTERN else value, draw)
    return text
