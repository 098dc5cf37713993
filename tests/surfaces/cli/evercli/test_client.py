"""Servers that fail, and what becomes of it."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

import pytest
from evercli import KEY, NOWHERE, Evercli, answering, gateway, http, url_of

from everlore.surfaces.cli.evercli import client
from everlore.surfaces.cli.evercli.failure import Failure


def test_network_errors(evercli: Evercli) -> None:
    for base in ("http://127.0.0.1:1", "http://no-such-host.invalid"):
        done = evercli("memory", "search", "x", env={"EVERCLI_API_BASE_URL": base})
        assert (done.code, done.error["type"]) == (4, "network")
    text = evercli("memory", "search", "x", "--format", "text", env=NOWHERE)
    assert (text.code, text.out) == (4, "")
    assert text.err.startswith("error: no server answers")


@pytest.mark.parametrize("drip", [False, True])
def test_a_server_that_does_not_finish_is_a_timeout(evercli: Evercli, listener: socket.socket, drip: bool) -> None:
    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            if drip:
                connection.sendall(b"H")
            while not over.wait(0.2):
                with suppress(OSError):
                    connection.sendall(b"T" if drip else b"")

    over = threading.Event()
    threading.Thread(target=serve, daemon=True).start()
    done = evercli("--timeout", "600ms", "memory", "search", "x", env={"EVERCLI_API_BASE_URL": url_of(listener)})
    assert (done.code, done.error["type"]) == (4, "network")
    assert "0.6 s" in done.error["message"]
    over.set()


@pytest.mark.parametrize(
    ("reply", "kind", "code", "exit_code"),
    [
        (gateway(30201, "ErrApiKeyInvalid: no", 401), "auth", 30201, 3),
        (gateway(30302, "ErrAgentDisconnected: no", 401), "auth", 30302, 3),
        (gateway(30104, "ErrSlowDown: no", 429, "Retry-After: 7\r\n"), "rate_limit", 30104, 1),
        (gateway(20005, "ErrRateLimited: no", 429), "rate_limit", 20005, 1),
        (gateway(30303, "ErrScopeInsufficient: no", 403), "permission", 30303, 1),
        (gateway(40005, "ErrIdempotencyConflict: no", 409), "conflict", 40005, 1),
        (gateway(40101, "ErrRecordNotFound: no", 404), "not_found", 40101, 1),
        (gateway(30005, "ErrUpstream: no", 502), "upstream", 30005, 1),
        (gateway(50000, "ErrInternal: no", 500), "upstream", 50000, 1),
        (gateway(20001, "ErrInvalidParams: no", 400), "invalid_args", 20001, 2),
        (http(200, b"<html>hello</html>"), "upstream", 0, 1),
        (http(302, b"", "Location: http://127.0.0.1:1/\r\n"), "upstream", 0, 1),
        (http(501, b"<html>no such method</html>"), "upstream", 0, 1),
        (http(500, {"error": {"message": "broken"}}), "upstream", 0, 1),
        (http(429, b"slow down", "Retry-After: 9\r\n"), "rate_limit", 0, 1),
        (b"garbage\r\n\r\n", "network", 0, 4),
        (b"", "network", 0, 4),
    ],
)
def test_what_the_gateway_says_becomes_a_type_and_a_code(
    listener: socket.socket, reply: bytes, kind: str, code: int, exit_code: int
) -> None:
    answering(listener, reply)
    with pytest.raises(Failure) as failed:
        client.gateway(client.Server(url_of(listener), 10.0), "/auth/login", {"apiKey": KEY})
    failure = failed.value
    assert (failure.exit_code, failure.kind, failure.code) == (exit_code, kind, code)
    assert failure.request_id == ("req_up" if b"requestId" in reply else "")
    if b"Retry-After: 7" in reply:
        assert failure.detail["retryAfterSec"] == 7


def test_the_gateways_answer_reaches_the_envelope(evercli: Evercli, listener: socket.socket) -> None:
    answering(listener, gateway(30104, "ErrSlowDown: no", 429, "Retry-After: 7\r\n"))
    done = evercli("auth", "login", "--api-key", KEY, env={"EVERCLI_API_BASE_URL": url_of(listener)})
    assert (done.code, done.error["type"], done.error["code"]) == (1, "rate_limit", 30104)
    assert done.error["detail"]["retryAfterSec"] == 7
    assert done.envelope["meta"]["requestId"] == "req_up"
    assert not list(evercli.home.rglob("credentials.json")), "nothing is stored when the login failed"
