"""Blocking work off the event loop, in a bounded number of threads.

What may wait long for something else, for a file to be fetched and parsed or for a language model, takes three quarters
of the threads at most: however many such requests there are, the others are answered meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

T = TypeVar("T")


class Threads:
    def __init__(self, count: int) -> None:
        """`count` is at least 2."""
        self._all = CapacityLimiter(count)
        self._waiting = CapacityLimiter(count * 3 // 4)

    async def run(self, work: Callable[[], T], *, lasting: bool = False) -> T:
        """`lasting`: it may wait long."""
        if not lasting:
            return await to_thread.run_sync(work, limiter=self._all)
        async with self._waiting:
            return await to_thread.run_sync(work, limiter=self._all)
