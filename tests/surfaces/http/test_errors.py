"""Success and error envelopes, and everything that is refused before a route sees it."""

from __future__ import annotations

import json
import re
import socket
from typing import Any

import pytest
from envelopes import HEX32, assert_failure
from serving import Api, Server

ADD = "/api/v1/memory/add"
SEARCH = "/api/v1/memory/search"
JSON = {"Content-Type": "application/json"}


def test_success_wraps_the_payload(api: Api) -> None:
    answer = api.post("flush", session_id="s")
    assert answer.status_code == 200
    assert set(answer.json()) == {"request_id", "data"}
    assert HEX32.fullmatch(answer.json()["request_id"])
    assert answer.headers["x-request-id"] == answer.json()["request_id"]
    assert answer.headers["content-type"] == "application/json"


def test_the_id_is_the_server_s_own_and_new_each_time(api: Api) -> None:
    sent = "f" * 32
    ids = {
        api.client.post("/api/v1/memory/flush", json={"session_id": "s"}, headers={"X-Request-Id": sent}).json()[
            "request_id"
        ]
        for _ in range(3)
    }
    assert len(ids) == 3
    assert sent not in ids


@pytest.mark.parametrize("path", ["/nope", "/api/v1/memory", "/api/v1/memory/add/", "/api/v2/memory/add", "/docs"])
def test_unknown_paths(server: Server, path: str) -> None:
    assert_failure(server.client.post(path, json={}), 404, path)


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("route", ["add", "flush", "search", "get"])
def test_all_memory_routes_are_post(server: Server, route: str, method: str) -> None:
    path = f"/api/v1/memory/{route}"
    answer = server.client.request(method, path)
    assert_failure(answer, 405, path)
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/", "GET, HEAD"),
        ("POST", "/health", "GET, HEAD"),
        ("POST", "/healthz", "GET, HEAD"),
        ("DELETE", "/readyz", "GET, HEAD"),
        ("PUT", "/metrics", "GET, HEAD"),
        ("DELETE", "/device", "GET, POST"),
    ],
)
def test_a_refused_method_is_told_all_that_would_do(server: Server, method: str, path: str, allowed: str) -> None:
    answer = server.client.request(method, path)
    assert_failure(answer, 405, path)
    assert answer.headers["allow"] == allowed


@pytest.mark.parametrize(
    "body",
    [b"{", b"nope", b"", b'{"session_id": NaN}', b"\xff\xfe", b'{"session_id": "\\ud800"}', b'{"a": 1} x', b"\x00"],
)
def test_malformed_json(server: Server, body: bytes) -> None:
    assert_failure(server.client.post(ADD, content=body, headers=JSON), 422, ADD)


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"1", b"null", b"true"])
def test_json_that_is_no_object(server: Server, body: bytes) -> None:
    assert_failure(server.client.post(ADD, content=body, headers=JSON), 422, ADD)


def test_field_required_names_the_field(api: Api) -> None:
    assert api.refused("add", 422, session_id="s") == "Field required: messages"


def test_an_empty_body_is_told_to_be_empty(server: Server) -> None:
    assert "body is empty" in assert_failure(server.client.post(ADD, content=b"", headers=JSON), 422, ADD)


def test_only_the_first_error_is_told(server: Server) -> None:
    assert assert_failure(server.client.post(ADD, json={}), 422, ADD) == "Field required: session_id"


def test_nested_places_are_dotted(api: Api) -> None:
    message = api.refused("add", 422, session_id="s", messages=[{"role": "user", "timestamp": 1, "content": "x"}])
    assert message == "Field required: messages.0.sender_id"


@pytest.mark.parametrize("owners", [{}, {"user_id": "u", "agent_id": "a"}, {"user_id": None, "agent_id": None}])
@pytest.mark.parametrize(("route", "rest"), [("search", {"query": "q"}), ("get", {"memory_type": "episode"})])
def test_exactly_one_owner(api: Api, route: str, rest: dict[str, Any], owners: dict[str, Any]) -> None:
    message = api.refused(route, 422, **rest, **owners)
    assert message == "Value error, exactly one of user_id / agent_id must be provided"


def test_damage_is_told_with_what_to_do(start: Any) -> None:
    server = start()
    import apsw

    database = apsw.Connection(str(next(server.root.rglob("index.db"))))
    tables = [row[0] for row in database.execute("select name from sqlite_master where type = 'table'")]
    assert tables
    for table in tables:
        if not table.startswith("sqlite_"):
            try:
                database.execute(f'drop table "{table}"')
            except apsw.SQLError:
                continue  # a shadow table of a virtual one, gone with it
    database.close()
    answer = server.client.post("/api/v1/memory/get", json={"user_id": "u", "memory_type": "episode"})
    assert "index.db is not as we wrote it" in assert_failure(answer, 503, "/api/v1/memory/get")
    logged = [line for line in server.log() if line.get("request_id") == answer.json()["request_id"]]
    assert any("index.db" in str(line.get("reason")) for line in logged)


@pytest.mark.parametrize("raw", [b"NONSENSE\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n"])
def test_what_is_no_http_gets_the_envelope_too(server: Server, raw: bytes) -> None:
    with socket.create_connection((server.host, server.port), timeout=60) as connection:
        connection.sendall(raw)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    told = json.loads(body)
    assert re.fullmatch(r"[0-9a-f]{32}", told["request_id"])
    assert f"x-request-id: {told['request_id']}".encode() in head
    assert told["error"]["code"] == "HTTP_ERROR"
