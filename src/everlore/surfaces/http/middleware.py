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

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from everlore.logs import about, get_logger
from everlore.surfaces.http.errors import failure, unexpected
from everlore.surfaces.http.feed import Feed
from everlore.surfaces.http.metrics import Metrics

STOPPING = "the server is stopping and could not finish this in time; nothing was lost: ask again when it is back"
QUIET = frozenset({"/health", "/healthz", "/readyz", "/metrics"})
FILES = ("/_nicegui", "/_page")
"""Probes, and what the page is made of: logged only when someone debugs."""

FORBIDDEN = 1008
"""Of WebSocket: against the rules."""

log = get_logger("everlore.http")


class Activity:
    """Whether anybody asks; probes do not count."""

    def __init__(self) -> None:
        self.open = 0
        self.leaving = False
        self._last = time.monotonic()

    @property
    def idle_seconds(self) -> float:
        return 0.0 if self.open else time.monotonic() - self._last

    def change(self, by: int) -> None:
        self.open += by
        self._last = time.monotonic()


class Observe:
    """The outermost layer: whatever happens inside, the client gets an answer with an id."""

    def __init__(self, app: ASGIApp, metrics: Metrics, activity: Activity, feed: Feed) -> None:
        self.app = app
        self.metrics = metrics
        self.activity = activity
        self.feed = feed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":  # somebody looks at the page
            self.activity.change(1)
            try:
                await self.app(scope, receive, send)
            finally:
                self.activity.change(-1)
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = secrets.token_hex(16)
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()
        status = 0
        counts = scope["path"] not in QUIET
        self.activity.change(counts)

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
            await send(message)

        with about(request_id=request_id):
            try:
                await self.app(scope, receive, answer)
            except asyncio.CancelledError:  # the server stops, and has waited long enough
                if not status:
                    await failure(HTTPConnection(scope), 503, STOPPING)(scope, receive, answer)
            except Exception:
                response = unexpected(HTTPConnection(scope))
                if not status:
                    await response(scope, receive, answer)
            self.activity.change(-counts)
            seconds = time.perf_counter() - started
            route = getattr(scope.get("route"), "path", "unmatched")
            self.metrics.answered(route, scope["method"], status, seconds)
            quiet = route in QUIET or scope["path"].startswith(FILES)
            if not quiet:
                who = scope["state"].get("principal")
                self.feed.request(
                    who.account.id if who else "", scope["method"], scope["path"][:200], status, seconds * 1000
                )
            record = log.debug if quiet else log.info
            record("request", method=scope["method"], path=scope["path"], status=status, ms=round(seconds * 1000, 1))


class LoopbackOnly:
    """Refuses requests that a browser made for a page from elsewhere."""

    def __init__(self, app: ASGIApp, also: str = "") -> None:
        """`also` is a host name by which a gateway in front may be addressed."""
        self.app = app
        self.also = also

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer: ASGIApp = self.app
        if scope["type"] in ("http", "websocket") and (wrong := self._wrong(HTTPConnection(scope))):
            # a page from elsewhere may open a socket, too, and browsers stop nobody from doing so
            answer = refuse_socket if scope["type"] == "websocket" else failure(HTTPConnection(scope), 403, wrong)
        await answer(scope, receive, send)

    def _wrong(self, connection: HTTPConnection) -> str:
        host, origin = connection.headers.get("host"), connection.headers.get("origin")
        if host is not None and not self._ours(host_of(f"//{host}")):
            return f"Host {host[:200]!r} is not this machine; behind a gateway, have it send Host: localhost"
        if origin is not None and not self._ours(host_of(origin)):
            return "requests from web pages of another origin are not answered"
        return ""

    def _ours(self, host: str) -> bool:
        return is_loopback(host) or bool(self.also and host == self.also)


async def refuse_socket(_: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.close", "code": FORBIDDEN})


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
