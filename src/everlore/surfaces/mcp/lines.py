"""JSON-RPC lines between a pipe and the SDK.

The SDK drops a line that is not JSON-RPC without a word, does not know batches, refuses an `initialize` that leaves
out capabilities, and cancels what is running when stdin ends. All of that is put right here, before it sees a line.
"""

from __future__ import annotations

import signal
from collections import Counter
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

import anyio
import mcp_types as types
import structlog
from anyio import to_thread
from anyio.abc import ObjectSendStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError
from pydantic_core import from_json, to_json

from everlore.config import Settings
from everlore.config import load as load_settings
from everlore.redact import redact
from everlore.surfaces.cli import logs
from everlore.surfaces.mcp.handshake import completed
from everlore.surfaces.mcp.opener import Opener
from everlore.surfaces.mcp.pipe import Pipe
from everlore.surfaces.mcp.server import build
from everlore.surfaces.mcp.toolset import Toolset
from everlore.types import Json

if TYPE_CHECKING:
    from everlore.engine import Engine

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
    # tools that need no vault get no engine, so that none is made on a machine that only has a gateway
    engine = opener.engine if toolset.needs_vault else lambda: cast("Engine", None)
    server = build(toolset, engine, settings.api.threads)
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
    import asyncio

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        try:
            loop.add_signal_handler(number, pipe.lines.put, None)
        except NotImplementedError:  # Windows, where the signal ends the process
            return


@dataclass
class Batch:
    """A JSON array of messages, which is answered by one array."""

    missing: int
    answers: list[bytes] = field(default_factory=list)


class Desk:
    """Both directions: hands in what was read, sends out what was answered, and knows what is still open."""

    def __init__(self, pipe: Pipe, toolset: Toolset, answered: Json = None) -> None:
        self._pipe = pipe
        self._identity = toolset.identity
        self._answered = answered
        self._open: Counter[str] = Counter()
        self._batches: dict[str, Batch] = {}
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
            value = from_json(line, allow_inf_nan=False)
        except ValueError:
            self._refuse(None, types.PARSE_ERROR, "Parse error: the line is not JSON")
            return []
        if not isinstance(value, list):
            return self._accept(value, None)
        if not value:
            self._refuse(None, types.INVALID_REQUEST, "Invalid request: the batch is empty")
        batch = Batch(sum(not isinstance(one, dict) or "id" in one for one in value))
        return [message for one in value for message in self._accept(one, batch)]

    def _accept(self, value: Json, batch: Batch | None) -> list[types.JSONRPCMessage]:
        id_ = value.get("id") if isinstance(value, dict) else None
        key = str(id_)
        problem = _problem(value)
        if problem is None:
            if value.get("method") == "initialize":
                value = {**value, "params": completed(value.get("params"), self._identity)}
            try:
                message = types.jsonrpc_message_adapter.validate_python(value, by_name=False)
            except ValidationError:
                problem = "it is neither a request, a notification nor a response"
        if problem is not None:
            self._refuse(id_, types.INVALID_REQUEST, f"Invalid request: {problem}", batch)
            return []
        if isinstance(message, types.JSONRPCRequest):
            self._open[key] += 1
            if batch is not None:
                self._batches[key] = batch
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._abandon(str((message.params or {}).get("requestId")))
        elif batch is not None and id_ is not None:
            batch.missing -= 1  # a response of the client's, which needs no answer
        return [message]

    def _refuse(self, id_: Json, code: int, reason: str, batch: Batch | None = None) -> None:
        shown = id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None
        self._put(to_json({"jsonrpc": "2.0", "id": shown, "error": {"code": code, "message": redact(reason)}}), batch)

    async def send(self, item: SessionMessage, /) -> None:
        # no await in here: the SDK cancels its writers when stdin has ended, and answers would be lost
        message = item.message
        line = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        if not isinstance(message, types.JSONRPCResponse | types.JSONRPCError):
            self._pipe.write(line)
            return
        key = str(message.id)
        if self._answered is not None and message.id == self._answered:
            self._answered = None
        else:
            self._put(line, self._batches.pop(key, None))
        self._settle(key)

    def _put(self, line: bytes, batch: Batch | None) -> None:
        if batch is None:
            self._pipe.write(line)
            return
        batch.answers.append(line)
        if len(batch.answers) >= batch.missing:
            self._pipe.write(b"[" + b",".join(batch.answers) + b"]")

    def _abandon(self, key: str) -> None:
        """A request that the client cancelled is never answered."""
        if batch := self._batches.pop(key, None):
            batch.missing -= 1
            if batch.answers and len(batch.answers) >= batch.missing:
                self._pipe.write(b"[" + b",".join(batch.answers) + b"]")
        self._settle(key)

    def _settle(self, key: str) -> None:
        self._open[key] -= 1
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


def _problem(value: Any) -> str | None:
    """What keeps a JSON value from being a JSON-RPC message, or None."""
    if not isinstance(value, dict):
        return "a message is a JSON object"
    if value.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0"'
    if "method" in value and not isinstance(value["method"], str):
        return "method must be a string"
    if (
        "method" in value
        and "id" in value
        and (isinstance(value["id"], bool) or not isinstance(value["id"], int | str))
    ):
        return "id must be a string or an integer"
    if "method" in value and not isinstance(value.get("params", {}), dict):
        return "params must be an object"
    return None
