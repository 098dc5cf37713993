"""Fetching over http(s) for a client that is not trusted.

Invariants:
- Each hop is resolved once, every address it resolves to is checked, and the connection goes to a checked address,
  with the host's own name in the Host header and in TLS. A name that changes its mind (DNS rebinding) gains nothing.
- Only public addresses are fetched from, and those that the owner of the server allows. The question is asked of the
  address that is connected to, never of a name or of the text of a URL: so it does not matter how a host is written
  (decimal, octal, hex, mapped).
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
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import SplitResult, quote, urljoin, urlsplit

import httpcore
import httpx

from everlore.config import MultimodalSection
from everlore.errors import UnsupportedMedia

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

REDIRECTS = 5
OPERATION_SECONDS = 10.0
"""Longest wait for a connection, or for the next bytes of an answer."""
_TIMEOUTS = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), OPERATION_SECONDS)}
_REDIRECT = frozenset({301, 302, 303, 307, 308})
_HEADERS = [("User-Agent", "everlore"), ("Accept", "*/*"), ("Accept-Encoding", "identity")]
_NAT64 = IPv6Network("64:ff9b::/96")
_SPECIAL: tuple[Network, ...] = (
    IPv4Network("168.63.129.16/32"),  # public by number, but answered by the cloud's own host (Azure)
    IPv4Network("192.0.0.0/24"),  # protocols; one cloud's metadata (Oracle). Older Pythons know only a part of it
    IPv4Network("192.88.99.0/24"),
    IPv6Network("64:ff9b:1::/48"),
    IPv6Network("100::/64"),
    IPv6Network("3fff::/20"),
    IPv6Network("5f00::/16"),
)


@dataclass(frozen=True, slots=True)
class Fetched:
    raw: bytes
    content_type: str
    path: str
    """Of the last hop's URL, for its extension."""


def fetch(uri: str, settings: MultimodalSection) -> Fetched:
    backend = _Guarded(settings.fetch_allow_networks, time.monotonic() + settings.fetch_seconds)
    try:
        return _fetch(uri, settings.fetch_max_bytes, backend)
    except httpcore.TimeoutException:
        raise UnsupportedMedia("the address did not answer in time") from None
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.UnsupportedProtocol, ssl.SSLError, OSError):
        raise UnsupportedMedia("the address cannot be fetched") from None


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
                raise UnsupportedMedia(f"the address answered with status {answer.status}")
            if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
                raise UnsupportedMedia("the address sends its content compressed although it was asked not to")
            raw = _bounded(answer.iter_stream(), headers.get("content-length", ""), limit)
            return Fetched(raw, headers.get("content-type", ""), parts.path)
    raise UnsupportedMedia(f"the address redirects more than {REDIRECTS} times")


def _checked(uri: str) -> SplitResult:
    """The address in the form it is sent in, without its fragment. Only http(s), with a host and no user in it."""
    try:
        parts = urlsplit(uri.strip())
        port = parts.port
        host = (parts.hostname or "").encode("idna" if not (parts.hostname or "").isascii() else "ascii").decode()
    except ValueError:
        raise UnsupportedMedia("the address is not a usable http(s) URL") from None
    if parts.scheme not in ("http", "https") or not host or any(char in host for char in "\\% \t") or port == 0:
        raise UnsupportedMedia("the address is not a usable http(s) URL")
    if "@" in parts.netloc:
        raise UnsupportedMedia("an address with a user name or password in it is not fetched")
    shown = f"[{host}]" if ":" in host else host
    netloc = shown if port is None else f"{shown}:{port}"
    return SplitResult(parts.scheme, netloc, _quoted(parts.path) or "/", _quoted(parts.query), "")


def _quoted(text: str) -> str:
    """Bytes that may not stand in a request line, as percent codes; what is quoted already stays."""
    return quote(text, safe=string.punctuation, errors="surrogatepass")


def _bounded(chunks: Iterable[bytes], announced: str, limit: int) -> bytes:
    size = int(announced) if announced.isdecimal() else 0
    found = bytearray()
    for chunk in chunks if size <= limit else ():
        found += chunk
        size = max(size, len(found))
        if size > limit:
            break
    if size > limit:
        raise UnsupportedMedia(f"the content has more than the {limit} bytes allowed")
    return bytes(found)


class _Guarded(httpcore.SyncBackend):
    """Connects only to addresses that may be fetched from, and lets no operation outlast the deadline."""

    def __init__(self, allowed: Sequence[Network], deadline: float) -> None:
        self._allowed = allowed
        self._deadline = deadline

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *rest: Any, **more: Any
    ) -> httpcore.NetworkStream:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise UnsupportedMedia("the host of the address is not known") from None
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        # one forbidden address is enough: a name that points both ways is up to no good
        if not addresses or not all(may_fetch(address, self._allowed) for address in addresses):
            raise UnsupportedMedia(
                "the address leads to a private or reserved network; EVEROS_MULTIMODAL__FETCH_ALLOW_NETWORKS can"
                " allow it"
            )
        problem: Exception = httpcore.ConnectError()
        for address in addresses:
            try:
                stream = super().connect_tcp(address, port, _left(self._deadline, timeout), *rest, **more)
                return _Timed(stream, self._deadline)
            except httpcore.ConnectError as error:
                problem = error
        raise problem


class _Timed(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(self._deadline, timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(self._deadline, timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        inner = self._inner.start_tls(ssl_context, server_hostname, _left(self._deadline, timeout))
        return _Timed(inner, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _left(deadline: float, timeout: float | None) -> float:
    rest = deadline - time.monotonic()
    if rest <= 0:
        raise httpcore.ReadTimeout()
    return rest if timeout is None else min(rest, timeout)


def may_fetch(text: str, allowed: Sequence[Network]) -> bool:
    """Whether `text`, an address as the resolver gives it, may be connected to."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return _listed(address, allowed) or all(_public(one) or _listed(one, allowed) for one in _meant(address))


def _listed(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)


def _meant(address: Address) -> list[Address]:
    """The address, and the IPv4 addresses that it leads to through a tunnel or a translation."""
    if isinstance(address, IPv4Address):
        return [address]
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address in _NAT64:
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    return [address, *filter(None, (address.sixtofour, *(address.teredo or ())))]


def _public(address: Address) -> bool:
    if _listed(address, _SPECIAL):
        return False
    special = address.is_multicast or address.is_reserved or address.is_loopback or address.is_link_local
    site = isinstance(address, IPv6Address) and address.is_site_local
    return address.is_global and not (special or site or address.is_private or address.is_unspecified)
