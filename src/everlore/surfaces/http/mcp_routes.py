"""Toolsets over streamable HTTP, under `/mcp/<toolset>` of the server, both eras of the protocol.

The SDK and a toolset are imported by the first request that wants them: a server nobody speaks MCP to starts as
quickly, and stays as small, as without.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from everlore.engine import Engine
from everlore.errors import EverloreError
from everlore.surfaces.http.errors import failure, unexpected
from everlore.surfaces.http.middleware import host_of, is_loopback

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from everlore.surfaces.contracts.toolset import Toolset

Loaders = Mapping[str, Callable[[], "Toolset"]]
Gates = Mapping[str, Callable[[ASGIApp], ASGIApp]]
"""By toolset, what its requests pass first."""


class Toolsets:
    """An ASGI application for `/mcp/{toolset}`, and the configured one at `/mcp`. Serves while `running` is entered."""

    def __init__(self, engine: Engine, loaders: Loaders, gates: Gates, *, own: bool = False) -> None:
        """`own`: this process was started by a client of the toolsets, and has its environment."""
        self._engine = engine
        self._own = own
        self._loaders = loaders
        self._gates = gates
        self._served: dict[str, ASGIApp] = {}
        self._loaded: dict[str, Toolset] = {}
        self._loading = threading.Lock()
        self._opening = anyio.Lock()
        self._hosts: anyio.abc.TaskGroup | None = None

    def __contains__(self, name: object) -> bool:
        return name in self._loaders

    def loaded(self, name: str) -> Toolset:
        """Waits for imports, so not for the event loop."""
        with self._loading:
            if name not in self._loaded:
                self._loaded[name] = self._loaders[name]()
                if self._own and (begin := self._loaded[name].begin) is not None:
                    begin()
            return self._loaded[name]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with anyio.create_task_group() as self._hosts:
            yield
            self._hosts.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = HTTPConnection(scope)
        name = scope["path_params"].get("toolset", self._engine.settings.mcp.toolset)
        answer: ASGIApp
        if name not in self._loaders:
            offered = ", ".join(self._loaders) or "none"
            answer = failure(connection, 404, f"there is no toolset {name[:100]!r}; there are: {offered}")
        elif not _same_site(connection):
            answer = failure(connection, 403, "requests from web pages of another origin are not answered")
        else:
            try:
                answer = await self._app(name)
            except EverloreError as error:
                answer = failure(connection, 503, str(error))
            except Exception:
                answer = unexpected(connection)
        await answer(scope, receive, send)

    async def _app(self, name: str) -> ASGIApp:
        async with self._opening:
            if name not in self._served:
                assert self._hosts is not None
                app, manager = await to_thread.run_sync(_served, self.loaded, name, self._engine)
                await self._hosts.start(_hosted, manager)
                self._served[name] = self._gates[name](app) if name in self._gates else app
            return self._served[name]


def _served(load: Callable[[str], Toolset], name: str, engine: Engine) -> tuple[ASGIApp, StreamableHTTPSessionManager]:
    # the SDK, for which a server that nobody speaks MCP to does not wait
    from everlore.surfaces.http.mcp_sdk import served

    return served(load(name), engine)


async def _hosted(
    manager: StreamableHTTPSessionManager, *, task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED
) -> None:
    """Sessions outlive the request that opened them, so they live in a task of their own."""
    async with manager.run():
        task_status.started()
        await anyio.sleep_forever()


def _same_site(connection: HTTPConnection) -> bool:
    """A page may speak to the server it came from. On loopback, every request was checked before it came here."""
    origin = connection.headers.get("origin")
    if origin is None:
        return True
    host = host_of(origin)
    return is_loopback(host) or host == host_of(f"//{connection.headers.get('host', '')}")
