"""Writing a closed cell as memories, so that doing it twice is the same as doing it once.

Every file is changed atomically, and every entry carries its cell's id. After a crash the cell is written again:
what is there already is left alone, what is missing is added, and only then is the buffer cleared. Where a language
model has its say, its answer is kept before the first file is touched, so that a repetition writes the same.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass

import structlog

from everlore.cascade import embed_soon, index_file
from everlore.engine import Engine
from everlore.errors import EverloreError, Unavailable
from everlore.extract.case import agents_of, has_trajectory
from everlore.extract.voice import load_tables
from everlore.memory.agent_track import write_agent_track
from everlore.memory.drafts import Postponed, cell_draft
from everlore.memory.user_track import write_user_track
from everlore.models.chat import Meter
from everlore.types import Cell, Owner, Scope

SESSION_WAIT_SECONDS = 60.0
RETRY_WAIT_SECONDS = 1.0
SESSION_LOCKS = 1024
"""Sessions share so many locks, because a lock is a file and sessions are without number."""

log = structlog.get_logger("everlore.memory")


@dataclass(frozen=True, slots=True)
class Written:
    """What became of some cells: whether any memory was written, and which had to wait for the language model."""

    any: bool = False
    waiting: int = 0
    """Messages."""
    reason: str = ""

    def __add__(self, other: Written) -> Written:
        return Written(self.any or other.any, self.waiting + other.waiting, self.reason or other.reason)


def session_lock(
    engine: Engine, scope: Scope, session_id: str, wait: float = SESSION_WAIT_SECONDS
) -> AbstractContextManager[None]:
    """Held while a session is extracted, by one process at a time."""
    name = f"{scope.app}/{scope.project}/{session_id}"
    slot = zlib.crc32(name.encode()) % SESSION_LOCKS
    return engine.vault.lock(f"session:{slot}", wait)


def write_cell(engine: Engine, cell: Cell, meter: Meter) -> bool:
    """Write all memories of a cell, index them, and clear it from the buffer. False when there was nothing in it."""
    spoken = [message for message in cell.messages if not message.blank]
    answer = cell_draft(engine, cell, meter) if spoken else None
    users = dict.fromkeys(message.sender_id for message in spoken if message.role == "user")
    touched: list[str] = []
    for user in users:
        touched += write_user_track(engine, cell, Owner(cell.scope, "user", user), answer)
    if spoken and has_trajectory(cell):
        for agent in agents_of(spoken):
            touched += write_agent_track(engine, cell, Owner(cell.scope, "agent", agent), answer, meter)
    for path in dict.fromkeys(touched):
        index_file(engine, path)
    engine.buffer.finish(cell.id)
    embed_soon(engine)
    return bool(touched)


def write_cells(engine: Engine, cells: Iterable[Cell], meter: Meter) -> Written:
    """Write what can be written now. A cell that must wait for the model does not hold up the others."""
    done = Written()
    for cell in cells:
        try:
            done += Written(any=write_cell(engine, cell, meter))
        except Postponed as error:
            done += Written(waiting=len(cell.messages), reason=str(error))
    if done.waiting:
        log.warning("extraction waits for the language model", messages=done.waiting, reason=done.reason)
    return done


def write_pending(engine: Engine, scope: Scope, session_id: str, meter: Meter) -> Written:
    """Finish what a crash or a failing model interrupted in this session."""
    return write_cells(engine, engine.buffer.pending_cells(scope, session_id), meter)


def recover(engine: Engine) -> None:
    """Finish what was interrupted anywhere. A cell that cannot be written now stays for the next time."""
    for cell in engine.buffer.pending_cells():
        meter = Meter(engine.settings.llm.budget_seconds)
        try:
            with session_lock(engine, cell.scope, cell.session_id):
                write_pending(engine, cell.scope, cell.session_id, meter)
        except EverloreError as error:
            log.warning("an interrupted cell could not be finished", cell=cell.id, error=str(error))
        except Exception:
            log.exception("an interrupted cell could not be finished", cell=cell.id)


def retry(engine: Engine) -> int:
    """Ask the language model again about cells that wait for it; returns how many messages still do.

    Sessions that are being worked on are left alone. An endpoint that just failed is not asked, so this ends soon.
    """
    waiting = 0
    for scope, session_id in dict.fromkeys((cell.scope, cell.session_id) for cell in engine.buffer.pending_cells()):
        meter = Meter(engine.settings.llm.budget_seconds)
        try:
            with session_lock(engine, scope, session_id, RETRY_WAIT_SECONDS):
                done = write_pending(engine, scope, session_id, meter)
        except Unavailable:
            continue  # another thread or process has the session
        waiting += done.waiting
    return waiting


def prepare(engine: Engine) -> None:
    """What a server does first, in the background: finish interrupted cells, and load what extraction needs.

    Where a language model is configured, the worker finishes them in a thread of their own (`retry`).
    """
    if engine.llm is None:
        recover(engine)
    load_tables()
