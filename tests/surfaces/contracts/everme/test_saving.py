"""Turns and statements: what is said of a save."""

from __future__ import annotations

from everlore.engine import Engine
from everlore.memory import NewMessage, profile
from everlore.surfaces.contracts.everme.saving import Person, Saved, save_fact, save_turn
from everlore.types import Scope

PERSON = Person(Scope("default", "default"), "ada", "agent")


def said(text: str) -> NewMessage:
    return NewMessage("ada", "user", 1_780_000_000_000, text, "User")


def test_what_waits_is_not_extracted(engine: Engine) -> None:
    waits = save_turn(engine, PERSON, "s", [said("I row on Sundays.")], flushing=False)
    assert waits == Saved("accumulated", 1, flushed=False, extracted=False)
    assert save_turn(engine, PERSON, "s", [said("I sail too.")], flushing=True).status == "extracted"


def test_a_fact_is_in_the_profile_when_the_answer_comes(engine: Engine) -> None:
    assert save_fact(engine, PERSON, "s", [said("I take my coffee iced.")], flushing=True).extracted
    row = profile(engine, PERSON.owner)
    assert row is not None
    assert "coffee iced" in str(row.data)
