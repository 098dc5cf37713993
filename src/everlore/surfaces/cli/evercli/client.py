"""Talking to the server: one request, one answer, and every way it can fail as one of the contract's types.

Nothing is sent twice and no redirect is followed: a token goes only to the address it was issued for.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from everlore import __version__
from everlore.surfaces.cli.evercli.failure import Failure
from everlore.surfaces.cli.evercli.settings import PREFIX, is_loopback
from everlore.transcripts.text import json_object
from everlore.types import Json

LARGEST_ANSWER: Final = 64 << 20
LOGIN_HINT: Final = "Run `evercli auth login` first"
_CODES: Final = {
    "invalid_args": (20001, 20004, 20006, 40104),
    "not_found": (20002, 40101, 40102),
    "rate_limit": (20005, 30104),
    "permission": (30002, 30303, 40103),
    "upstream": (30005,),
    "conflict": (40005,),
}
CODE_TYPES: Final = {code: kind for kind, codes in _CODES.items() for code in codes}
"""The gateway's numbers. Others: 30000 to 30399 is `auth`, the rest `upstream`."""
_STATUSES: Final = {400: "invalid_args", 401: "auth", 403: "permission", 404: "not_found", 409: "conflict"}
STATUS_TYPES: Final = {**_STATUSES, 413: "invalid_args", 415: "upstream", 422: "invalid_args", 429: "rate_limit"}
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
    answer = json_object(reply.body)
    if answer is not None:
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
    began = time.monotonic()
    headers = {"Accept": "application/json", "User-Agent": f"evercli/{__version__}"}
    if server.token:
        headers["Authorization"] = f"Bearer {server.token}"
    payload = None
    if body is not None:
        payload = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        headers["Content-Type"] = "application/json"
    found: list[Reply | Exception] = []

    def ask() -> None:
        try:
            found.append(_asked(server, method, path, payload, headers))
        except Exception as error:
            found.append(error)

    # in a thread, as a time-out of a socket begins anew with every byte that comes
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(server.timeout)
    reply = found[0] if found else TimeoutError()
    if isinstance(reply, Exception):
        raise _unreachable(server, reply) from None
    if len(reply.body) > LARGEST_ANSWER:
        raise Failure("upstream", "the server's answer is too large", HINTS["upstream"])
    server.say(f"{method} {server.base}{path} -> {reply.status} in {time.monotonic() - began:.3f} s")
    return reply


def _asked(server: Server, method: str, path: str, payload: bytes | None, headers: dict[str, str]) -> Reply:
    from urllib import error, request  # commands that stay on this machine need none of it

    class NoRedirect(request.HTTPRedirectHandler):
        def redirect_request(self, *_: object) -> None: ...

    proxies = {} if is_loopback(server.base) else request.getproxies_environment()
    if "all" in proxies:
        proxies = {"http": proxies["all"], "https": proxies["all"], **proxies}
    opener = request.build_opener(request.ProxyHandler(proxies), NoRedirect)
    asked = request.Request(server.base + path, payload, headers, method=method)
    try:
        response = opener.open(asked, timeout=server.timeout)
    except error.HTTPError as refused:
        response = refused
    with response:
        names = {name.lower(): value for name, value in response.headers.items()}
        return Reply(response.status, names, response.read(LARGEST_ANSWER + 1))


def _unreachable(server: Server, error: Exception) -> Failure:
    import socket
    import ssl

    reason = getattr(error, "reason", error)  # of what urllib wraps
    detail: dict[str, Json] = {"server": server.base}
    if isinstance(reason, TimeoutError):
        return Failure(
            "network",
            f"{server.base} did not answer within {server.timeout:g} s",
            "Try again, or allow more time: --timeout 120",
            detail={**detail, "timeoutSec": server.timeout},
        )
    if isinstance(reason, ssl.SSLError):
        message, hint = f"no secure connection to {server.base}: {reason}", "Check its certificate"
    elif isinstance(reason, socket.gaierror):
        message, hint = f"the name in {server.base} is not known", "Check the address and your network"
    elif isinstance(reason, ConnectionRefusedError):
        message = f"no server answers at {server.base}"
        hint = "Start it with `everlore server start`, or set EVERCLI_API_BASE_URL to where it runs"
    else:
        why = str(reason) or type(reason).__name__
        message, hint = f"the connection to {server.base} failed: {why}", "Run `evercli doctor`"
    return Failure("network", message, hint, detail=detail)
