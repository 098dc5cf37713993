"""What a process holds of the queue of files to be looked at, and when a file that failed is due again.

A path may be queued again while it is being worked on. Its generation grows then, and `done` with the generation
that was claimed leaves it in the queue for another look.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

LONGEST_PAUSE = 60.0


class Claims:
    """The generations of the paths that this process works on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generations: dict[str, int] = {}

    def take(self, due: Sequence[tuple[str, int]]) -> list[str]:
        with self._lock:
            for path, generation in due:
                # an earlier claim that is still being worked on knows less than this one
                self._generations.setdefault(path, generation)
        return [path for path, _ in due]

    def end(self, path: str) -> int | None:
        with self._lock:
            return self._generations.pop(path, None)


def pause(tries: int) -> float:
    """1, 2, 4 ... seconds."""
    return min(LONGEST_PAUSE, 2.0 ** min(tries, 10))
