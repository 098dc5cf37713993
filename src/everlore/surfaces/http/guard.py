"""Who is asking, and what of the vault is theirs: decided here for every request, before any route.

A request with a token sees its account's space and nothing else. Whether a token is needed depends on the route and
on `auth.enabled`. Tokens travel in the Authorization header only, so that no log and no address ever holds one.
"""

from __future__ import annotations

import hmac
import threading
import time
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

import anyio
from anyio import to_thread
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from everlore.accounts.store import Accounts
from everlore.accounts.tokens import well_formed
from everlore.accounts.values import Principal
from everlore.background.claim import Claim
from everlore.engine import Engine
from everlore.errors import Denied, EverloreError
from everlore.me import NOBODY
from everlore.surfaces.contracts.everme.gateway import code_of
from everlore.surfaces.http.emcp_answers import is_content
from everlore.surfaces.http.errors import failure
from everlore.surfaces.http.gateway import is_gateway, note, refusal
from everlore.types import Scope as Partition

OPEN = frozenset({"/", "/health", "/healthz", "/readyz", "/device"})
SIGN_IN = "/api/v1/auth/"
SIGNED = "/api/v1/mem/uploads/obj_"
"""Addresses that carry their own proof."""
_READING = (
    "memory/search memory/get memory/history memory/export memory/delete/preview memory/bin"
    " memory/owners memory/sessions memory/graph memory/source"
    " mem/search mem/context mem/get mem/list"
)
READING = frozenset(f"/api/v1/{route}" for route in _READING.split())
OWNERS = ("/server/", "/relay", "/hooks/")
"""For processes of the vault's owner."""
MINUTE = 60.0
ASK_AGAIN_SECONDS = 2.0
"""How long a stream may outlive its credential."""
MOST_WATCHED = 10_000


class Meter:
    """So many in a minute for each name; an even flow, with the whole minute's worth at once if it was quiet."""

    def __init__(self, per_minute: int) -> None:
        self._rate = per_minute / MINUTE
        self._most = float(per_minute)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, name: str, *, spend: bool = True) -> int:
        """Seconds until one more is allowed; 0 when it is, and then it is spent."""
        with self._lock:
            now = time.monotonic()
            left, since = self._left.pop(name, (self._most, now))
            left = min(self._most, left + (now - since) * self._rate)
            allowed = left >= 1.0
            self._left[name] = (left - 1.0 if allowed and spend else left, now)
            while len(self._left) > MOST_WATCHED:
                self._left.popitem(last=False)
        return 0 if allowed else max(1, int((1.0 - left) / self._rate + 0.999))


class Guard:
    """Sets `state.principal`: who is asking, or None for the vault's owner; and `state.owner` where that is proven by
    the token that only the owner's processes can read.

    A server in the background lets in nobody else without an account's token: nobody has asked for an open port.
    """

    def __init__(
        self, app: ASGIApp, engine: Engine, accounts: Accounts, attempts: Meter, claim: Claim | None = None
    ) -> None:
        self.app = app
        self._accounts = accounts
        self._claim = claim
        self._always = engine.settings.auth.enabled
        self._content_tokens = bool(engine.settings.emcp.jwt_secret.get_secret_value())
        self._requests = Meter(engine.settings.auth.requests_per_minute)
        self._attempts = attempts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused = None
        if scope["type"] == "http":
            scope["state"] |= {"principal": None, "owner": False}
            path: str = scope["path"]
            if path not in OPEN and not path.startswith((SIGN_IN, SIGNED)) and not scope["app"].state.door.admits(path):
                refused = await self._admit(HTTPConnection(scope), path)
        app = refused or self.app
        if scope["type"] == "http" and scope["method"] == "GET" and scope["state"]["principal"] is not None:
            await self._while_valid(app, bearer(HTTPConnection(scope)), scope, receive, send)
        else:
            await app(scope, receive, send)

    async def _while_valid(self, app: ASGIApp, token: str, scope: Scope, receive: Receive, send: Send) -> None:
        """A stream ends soon after the credential that opened it, whatever else it is waiting for."""
        begun = ended = False
        failed: Exception | None = None

        async def noticed(message: Message) -> None:
            nonlocal begun, ended
            begun = True
            ended = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        async def watch() -> None:
            while True:
                await anyio.sleep(ASK_AGAIN_SECONDS)
                try:
                    await to_thread.run_sync(self._accounts.authenticate, token)
                except Denied:
                    group.cancel_scope.cancel()
                except EverloreError:
                    continue  # the accounts cannot be read right now, which ends nothing

        async with anyio.create_task_group() as group:
            group.start_soon(watch)
            try:
                await app(scope, receive, noticed)
            except Exception as error:  # a group would wrap it
                failed = error
            group.cancel_scope.cancel()
        if failed is not None:
            raise failed
        if begun and not ended:
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _admit(self, connection: HTTPConnection, path: str) -> JSONResponse | None:
        """The answer when the request goes no further."""
        token, claim = bearer(connection), self._claim
        if claim and not is_gateway(path) and hmac.compare_digest(token.encode(), claim.token.encode()):
            connection.scope["state"]["owner"] = True
            return None
        if is_owners(path):
            return _denied(connection, 403, 0, "this is for processes of the vault's owner on the server's machine")
        needed = self._always or is_gateway(path) or (claim is not None and claim.background)
        if self._content_tokens and is_content(path) and not (token and well_formed(token)):
            return None  # the content server has tokens of its own and judges them itself
        if not needed and not (token and well_formed(token)):
            return None  # other clients of the open API may send headers that are none of our business
        try:
            known = await self._known(connection, path, token)
        except EverloreError as error:
            return _denied(connection, 503, 50101, str(error))
        if isinstance(known, JSONResponse):
            return known
        if wait := self._requests.wait(known.actor):
            return _denied(connection, 429, 20005, f"too many requests; try again in {wait} seconds", wait)
        connection.scope["state"]["principal"] = known
        return None

    async def _known(self, connection: HTTPConnection, path: str, token: str) -> Principal | JSONResponse:
        """Who is asking, or the answer to somebody who may not."""
        try:
            if not token:
                raise Denied("missing", "send the header `Authorization: Bearer <account key or agent token>`")
            known = await to_thread.run_sync(self._accounts.authenticate, token)
            check_scopes(known, path, connection.scope["method"])
        except Denied as error:
            if error.why not in ("missing", "scope"):
                # only refused tokens count: nobody else at the same address is kept out by them
                if wait := self._attempts.wait(connection.client.host if connection.client else ""):
                    return _denied(connection, 429, 20005, "too many refused tokens from this address; wait", wait)
                await to_thread.run_sync(note, connection, "token", path, error.why)
            return _denied(connection, 403 if error.why == "scope" else 401, code_of(error), str(error))
        return known


def is_owners(path: str) -> bool:
    return path.startswith(OWNERS)


def bearer(connection: HTTPConnection) -> str:
    kind, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def check_scopes(who: Principal, path: str, method: str) -> None:
    if path.startswith("/api/v1/agents"):
        wanted = {"agents"}
    elif path == "/metrics":
        if who.agent_id or not who.account.main:
            raise Denied("scope", "metrics are for the operator: ask with a key of the vault's own account")
        wanted = {"mem:read"}
    elif "/mcp/" in f"{path}/":
        wanted = {"mem:read"}  # a tool that changes something asks for more itself
    elif path in READING or method in ("GET", "HEAD"):
        wanted = {"mem:read"}
    else:
        wanted = {"mem:write"}
    missing = sorted(wanted - set(who.scopes))
    if missing:
        raise Denied("scope", f"this token may not do that; it lacks {', '.join(missing)}")


def seen_by(engine: Engine, who: Principal | None) -> Engine:
    """The engine as an account sees it: MCP tools work in its space, and no file of the machine is read for it."""
    if who is None:
        return engine
    settings = engine.settings
    partition = partition_of(who, settings.mcp.app, settings.mcp.project)
    mcp = settings.mcp.model_copy(update={"app": partition.app, "project": partition.project})
    if not who.account.main:  # whose machine this is says nothing of who has an account on it
        mcp = mcp.model_copy(update={"user_name": NOBODY})
    root = settings.memory.root.resolve()
    folders = [folder.expanduser().resolve() for folder in settings.multimodal.file_uri_allow_dirs]
    readable = bool(folders) and not any(_overlap(root, folder) for folder in folders)
    multimodal = settings.multimodal.model_copy(
        update={"file_uri_enabled": readable and settings.multimodal.file_uri_enabled}
    )
    limited = settings.model_copy(update={"mcp": mcp, "multimodal": multimodal})
    return replace(engine, settings=limited, media=engine.media.under(multimodal))


def partition_of(who: Principal | None, app: str, project: str) -> Partition:
    return Partition(app, project) if who is None else who.scope(app, project)


def _overlap(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def _denied(connection: HTTPConnection, status: int, code: int, message: str, wait: int = 0) -> JSONResponse:
    headers = {"Retry-After": str(wait)} if wait else {}
    if is_gateway(connection.scope["path"]):
        return refusal(connection, code, message, headers)
    return failure(connection, status, message, headers | ({"WWW-Authenticate": "Bearer"} if status == 401 else {}))
