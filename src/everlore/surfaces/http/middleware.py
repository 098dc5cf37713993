"""What surrounds every request, as plain ASGI: an id, a log line, numbers, a last net for errors, and the gate.

On a loopback interface the server answers only those who address it as loopback (or by its public name), so that no
web page can reach it through a browser, neither across origins nor by DNS rebinding, also when no token is needed.
"""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import time
from urllib.parse import urlsplit

import structlog
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from everlore.surfaces.http.errors import failure, unexpected
from everlore.surfaces.http.metrics import Metrics

STOPPING = "the server is stopping and could not finish this in time; nothing was lost: ask again when it is back"
QUIET = frozenset({"/health", "/healthz", "/readyz", "/metrics"})
"""Probes: logged only when someone debugs."""

log = structlog.get_logger("everlore.http")


class Observe:
    """The outermost layer: whatever happens inside, the client gets an answer with an id."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = secrets.token_hex(16)
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self.app(scope, receive, answer)
            except asyncio.CancelledError:  # the server stops, and has waited long enough
                if not status:
                    await failure(HTTPConnection(scope), 503, STOPPING)(scope, receive, answer)
            except Exception:
                response = unexpected(HTTPConnection(scope))
                if not status:
                    await response(scope, receive, answer)
            seconds = time.perf_counter() - started
            route = getattr(scope.get("route"), "path", "unmatched")
            self.metrics.answered(route, scope["method"], status, seconds)
            record = log.debug if route in QUIET else log.info
            record("request", method=scope["method"], path=scope["path"], status=status, ms=round(seconds * 1000, 1))


class LoopbackOnly:
    """Refuses requests that a browser made for a page from elsewhere."""

    def __init__(self, app: ASGIApp, also: str = "") -> None:
        """`also` is a host name by which a gateway in front may be addressed."""
        self.app = app
        self.also = also

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self.app
        if scope["type"] == "http":
            connection = HTTPConnection(scope)
            host, origin = connection.headers.get("host"), connection.headers.get("origin")
            if host is not None and not self._ours(host_of(f"//{host}")):
                told = f"Host {host[:200]!r} is not this machine; behind a gateway, have it send Host: localhost"
                answer = failure(connection, 403, told)
            elif origin is not None and not self._ours(host_of(origin)):
                answer = failure(connection, 403, "requests from web pages of another origin are not answered")
        await answer(scope, receive, send)

    def _ours(self, host: str) -> bool:
        return is_loopback(host) or bool(self.also and host == self.also)


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
