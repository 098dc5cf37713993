"""Running the HTTP server in this process: claim the port, open the vault, serve, stop in order.

The port is claimed before the vault is opened, so that a second server fails at once and changes nothing.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from typing import Any, cast

import uvicorn
from anyio import to_thread

from everlore import logs
from everlore.background.claim import BACKLOG, Claim, log_to, take
from everlore.background.client import find, stop
from everlore.background.place import place_of
from everlore.config import Settings, load, unknown_settings
from everlore.engine import Engine, open_engine
from everlore.errors import Damaged, Misconfigured, Unavailable
from everlore.extras import installed
from everlore.extras import load as load_target
from everlore.logs import get_logger
from everlore.surfaces.http.app import create_app
from everlore.surfaces.http.errors import EnvelopeProtocol
from everlore.surfaces.http.mcp_routes import Loaders
from everlore.surfaces.http.middleware import is_loopback
from everlore.surfaces.mcp import toolsets

LAST_SECONDS = 1.0
A_MOMENT = 2.0
TICKS_A_SECOND = 10
FINISH_SECONDS = 10
"""How long running requests may take to finish once the server was told to stop."""

log = get_logger("everlore.server")


class Server(uvicorn.Server):
    """Also looks after itself, once a second: whether the vault is still there and, in the background, whether anybody
    has a use for it."""

    def __init__(self, config: uvicorn.Config, engine: Engine, toolsets: Sequence[str], claim: Claim | None) -> None:
        super().__init__(config)
        self._engine = engine
        self._toolsets = toolsets
        self._claim = claim

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            url, host, port = _url(sockets[0])
            mcp = {"mcp": [f"{url}/mcp/{name}" for name in self._toolsets]} if self._toolsets else {}
            log.info("listening", host=host, port=port, url=url, vault=self._engine.vault.where, **mcp)

    async def on_tick(self, counter: int) -> bool:
        leaving = await super().on_tick(counter)
        if not leaving and counter % TICKS_A_SECOND == 0 and (why := await self._no_longer_needed()):
            log.info("leaving", reason=why)
            leaving = True
        if leaving and self._claim is not None:
            self._claim.withdraw()
        return leaving

    async def _no_longer_needed(self) -> str:
        claim, activity = self._claim, self.config.loaded_app.state.activity
        if claim is None:
            return ""
        if not claim.in_place():
            return "the vault is not there any more" if claim.background else ""
        if not claim.background:
            return ""
        log_to(claim.place.file("log"))
        limit = self._engine.settings.background.idle_minutes * 60
        if not limit or activity.idle_seconds < limit:
            return ""
        return "" if await to_thread.run_sync(self._engine.buffer.count) else "nobody has asked for anything"

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        log.info("stopping")
        self.config.loaded_app.state.activity.leaving = True
        await super().shutdown(sockets)


def _url(listener: socket.socket) -> tuple[str, str, int]:
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}", host, port


def start(
    host: str | None = None,
    port: int | None = None,
    log_level: str | None = None,
    *,
    insecure: bool = False,
    names: tuple[str, ...] = toolsets.NAMES,
) -> None:
    """Serve with the settings of this machine, of which these arguments change what they name."""
    given = {"host": host, "port": port, "insecure": insecure or None}
    api = {name: value for name, value in given.items() if value is not None}
    changes: dict[str, Any] = {"api": api or None, "log_level": log_level}
    settings = load(**{name: value for name, value in changes.items() if value})
    serve(settings, toolsets.loaders(names))


def serve(settings: Settings, tools: Loaders) -> None:
    """Serve the API, and `tools` over MCP, until a signal comes.

    Returns on SIGTERM; Ctrl-C raises KeyboardInterrupt after an orderly stop.
    """
    logs.configure(settings.log_level, settings.log_format)
    host = settings.api.host
    unguarded = not settings.auth.enabled and not is_loopback(host)
    if unguarded and not settings.api.insecure:
        raise Misconfigured(
            f"{host} can be reached by others and requests need no token: set EVEROS_AUTH__ENABLED=true and make a key"
            " with `everlore keys create`, or use --host 127.0.0.1, or say --insecure"
        )
    listeners = [listen(host, settings.api.port)]
    claim = None
    try:
        if unguarded:
            log.warning(
                f"listening on {host} WITHOUT AUTHENTICATION: whoever can reach this port can read and delete every "
                "memory. Put your own gateway in front, or use --host 127.0.0.1"
            )
        claim = _claimed(settings, listeners)
        _run(settings, tools, listeners, claim)
    finally:
        for listener in listeners:
            listener.close()
        if claim is not None:
            claim.release()


def _claimed(settings: Settings, listeners: list[socket.socket]) -> Claim | None:
    """Clients of this vault find this server, unless they have one. One in the background makes room."""
    place = place_of()._replace(root=settings.memory.root)
    try:
        if (other := find(place)) is not None and other.background:
            stop(place, other)
        claim = take(place, A_MOMENT)
        if claim is None:
            log.info("another server is registered for this vault; this one is found at its address alone")
            return None
        if (beside := claim.listen()) is not None:
            listeners.append(beside)
        claim.register(_url(listeners[0])[0], background=False)
    except OSError as error:
        log.warning("clients of this vault will not find this server by themselves", error=str(error))
        return None
    return claim


def serve_background(claim: Claim, listeners: list[socket.socket]) -> None:
    """Serve as the process that clients share, until nobody has asked for a while."""
    settings = load(api={"host": "127.0.0.1", "port": 0})
    logs.configure(settings.log_level, settings.log_format)
    _run(settings, toolsets.loaders(), listeners, claim)


def _run(settings: Settings, tools: Loaders, listeners: list[socket.socket], claim: Claim | None) -> None:
    # uvicorn stops in order and then raises the signal again: end quietly where the default would kill us
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if unknown := unknown_settings():
        log.warning("settings without effect in this version", names=unknown)
    engine = open_engine(settings)
    try:
        accounts = engine.part(lambda opened: opened.backend.accounts(log.warning))
        try:
            if settings.auth.enabled and not accounts.keys():
                log.warning("nobody can sign in yet; make a key with `everlore keys create --name NAME`")
        except Damaged as error:  # the rest is served meanwhile, and /health tells
            log.error("nobody can sign in", reason=str(error))
        app = create_app(engine, accounts, tools, claim)
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws=cast("type[asyncio.Protocol]", _socket) if installed("page") else "none",
            http=EnvelopeProtocol,
            lifespan="on",
            timeout_graceful_shutdown=FINISH_SECONDS,
        )
        server = Server(config, engine, tuple(tools), claim)

        def leave() -> None:
            server.should_exit = True

        app.state.leave = leave
        server.run(sockets=listeners)
        if not server.started:
            raise Unavailable("the server could not start; the log above says why")
    finally:
        engine.close()
        log.info("stopped")
        _leave_threads()


def _socket(**given: Any) -> asyncio.Protocol:
    """For a window of the page; imported when the first one opens."""
    made: asyncio.Protocol = load_target(
        "uvicorn.protocols.websockets.websockets_sansio_impl:WebSocketsSansIOProtocol"
    )(**given)
    return made


def _leave_threads() -> None:
    """End now, although a request still waits in a thread, for a language model perhaps. It was answered, what it
    writes is safe at any moment, and Python would wait for it."""
    why = sys.exc_info()[0]
    working = [one for one in threading.enumerate() if not one.daemon and one is not threading.main_thread()]
    for thread in working:
        thread.join(LAST_SECONDS / len(working))
    if why in (None, SystemExit, KeyboardInterrupt) and any(thread.is_alive() for thread in working):
        sys.stderr.flush()
        os._exit(130 if why is KeyboardInterrupt else 0)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, or a sentence that says what to do."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise Misconfigured(
            f"host {host!r} is not known here; use --host 127.0.0.1 or an address of this machine"
        ) from None
    listener = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":  # there, the option would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise _explain(error, host, port) from None
    return listener


def _explain(error: OSError, host: str, port: int) -> Exception:
    if error.errno == errno.EADDRINUSE:
        return Misconfigured(
            f"port {port} on {host} is in use, perhaps by another Everlore server. Stop it, or choose another port "
            f"with --port {port + 1 if port < 65535 else 0} or EVEROS_API__PORT (0 picks a free one)"
        )
    if error.errno == errno.EACCES:
        return Misconfigured(f"this user may not listen on port {port}; choose one above 1023 with --port")
    if error.errno == errno.EADDRNOTAVAIL:
        return Misconfigured(f"{host} is not an address of this machine; use --host 127.0.0.1")
    return Misconfigured(f"cannot listen on {host}:{port}: {error.strerror or error}")
