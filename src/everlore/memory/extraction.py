"""Writing a closed cell as memories, so that doing it twice is the same as doing it once.

First the values of all its owners are made, then they are written, file by file. Every file is changed atomically, and
every entry carries its cell's id. After a crash the cell is written again: what is there already is left alone, what
is missing is added, and only then is the buffer cleared. Where a language model has its say, its answer is kept before
the first file is touched, so that a repetition writes the same.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from everlore import extract
from everlore.engine import Engine
from everlore.errors import EverloreError, Misconfigured, Postponed, Unavailable
from everlore.kinds.case import CASE, Case, from_entry
from everlore.kinds.episode import EPISODE
from everlore.kinds.fact import FACT
from everlore.kinds.paths import log_paths, owner_dir, sheet_path
from everlore.kinds.profile import PROFILE
from everlore.kinds.registry import AnyKind
from everlore.logs import get_logger
from everlore.memory.bin import sweep
from everlore.memory.curation import review_drafts
from everlore.memory.daily_log import append, of_cell
from everlore.memory.write_agent import cases_of, write_skills
from everlore.memory.write_user import settle, user_memories
from everlore.models.chat import Meter
from everlore.sync.projection import profile_lock
from everlore.sync.writing import Pages, write_together
from everlore.types import Cell, Message, Owner, Scope
from everlore.vault.entries import as_read

if TYPE_CHECKING:
    from everlore.extract.llm import CellAnswer

SESSION_WAIT_SECONDS = 60.0
RETRY_WAIT_SECONDS = 1.0
UNEXPECTED = "an unexpected error, which the server's log tells"
REVIEWED_AT_ONCE = 5
"""Drafts that the model reviews before what is new has its turn again."""
SESSION_LOCKS = 1024
"""Sessions share so many locks, because a lock is a file and sessions are without number."""

log = get_logger("everlore.memory")


@dataclass(frozen=True, slots=True)
class Written:
    """What became of some cells: whether any memory was written, and which could not be written now."""

    any: bool = False
    waiting: int = 0
    """Messages."""
    reason: str = ""
    error: Exception | None = None
    """What went wrong with the first of them, unless it only waits for the language model."""

    def __add__(self, other: Written) -> Written:
        return Written(
            self.any or other.any, self.waiting + other.waiting, self.reason or other.reason, self.error or other.error
        )


def session_lock(
    engine: Engine, scope: Scope, session_id: str, wait: float = SESSION_WAIT_SECONDS
) -> AbstractContextManager[None]:
    """Held while a session is extracted, by one process at a time."""
    name = f"{scope.app}/{scope.project}/{session_id}"
    slot = zlib.crc32(name.encode()) % SESSION_LOCKS
    return engine.vault.lock(f"session:{slot}", wait)


def session_locks(engine: Engine, wait: float) -> AbstractContextManager[None]:
    """Held while nothing at all may be extracted."""
    return engine.vault.guard([f"session:{slot}" for slot in range(SESSION_LOCKS)], wait)


def write_cell(engine: Engine, cell: Cell, meter: Meter) -> bool:
    """Write all memories of a cell, index them, and clear it from the buffer. False when there was nothing in it."""
    spoken = [message for message in cell.messages if not message.blank]
    answer = _answer(engine, cell, meter) if spoken else None
    users = [Owner(cell.scope, "user", name) for name in dict.fromkeys(m.sender_id for m in spoken if m.role == "user")]
    worked = extract.agent.case.agents_of(spoken) if spoken and extract.agent.case.has_trajectory(cell) else ()
    agents = [Owner(cell.scope, "agent", name) for name in worked]
    with ExitStack() as held:
        for user in sorted(users, key=owner_dir):  # in one order, so that no two wait for each other
            held.enter_context(profile_lock(engine, user))
        told, cases = write_together(engine, lambda pages: _written(engine, pages, cell, users, agents, answer))
    for agent in agents:
        write_skills(engine, agent, [case for case in cases if case.owner == agent], meter)
    engine.buffer.finish(cell)
    return told


def _written(
    engine: Engine, pages: Pages, cell: Cell, users: Sequence[Owner], agents: Sequence[Owner], answer: CellAnswer | None
) -> tuple[bool, list[Case]]:
    """Whether the cell has left anything, now or before a crash, and its cases."""
    logs: list[tuple[AnyKind, Owner]] = [(kind, user) for user in users for kind in (EPISODE, FACT)] + [
        (CASE, agent) for agent in agents
    ]
    paths = [path for kind, owner in logs for path in log_paths(kind, owner, cell.timestamp)]
    pages.read([*paths, *(sheet_path(PROFILE, user) for user in users)])
    made = [user_memories(engine, cell, user, pages, answer) for user in users]
    of_users = [some for one in made for some in ([one.episode] if one.episode else [], one.facts)]
    of_agents = [cases_of(cell, agent, answer) for agent in agents]
    wanted = [of_cell(kind, who, cell, some) for (kind, who), some in zip(logs, [*of_users, *of_agents], strict=True)]
    done = append(engine, pages, wanted)
    for user, memories, (entries, fresh) in zip(users, made, done[1 : 2 * len(users) : 2], strict=True):
        settle(engine, pages, user, memories, entries, fresh=fresh)
    left = zip(agents, done[2 * len(users) :], strict=True)
    cases = [from_entry(entry, agent) for agent, (entries, _) in left for entry in as_read(entries)]
    return any(entries for entries, _ in done), cases


def _answer(engine: Engine, cell: Cell, meter: Meter) -> CellAnswer | None:
    """What the language model makes of a cell, asked once and kept until the cell is written; None where no model is
    configured. With one, a cell is not written before it has answered: Postponed tells why."""
    if engine.llm is None:
        return None
    task = extract.llm.cell_task(cell, trajectory=extract.agent.case.has_trajectory(cell))
    kept = engine.buffer.draft(cell)
    if kept is not None:
        with suppress(ValidationError):  # kept by another version, which asked for another shape
            return task.answer.model_validate_json(kept)
    try:
        talk = extract.llm.talk(extract.turns.spoken(cell), engine.llm.max_input_tokens)
        answer = engine.llm.ask(task, talk, meter)
    except (Unavailable, Misconfigured) as error:
        raise Postponed(str(error)) from None
    engine.buffer.keep_draft(cell, answer.model_dump_json())
    return answer


def write_cells(engine: Engine, cells: Iterable[Cell], meter: Meter) -> Written:
    """Write what can be written now. A cell that cannot be, or must wait for the model, does not hold up the others."""
    done = Written()
    for cell in cells:
        try:
            done += Written(any=write_cell(engine, cell, meter))
        except Postponed as error:
            log.warning("extraction waits for the language model", messages=len(cell.messages), reason=str(error))
            done += Written(waiting=len(cell.messages), reason=str(error))
        except EverloreError as error:
            log.warning("a cell could not be written; its messages stay buffered", cell=cell.id, error=str(error))
            done += Written(waiting=len(cell.messages), reason=str(error), error=error)
        except Exception as error:
            log.exception("a cell could not be written; its messages stay buffered", cell=cell.id)
            done += Written(waiting=len(cell.messages), reason=UNEXPECTED, error=error)
    return done


def write_pending(engine: Engine, scope: Scope, session_id: str, meter: Meter) -> tuple[Written, list[Message]]:
    """Finish what a crash or a failing model interrupted in this session; with the messages that are in no cell yet."""
    cells, waiting = engine.buffer.session(scope, session_id)
    return write_cells(engine, cells, meter), waiting


def recover(engine: Engine, wait: float = SESSION_WAIT_SECONDS) -> int:
    """Finish what was interrupted anywhere, or could not be written before; returns how many messages still wait.

    A session that another thread or process works on for longer than `wait` seconds is left to it.
    """
    waiting = 0
    for scope, session_id in dict.fromkeys((cell.scope, cell.session_id) for cell in engine.buffer.pending_cells()):
        meter = Meter(engine.settings.llm.budget_seconds)
        try:
            with session_lock(engine, scope, session_id, wait):
                waiting += write_pending(engine, scope, session_id, meter)[0].waiting
        except Unavailable as error:
            log.info("a session was left for later", session_id=session_id, reason=str(error))
    return waiting


def retry(engine: Engine) -> int:
    """The same for a thread that comes back: an endpoint that just failed is not asked, so this ends soon. A model that
    answers also reviews some of what was drafted without it. What lay in the bin for its days goes."""
    waiting = recover(engine, RETRY_WAIT_SECONDS)
    sweep(engine)
    if not waiting:
        try:
            review_drafts(engine, REVIEWED_AT_ONCE)
        except Unavailable as error:
            log.info("drafts wait for the language model", reason=str(error))
    return waiting


def resume(engine: Engine) -> None:
    """What a process does first, in the background: finish interrupted cells.

    Where a language model is configured, which may take its time, that is left to the thread that comes back (`retry`).
    """
    if engine.llm is None:
        recover(engine)


def prepare(engine: Engine) -> None:
    """The same for a server, which also loads what extraction needs before the first one asks for it."""
    resume(engine)
    extract.third_person.load_tables()
