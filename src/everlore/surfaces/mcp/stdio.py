"""A toolset on stdin and stdout.

The first `initialize` is answered before the SDK is imported; the SDK gets it afterwards and its own answer is not
sent. Lines that the SDK would pass over in silence (not JSON, not JSON-RPC) are answered here. When stdin ends,
requests that were accepted are still answered.

File descriptors 0 and 1 are taken away from everybody else: what a library prints goes to stderr and cannot spoil the
protocol. Lines come and go on threads of their own, which are there before anything heavy is imported.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from everlore.surfaces.contracts.identity import Identity
from everlore.surfaces.mcp.handshake import opening

if TYPE_CHECKING:
    from everlore.surfaces.contracts.toolset import Toolset

FINISH_SECONDS = 10.0
CHUNK = 1 << 16


def serve(load: Callable[[], Toolset], identity: Identity | None = None) -> None:
    """Serve until stdin ends, nobody reads stdout, or SIGTERM comes. `identity` must be that of the toolset."""
    pipe = Pipe()
    # before there is anything to finish, an orderly stop is to go at once
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    first = pipe.lines.get()
    if first is None:
        return
    replay, answered = first, None
    if identity is not None and (ready := opening(_parsed(first), identity)):
        reply, plain = ready
        pipe.write(_line(reply))
        replay, answered = _line(plain), reply["id"]
    gc.disable()  # importing makes only objects that stay; looking through them costs a quarter of the time
    from everlore.surfaces.mcp.stdio_frames import run  # the SDK, for which the first answer does not wait

    toolset = load()
    gc.freeze()
    gc.enable()
    try:
        run(toolset, pipe, replay, answered)
    finally:
        pipe.finish(FINISH_SECONDS)


def _parsed(line: bytes) -> Any:
    try:
        message = json.loads(line)
        json.dumps(message, ensure_ascii=False).encode()  # half a character is put right where lines are read
    except (ValueError, RecursionError):
        return None
    return message


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=True).encode()


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
        while True:
            try:
                chunk = os.read(self._source, CHUNK)
            except OSError:
                chunk = b""
            if not chunk:
                break
            first, *others = chunk.split(b"\n")
            rest.append(first)
            for part in others:
                self.lines.put(b"".join(rest))
                rest = [part]
        if last := b"".join(rest):
            self.lines.put(last)
        self.lines.put(None)

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
