"""Messages of agents at work, and the cases that are written of them."""

from __future__ import annotations

import json
from typing import Any, Literal

from everlore.extract.agent import case
from everlore.kinds.case import Case
from everlore.types import Cell, Message, Owner, Scope

SCOPE = Scope()


HELPER = Owner(SCOPE, "agent", "helper")


START = 1_779_960_000_000


def call(identity: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}


def turn(
    role: Literal["user", "assistant", "tool"], text: str = "", *calls: Any, to: str | None = None, sender: str = ""
) -> Message:
    return Message(
        id="",
        scope=SCOPE,
        session_id="s1",
        sender_id=sender or ("alice" if role == "user" else "helper"),
        sender_name=None,
        role=role,
        timestamp=START,
        content=text,
        text=text,
        tool_calls=list(calls) or None,
        tool_call_id=to,
    )


def cell_of(*messages: Message) -> Cell:
    return Cell("mc_0123456789ab", SCOPE, "s1", messages)


def written(*messages: Message) -> Case:
    [result] = all_written(*messages)
    return result


def all_written(*messages: Message) -> list[Case]:
    cell = cell_of(*messages)
    return [case.write_case(task, cell, HELPER, "ac_20260528_00000001") for task in case.tasks_of(cell, HELPER)]


def flights() -> list[Message]:
    return [
        turn("user", "Hi there! Can you book me a flight from Berlin to Lisbon on Friday?"),
        turn("assistant", "I'll search first.", call("1", "search_flights", **{"from": "BER", "to": "LIS"})),
        turn("tool", '{"error": {"message": "date is missing"}}', to="1"),
        turn("assistant", "", call("2", "search_flights", **{"from": "BER", "to": "LIS", "date": "2026-05-29"})),
        turn("tool", '[{"id": "TP531"}]', to="2"),
        turn("assistant", "", call("3", "book_flight", id="TP531")),
        turn("tool", '{"ok": true}', to="3"),
        turn("assistant", "Booked TP531 on Friday. The code is X1. Have a nice trip!"),
    ]
