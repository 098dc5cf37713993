"""Searches in processes of their own, so that they use every processor: Python computes one thing at a time in each.

Each opens the vault for itself and ends with the server, however that ends. When one dies, all are started anew and
asked once more what they were asked.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Concatenate, ParamSpec, TypeVar

from everlore import logs
from everlore.config import Settings
from everlore.engine import Engine, open_engine
from everlore.errors import Unavailable
from everlore.logs import get_logger

T = TypeVar("T")
Asked = ParamSpec("Asked")

log = get_logger("everlore.server")
_engine: Engine
"""Of a process that searches."""


class Searchers:
    """Used by one event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pool = self._start()

    async def ask(
        self, work: Callable[Concatenate[Engine, Asked], T], /, *args: Asked.args, **named: Asked.kwargs
    ) -> T:
        """What `work` returns, whose arguments are copied, but for the engine, which is that of the process."""
        for _ in range(2):
            pool = self._pool
            try:
                return await asyncio.wrap_future(pool.submit(_work, work, args, named))
            except BrokenProcessPool:
                if pool is self._pool:
                    log.warning("a process that searched has ended; starting others")
                    self._pool = self._start()
        raise Unavailable("the processes that search end again and again; the log of the server may say why")

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _start(self) -> ProcessPoolExecutor:
        count, spawned = self._settings.api.search_processes, multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(count, spawned, initializer=_open, initargs=(self._settings,))
        for _ in range(count):  # now, so that nobody waits for it later
            pool.submit(_work, _warm, (), {})
        return pool


def _open(settings: Settings) -> None:
    global _engine
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches us too, and the server ends us in order
    threading.Thread(target=_outlive_nobody, daemon=True).start()
    logs.configure(settings.log_level, settings.log_format)
    _engine = open_engine(settings)


def _outlive_nobody() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(0)


def _warm(engine: Engine) -> None:
    engine.embedder.warm()


def _work(work: Callable[..., T], args: tuple[object, ...], named: dict[str, object]) -> T:
    return work(_engine, *args, **named)
