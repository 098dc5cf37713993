"""The gateway's paths, and its envelope around answers and refusals."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.requests import HTTPConnection

from everlore.surfaces.http.gateway import is_gateway, refusal, success


@pytest.fixture
def connection() -> HTTPConnection:
    return HTTPConnection({"type": "http", "headers": [], "state": {"request_id": "r1"}})


def told(answer: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer.body)
    return found


@pytest.mark.parametrize(
    ("path", "its"),
    [("/api/v1/mem/get", True), ("/api/v1/agents", True), ("/api/v1/agentsx", False), ("/api/v1/memory/get", False)],
)
def test_the_gateways_paths(path: str, its: bool) -> None:
    assert is_gateway(path) is its


def test_a_result_stands_in_the_envelope(connection: HTTPConnection) -> None:
    assert told(success(connection, {"a": 1})) == {"error": "", "requestId": "r1", "status": 0, "result": {"a": 1}}


def test_a_refusal_names_its_code_and_hides_secrets(connection: HTTPConnection) -> None:
    key = "emk_" + "0123456789abcdef" * 2
    answer = refusal(connection, 30201, f"{key} is not known", {"Retry-After": "5"})
    assert (answer.status_code, answer.headers["www-authenticate"], answer.headers["retry-after"]) == (
        401,
        "Bearer",
        "5",
    )
    body = told(answer)
    assert (body["status"], body["result"], body["requestId"]) == (30201, None, "r1")
    assert body["error"].startswith("ErrApiKeyInvalid: ")
    assert key not in body["error"]
