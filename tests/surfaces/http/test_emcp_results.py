"""Dispatched calls: a key has one answer, whatever happens between."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
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


@pytest.fixture(scope="module")
def client(evo: Evo) -> httpx.Client:
    return evo.server.client


def refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "trace_id"}
    assert body["error"]["code"] == code
    assert body["error"]["trace_id"] == answer.headers["x-trace-id"]
    error: dict[str, Any] = body["error"]
    return error


def dispatch(evo: Evo, key: str | None, user: int = 0, limit: int = 2, **more: Any) -> httpx.Response:
    params = {"name": "evo.content.search", "arguments": {"limit": limit}}
    headers = {} if key is None else {"Idempotency-Key": key}
    return evo.post(message("tools/call", params) | more, user=user, path="content/dispatch", headers=headers)


def test_dispatch_runs_once_for_a_key(evo: Evo) -> None:
    first, second = dispatch(evo, "k-1"), dispatch(evo, "k-1", id="another id")
    assert first.status_code == second.status_code == 200
    one, two = first.json(), second.json()
    assert one["status"] == "completed"
    assert one["task_id"] is None
    assert one["idempotency_key"] == "k-1"
    assert (one["reused"], two["reused"]) == (False, True)
    assert one["result"] == two["result"]
    assert one["result"]["http_status"] == 200
    items = one["result"]["response"]["result"]["structuredContent"]["items"]
    assert [item["id"] for item in items] == [1, 2]


def test_the_same_key_with_another_payload_is_a_conflict(evo: Evo) -> None:
    dispatch(evo, "k-2")
    refused(dispatch(evo, "k-2", limit=3), 409, "idempotency_conflict")
    refused(dispatch(evo, "k-2", user=5), 409, "idempotency_conflict")
    assert dispatch(evo, "k-2").json()["reused"] is True


def test_the_order_of_keys_makes_no_other_payload(evo: Evo) -> None:
    params: dict[str, Any] = {"name": "evo.content.search", "arguments": {"limit": 1, "offset": 1}}
    turned = {"arguments": {"offset": 1, "limit": 1}, "name": "evo.content.search"}
    for sent, reused in ((params, False), (turned, True)):
        answer = evo.post(message("tools/call", sent), path="content/dispatch", headers={"Idempotency-Key": "k-3"})
        assert answer.json()["reused"] is reused


def test_the_key_may_be_in_the_body_or_is_made(evo: Evo) -> None:
    assert dispatch(evo, None, idempotency_key="k-4").json()["idempotency_key"] == "k-4"
    made = dispatch(evo, None, limit=4).json()
    assert re.fullmatch(r"sync:[0-9a-f]{40}", made["idempotency_key"])
    assert dispatch(evo, None, limit=4).json()["reused"] is True


@pytest.mark.parametrize("body", ["{", "[]", '"x"', "{}", '{"jsonrpc": "2.0", "id": 1, "method": " "}'])
def test_dispatch_needs_a_request(client: httpx.Client, body: str) -> None:
    headers = {"Authorization": f"Bearer {token()}", "Content-Type": "application/json"}
    refused(client.post("/api/v1/mcp/content/dispatch", content=body, headers=headers), 400, "invalid_payload")


def test_a_key_must_be_a_short_text(evo: Evo) -> None:
    refused(dispatch(evo, "x" * 300), 400, "invalid_payload")
    refused(dispatch(evo, None, idempotency_key=["x"]), 400, "invalid_payload")


def test_many_at_once_get_one_result(evo: Evo) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = [answer.json() for answer in pool.map(lambda _: dispatch(evo, "k-5"), range(8))]
    assert sum(not answer["reused"] for answer in answers) == 1
    assert len({json.dumps(answer["result"], sort_keys=True) for answer in answers}) == 1
    with ThreadPoolExecutor(8) as pool:
        statuses = [answer.status_code for answer in pool.map(lambda n: dispatch(evo, "k-6", limit=n + 1), range(8))]
    assert sorted(statuses) == [200] + [409] * 7


def test_results_survive_a_killed_server(stand: Stand, tmp_path: Path) -> None:
    root = tmp_path / "root"
    with serving(root, stand.url, jwt_secret=SECRET) as server:
        first = dispatch(Evo(server), "k-7").json()
        server.process.kill()
        server.process.wait()
    with serving(root, stand.url, jwt_secret=SECRET) as server:
        again = dispatch(Evo(server), "k-7").json()
        assert again["reused"] is True
        assert again["result"] == first["result"]
        refused(dispatch(Evo(server), "k-7", limit=9), 409, "idempotency_conflict")


def test_a_database_out_of_reach_is_an_internal_error_without_details(tmp_path: Path) -> None:
    url = "mysql://someone:top-secret-pw@127.0.0.1:1/site"
    with serving(tmp_path / "root", url, jwt_secret=SECRET) as server:
        evo = Evo(server)
        error = evo.error("content.search", limit=1)
        assert error["code"] == -32603
        assert "top-secret-pw" not in json.dumps(error) + server.log_path.read_text(encoding="utf-8")
        # a failure is not kept as the answer of a day
        assert dispatch(evo, "k-8").json()["reused"] is False
        assert dispatch(evo, "k-8").json()["reused"] is False
