"""Runs of agents, told briefly: what the user and the agent say, and what the agent does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from everlore.extract.agent.case import tasks_of, write_case
from everlore.types import Cell, Json, Message, Owner, Role, Scope

SCOPE = Scope()
HELPER = Owner(SCOPE, "agent", "helper")
START = 1_779_960_000_000

_numbers = count()


def message(role: Role, text: str, calls: Sequence[Json] = (), to: str | None = None) -> Message:
    sender = "alice" if role == "user" else "helper"
    return Message("", SCOPE, "s1", sender, None, role, START, text, text, list(calls) or None, to)


def user(text: str) -> list[Message]:
    return [message("user", text)]


def agent(text: str) -> list[Message]:
    return [message("assistant", text)]


def does(tool: str, output: str, **arguments: Json) -> list[Message]:
    """A call of a tool and what came of it."""
    identity = f"c{next(_numbers)}"
    call = {"id": identity, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
    return [message("assistant", "", [call]), message("tool", output, to=identity)]


def bash(command: str, output: str = "") -> list[Message]:
    return does("bash", output, command=command)


def session(*parts: list[Message]) -> Cell:
    return Cell("mc_0123456789ab", SCOPE, "s1", tuple(message for part in parts for message in part))


FAILED, UNPROVEN, PROVEN = (0.0, 0.3), (0.5, 0.5), (0.7, 1.0)
"""Quality: something proved that it failed; nothing proved anything; something proved that it went well."""


def edit(path: str) -> list[Message]:
    return does("edit_file", "The file has been updated.", path=path)


class Told(NamedTuple):
    """What a case should say. `insight` is a part of it; None where there is nothing to learn."""

    intent: str
    quality: tuple[float, float]
    insight: str | None


Runs = dict[str, tuple[Cell, list[Told]]]


def check(cell: Cell, expected: list[Told]) -> None:
    found = [write_case(task, cell, HELPER, f"ac_{number}") for number, task in enumerate(tasks_of(cell, HELPER))]
    assert [case.task_intent for case in found] == [told.intent for told in expected]
    for case, told in zip(found, expected, strict=True):
        low, high = told.quality
        assert low <= case.quality_score <= high
        if told.insight is None:
            assert case.key_insight is None
        else:
            assert told.insight in (case.key_insight or "")
