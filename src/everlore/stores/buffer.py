"""What Everlore asks of the message buffer. It is canonical: what it has accepted is never lost.

A message lives here from `/add` until the cell it belongs to is written as markdown. Cells are decided once
and durably (`close_cells`), so that a crash between writing markdown and clearing the buffer repeats the same
cell, under the same id, and not another cut of the same messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from everlore.types import Cell, Message, Owner, Scope


@dataclass(frozen=True, slots=True)
class Kept:
    """A message that waits, and its place in a cell if it has one."""

    digest: bytes
    message: Message
    cell: str | None = None
    place: int | None = None
    closed: int | None = None
    """When the cell was closed."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """The last number that was given for an owner, kind and day."""

    owner: Owner
    prefix: str
    day: str
    number: int


@dataclass(frozen=True, slots=True)
class Seen:
    """A message that was accepted and is written by now."""

    digest: bytes
    cell: str | None


@dataclass(frozen=True, slots=True)
class Accepted:
    """The messages of a session's cell, by what they say, so that they are not taken a second time."""

    scope: Scope
    session_id: str
    cell: str
    digests: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """So many numbers in a row that are above `floor` and above every number given before for this owner, kind and
    day."""

    owner: Owner
    prefix: str
    day: str
    floor: int
    count: int = 1


Record: TypeAlias = Kept | Numbered | Seen


class Buffer(Protocol):
    def append(self, messages: Sequence[Message]) -> int:
        """Store a batch in one durable transaction, in order; returns how many were new.

        A message that was accepted before (same scope, session, sender, timestamp, role, content, tool calls,
        and the same occurrence within its batch) is recognised, also after it was extracted, and not stored again.
        """

    def session(self, scope: Scope, session_id: str) -> tuple[list[Cell], list[Message]]:
        """All of a session that is not finished: cells that were closed, oldest first, and messages that belong to none
        yet, in the order they arrived."""

    def open_sessions(self) -> dict[tuple[Scope, str], int]:
        """The sessions with messages that belong to no cell yet, each with a number that grows with every one."""

    def close_cells(self, cells: Sequence[Cell]) -> None:
        """Record which messages make up which cell, all in one transaction."""

    def pending_cells(self) -> list[Cell]:
        """Cells that were closed but not finished, oldest first, of all sessions."""

    def finish(self, cell: Cell) -> None:
        """The cell is written: drop its messages. Finishing twice is harmless."""

    def keep_draft(self, cell: Cell, draft: str) -> None:
        """Keep what a language model made of a closed cell, until the cell is finished: so that a crash, or a failure
        further on, neither asks again nor writes half of one answer and half of another."""

    def draft(self, cell: Cell) -> str | None: ...

    def unprocessed(self, scope: Scope, session_id: str) -> list[Message]:
        """Everything of a session that is not finished, in order."""

    def waiting(self, scope: Scope, limit: int) -> list[Message]:
        """The newest messages of all sessions of a scope that are not finished, newest first."""

    def forget_cell(self, scope: Scope, session_id: str, cell_id: str) -> None:
        """Forget that the messages of a session's cell were ever seen, so that they may be added again."""

    def accepted_in(self, cell: Accepted) -> Accepted:
        """What `forget_cell` would forget."""

    def accept_again(self, cell: Accepted) -> None:
        """Undo `forget_cell`."""

    def forget_scope(self, scope: Scope, session_id: str | None = None) -> int:
        """Drop every message of a scope that waits, or of one session of it, as if it had never come. Returns how many
        there were."""

    def next_numbers(self, wanted: Sequence[Wanted]) -> list[int]:
        """For each of these the first of its numbers. Durable."""

    def next_number(self, owner: Owner, prefix: str, day: str, floor: int, count: int = 1) -> int:
        """Of one."""

    def count(self, *, closed: bool = False) -> int:
        """Messages waiting, over all sessions; only those of closed cells if told so."""

    def dump(self) -> Iterator[Record]:
        """Everything it knows, for another buffer to `load`: messages first, in order."""

    def load(self, records: Iterable[Record]) -> int:
        """Take over what another buffer knew; returns how many messages were new. What is known here stays as it is,
        so that loading twice is the same as loading once."""

    def check(self) -> list[str]: ...

    def set_aside(self) -> list[str]:
        """Take out the messages that are not as they were accepted; what is there of each is returned."""

    def close(self) -> None: ...
