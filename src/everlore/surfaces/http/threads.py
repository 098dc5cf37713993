"""Blocking work off the event loop, in a bounded number of threads.

What may wait long for something else, for a file to be fetched and parsed or for a language model, takes three quarters
of the threads at most: however many such requests there are, the others are answered meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.requests import HTTPConnection

T = TypeVar("T")
PROBES_AT_ONCE = 2


class Threads:
    def __init__(self, count: int) -> None:
        """`count` is at least 2."""
        self.all = CapacityLimiter(count)
        self.lasting = CapacityLimiter(count * 3 // 4)
        # probes have threads of their own, so that a busy server still says that it lives
        self.probes = CapacityLimiter(PROBES_AT_ONCE)


async def run(
    request: HTTPConnection, work: Callable[..., T], *args: object, lasting: bool = False, **named: object
) -> T:
    """What `work` returns. `lasting`: it may wait long."""
    threads: Threads = request.app.state.threads
    call = partial(work, *args, **named)
    if not lasting:
        return await to_thread.run_sync(call, limiter=threads.all)
    async with threads.lasting:
        return await to_thread.run_sync(call, limiter=threads.all)


async def probe(request: HTTPConnection, work: Callable[..., T], *args: object) -> T:
    """What `work` returns, however busy the server is. For what takes a moment."""
    threads: Threads = request.app.state.threads
    return await to_thread.run_sync(partial(work, *args), limiter=threads.probes)
