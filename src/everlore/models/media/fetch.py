"""Fetching over http(s) for a client that is not trusted.

Invariants:
- Each hop is resolved once, every address it resolves to is checked, and the connection goes to a checked address,
  with the host's own name in the Host header and in TLS. A name that changes its mind (DNS rebinding) gains nothing.
- Redirects are followed here, a few, each as a new hop. No cookies, no credentials, no proxy of the environment.
- Size and total time are bounded, also against a server that sends a byte now and then.
- An answer is told to the client only as bytes that were parsed; errors never quote what the other side said.
"""

from __future__ import annotations

import socket
import ssl
import string
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, quote, urljoin, urlsplit

import httpcore
import httpx

from everlore.config import MultimodalSection
from everlore.errors import UnsupportedMedia
from everlore.models.media.addresses import Network, may_fetch
from everlore.models.media.formats import Refusal

REDIRECTS = 5
OPERATION_SECONDS = 10.0
"""Longest wait for a connection, or for the next bytes of an answer."""
_REDIRECT = frozenset({301, 302, 303, 307, 308})
_HEADERS = [("User-Agent", "everlore"), ("Accept", "*/*"), ("Accept-Encoding", "identity")]


@dataclass(frozen=True, slots=True)
class Fetched:
    raw: bytes
    content_type: str
    path: str
    """Of the last hop's URL, for its extension."""


def fetch(label: str, uri: str, settings: MultimodalSection) -> Fetched:
    backend = _Guarded(settings.fetch_allow_networks, time.monotonic() + settings.fetch_seconds)
    try:
        return _fetch(uri, settings.fetch_max_bytes, backend)
    except Refusal as reason:
        raise UnsupportedMedia(f"{label}: {reason}") from None
    except httpcore.TimeoutException:
        raise UnsupportedMedia(f"{label}: the address did not answer in time") from None
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, ssl.SSLError, OSError):
        raise UnsupportedMedia(f"{label}: the address cannot be fetched") from None


def _fetch(uri: str, limit: int, backend: _Guarded) -> Fetched:
    for _ in range(REDIRECTS + 1):
        parts = _checked(uri)
        context = httpx.create_ssl_context() if parts.scheme == "https" else None
        with (
            httpcore.ConnectionPool(ssl_context=context, network_backend=backend, retries=0) as pool,
            pool.stream("GET", parts.geturl(), headers=_HEADERS, extensions=_TIMEOUTS) as answer,
        ):
            headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in answer.headers}
            if answer.status in _REDIRECT and "location" in headers:
                uri = urljoin(parts.geturl(), headers["location"])
                continue
            if answer.status != 200:
                raise Refusal(f"the address answered with status {answer.status}")
            if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
                raise Refusal("the address sends its content compressed although it was asked not to")
            raw = _bounded(answer.iter_stream(), headers.get("content-length", ""), limit)
            return Fetched(raw, headers.get("content-type", ""), parts.path)
    raise Refusal(f"the address redirects more than {REDIRECTS} times")


_TIMEOUTS = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), OPERATION_SECONDS)}


def _checked(uri: str) -> SplitResult:
    """The address in the form it is sent in, without its fragment. Only http(s), with a host and no user in it."""
    try:
        parts = urlsplit(uri.strip())
        port = parts.port
        host = (parts.hostname or "").encode("idna" if not (parts.hostname or "").isascii() else "ascii").decode()
    except ValueError:
        raise Refusal("the address is not a usable http(s) URL") from None
    if parts.scheme not in ("http", "https") or not host or any(char in host for char in "\\% \t") or port == 0:
        raise Refusal("the address is not a usable http(s) URL")
    if "@" in parts.netloc:
        raise Refusal("an address with a user name or password in it is not fetched")
    shown = f"[{host}]" if ":" in host else host
    netloc = shown if port is None else f"{shown}:{port}"
    path = _quoted(parts.path) or "/"
    return SplitResult(parts.scheme, netloc, path, _quoted(parts.query), "")


def _quoted(text: str) -> str:
    """Bytes that may not stand in a request line, as percent codes; what is quoted already stays."""
    return quote(text, safe=string.punctuation, errors="surrogatepass")


def _bounded(chunks: Iterable[bytes], announced: str, limit: int) -> bytes:
    if announced.isdecimal() and int(announced) > limit:
        raise Refusal(f"the content has more than the {limit} bytes allowed")
    found = bytearray()
    for chunk in chunks:
        found += chunk
        if len(found) > limit:
            raise Refusal(f"the content has more than the {limit} bytes allowed")
    return bytes(found)


class _Guarded(httpcore.NetworkBackend):
    """Connects only to addresses that may be fetched from, and lets no operation outlast the deadline."""

    def __init__(self, allowed: Sequence[Network], deadline: float) -> None:
        self._allowed = allowed
        self._deadline = deadline
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise Refusal("the host of the address is not known") from None
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        # one forbidden address is enough: a name that points both ways is up to no good
        if not addresses or not all(may_fetch(address, self._allowed) for address in addresses):
            raise Refusal(
                "the address leads to a private or reserved network; EVEROS_MULTIMODAL__FETCH_ALLOW_NETWORKS can"
                " allow it"
            )
        problem: Exception = httpcore.ConnectError()
        for address in addresses:
            try:
                stream = self._inner.connect_tcp(
                    address, port, left(self._deadline, timeout), local_address, socket_options
                )
                return _Timed(stream, self._deadline)
            except httpcore.ConnectError as error:
                problem = error
        raise problem

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _Timed(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, left(self._deadline, timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, left(self._deadline, timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        inner = self._inner.start_tls(ssl_context, server_hostname, left(self._deadline, timeout))
        return _Timed(inner, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def left(deadline: float, timeout: float | None) -> float:
    rest = deadline - time.monotonic()
    if rest <= 0:
        raise httpcore.ReadTimeout()
    return rest if timeout is None else min(rest, timeout)
