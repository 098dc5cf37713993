"""Conversations for the tests of the extractor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everlore.extract.facts import as_fact, write_facts
from everlore.extract.profile import add_facts
from everlore.extract.turns import name_of
from everlore.types import Cell, Json, Message, Owner, Role, Scope

SCOPE = Scope()
ALICE = Owner(SCOPE, "user", "alice")
MAY_8 = 1_683_554_160_000
"""Monday, 8 May 2023, 13:56 UTC."""
MINUTE = 60_000
DAY = 24 * 60 * MINUTE


def message(
    text: str,
    sender: str = "alice",
    role: Role = "user",
    at: int = MAY_8,
    calls: Sequence[Mapping[str, Json]] | None = None,
    name: str | None = None,
) -> Message:
    return Message(f"m_{sender}_{at}_{text[:8]}", SCOPE, "s1", sender, name, role, at, text, text, calls)


def cell(*messages: Message) -> Cell:
    return Cell("mc_0123456789ab", SCOPE, "s1", messages)


def said(*texts: str) -> Cell:
    """Alice speaks, a minute between her turns."""
    return cell(*(message(text, at=MAY_8 + number * MINUTE) for number, text in enumerate(texts)))


def facts(talk: Cell) -> list[str]:
    return [draft.text for draft in write_facts(talk)]


def listed(*texts: str, name: str | None = None, sender: str = "alice") -> list[str]:
    """What the profile says after the texts, a day between them."""
    owner, known, found = Owner(SCOPE, "user", sender), "", []
    for number, text in enumerate(texts):
        turn = message(text, sender, at=MAY_8 + number * DAY, name=name)
        known = name_of(turn)
        told = cell(turn)
        found += [as_fact(draft, told, owner, f"af_{number}") for draft in write_facts(told)]
    made = add_facts(None, found, owner, MAY_8 + 1000 * DAY, known)
    return [info.description for info in made.explicit_info]
