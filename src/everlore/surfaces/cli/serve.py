"""Running the HTTP server in this process: claim the port, open the vault, serve, stop in order.

The port is claimed before the vault is opened, so that a second server fails at once and changes nothing.
"""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from typing import Any

import structlog
import uvicorn

from everlore import logs
from everlore.config import Settings, load, unknown_settings
from everlore.engine import open_engine
from everlore.errors import Misconfigured, Unavailable
from everlore.surfaces.http.app import create_app
from everlore.surfaces.http.errors import EnvelopeProtocol
from everlore.surfaces.http.mcp_routes import Loaders
from everlore.surfaces.http.middleware import is_loopback
from everlore.surfaces.mcp import toolsets

BACKLOG = 512
LAST_SECONDS = 1.0
FINISH_SECONDS = 10
"""How long running requests may take to finish once the server was told to stop."""

log = structlog.get_logger("everlore.server")


class Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, vault: str, toolsets: Sequence[str]) -> None:
        super().__init__(config)
        self._vault = vault
        self._toolsets = toolsets

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and sockets:
            host, port = sockets[0].getsockname()[:2]
            url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
            mcp = {"mcp": [f"{url}/mcp/{name}" for name in self._toolsets]} if self._toolsets else {}
            log.info("listening", host=host, port=port, url=url, vault=self._vault, **mcp)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        log.info("stopping")
        await super().shutdown(sockets)


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
    # uvicorn stops in order and then raises the signal again: end quietly where the default would kill us
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    host = settings.api.host
    unguarded = not settings.auth.enabled and not is_loopback(host)
    if unguarded and not settings.api.insecure:
        raise Misconfigured(
            f"{host} can be reached by others and requests need no token: set EVEROS_AUTH__ENABLED=true and make a key"
            " with `everlore keys create`, or use --host 127.0.0.1, or say --insecure"
        )
    listener = claim(host, settings.api.port)
    try:
        if unguarded:
            log.warning(
                f"listening on {host} WITHOUT AUTHENTICATION: whoever can reach this port can read and delete every "
                "memory. Put your own gateway in front, or use --host 127.0.0.1"
            )
        if unknown := unknown_settings():
            log.warning("settings without effect in this version", names=unknown)
        engine = open_engine(settings)
        try:
            accounts = engine.part(lambda opened: opened.backend.accounts(log.warning))
            if settings.auth.enabled and not accounts.keys():
                log.warning("nobody can sign in yet; make a key with `everlore keys create --name NAME`")
            config = uvicorn.Config(
                create_app(engine, accounts, tools),
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                ws="none",
                http=EnvelopeProtocol,
                lifespan="on",
                timeout_graceful_shutdown=FINISH_SECONDS,
            )
            server = Server(config, engine.vault.where, tuple(tools))
            server.run(sockets=[listener])
            if not server.started:
                raise Unavailable("the server could not start; the log above says why")
        finally:
            engine.close()
            log.info("stopped")
            _leave_threads()
    finally:
        listener.close()


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


def claim(host: str, port: int) -> socket.socket:
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
