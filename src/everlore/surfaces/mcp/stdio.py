"""A session on stdin and stdout. What is known is answered at once, the rest is carried to who has an engine.

Requests are carried in the order in which they came as far as that can be seen: a read sees every write before it.
When stdin ends, requests that were accepted are still answered. Nothing but the standard library is imported here.

File descriptors 0 and 1 are taken away from everybody else: what a library prints goes to stderr and cannot spoil the
protocol. Lines come and go on threads of their own.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, Final, Protocol

from everlore.errors import EverloreError
from everlore.surfaces.mcp import protocol
from everlore.surfaces.mcp.protocol import Object, Offer, Refused, Session, dumped

FINISH_SECONDS: Final = 30.0
"""How long accepted requests may take to be answered once stdin has ended,"""
WRITE_SECONDS: Final = 10.0
"""and how long somebody who reads slowly is waited for."""
AT_ONCE: Final = 16
CHUNK: Final = 1 << 16


class Work:
    """A request that an engine answers."""

    def __init__(self, message: Object, session: Session, known: Object, answers: Answers) -> None:
        self.id = message["id"]
        self.message = message
        self.known = known  # of the tool that is called
        self.writes = not known.get("reads", True)
        self.caller: Object = {"version": session.version, "client": session.client, "bare": session.bare}
        self.stamped = session.stamped
        self.answers = answers
        self.cancelled = False
        self.abort: Callable[[], None] = lambda: None
        """Called when the client does not want it any more."""


class Carrier(Protocol):
    """Has an engine, or knows who has."""

    def warm(self, end: Callable[[EverloreError], None]) -> None:
        """Somebody will ask soon. Returns at once; what makes it senseless to ask at all is told to `end`."""

    def carry(self, work: Work) -> Object:
        """The result. Raises `Refused`."""

    def close(self) -> None:
        """Raises what kept it from ever having an engine."""


def serve(offer: Offer, carrier: Carrier) -> None:
    """Until stdin ends, nobody reads stdout, or a signal comes: what was accepted is answered, then we go."""
    pipe = Pipe()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: pipe.lines.put(None))
    desk = Desk(offer, carrier, pipe)
    while (line := pipe.lines.get()) is not None:
        desk.hear(line)
    desk.finish(0 if pipe.broken.is_set() else FINISH_SECONDS)
    pipe.finish(WRITE_SECONDS)
    if desk.ended is not None:
        raise desk.ended
    carrier.close()


class Answers:
    """The answer to one line: one message, or an array of them when all of a batch are there."""

    def __init__(self, pipe: Pipe, batch: int = 0) -> None:
        self._pipe = pipe
        self._batch = batch
        self._found: list[bytes | None] = []

    def put(self, line: bytes | None) -> None:
        """None: there is none."""
        self._found.append(line)
        lines = [one for one in self._found if one is not None]
        if lines and len(self._found) >= self._batch:
            self._pipe.write(b"[" + b",".join(lines) + b"]" if self._batch else lines[0])


class Desk:
    """What the host says, line by line; what of it is being carried, and what waits for its turn: reads run beside each
    other, a write runs alone."""

    def __init__(self, offer: Offer, carrier: Carrier, pipe: Pipe) -> None:
        self._session = Session(offer)
        self._tools = offer.asked.get("tools/call", {})
        self._carrier = carrier
        self._pipe = pipe
        self._warmed = False
        self.ended: EverloreError | None = None
        self._waiting: deque[Work] = deque()
        self._running: list[Work] = []
        self._changed = threading.Condition()

    def hear(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            value = protocol.read(line)
            if value == []:
                raise protocol.EMPTY_BATCH
        except Refused as error:
            self._pipe.write(dumped(error.answer()))
            return
        batch = value if isinstance(value, list) else []
        answers = Answers(self._pipe, len(batch))
        for one in batch or [value]:
            self._take(one, answers)

    def _take(self, value: Any, answers: Answers) -> None:
        id_ = None
        try:
            message = protocol.checked(value)
            if not protocol.is_request(message):
                if message.get("method") == "notifications/cancelled":
                    self._cancel(message.get("params", {}).get("requestId"))
                answers.put(None)
                return
            id_, method, params = message["id"], message["method"], message.get("params", {})
            result = self._session.take(method, params)
        except Refused as error:
            answers.put(dumped(error.answer(id_)))
            return
        if not self._warmed:
            self._warmed = True
            self._carrier.warm(self._end)
        if result is None:
            known = self._tools.get(params.get("name"), {}) if method == "tools/call" else {}
            with self._changed:
                self._waiting.append(Work(message, self._session, known, answers))
                self._start()
            return
        answer = {"jsonrpc": "2.0", "id": id_, "result": result}
        answers.put(json.dumps(answer).encode() if method == "initialize" else dumped(answer))

    def _end(self, why: EverloreError) -> None:
        self.ended = why
        self._pipe.lines.put(None)

    def _start(self) -> None:
        while self._waiting and len(self._running) < AT_ONCE:
            if self._running and (self._waiting[0].writes or self._running[0].writes):
                return
            self._running.append(work := self._waiting.popleft())
            threading.Thread(target=self._run, args=(work,), name="everlore-carry", daemon=True).start()

    def _run(self, work: Work) -> None:
        try:
            answer = {"jsonrpc": "2.0", "id": work.id, "result": work.stamped(self._carrier.carry(work))}
        except Refused as error:
            answer = error.answer(work.id)
        except Exception as error:
            print(f"error: unexpected {type(error).__name__} in {work.message['method']}", file=sys.stderr)
            answer = Refused(protocol.INTERNAL_ERROR, "Something went wrong on our side. Please try again.").answer(
                work.id
            )
        with self._changed:
            if not work.cancelled:
                work.answers.put(dumped(answer))
                self._running.remove(work)
            self._start()
            self._changed.notify_all()

    def _cancel(self, id_: Any) -> None:
        """A request that the client cancelled is never answered."""
        with self._changed:
            for held in (self._running, self._waiting):
                for work in [one for one in held if one.id == id_ and type(one.id) is type(id_)]:
                    held.remove(work)
                    work.cancelled = True
                    work.abort()
                    work.answers.put(None)
            self._start()
            self._changed.notify_all()

    def finish(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not (self._running or self._waiting), seconds)


class Pipe:
    """`lines` gets every line of stdin and None at its end; `write` never blocks."""

    def __init__(self) -> None:
        self.lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.broken = threading.Event()
        """Set when nobody reads our stdout any more."""
        self._out: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._source, self._sink = _claim()
        threading.Thread(target=self._read, name="everlore-stdin", daemon=True).start()
        self._writer = threading.Thread(target=self._write, name="everlore-stdout", daemon=True)
        self._writer.start()

    def write(self, line: bytes) -> None:
        self._out.put(line)

    def finish(self, seconds: float) -> None:
        """Wait until everything is written, but not for a reader that has stopped reading."""
        self._out.put(None)
        self._writer.join(seconds)

    def _read(self) -> None:
        # not a buffered file: it would hold its lock in a blocked read while the interpreter ends
        rest: list[bytes] = []
        while chunk := self._chunk():
            first, *others = chunk.split(b"\n")
            rest.append(first)
            for part in others:
                self.lines.put(b"".join(rest))
                rest = [part]
        self.lines.put(b"".join(rest))
        self.lines.put(None)

    def _chunk(self) -> bytes:
        try:
            return os.read(self._source, CHUNK)
        except OSError:
            return b""

    def _write(self) -> None:
        while (line := self._out.get()) is not None:
            left = memoryview(line + b"\n")
            try:
                while left:
                    left = left[os.write(self._sink, left) :]
            except OSError:
                self.broken.set()
                self.lines.put(None)
                return


def _claim() -> tuple[int, int]:
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in (source, sink):
            msvcrt.setmode(descriptor, os.O_BINARY)
    return source, sink
