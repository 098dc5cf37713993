"""The error envelope of the memory API, held to its form."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

import httpx

HEX32 = re.compile(r"[0-9a-f]{32}")


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
