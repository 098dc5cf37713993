"""Which paths are the content server's, and the trace id of its answers."""

from __future__ import annotations

import json

import pytest
from starlette.requests import HTTPConnection

from everlore.surfaces.contracts.emcp.callers import Refused
from everlore.surfaces.http.emcp_answers import is_content, refusal_response, trace_of


def asking(trace: str = "") -> HTTPConnection:
    headers = [(b"x-trace-id", trace.encode())] if trace else []
    return HTTPConnection({"type": "http", "path": "/api/v1/mcp/content", "headers": headers})


@pytest.mark.parametrize(
    ("path", "its"),
    [("/api/v1/mcp/content", True), ("/mcp/evo", True), ("/mcp/everme", False), ("/api/v1/memory/get", False)],
)
def test_the_content_servers_paths(path: str, its: bool) -> None:
    assert is_content(path) is its


def test_a_trace_is_the_callers_and_stays_the_same() -> None:
    assert trace_of(asking("abc-1")) == "abc-1"
    connection = asking("not plain")
    assert trace_of(connection) == trace_of(connection) != "not plain"


def test_a_refusal_tells_its_code_and_trace() -> None:
    answer = refusal_response(asking("t"), Refused(429, "rate_limited", "wait", {"Retry-After": "7"}))
    assert (answer.status_code, answer.headers["retry-after"], answer.headers["x-trace-id"]) == (429, "7", "t")
    told = {"error": {"code": "rate_limited", "message": "wait", "trace_id": "t"}}
    assert json.loads(bytes(answer.body)) == told
