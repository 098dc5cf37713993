"""JSON-RPC lines between a pipe and the SDK, and the engine behind them.

The SDK drops a line that is not JSON-RPC without a word, does not know batches, refuses an `initialize` that leaves
out capabilities, and cancels what is running when stdin ends. All of that is put right here, before it sees a line.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections import Counter
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING

import anyio
import mcp_types as types
import structlog
from anyio import to_thread
from anyio.abc import ObjectSendStream
from mcp.shared.message import SessionMessage

from everlore import logs
from everlore.config import Settings, unknown_settings
from everlore.config import load as load_settings
from everlore.errors import EverloreError, Unavailable
from everlore.surfaces.contracts.toolset import Toolset
from everlore.surfaces.mcp.messages import EMPTY_BATCH, Unreadable, message_of, read, refusal
from everlore.surfaces.mcp.server import build
from everlore.surfaces.mcp.stdio import Pipe
from everlore.types import Json

if TYPE_CHECKING:
    from everlore.engine import Engine
    from everlore.sync.worker import Worker

FINISH_SECONDS = 30.0
"""How long accepted requests may take to be answered once stdin has ended."""

log = structlog.get_logger("everlore.mcp")


def run(toolset: Toolset, pipe: Pipe, first: bytes, answered: Json = None) -> None:
    """Serve `first` and what follows. `answered` is the id of an `initialize` whose answer was sent already."""
    settings = load_settings()
    logs.configure(settings.log_level, settings.log_format)
    if toolset.begin is not None:
        toolset.begin()
    opener = Opener(settings)
    anyio.run(_serve, toolset, pipe, first, answered, settings, opener)
    if opener.failure is not None:
        raise opener.failure


async def _serve(
    toolset: Toolset, pipe: Pipe, first: bytes, answered: Json, settings: Settings, opener: Opener
) -> None:
    server = build(toolset, lambda _: opener.engine(), settings.api.threads)
    desk = Desk(pipe, toolset, answered)
    _stop_on_signals(pipe)
    if toolset.needs_vault:
        opener.start()
    send, receive = anyio.create_memory_object_stream[SessionMessage | Exception]()
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(desk.read, send, first)
            await server.run(receive, desk, server.create_initialization_options())
            group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(opener.close)


def _stop_on_signals(pipe: Pipe) -> None:
    """A signal is the end of stdin: what was accepted is answered, then we go."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, pipe.lines.put, None)
        except NotImplementedError:  # Windows, where the signal ends the process
            return


class Opener:
    """Opens the engine, with its worker, in the background when the handshake is done.

    Opening may fail, e.g. on a setting. It is tried again by the next call, which then reads why. A process that never
    succeeded says so with its exit code.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._closed = False
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self.failure: EverloreError | OSError | None = None
        """Why it is not open, when that was tried."""
        self._worker: Worker | None = None

    def start(self) -> None:
        threading.Thread(target=self._warm, name="everlore-open", daemon=True).start()

    def engine(self) -> Engine:
        """The engine; the first caller opens it."""
        with self._lock:
            if self._closed:
                raise Unavailable("the server is stopping")
            if self._engine is None:
                try:
                    self._engine, self._worker = _open(self._settings)
                except (EverloreError, OSError) as error:
                    self.failure = error
                    raise
                self.failure = None
            return self._engine

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._worker is not None:
                self._worker.stop()
            if self._engine is not None:
                self._engine.close()

    def _warm(self) -> None:
        try:
            self.engine()
        except (EverloreError, OSError) as error:
            log.error("the vault cannot be opened", error=str(error))


def _open(settings: Settings) -> tuple[Engine, Worker]:
    from everlore import engine, memory  # half a second that neither handshake nor tools/list waits for
    from everlore.sync.worker import Worker  # the same

    if unknown := unknown_settings():
        log.warning("settings without effect in this version", names=unknown)
    opened = engine.open_engine(settings)
    worker = Worker(opened, memory.resume, memory.retry)
    worker.start()
    return opened, worker


@dataclass
class Batch:
    """A JSON array of messages, which is answered by one array."""

    missing: int
    """Answers that there will be; all messages until it is known which of them get none."""
    answers: list[bytes] = field(default_factory=list)


class Desk:
    """Both directions: hands in what was read, sends out what was answered, and knows what is still open."""

    def __init__(self, pipe: Pipe, toolset: Toolset, answered: Json = None) -> None:
        self._pipe = pipe
        self._identity = toolset.identity
        self._answered = answered
        self._open: Counter[int | str] = Counter()
        self._batches: dict[int | str, Batch] = {}
        self._quiet = anyio.Event()

    async def read(self, inbox: ObjectSendStream[SessionMessage | Exception], first: bytes) -> None:
        async with inbox:
            line: bytes | None = first
            while line is not None:
                for message in self._messages(line):
                    await inbox.send(SessionMessage(message))
                line = await to_thread.run_sync(self._pipe.lines.get, abandon_on_cancel=True)
            with anyio.move_on_after(0 if self._pipe.broken.is_set() else FINISH_SECONDS):
                while self._open:
                    self._quiet = anyio.Event()
                    await self._quiet.wait()

    def _messages(self, line: bytes) -> list[types.JSONRPCMessage]:
        if not line.strip():
            return []
        try:
            value = read(line)
        except Unreadable as error:
            self._put(refusal(error), None)
            return []
        if not isinstance(value, list):
            return self._accept(value, None)
        if not value:
            self._put(refusal(EMPTY_BATCH), None)
        batch = Batch(len(value))
        return [message for one in value for message in self._accept(one, batch)]

    def _accept(self, value: Json, batch: Batch | None) -> list[types.JSONRPCMessage]:
        try:
            message = message_of(value, self._identity)
        except Unreadable as error:
            self._put(refusal(error), batch)
            return []
        if isinstance(message, types.JSONRPCRequest):
            self._open[message.id] += 1
            if batch is not None:
                self._batches[message.id] = batch
        else:
            if isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
                self._abandon((message.params or {}).get("requestId"))
            if batch is not None:
                self._expect_one_less(batch)
        return [message]

    async def send(self, item: SessionMessage, /) -> None:
        # no await in here: the SDK cancels its writers when stdin has ended, and answers would be lost
        message = item.message
        line = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        if not isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._pipe.write(line)
            return
        if self._answered is not None and message.id == self._answered:
            self._answered = None
        else:
            self._put(line, None if message.id is None else self._batches.pop(message.id, None))
        self._settle(message.id)

    def _put(self, line: bytes, batch: Batch | None) -> None:
        if batch is None:
            self._pipe.write(line)
            return
        batch.answers.append(line)
        self._write_if_whole(batch)

    def _expect_one_less(self, batch: Batch) -> None:
        batch.missing -= 1
        self._write_if_whole(batch)

    def _write_if_whole(self, batch: Batch) -> None:
        if batch.answers and len(batch.answers) == batch.missing:
            self._pipe.write(b"[" + b",".join(batch.answers) + b"]")

    def _abandon(self, id_: Json) -> None:
        """A request that the client cancelled is never answered."""
        if not isinstance(id_, str | int):
            return
        if batch := self._batches.pop(id_, None):
            self._expect_one_less(batch)
        self._settle(id_)

    def _settle(self, id_: Json) -> None:
        self._open[id_] -= 1
        self._open = +self._open
        if not self._open:
            self._quiet.set()

    async def aclose(self) -> None:
        pass

    async def __aenter__(self) -> Desk:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return None
