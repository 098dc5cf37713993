"""Saving through EverMe: turns to the agent's track, statements to the user's profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from everlore.engine import Engine
from everlore.memory import NewMessage, flush, remember
from everlore.memory.remember import spoken
from everlore.memory.statements import add_statements
from everlore.types import Json, Owner, Role, Scope


@dataclass(frozen=True, slots=True)
class Person:
    """Whose memories: a user and the agent that works for them, in one scope, and the project they are at."""

    scope: Scope
    user: str
    agent: str
    project: str | None = None

    @property
    def owner(self) -> Owner:
        return Owner(self.scope, "user", self.user)

    def message(
        self,
        role: Role,
        timestamp: int,
        content: str | Sequence[Mapping[str, Json]],
        calls: Sequence[Mapping[str, Json]],
        call_id: str | None,
    ) -> NewMessage:
        """What the user said, or what the agent said, called or was answered."""
        sender = self.user if role == "user" else self.agent
        return NewMessage(sender, role, timestamp, content, None, calls or None, call_id, self.project or "")


@dataclass(frozen=True, slots=True)
class Saved:
    status: str
    """`extracted`, `accumulated` or `no_extraction`."""
    count: int
    flushed: bool
    extracted: bool

    def shown(self) -> dict[str, Json]:
        return {"status": self.status, "messageCount": self.count, "flushed": self.flushed}


def save_turn(
    engine: Engine, person: Person, session_id: str, messages: Sequence[NewMessage], *, flushing: bool
) -> Saved:
    extracted = bool(remember(engine, person.scope, session_id, messages))
    if flushing:
        extracted = bool(flush(engine, person.scope, session_id)) or extracted
    left = "no_extraction" if flushing else "accumulated"
    return Saved("extracted" if extracted else left, len(messages), flushing, extracted)


def save_fact(
    engine: Engine, person: Person, session_id: str, messages: Sequence[NewMessage], *, flushing: bool
) -> Saved:
    """Like a turn, and what the user states is in their profile afterwards, whatever the extractor makes of it."""
    saved = save_turn(engine, person, session_id, messages, flushing=flushing)
    if not flushing:
        return Saved(saved.status, saved.count, flushed=False, extracted=False)
    said = [
        (message.timestamp, text)
        for message in messages
        if message.role == "user" and (text := spoken(message.content).strip())
    ]
    stated = bool(said) and add_statements(engine, person.owner, said)
    return Saved("extracted" if stated or saved.extracted else saved.status, saved.count, True, stated)
