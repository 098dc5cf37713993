"""What a client may make the server fetch, and what not."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_network
from typing import Any

import pytest
from webserver import Site, send, website

from everlore.config import MultimodalSection
from everlore.errors import UnsupportedMedia
from everlore.models.media.fetch import fetch, may_fetch


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with website() as running:
        running.serve("/ok", b"hello", "text/plain")
        yield running


def settings(**given: Any) -> MultimodalSection:
    return MultimodalSection(**({"fetch_seconds": 5} | given))


def open_to(*networks: str, **given: Any) -> MultimodalSection:
    return settings(fetch_allow_networks=list(networks or ["127.0.0.1/32"]), **given)


HOSTS = ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "127.1", "0",
         "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]", "127.0.0.1."]  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
def test_no_spelling_of_this_machine_is_fetched(site: Site, host: str) -> None:
    before = len(site.asked)
    with pytest.raises(UnsupportedMedia):
        fetch(site.url("/ok", host), settings())
    assert len(site.asked) == before


@pytest.mark.parametrize(
    "uri",
    [
        *("http://user:secret@127.0.0.1/ok", "http://169.254.169.254/latest/meta-data/", "http://[fe80::1%25lo]/"),
        *("http://", "http:///x", "http://[::1", "http://h:99999/", "http://h:0/", "ftp://h/x", "gopher://h/x"),
        *("http://127.0.0.1\\@example.org/", "http://exa mple.org/", "http://ex%41mple.org/", "file:///etc/passwd"),
    ],
)
def test_addresses_that_are_not_plain_http_are_refused(uri: str) -> None:
    with pytest.raises(UnsupportedMedia) as caught:
        fetch(uri, settings())
    assert "secret" not in str(caught.value)


def test_what_is_allowed_is_fetched(site: Site) -> None:
    got = fetch(site.url("/ok?x=ä#part"), open_to())
    assert (got.raw, got.content_type, got.path) == (b"hello", "text/plain", "/ok")
    path, headers = site.asked[-1]
    assert path == "/ok?x=%C3%A4"
    assert headers["host"] == f"127.0.0.1:{site.port}"
    assert not {"authorization", "cookie", "referer"} & set(headers)


def test_the_proxy_of_the_environment_is_not_used(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert fetch(site.url("/ok"), open_to()).raw == b"hello"


def test_every_redirect_is_checked_again(site: Site) -> None:
    with website("127.0.0.2") as inner:
        inner.serve("/secret", b"inner", "text/plain")
        for number, status in enumerate((301, 302, 303, 307, 308)):
            uri = site.redirect(f"/to{number}", inner.url("/secret", "127.0.0.2"), status)
            with pytest.raises(UnsupportedMedia, match="private or reserved"):
                fetch(uri, open_to())
        assert inner.asked == []
        assert fetch(site.url("/to0"), open_to("127.0.0.0/8")).raw == b"inner"
        assert "cookie" not in inner.asked[-1][1]


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "http://a:b@127.0.0.1/", "//"])
def test_a_redirect_leads_only_to_plain_http(site: Site, target: str) -> None:
    with pytest.raises(UnsupportedMedia):
        fetch(site.redirect("/odd", target), open_to())


def test_redirects_are_followed_a_few_times(site: Site) -> None:
    site.redirect("/loop", "/loop")
    with pytest.raises(UnsupportedMedia, match="redirects more than"):
        fetch(site.url("/loop"), open_to())
    assert fetch(site.redirect("/relative", "ok"), open_to()).raw == b"hello"


class NameServer:
    """Stands in for a hostile one: it gives another answer each time. Numbers are none of its business."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = answers
        self.asked: list[str] = []
        self._real = socket.getaddrinfo

    def __call__(self, host: str, port: int, *args: Any, **kwargs: Any) -> list[Any]:
        if not host.endswith(".example"):
            return list(self._real(host, port, *args, **kwargs))
        self.asked.append(host)
        found = self.answers[min(len(self.asked), len(self.answers)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]


def test_a_name_is_resolved_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    names = NameServer(["127.0.0.1"], ["127.0.0.2"])
    monkeypatch.setattr(socket, "getaddrinfo", names)
    assert fetch(site.url("/ok", "one.example"), open_to()).raw == b"hello"
    assert site.asked[-1][1]["host"] == f"one.example:{site.port}"
    assert names.asked == ["one.example"]


def test_every_address_of_a_name_must_be_allowed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", NameServer(["127.0.0.1", "127.0.0.2"]))
    before = len(site.asked)
    with pytest.raises(UnsupportedMedia, match="private or reserved"):
        fetch(site.url("/ok", "two.example"), open_to())
    assert len(site.asked) == before


def test_size_is_bounded_announced_or_not(site: Site) -> None:
    def endless(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while True:
            request.wfile.write(b"x" * 65536)

    site.pages["/endless"] = endless
    site.serve("/large", b"x" * 2000)
    for path in ("/endless", "/large"):
        with pytest.raises(UnsupportedMedia, match="more than the 1000 bytes"):
            fetch(site.url(path), open_to(fetch_max_bytes=1000))
    assert len(fetch(site.url("/large"), open_to(fetch_max_bytes=2000)).raw) == 2000


def test_compressed_content_is_not_unpacked(site: Site) -> None:
    site.pages["/zip"] = lambda request: send(request, 200, {"Content-Encoding": "gzip"}, b"\x1f\x8b")
    with pytest.raises(UnsupportedMedia, match="compressed"):
        fetch(site.url("/zip"), open_to())


@pytest.mark.parametrize("where", ["head", "body"])
def test_a_server_that_trickles_cannot_hold_us(site: Site, where: str) -> None:
    def trickle(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\n" if where == "head" else b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(100):
            request.wfile.write(b"x")
            request.wfile.flush()
            time.sleep(0.05)

    site.pages["/slow"] = trickle
    with pytest.raises(UnsupportedMedia, match="in time"):
        fetch(site.url("/slow"), open_to(fetch_seconds=0.4))


def test_other_answers_and_silence_are_refused(site: Site) -> None:
    site.serve("/gone", b"internal detail", status=500)
    with pytest.raises(UnsupportedMedia, match="status 500") as caught:
        fetch(site.url("/gone"), open_to())
    assert "detail" not in str(caught.value)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with pytest.raises(UnsupportedMedia, match="cannot be fetched"):
        fetch(f"http://127.0.0.1:{port}/", open_to())
    with pytest.raises(UnsupportedMedia, match="cannot be fetched"):  # no TLS there
        fetch(site.url("/ok").replace("http:", "https:"), open_to())
    with pytest.raises(UnsupportedMedia, match="not known"):
        fetch("http://nobody.invalid/", open_to())


FORBIDDEN = [
    *("127.0.0.1", "127.8.9.10", "0.0.0.0", "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
    *("100.100.100.200", "192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "168.63.129.16"),
    *("::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::7f00:1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1"),
    *("2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:0:7f00:1::1", "not an address", ""),
]
PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", FORBIDDEN)
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    assert not may_fetch(address, [])


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_allowed(address: str) -> None:
    assert may_fetch(address, [])


def test_the_owner_of_the_server_may_allow_a_network() -> None:
    allowed = [ip_network("10.1.2.0/24"), ip_network("::1/128")]
    assert may_fetch("10.1.2.3", allowed)
    assert may_fetch("::ffff:10.1.2.3", allowed)
    assert may_fetch("::1", allowed)
    assert not may_fetch("10.1.3.3", allowed)
