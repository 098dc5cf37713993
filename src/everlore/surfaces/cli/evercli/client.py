"""Talking to the server: one request, one answer, and every way it can fail as one of the contract's types.

Nothing is sent twice and no redirect is followed: a token goes only to the address it was issued for.
"""

from __future__ import annotations

import http.client
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from everlore import __version__
from everlore.surfaces.cli.evercli.failure import Failure
from everlore.surfaces.cli.evercli.settings import PREFIX
from everlore.types import Json

LARGEST_ANSWER: Final = 64 << 20
LOGIN_HINT: Final = "Run `evercli auth login` first"
CODE_TYPES: Final = {
    20001: "invalid_args",
    20002: "not_found",
    20004: "invalid_args",
    20005: "rate_limit",
    20006: "invalid_args",
    30002: "permission",
    30005: "upstream",
    30104: "rate_limit",
    30303: "permission",
    40005: "conflict",
    40101: "not_found",
    40102: "not_found",
    40103: "permission",
    40104: "invalid_args",
}
"""The gateway's numbers. Others: 30000 to 30399 is `auth`, the rest `upstream`."""
STATUS_TYPES: Final = {
    400: "invalid_args",
    401: "auth",
    403: "permission",
    404: "not_found",
    409: "conflict",
    413: "invalid_args",
    415: "upstream",
    422: "invalid_args",
    429: "rate_limit",
}
HINTS: Final = {
    "auth": "Run `evercli auth login` to log in again",
    "not_logged_in": LOGIN_HINT,
    "permission": "Use a login with the scope that this needs",
    "rate_limit": "Wait a little and try again",
    "upstream": "Try again; `evercli doctor` examines the server",
    "not_found": "Check the id; `evercli memory get` lists memories",
    "conflict": "Run the command again",
    "invalid_args": "Correct the input and run the command again",
}


@dataclass(frozen=True)
class Server:
    """Where requests go. `say` is told each request and how it went."""

    base: str
    timeout: float
    token: str = ""
    say: Callable[[str], None] = field(default=lambda _text: None)
    patience: int = 4
    """How often a request that may be repeated is repeated."""


@dataclass(frozen=True)
class Reply:
    """What came back, whatever its status."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """A successful answer: the envelope's payload and the id of the request."""

    result: Json
    request_id: str


def gateway(server: Server, route: str, body: Mapping[str, Json]) -> Answer:
    """A gateway route, such as `/mem/search`."""
    reply = exchange(server, "POST", f"{PREFIX}{route}", body)
    answer = _json(server, reply)
    code = answer.get("status")
    if reply.status == 200 and code == 0:
        return Answer(answer.get("result") or {}, str(answer.get("requestId") or ""))
    if not isinstance(code, int) or not code or "requestId" not in answer:
        raise _refused(server, reply, answer)
    kind = CODE_TYPES.get(code, "auth" if 30000 <= code < 30400 else "upstream")
    raise Failure(
        kind,
        str(answer.get("error") or f"the server answered with code {code}"),
        HINTS[kind],
        code=code,
        detail=_wait(reply),
        request_id=str(answer.get("requestId") or ""),
    )


def memory_api(server: Server, route: str, body: Mapping[str, Json]) -> Answer:
    """A route of the memory API, such as `search`."""
    reply = exchange(server, "POST", f"{PREFIX}/memory/{route}", body)
    answer = _json(server, reply)
    if reply.status == 200 and isinstance(answer.get("data"), dict):
        return Answer(answer["data"], str(answer.get("request_id") or ""))
    raise _refused(server, reply, answer)


def _refused(server: Server, reply: Reply, answer: Mapping[str, Json]) -> Failure:
    error = answer.get("error")
    message = error.get("message") if isinstance(error, dict) else error
    kind = STATUS_TYPES.get(reply.status, "upstream")
    if kind == "auth" and not server.token:
        return Failure("not_logged_in", "Not logged in", LOGIN_HINT, detail={"server": server.base})
    if kind == "not_found" and not message:
        message = f"{server.base} has no such route; it is not an Everlore server, or an older one"
    return Failure(
        kind,
        str(message or f"the server answered with HTTP status {reply.status}"),
        HINTS[kind],
        detail={"httpStatus": reply.status, **_wait(reply)},
        request_id=str(answer.get("request_id") or answer.get("requestId") or ""),
    )


def _wait(reply: Reply) -> dict[str, Json]:
    seconds = reply.headers.get("retry-after", "")
    return {"retryAfterSec": int(seconds)} if seconds.isdigit() else {}


def _json(server: Server, reply: Reply) -> dict[str, Json]:
    try:
        answer = json.loads(reply.body)
    except ValueError:
        answer = None
    if isinstance(answer, dict):
        return answer
    if reply.status in STATUS_TYPES:
        raise _refused(server, reply, {})
    raise Failure(
        "upstream",
        f"{server.base} answered with something that is not ours (HTTP status {reply.status})",
        "Check the address: EVERCLI_API_BASE_URL, or api_base_url in config.yaml",
        detail={"httpStatus": reply.status},
    )


def exchange(server: Server, method: str, path: str, body: Mapping[str, Json] | None = None) -> Reply:
    """One request. The whole of it, from the connection to the last byte, has `timeout` seconds."""
    import http.client  # here and below: commands that stay on this machine need none of it
    import socket
    import threading
    from urllib.parse import urlsplit

    began = time.monotonic()
    headers = {"Accept": "application/json", "User-Agent": f"evercli/{__version__}"}
    if server.token:
        headers["Authorization"] = f"Bearer {server.token}"
    payload = None
    if body is not None:
        payload = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        headers["Content-Type"] = "application/json"
    connection, target = _connection(server, urlsplit(server.base).path + path)
    over = threading.Event()

    def cut() -> None:
        over.set()
        if connection.sock is not None:
            _quietly(lambda: connection.sock.shutdown(socket.SHUT_RDWR))

    alarm = threading.Timer(server.timeout, cut)
    alarm.daemon = True
    alarm.start()
    try:
        connection.request(method, target, payload, headers)
        response = connection.getresponse()
        content = response.read(LARGEST_ANSWER + 1)
    except (OSError, UnicodeError, http.client.HTTPException) as error:
        raise _unreachable(server, error, late=over.is_set()) from None
    finally:
        alarm.cancel()
        connection.close()
    if over.is_set():
        raise _unreachable(server, TimeoutError(), late=True)
    if len(content) > LARGEST_ANSWER:
        raise Failure("upstream", "the server's answer is too large", HINTS["upstream"])
    server.say(f"{method} {server.base}{path} -> {response.status} in {time.monotonic() - began:.3f} s")
    return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, content)


def _connection(server: Server, path: str) -> tuple[http.client.HTTPConnection, str]:
    import http.client
    import ssl
    from urllib.parse import urlsplit

    parts = urlsplit(server.base)
    host, port = parts.hostname or "", parts.port
    secure = parts.scheme == "https"
    proxy = _proxy(parts.scheme, parts.netloc)

    def connect(host: str, port: int | None) -> http.client.HTTPConnection:
        if secure:
            return http.client.HTTPSConnection(host, port, timeout=server.timeout, context=ssl.create_default_context())
        return http.client.HTTPConnection(host, port, timeout=server.timeout)

    if not proxy:
        return connect(host, port), path
    via = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    connection = connect(via.hostname or "", via.port or 80)
    if not secure:
        return connection, f"{parts.scheme}://{parts.netloc}{path}"
    connection.set_tunnel(host, port or 443)
    return connection, path


def _proxy(scheme: str, netloc: str) -> str:
    if not any(name.lower() in (f"{scheme}_proxy", "all_proxy") and value for name, value in os.environ.items()):
        return ""
    from urllib.request import getproxies_environment, proxy_bypass

    if netloc.startswith(("127.", "localhost", "[::1]")) or proxy_bypass(netloc):
        return ""
    found = getproxies_environment()
    return found.get(scheme) or found.get("all") or ""


def _unreachable(server: Server, error: Exception, *, late: bool) -> Failure:
    import socket
    import ssl

    detail: dict[str, Json] = {"server": server.base}
    if late or isinstance(error, TimeoutError):
        return Failure(
            "network",
            f"{server.base} did not answer within {server.timeout:g} s",
            "Try again, or allow more time: --timeout 120",
            detail={**detail, "timeoutSec": server.timeout},
        )
    if isinstance(error, ssl.SSLError):
        message, hint = f"no secure connection to {server.base}: {error}", "Check its certificate"
    elif isinstance(error, socket.gaierror):
        message, hint = f"the name in {server.base} is not known", "Check the address and your network"
    elif isinstance(error, ConnectionRefusedError):
        message = f"no server answers at {server.base}"
        hint = "Start it with `everlore server start`, or set EVERCLI_API_BASE_URL to where it runs"
    else:
        reason = str(error) or type(error).__name__
        message, hint = f"the connection to {server.base} failed: {reason}", "Run `evercli doctor`"
    return Failure("network", message, hint, detail=detail)


def _quietly(action: Callable[[], None]) -> None:
    try:
        action()
    except OSError:
        return
