"""Where people come in: who may see the page, and how it is guarded.

NiceGUI is imported when the first person comes, so a server that nobody looks at does without. A person signs in with a
key, with a code that they approve elsewhere, or with a ticket that only processes of the vault's owner are given; what
they may see is decided as for every other request. What of the answers is for browsers to obey stands here, too.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from anyio import to_thread
from fastapi import FastAPI
from starlette.datastructures import MutableHeaders, State
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from everlore.background.claim import Claim
from everlore.extras import installed, load
from everlore.surfaces.http.middleware import refuse_socket
from everlore.surfaces.page.sessions import Sessions
from everlore.surfaces.page.signing import SIGN_IN, Signing

VIEWS = frozenset(("timeline", "people", "memories", "profile", "review", "live", "agents", "code", "settings"))
"""The first parts of addresses, beside `/`."""
FOR_PROGRAMS = ("/api", "/mcp", "/server")
CARRIED = "/_nicegui"
"""Of NiceGUI: its files, and its socket."""
ASSETS = {"/_page/page.css": "text/css", "/_page/page.js": "text/javascript", "/_page/icon.svg": "image/svg+xml"}
POLICY = (
    "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'"
)
"""docs/decisions/0017 says why scripts may be evaluated, and what holds instead."""
HEADERS = {"X-Frame-Options": "DENY", "Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff"}
STRIPPED = (b"x-forwarded-prefix", b"accept-encoding")
"""Headers that NiceGUI would obey: nobody moves the page, and what is to be changed on its way is not packed."""


def enter(app: FastAPI, claim: Claim | None) -> None:
    """Make the page a layer of the application, inside all others that are added after it."""
    sessions = Sessions(app.state, claim)
    app.state.door = Door(app.state, sessions)
    app.add_middleware(_Way, door=app.state.door)


class _Way:
    """What is not for the page goes on to the routes."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        kind, path = scope["type"], scope.get("path", "")
        if kind == "websocket" and path.startswith(CARRIED):
            await self._door.socket(scope, receive, send)
        elif kind == "http" and self._door.admits(path) and (path != "/" or _is_browser(scope)):
            await (await self._door.answer(scope))(scope, receive, send)
        elif kind == "http" and self._door.shows_loss(path) and _is_browser(scope, going=True):
            lost = _Lost(send)
            await self.app(scope, receive, lost)
            if lost.nothing:
                await (await self._door.answer(scope))(scope, receive, lost.shown)
        else:
            await self.app(scope, receive, send)


class _Lost:
    """Keeps back that there is nothing at an address, which a person who followed a link to it is shown by the page."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.nothing = False

    async def __call__(self, message: Message) -> None:
        self.nothing = self.nothing or message.get("status") in (401, 404)
        if not self.nothing:
            await self._send(message)

    async def shown(self, message: Message) -> None:
        await self._send({**message, "status": 404} if message.get("status") == 200 else message)


class Door:
    def __init__(self, state: State, sessions: Sessions) -> None:
        self.sessions = sessions
        self._state = state
        self._signing = Signing(state, sessions)
        self._inside: ASGIApp | None = None
        self._loading = asyncio.Lock()
        self.there = installed("page")

    def admits(self, path: str) -> bool:
        """Whether this is for the page, which knows by itself who is asking."""
        first = path.removeprefix("/").partition("/")[0]
        ours = path == "/" or first in VIEWS or path in ASSETS or path in SIGN_IN or path.startswith(CARRIED)
        return ours and self.there

    def shows_loss(self, path: str) -> bool:
        return self.there and not path.startswith(FOR_PROGRAMS)

    async def answer(self, scope: Scope) -> ASGIApp:
        connection, path = HTTPConnection(scope), scope["path"]
        if path in ASSETS:
            return await to_thread.run_sync(_asset, path)
        if path in SIGN_IN:
            return self._signing.answer
        if path.startswith(f"{CARRIED}/"):
            return await self._carried()  # files of the package
        if scope["method"] not in ("GET", "HEAD") and not path.startswith(CARRIED):
            return Response(status_code=405)
        if not same_origin(connection):
            return Response(status_code=403)
        if (session := await to_thread.run_sync(self.sessions.of, connection)) is None:
            there = scope["path"] + (f"?{scope['query_string'].decode()}" if scope["query_string"] else "")
            return RedirectResponse(self._signing.address(there), 303)
        inside = await self._carried()
        state = {**scope["state"], "session": session}

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            answered = _Guarded(send)
            await inside({**_bare(scope), "state": state}, receive, answered)

        return guarded

    async def socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Browsers let pages from anywhere open sockets to here: they are told apart by their origin alone."""
        connection = HTTPConnection(scope)
        known = connection.headers.get("origin") and same_origin(connection)
        if not known or not self.there or await to_thread.run_sync(self.sessions.of, connection) is None:
            await refuse_socket(scope, receive, send)
            return
        await (await self._carried())(_bare(scope), receive, send)

    async def _carried(self) -> ASGIApp:
        async with self._loading:
            if self._inside is None:
                make: Callable[[State], Any] = await to_thread.run_sync(load, "everlore.surfaces.page.shell:make")
                inside = make(self._state)
                begun = asyncio.Event()
                self._over = asyncio.Event()
                self._life = asyncio.create_task(_live(inside, begun, self._over))
                await begun.wait()
                self._inside = inside
        return self._inside

    async def close(self) -> None:
        if self._inside is not None:
            self._over.set()
            await self._life


async def _live(app: Any, begun: asyncio.Event, over: asyncio.Event) -> None:
    async with app.router.lifespan_context(app):
        begun.set()
        await over.wait()


class _Guarded:
    """Sends an answer on with what browsers are to obey; scripts of a page carry a number that nobody can guess."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._nonce = secrets.token_urlsafe(16)
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS | {"Content-Security-Policy": POLICY.format(nonce=self._nonce)})
            if not headers.get("content-type", "").startswith("text/html"):
                await self._send(message)
            else:
                self._start = message
            return
        if self._start is None:
            await self._send(message)
            return
        self._body += message.get("body", b"")
        if not message.get("more_body"):
            body = self._body.replace(b"<script", f'<script nonce="{self._nonce}"'.encode())
            MutableHeaders(scope=self._start)["content-length"] = str(len(body))
            await self._send(self._start)
            await self._send({"type": "http.response.body", "body": body})


def same_origin(connection: HTTPConnection) -> bool:
    """Browsers say where a request came from; a link from elsewhere may be followed, and nothing more."""
    site, origin = connection.headers.get("sec-fetch-site"), connection.headers.get("origin")
    if site is not None and site not in ("same-origin", "none"):
        return connection.headers.get("sec-fetch-mode") == "navigate" and origin is None
    return origin is None or urlsplit(origin).netloc == connection.headers.get("host", "")


def _is_browser(scope: Scope, *, going: bool = False) -> bool:
    """Whether somebody wants to see this; `going`: by a link or an address, which no program says of itself."""
    headers = HTTPConnection(scope).headers
    there = not going or headers.get("sec-fetch-mode") == "navigate"
    return there and scope["method"] == "GET" and "text/html" in headers.get("accept", "")


def _bare(scope: Scope) -> Scope:
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] not in STRIPPED]}


def _asset(path: str) -> Response:
    text = (files("everlore.surfaces.page") / path.rpartition("/")[2]).read_bytes()
    return Response(text, media_type=ASSETS[path], headers={"Cache-Control": "no-cache", **HEADERS})
