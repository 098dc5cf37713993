"""The turns of a cell as episode and facts number them: every message that is not blank, with the name people read."""

from __future__ import annotations

from dataclasses import dataclass

from everlore.types import Cell, Message

ASSISTANT = "The assistant"
_NAMELESS = frozenset({"assistant", "ai", "bot", "agent", "model", "system", "tool"})


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message with its place among the rendered turns and the speaker's name, safe to print on one line."""

    number: int
    name: str
    message: Message


def spoken(cell: Cell) -> list[Spoken]:
    kept = [message for message in cell.messages if not message.blank]
    return [Spoken(number, name_of(message), message) for number, message in enumerate(kept)]


def name_of(message: Message) -> str:
    """The speaker; an assistant without a name of its own is `ASSISTANT`."""
    name = " ".join(message.speaker.replace("*", "").split())
    if message.role == "tool":
        return name if message.sender_name else "Tool"
    if message.role == "assistant" and (not message.sender_name or name.lower() in _NAMELESS):
        return ASSISTANT
    return name or "Someone"
