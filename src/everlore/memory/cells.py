"""Writing a closed cell as memories, so that doing it twice is the same as doing it once.

Every file is changed atomically, and every entry carries its cell's id. After a crash the cell is written again:
what is there already is left alone, what is missing is added, and only then is the buffer cleared.
"""

from __future__ import annotations

import zlib
from contextlib import AbstractContextManager

import structlog

from everlore.cascade import embed_soon, index_file
from everlore.engine import Engine
from everlore.errors import EverloreError
from everlore.extract.case import agents_of, has_trajectory
from everlore.extract.voice import load_tables
from everlore.memory.agent_track import write_agent_track
from everlore.memory.user_track import write_user_track
from everlore.types import Cell, Owner, Scope

SESSION_WAIT_SECONDS = 60.0
SESSION_LOCKS = 1024
"""Sessions share so many locks, because a lock is a file and sessions are without number."""

log = structlog.get_logger("everlore.memory")


def session_lock(engine: Engine, scope: Scope, session_id: str) -> AbstractContextManager[None]:
    """Held while a session is extracted, by one process at a time."""
    name = f"{scope.app}/{scope.project}/{session_id}"
    slot = zlib.crc32(name.encode()) % SESSION_LOCKS
    return engine.vault.lock(f"session:{slot}", SESSION_WAIT_SECONDS)


def write_cell(engine: Engine, cell: Cell) -> bool:
    """Write all memories of a cell, index them, and clear it from the buffer. False when there was nothing in it."""
    spoken = [message for message in cell.messages if not message.blank]
    users = dict.fromkeys(message.sender_id for message in spoken if message.role == "user")
    touched: list[str] = []
    for user in users:
        touched += write_user_track(engine, cell, Owner(cell.scope, "user", user))
    if spoken and has_trajectory(cell):
        for agent in agents_of(spoken):
            touched += write_agent_track(engine, cell, Owner(cell.scope, "agent", agent))
    for path in dict.fromkeys(touched):
        index_file(engine, path)
    engine.buffer.finish(cell.id)
    embed_soon(engine)
    return bool(touched)


def write_pending(engine: Engine, scope: Scope, session_id: str) -> bool:
    """Finish what a crash interrupted in this session."""
    wrote = [write_cell(engine, cell) for cell in engine.buffer.pending_cells(scope, session_id)]
    return any(wrote)


def recover(engine: Engine) -> None:
    """Finish what a crash interrupted anywhere. A cell that cannot be written now stays for the next time."""
    for cell in engine.buffer.pending_cells():
        try:
            with session_lock(engine, cell.scope, cell.session_id):
                write_pending(engine, cell.scope, cell.session_id)
        except EverloreError as error:
            log.warning("an interrupted cell could not be finished", cell=cell.id, error=str(error))
        except Exception:
            log.exception("an interrupted cell could not be finished", cell=cell.id)


def prepare(engine: Engine) -> None:
    """What a server does first, in the background: finish interrupted cells, and load what extraction needs."""
    recover(engine)
    load_tables()
