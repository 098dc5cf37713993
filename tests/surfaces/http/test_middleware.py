"""Who may address a server on loopback, and the id of every request."""

from __future__ import annotations

from typing import Any

import pytest
from envelopes import assert_failure
from serving import Api, Server
from vaults import within

ADD = "/api/v1/memory/add"


SEARCH = "/api/v1/memory/search"


def test_the_id_is_echoed_by_the_log(api: Api, server: Server) -> None:
    request_id = api.post("flush", session_id="s").json()["request_id"]

    def lines() -> list[dict[str, Any]]:
        return [line for line in server.log() if line.get("request_id") == request_id]

    within(5, lambda: bool(lines()))
    logged = lines()[0]
    assert logged["event"] == "request"
    assert logged["path"] == "/api/v1/memory/flush"
    assert logged["status"] == 200
    assert logged["ms"] >= 0


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", "192.168.1.5", "localhost.evil.example", "", "[::", "8.8.8.8:8000"]
)
def test_other_host_names_are_refused(server: Server, host: str) -> None:
    answer = server.client.post(SEARCH, json={"user_id": "u", "query": "q"}, headers={"Host": host})
    assert_failure(answer, 403, SEARCH)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8000", "127.0.0.1", "127.0.0.1:1234", "[::1]", "[::1]:8000", "127.8.9.1"]
)
def test_loopback_host_names_are_welcome(server: Server, host: str) -> None:
    answer = server.client.post("/api/v1/memory/flush", json={"session_id": "s"}, headers={"Host": host})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "https://localhost.evil.example", "null", "", "file://", "http://["]
)
def test_web_pages_of_other_origins_are_refused(server: Server, origin: str) -> None:
    answer = server.client.post(SEARCH, json={"user_id": "u", "query": "q"}, headers={"Origin": origin})
    assert_failure(answer, 403, SEARCH)
    assert "access-control-allow-origin" not in answer.headers
    assert_failure(server.client.get("/health", headers={"Origin": origin}), 403, "/health")


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8443"])
def test_pages_of_this_machine_are_welcome(server: Server, origin: str) -> None:
    answer = server.client.post("/api/v1/memory/flush", json={"session_id": "s"}, headers={"Origin": origin})
    assert answer.status_code == 200
