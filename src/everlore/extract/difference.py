"""What was done differently when a call that had failed worked: the arguments that changed, or the words in them."""

from __future__ import annotations

from difflib import SequenceMatcher

from everlore.extract.phrases import one_line
from everlore.extract.trajectory import Call

SHOWN = 80
"""Characters of a value, or of a whole command, that are told."""
CHANGES = 3
WORDS = 400
"""Words of two texts that are compared."""


def difference(failed: Call, worked: Call) -> str:
    """How the second call differs, as it goes on from "it worked with"; empty if it does the same."""
    one, two = failed.action.command, worked.action.command
    if one and two:
        return "" if one.split() == two.split() else f"`{quoted(two)}`" if len(two) <= SHOWN else _words(one, two)
    if not failed.values or not worked.values:
        return "" if failed.label == worked.label else f"`{quoted(worked.label)}`"
    told = [
        f"`{name}={quoted(value)}`" if name not in failed.values or len(value) <= SHOWN else _words(old, value)
        for name, value in worked.values.items()
        if value.split() != (old := failed.values.get(name, "")).split()
    ]
    gone = [f"no `{name}`" for name in failed.values if name not in worked.values]
    return ", ".join([*filter(None, told), *gone][:CHANGES])


def _words(old: str, new: str) -> str:
    """The words of a text that are new, and what stood in their place."""
    before, after = old.split()[:WORDS], new.split()[:WORDS]
    found = []
    for kind, i, j, k, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        here, there = quoted(" ".join(before[i:j])), quoted(" ".join(after[k:end]))
        if kind == "replace":
            found.append(f"`{there}` instead of `{here}`")
        elif kind == "insert":
            found.append(f"`{there}` added")
        elif kind == "delete":
            found.append(f"no `{here}`")
    return ", ".join(found[:CHANGES])


def quoted(text: str) -> str:
    """A text of one line, safe between backticks."""
    return one_line(text, SHOWN).replace("`", "'")
