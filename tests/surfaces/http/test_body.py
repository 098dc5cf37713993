"""What is a body: JSON in UTF-8, bounded; and the file of a form."""

from __future__ import annotations

import gzip
import json
import socket
from typing import Any

import pytest
from envelopes import assert_failure
from serving import Server

from everlore.surfaces.http.body import form_file

ADD = "/api/v1/memory/add"


SEARCH = "/api/v1/memory/search"


JSON = {"Content-Type": "application/json"}


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
    with socket.create_connection((server.host, server.port), timeout=120) as raw:
        lines = [
            f"POST {ADD} HTTP/1.1",
            "Host: localhost",
            "Content-Type: application/json",
            f"Content-Length: {10**12}",
        ]
        raw.sendall("\r\n".join([*lines, "", ""]).encode())
        assert raw.recv(4096).startswith(b"HTTP/1.1 413 ")


FORM = "multipart/form-data; boundary=--x-7"
FILE = b'Content-Disposition: form-data; name="file"; filename="a.md"\r\nContent-Type: text/markdown\r\n\r\n'


def multipart(*parts: bytes) -> bytes:
    return b"".join(b"----x-7\r\n" + part + b"\r\n" for part in parts) + b"----x-7--\r\n"


@pytest.mark.parametrize("content", [b"", b"a\r\n\r\nb\r\n", b"--x-7\r\n----x-", bytes(range(256)) * 3])
def test_the_file_of_a_form_is_read_byte_for_byte(content: bytes) -> None:
    field = b'Content-Disposition: form-data; name="file"\r\n\r\nno file'
    assert form_file(FORM, multipart(field, FILE + content), "file") == content


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (FORM, multipart(b'Content-Disposition: form-data; name="other"; filename="a"\r\n\r\nx')),
        (FORM, multipart(FILE + b"x")[:-6]),
        (FORM, b""),
        ("multipart/form-data", multipart(FILE + b"x")),
        ("text/plain; boundary=--x-7", multipart(FILE + b"x")),
        ("", multipart(FILE + b"x")),
    ],
)
def test_what_is_no_form_with_that_file_has_none(content_type: str, body: bytes) -> None:
    assert form_file(content_type, body, "file") is None
