"""Blocking work off the event loop, in a bounded number of threads. Routes that are plain functions run there, too.

What may wait long for something else, for a file to be fetched and parsed or for a language model, takes three quarters
of the threads at most: however many such requests there are, the others are answered meanwhile. Searches take no more
threads than there are processors for them: more would only keep each other waiting, and whoever stores something, too.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.requests import HTTPConnection

from everlore.config import Settings

T = TypeVar("T")
PROBES_AT_ONCE = 2


class Threads:
    def __init__(self, settings: Settings) -> None:
        most = settings.api.threads * 3 // 4
        self.all = to_thread.current_default_thread_limiter()  # the one that FastAPI takes for plain functions
        self.all.total_tokens = settings.api.threads
        self.lasting = CapacityLimiter(most)
        # on files and with the built-in model a search only computes, and one more may wait for the disk meanwhile
        waits = settings.store.url.get_secret_value() or settings.embedding.base_url
        self.searching = CapacityLimiter(most if waits else min(most, 1 + (os.cpu_count() or 1)))
        self.relayed = CapacityLimiter(settings.api.threads)
        # probes have threads of their own, so that a busy server still says that it lives
        self.probes = CapacityLimiter(PROBES_AT_ONCE)


async def run(
    request: HTTPConnection,
    work: Callable[..., T],
    *args: object,
    lasting: bool = False,
    searching: bool = False,
    **named: object,
) -> T:
    """What `work` returns. `lasting`: it may wait long."""
    threads: Threads = request.app.state.threads
    call = partial(work, *args, **named)
    if not (lasting or searching):
        return await to_thread.run_sync(call, limiter=threads.all)
    async with threads.lasting if lasting else threads.searching:
        return await to_thread.run_sync(call, limiter=threads.all)


async def probe(request: HTTPConnection, work: Callable[..., T], *args: object) -> T:
    """What `work` returns, however busy the server is. For what takes a moment."""
    threads: Threads = request.app.state.threads
    return await to_thread.run_sync(partial(work, *args), limiter=threads.probes)
