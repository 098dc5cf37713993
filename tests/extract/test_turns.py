"""Who spoke, in which turn."""

from __future__ import annotations

import pytest
from talk import cell, message

from everlore.extract.turns import ASSISTANT, name_of, spoken
from everlore.types import Role


@pytest.mark.parametrize(
    ("sender", "role", "given", "name"),
    [
        ("alice", "user", None, "Alice"),
        ("u1", "user", "Alice *B.*", "Alice B."),
        ("helper", "assistant", None, ASSISTANT),
        ("helper", "assistant", "Bot", ASSISTANT),
        ("helper", "assistant", "Ada", "Ada"),
        ("search", "tool", None, "Tool"),
        ("t", "tool", "Search", "Search"),
    ],
)
def test_everybody_has_a_name(sender: str, role: Role, given: str | None, name: str) -> None:
    assert name_of(message("Hi.", sender, role, name=given)) == name


def test_turns_are_numbered_without_those_that_say_nothing() -> None:
    turns = spoken(cell(message("One."), message("  "), message("Two.", "bob")))
    assert [(turn.number, turn.name, turn.message.text) for turn in turns] == [(0, "Alice", "One."), (1, "Bob", "Two.")]
