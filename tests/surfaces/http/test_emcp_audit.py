"""One line in the log for each call of the content server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sites import SECRET, Evo, Stand, serving, token
from sites import stand as make_stand


def message(method: str, params: Any = None, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}} | more


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    with make_stand("sqlite", tmp_path_factory.mktemp("site")) as made:
        yield made


@pytest.fixture(scope="module")
def evo(stand: Stand, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evo]:
    root = tmp_path_factory.mktemp("vault") / "root"
    with serving(root, stand.url, jwt_secret=SECRET, rate_limit_per_minute="0", max_result_bytes="60000") as server:
        yield Evo(server, stand)


def test_each_call_leaves_one_line_without_secrets(evo: Evo) -> None:
    bearer = token(7)
    secret = "emk_" + "ab12" * 8
    evo.server.client.post(
        "/api/v1/mcp/content",
        json=message(
            "tools/call",
            {
                "name": "evo.content.search",
                "arguments": {"limit": 1, "password": "hunter2", "with_tvs": [secret], "x": {"Token": ["deep-secret"]}},
            },
        ),
        headers={"Authorization": f"Bearer {bearer}", "X-Trace-Id": "audit-1"},
    )
    lines = [line for line in evo.server.log() if line.get("trace_id") == "audit-1"]
    assert len(lines) == 1
    line = lines[0]
    assert line["event"] == "emcp.audit"
    assert line["tool"] == "evo.content.search"
    assert line["actor_user_id"] == 7
    assert line["rate_limit_identity"] == "api:7"
    assert line["status"] == 200
    assert line["extra"]["arguments"]["password"] == "[REDACTED]"
    log = evo.server.log_path.read_text(encoding="utf-8")
    for hidden in (bearer, secret, "hunter2", "deep-secret", SECRET):
        assert hidden not in log
