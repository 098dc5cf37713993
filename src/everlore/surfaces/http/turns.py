"""Requests that bring files to be read wait here for their turn, without a thread, so that they never keep out text.

Each account, or each address where nobody signs in, has a queue of its own: one of its requests is read at a time, a
bounded number wait, and whoever brings many waits for themselves alone. A request whose client has gone gives up its
turn, and what reads its files is ended.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

import anyio
from starlette.exceptions import HTTPException
from starlette.requests import Request

from everlore.errors import Unavailable
from everlore.models.media.sandbox import GONE
from everlore.surfaces.http.threads import run

T = TypeVar("T")
MOST = 16
"""Requests of one client that wait or are read; more are asked to come again."""
SECONDS = "5"
LOOK_SECONDS = 0.25
"""How soon it is noticed that a client has gone."""


class Turns:
    def __init__(self, at_once: int) -> None:
        self._all = anyio.Semaphore(at_once)
        self._own: dict[str, anyio.Semaphore] = {}
        self._count: Counter[str] = Counter()

    async def run(self, request: Request, work: Callable[..., T], *args: object) -> T:
        """What `work` returns. Raises `HTTPException` (429) when too much of this client waits already."""
        client = _client(request)
        if self._count[client] >= MOST:
            told = f"{MOST} of your requests with files wait already; send the next when some are done"
            raise HTTPException(429, told, {"Retry-After": SECONDS})
        self._count[client] += 1
        own = self._own.setdefault(client, anyio.Semaphore(1))
        try:
            return await self._in_turn(own, request, work, *args)
        finally:
            self._count[client] -= 1
            if not self._count[client]:
                del self._count[client], self._own[client]

    async def _in_turn(self, own: anyio.Semaphore, request: Request, work: Callable[..., T], *args: object) -> T:
        gone, done, failed = threading.Event(), list[T](), list[Exception]()

        async def watch() -> None:
            while not await request.is_disconnected():
                await anyio.sleep(LOOK_SECONDS)
            gone.set()
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            try:
                async with own, self._all:
                    token = GONE.set(gone)
                    try:
                        done.append(await run(request, work, *args, lasting=True))
                    finally:
                        GONE.reset(token)
            except Exception as error:  # a group would wrap it
                failed.append(error)
            group.cancel_scope.cancel()
        if failed:
            raise failed[0]
        if not done:
            raise Unavailable("the client has gone")
        return done[0]


def _client(request: Request) -> str:
    who = request.scope["state"].get("principal")
    return who.account.id if who is not None else request.client.host if request.client else ""
