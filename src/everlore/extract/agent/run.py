"""An agent's run as a list of steps: what was said, which tools were called with what, and how each call ended.

Pure reading of messages. Nothing here fails on odd input: tool calls without a name, arguments that are no
JSON, results without a call and calls without a result all become steps. What a tool printed is never speech.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from everlore.extract.agent.action import COMMAND, LONGEST, Action, action_of, command_line, parsed
from everlore.extract.agent.outcome import Outcome, one_line, outcome_of
from everlore.types import Json, Message

ARGUMENTS = 200
"""Characters of a call's arguments that are kept."""
ARGUMENT = 60
"""Characters that each of several arguments has at least."""
WORDS = 100_000
"""Characters of a turn that are looked at."""


@dataclass(frozen=True, slots=True)
class Call:
    """`told` is False for a call that we know only from its result; `turn` is the number of the message it came with;
    `values` are the arguments by name, as far as they have names."""

    name: str
    arguments: str
    outcome: Outcome = field(default_factory=Outcome)
    by: str = ""
    told: bool = True
    action: Action = field(default_factory=lambda: Action(""))
    turn: int = 0
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return f"{self.name}({self.arguments})"

    @property
    def looks(self) -> bool:
        return self.action.manner == "looks"


@dataclass(frozen=True, slots=True)
class Said:
    """Words of the user or of an agent. `acting` when tool calls came with them."""

    role: Literal["user", "assistant"]
    text: str
    by: str = ""
    acting: bool = False
    turn: int = 0


Step: TypeAlias = Call | Said


def calls_in(run: Sequence[Step]) -> list[Call]:
    return [step for step in run if isinstance(step, Call)]


def first_call(run: Sequence[Step]) -> int:
    """Where the work begins; behind the end where there is none."""
    return next((at for at, step in enumerate(run) if isinstance(step, Call)), len(run))


def said_by_user(run: Sequence[Step]) -> list[str]:
    return [step.text for step in run if isinstance(step, Said) and step.role == "user"]


def steps(messages: Sequence[Message]) -> list[Step]:
    """The run in order. The result of a call stands with the call, wherever its message came."""
    found: list[Step] = []
    waiting: list[tuple[str, int]] = []
    turn = 0
    for message in messages:
        turn += not message.blank
        if message.role == "tool":
            _answer(found, waiting, message, turn)
            continue
        calls = [_call(call, message.sender_id, turn) for call in message.tool_calls or ()]
        if message.text.strip():
            # one kind of apostrophe, so that the phrases we look for need not be written twice
            text = message.text.strip()[:WORDS].replace("’", "'")
            found.append(Said(message.role, text, message.sender_id, bool(calls), turn))
        for identity, call in calls:
            waiting.append((identity, len(found)))
            found.append(call)
    return found


def _answer(found: list[Step], waiting: list[tuple[str, int]], message: Message, turn: int) -> None:
    """Give a result to its call: by id, else to the oldest that still waits, else to a call nobody told us of."""
    named = [number for number, (identity, _) in enumerate(waiting) if identity and identity == message.tool_call_id]
    if not named and not message.tool_call_id and waiting:
        named = [0]
    if named:
        at = waiting.pop(named[0])[1]
        call = found[at]
    else:
        name = message.sender_name or "tool"
        at, call = len(found), Call(name, "", by=message.sender_id, told=False, action=action_of(name, None), turn=turn)
        found.append(call)
    if isinstance(call, Call):
        found[at] = replace(call, outcome=outcome_of(message.text, call.action.manner))


def _call(raw: Json, by: str, turn: int) -> tuple[str, Call]:
    fields = raw if isinstance(raw, Mapping) else {}
    function = fields.get("function")
    inner = function if isinstance(function, Mapping) else fields
    name = one_line(str(inner.get("name") or "tool"), 80)
    given = inner.get("arguments", inner.get("input"))
    value = parsed(given)
    named = value.items() if isinstance(value, Mapping) else ()
    values = {one_line(str(key), ARGUMENT): _shown(key, item)[:LONGEST] for key, item in named}
    return str(fields.get("id") or ""), Call(
        name, short_arguments(value), by=by, action=action_of(name, given), turn=turn, values=values
    )


def _shown(name: str, item: Json) -> str:
    """An argument as text; a command line that came word by word as a line."""
    if isinstance(item, str):
        return item
    if name in COMMAND and isinstance(item, list):
        return command_line(item)
    try:
        return json.dumps(item, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return str(item)


def short_arguments(value: Json) -> str:
    """`from=BER, to=LIS` from the JSON text of the contract; anything else as it reads."""
    value = parsed(value)
    if value is None:
        return ""
    if not isinstance(value, Mapping | list):
        return one_line(_shown("", value), ARGUMENTS)
    room = max(ARGUMENT, ARGUMENTS // max(1, len(value)))
    if isinstance(value, list):
        return one_line(", ".join(one_line(_shown("", item), room) for item in value), ARGUMENTS)
    told = (f"{name}={one_line(_shown(name, item), room)}" for name, item in value.items())
    return one_line(", ".join(told), ARGUMENTS)
