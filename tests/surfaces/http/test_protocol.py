"""What is not even HTTP."""

from __future__ import annotations

import json
import re
import socket

import pytest
from serving import Server


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
