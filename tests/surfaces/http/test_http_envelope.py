"""Success and error envelopes, and everything that is refused before a route sees it."""

from __future__ import annotations

import gzip
import json
import re
import socket
import time
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest
from serving import Api, Server

HEX32 = re.compile(r"[0-9a-f]{32}")
ADD = "/api/v1/memory/add"
SEARCH = "/api/v1/memory/search"
JSON = {"Content-Type": "application/json"}


def assert_failure(answer: httpx.Response, status: int, path: str) -> str:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert set(body) == {"request_id", "error"}
    assert HEX32.fullmatch(body["request_id"])
    assert answer.headers["x-request-id"] == body["request_id"]
    error = body["error"]
    assert set(error) == {"code", "message", "timestamp", "path"}
    assert error["code"] == ("HTTP_ERROR" if status < 500 else "SYSTEM_ERROR")
    assert error["path"] == path
    assert re.search(r"[+-]\d\d:\d\d$", error["timestamp"])
    age = datetime.now().astimezone() - datetime.fromisoformat(error["timestamp"])
    assert abs(age) < timedelta(minutes=1)
    message: str = error["message"]
    assert message
    return message


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


def test_the_id_is_echoed_by_the_log(api: Api, server: Server) -> None:
    request_id = api.post("flush", session_id="s").json()["request_id"]
    deadline = time.monotonic() + 60
    lines: list[dict[str, Any]] = []
    while not lines and time.monotonic() < deadline:
        lines = [line for line in server.log() if line.get("request_id") == request_id]
        time.sleep(0.02)
    assert lines[0]["event"] == "request"
    assert lines[0]["path"] == "/api/v1/memory/flush"
    assert lines[0]["status"] == 200
    assert lines[0]["ms"] >= 0


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


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"user_id":"u","query":"q","filters":{"AND":[{"AND":['])
def test_absurd_nesting_is_refused(server: Server, opening: str) -> None:
    message = assert_failure(server.client.post(SEARCH, content=opening * 10_000, headers=JSON), 422, SEARCH)
    assert "recursion" in message


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "application/json; charset=latin-1",
    ],
)
def test_the_content_type_must_be_json(server: Server, content_type: str | None) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    answer = server.client.post("/api/v1/memory/flush", content=b'{"session_id": "s"}', headers=headers)
    assert "application/json" in assert_failure(answer, 415, "/api/v1/memory/flush")


def test_a_compressed_body_is_refused_by_name(server: Server) -> None:
    path = "/api/v1/memory/flush"
    body = gzip.compress(b'{"session_id": "s"}')
    answer = server.client.post(path, content=body, headers=JSON | {"Content-Encoding": "gzip"})
    assert "compressed" in assert_failure(answer, 415, path)
    answer = server.client.post(path, json={"session_id": "s"}, headers={"Content-Encoding": "identity"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "APPLICATION/JSON", "application/json;charset=UTF-8"]
)
def test_json_in_utf8_is_welcome_however_it_is_spelled(server: Server, content_type: str) -> None:
    answer = server.client.post(
        "/api/v1/memory/flush", content=b'{"session_id": "s"}', headers={"Content-Type": content_type}
    )
    assert answer.status_code == 200


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


def test_bodies_are_bounded(start: Any) -> None:
    server = start({"EVEROS_API__MAX_BODY_BYTES": "4096"})
    small = {"session_id": "s", "app_id": "a" * 100}
    assert server.client.post("/api/v1/memory/flush", json=small).status_code == 200
    large = json.dumps({"session_id": "s", "x": "y" * 5000}).encode()
    assert "4096" in assert_failure(server.client.post(ADD, content=large, headers=JSON), 413, ADD)

    def chunks() -> Any:
        for at in range(0, len(large), 500):
            yield large[at : at + 500]

    assert_failure(server.client.post(ADD, content=chunks(), headers=JSON), 413, ADD)
    assert server.client.post("/api/v1/memory/flush", json=small).status_code == 200


def test_a_huge_announcement_is_refused_unread(server: Server) -> None:
    with socket.create_connection((server.host, server.port), timeout=60) as raw:
        lines = [
            f"POST {ADD} HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            f"Content-Length: {10**12}",
        ]
        raw.sendall("\r\n".join([*lines, "", ""]).encode())
        assert raw.recv(4096).startswith(b"HTTP/1.1 413 ")


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


def test_internal_errors_tell_nothing(start: Any) -> None:
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
    assert assert_failure(answer, 500, "/api/v1/memory/get") == "Internal server error"
    logged = [line for line in server.log() if line.get("request_id") == answer.json()["request_id"]]
    assert any("Traceback" in line.get("exception", "") for line in logged)
