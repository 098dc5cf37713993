"""Lines in and out of this process, on threads of their own: there before anything heavy is imported.

File descriptors 0 and 1 are taken away from everybody else: what a library prints goes to stderr and cannot spoil
the protocol. Nothing but the standard library is imported here.
"""

from __future__ import annotations

import os
import queue
import sys
import threading

CHUNK = 1 << 16


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
