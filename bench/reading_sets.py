"""What the reading is measured with: the sets in `bench/reading/`, split into a seen and an unseen half by a hash.

The reader is built and trained on the seen half only; which half a text belongs to depends on nothing but its words.
`fresh.toml` is a third part, written later and put away: of it only totals are looked at.
"""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from bench.data import locomo, longmemeval
from everlore.extract.sentences import prose, split

READING = Path(__file__).resolve().parent / "reading"
LONGEST_TURN, LONGEST = 1500, 400
EVERY = 3
"""LongMemEval questions whose talk the sample was drawn from."""


@dataclass(frozen=True, slots=True)
class Change:
    before: str
    after: str
    ends: bool
    group: str
    half: str


@dataclass(frozen=True, slots=True)
class Correction:
    messages: tuple[str, ...]
    wrong: str
    right: str
    half: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence of the development conversations, as a reader judged it."""

    text: str
    keep: bool
    unclear: bool
    place: tuple[str, str]
    """The turn it was said in, and its whole text."""


@cache
def load(name: str) -> dict[str, Any]:
    return tomllib.loads((READING / f"{name}.toml").read_text(encoding="utf-8"))


def is_seen(*texts: str) -> bool:
    return hashlib.blake2b("\n".join(texts).encode(), digest_size=4).digest()[0] % 2 == 0


def digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def half_of(*texts: str) -> str:
    return "seen" if is_seen(*texts) else "unseen"


def changes() -> list[Change]:
    return [
        Change(before, after, kind == "ends", group, half or half_of(before, after))
        for told, half in ((load("changes"), ""), (load("fresh")["changes"], "fresh"))
        for kind in ("ends", "stands")
        for group, pairs in told[kind].items()
        for before, after in pairs
    ]


def corrections() -> list[Correction]:
    return [
        Correction(tuple(text.split("\n")), wrong, right, half or half_of(text))
        for told, half in ((load("changes"), ""), (load("fresh"), "fresh"))
        for text, wrong, right in told["corrections"]["said"]
    ]


def both(name: str) -> list[tuple[Any, str]]:
    """A set by its name, whose halves a hash tells, and the same of what was put away."""
    return [(load("talks").get(name) or load(name), ""), (load("fresh")[name], "fresh")]


def judged_sentences(folder: Path, name: str = "facts") -> list[Judged]:
    """The judged sentences with their text, from the conversations in `folder`."""
    table = load(name)
    keep, unclear = frozenset(table["keep"]), frozenset(table["unclear"])
    wanted = keep | unclear | frozenset(table["leave"])
    found: dict[str, Judged] = {}
    for stack in [*locomo(folder), *longmemeval(folder, EVERY)]:
        for session in stack.sessions:
            for turn in session.turns:
                if turn.role != "user" or len(turn.text) > LONGEST_TURN:
                    continue
                for sentence in split(prose(turn.text)):
                    mark = digest(sentence) if len(sentence) < LONGEST else ""
                    if mark in wanted:
                        found[mark] = Judged(sentence, mark in keep, mark in unclear, (turn.id, turn.text))
    return list(found.values())
