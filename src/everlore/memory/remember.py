"""Remember and flush: messages are durable first; then closed stretches of talk become memories.

When a boundary is found, everything buffered is extracted, the newest stretch included: after a call that
says "extracted" the session's buffer is empty, as the contract promises.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from everlore import extract
from everlore.clock import in_calendar
from everlore.engine import Engine
from everlore.errors import EverloreError, InvalidInput, Misconfigured, Unavailable, UnsupportedMedia
from everlore.extract.boundary import asks_for_topics, cell_id, find_cells
from everlore.kinds.paths import owner_dir
from everlore.logs import get_logger
from everlore.masking import mask_deep, mask_secrets
from everlore.me import display_name
from everlore.memory.extraction import SESSION_WAIT_SECONDS, Written, session_lock, write_cells, write_pending
from everlore.models.chat import Meter, Usage
from everlore.types import Cell, Json, Message, Owner, Role, Scope

TOPIC_OF_MESSAGE = 600
"""Characters of a message by which its topic is known."""
TOPIC_CHARACTERS = 20_000
"""Longer buffers are not searched for a change of topic: accepting messages must stay quick."""

MODEL_WAIT_SECONDS = 2.0

log = get_logger("everlore.memory")


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message as a client sends it. `timestamp` may be seconds or milliseconds."""

    sender_id: str
    role: Role
    timestamp: int
    content: str | Sequence[Mapping[str, Json]]
    sender_name: str | None = None
    tool_calls: Sequence[Mapping[str, Json]] | None = None
    tool_call_id: str | None = None
    project: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call. It is true when memories were written.

    `waiting` messages of closed stretches stay in the buffer, for the `reason` given, and are tried again by the next
    call for their session and by a server's worker.
    """

    extracted: bool
    waiting: int = 0
    reason: str = ""
    usage: Usage = field(default_factory=Usage)

    def __bool__(self) -> bool:
        return self.extracted


def remember(engine: Engine, scope: Scope, session_id: str, messages: Sequence[NewMessage]) -> Outcome:
    """Accept a batch, whole or not at all. True when this call closed a stretch and wrote its memories."""
    meter = Meter(engine.settings.llm.budget_seconds)
    accepted = [
        _accept(engine, scope, session_id, f"messages.{at}", message, meter) for at, message in enumerate(messages)
    ]
    fresh = engine.buffer.append(accepted)
    engine.embedder.warm()  # it will be needed soon, and loads while people talk
    if engine.llm is None and _goes_on(engine, scope, session_id):
        return Outcome(False, usage=meter.usage)
    meter = Meter(engine.settings.llm.budget_seconds, usage=meter.usage)
    # who holds the lock may be waiting for a language model; this batch is safe, and the next call looks at it
    wait = SESSION_WAIT_SECONDS if engine.llm is None else MODEL_WAIT_SECONDS
    try:
        with session_lock(engine, scope, session_id, wait):
            before, open_ = write_pending(engine, scope, session_id, meter)
            done = _extract(engine, scope, session_id, open_, meter, fresh, final=False)
    except Exception as error:
        # the batch is accepted whatever extraction makes of it: the messages stay and the next call tries again
        if isinstance(error, Unavailable) and engine.llm is not None:
            log.warning("extraction has to wait; the messages stay buffered", reason=str(error))
        else:
            log.exception("extraction failed; the messages stay buffered", session_id=session_id)
        return Outcome(False, usage=meter.usage)
    waiting, reason = before.waiting + done.waiting, before.reason or done.reason
    return Outcome(done.any and not waiting, waiting, reason, meter.usage)


def _goes_on(engine: Engine, scope: Scope, session_id: str) -> bool:
    """Whether nothing is to be done: no stretch has ended, and none waits. Looked at without a lock, since most
    messages end nothing; whoever sees an end looks again with it."""
    with suppress(EverloreError):  # comes up again, and is told
        pending, waiting = engine.buffer.session(scope, session_id)
        return not pending and len(_stretches(engine, waiting, None)) < 2
    return False


def flush(engine: Engine, scope: Scope, session_id: str) -> Outcome:
    """Extract everything that is buffered. True when at least one memory was written; what could not be is told, and is
    an error when it is all there was."""
    meter = Meter(engine.settings.llm.budget_seconds, urgent=True)
    with session_lock(engine, scope, session_id):
        done, waiting = write_pending(engine, scope, session_id, meter)
        done += _extract(engine, scope, session_id, waiting, meter, 0, final=True)
    if done.error is not None and not done.any:
        raise done.error
    return Outcome(done.any, done.waiting, done.reason, meter.usage)


def _accept(engine: Engine, scope: Scope, session_id: str, place: str, message: NewMessage, meter: Meter) -> Message:
    """The message as it will be kept. What cannot be kept is refused before anything is stored."""
    if engine.settings.memory.mask_secrets:
        message = masked(message, engine.settings.memory.unmasked)
    mine = engine.settings.mcp
    if message.role == "user" and message.sender_id == mine.user and not (message.sender_name or "").strip():
        message = replace(message, sender_name=mine.user_name or display_name())
    with located_at(f"{place}.sender_id"):
        owner_dir(Owner(scope, "user", message.sender_id))
    with located_at(f"{place}.timestamp"):
        timestamp = in_calendar(message.timestamp)
    with located_at(f"{place}.content"):
        text = engine.media.read(message.content, meter)
    if engine.settings.memory.mask_secrets and text is not message.content:
        text = mask_secrets(text, engine.settings.memory.unmasked)  # what a file holds is seen only now
    sent = {one.name: getattr(message, one.name) for one in fields(message)} | {"timestamp": timestamp}
    return Message(id=f"m_{uuid.uuid4().hex}", scope=scope, session_id=session_id, text=text, **sent)


def spoken(content: str | Sequence[Mapping[str, Json]]) -> str:
    """What of a message is text as it came; files in it are not looked into."""
    return content if isinstance(content, str) else "\n".join(str(item["text"]) for item in content if item.get("text"))


def masked(message: NewMessage, allowed: Sequence[str] = ()) -> NewMessage:
    """Without keys, tokens and passwords, wherever in the message they stand."""
    content = message.content
    if isinstance(content, str):
        content = mask_secrets(content, allowed)
    else:  # other payloads are read as text later, and masked then
        content = [
            item | {"text": mask_deep(item["text"], allowed)} if "text" in item else item for item in map(dict, content)
        ]
    calls = None if message.tool_calls is None else mask_deep(list(message.tool_calls), allowed)
    return replace(message, content=content, tool_calls=calls)


@contextmanager
def located_at(place: str) -> Iterator[None]:
    """Add to an error where in the request its cause stands, as validation errors do."""
    try:
        yield
    except (InvalidInput, UnsupportedMedia) as error:
        raise type(error)(f"{error}: {place}") from None


def _extract(
    engine: Engine, scope: Scope, session_id: str, waiting: list[Message], meter: Meter, fresh: int, *, final: bool
) -> Written:
    if not waiting:
        return Written()
    stretches = _stretches(engine, waiting, _topics(engine, waiting, fresh, meter, final=final))
    if len(stretches) < 2 and not final:
        return Written()
    cells = [
        Cell(cell_id(scope, session_id, [message.id for message in stretch]), scope, session_id, tuple(stretch))
        for stretch in stretches
    ]
    engine.buffer.close_cells(cells)
    return write_cells(engine, cells, meter)


def _stretches(engine: Engine, waiting: list[Message], topics: list[int] | None) -> list[list[Message]]:
    limits = engine.settings.boundary_detection
    by_vectors = topics is None and limits.topic_shift and len(waiting) > limits.min_messages
    vectors = _vectors(engine, waiting) if by_vectors else None
    return find_cells(waiting, limits, vectors, engine.clock.zone, topics)


def _topics(engine: Engine, waiting: list[Message], fresh: int, meter: Meter, *, final: bool) -> list[int] | None:
    """Where the model sees new topics begin; None where it is not asked or does not answer."""
    if engine.llm is None or not asks_for_topics(waiting, fresh, engine.settings.boundary_detection, final=final):
        return None
    talk = extract.llm.talk(extract.llm.topics(waiting), engine.llm.max_input_tokens)
    try:
        answer = engine.llm.ask(extract.prompts.BOUNDARY, talk, meter)
    except (Unavailable, Misconfigured):
        return None
    return sorted({number - 1 for number in answer.boundaries if 1 < number <= len(waiting)})


def _vectors(engine: Engine, messages: Sequence[Message]) -> NDArray[np.float32] | None:
    """What the messages are about, if the embedder can say so now. Without names and dates, which all of them share
    and which would make any two of them alike."""
    if not engine.embedder.ready():
        engine.embedder.warm()
        return None
    try:
        texts = [message.text[:TOPIC_OF_MESSAGE] or message.role for message in messages]
        few = sum(map(len, texts)) <= TOPIC_CHARACTERS
        return engine.embedder.encode(texts, patient=False) if few else None
    except (Unavailable, Misconfigured):
        return None
