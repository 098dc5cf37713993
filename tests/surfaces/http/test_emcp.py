"""The gates in front of the content server, its JSON-RPC, dispatch and audit: what does not depend on the database."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from sites import PREFIX, SECRET, Evo, Stand, serving, token
from sites import stand as make_stand

CALL = {"name": "evo.content.search", "arguments": {"limit": 2}}


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


def raw(client: httpx.Client, authorization: str | None, body: Any = None) -> httpx.Response:
    headers = {} if authorization is None else {"Authorization": authorization}
    return client.post("/api/v1/mcp/content", json=body or message("ping"), headers=headers)


def unsigned(header: dict[str, Any], claims: dict[str, Any], signature: str = "") -> str:
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in (header, claims)]
    return ".".join([*parts, signature])


CLAIMS = {"sub": "x", "scopes": ["*"], "exp": 4_000_000_000}
BAD_TOKENS = {
    "no scheme": token(),
    "other scheme": f"Basic {token()}",
    "nothing after the scheme": "Bearer",
    "not a token": "Bearer abc",
    "three dots": "Bearer ...",
    "other secret": f"Bearer {token(secret='another secret that is long enough too')}",
    "alg none": f"Bearer {unsigned({'alg': 'none', 'typ': 'JWT'}, CLAIMS)}",
    "alg None": f"Bearer {unsigned({'alg': 'None'}, CLAIMS)}",
    "HS512": f"Bearer {jwt.encode(CLAIMS, SECRET * 2, algorithm='HS512')}",
    "HS512 with our secret": f"Bearer {jwt.encode(CLAIMS, SECRET.ljust(64), algorithm='HS512')}",
    "RS256 header": f"Bearer {unsigned({'alg': 'RS256'}, CLAIMS, 'AAAA')}",
    "expired": f"Bearer {token(exp=int(time.time()) - 120)}",
    "not yet": f"Bearer {token(nbf=int(time.time()) + 600)}",
    "issued tomorrow": f"Bearer {token(iat=int(time.time()) + 86400)}",
    "no end": f"Bearer {jwt.encode({'sub': 'x', 'scopes': ['*']}, SECRET, algorithm='HS256')}",
    "end is text": f"Bearer {jwt.encode({'exp': 'never'}, SECRET, algorithm='HS256')}",
    "an emk key of ours that nobody issued": "Bearer emk_" + "0" * 32,
}


@pytest.mark.parametrize("name", [None, *BAD_TOKENS])
def test_without_a_good_token_nobody_is_let_in(client: httpx.Client, name: str | None) -> None:
    refused(raw(client, BAD_TOKENS[name] if name else None), 401, "unauthenticated")


def test_clocks_may_differ_a_little(client: httpx.Client) -> None:
    now = int(time.time())
    skewed: list[dict[str, Any]] = [{"exp": now - 5}, {"iat": now + 10}, {"nbf": now + 10}]
    for claims in skewed:
        assert raw(client, f"Bearer {token(**claims)}").status_code == 200


@pytest.mark.parametrize("scopes", [["mcp:read"], "mcp:read,mcp:other", "mcp:read mcp:other"])
def test_scopes(client: httpx.Client, scopes: Any) -> None:
    bearer = f"Bearer {token(scopes=scopes)}"
    for method in ("initialize", "ping", "tools/list", "notifications/initialized", "resources/list", "prompts/list"):
        assert raw(client, bearer, message(method)).status_code == 200
    refused(raw(client, bearer, message("tools/call", CALL)), 403, "scope_denied")
    refused(raw(client, bearer, message("admin/flush")), 403, "scope_denied")
    refused(raw(client, bearer, message("no/such")), 403, "scope_denied")
    dispatched = client.post(
        "/api/v1/mcp/content/dispatch", json=message("tools/call", CALL), headers={"Authorization": bearer}
    )
    refused(dispatched, 403, "scope_denied")


def test_call_and_admin_scopes(client: httpx.Client) -> None:
    call = f"Bearer {token(scopes=['mcp:call'])}"
    assert "result" in raw(client, call, message("tools/call", CALL)).json()
    refused(raw(client, call, message("tools/list")), 403, "scope_denied")
    admin = f"Bearer {token(scopes=['mcp:admin'])}"
    assert raw(client, admin, message("no/such")).json()["error"]["code"] == -32601
    refused(raw(client, f"Bearer {token(scopes=[])}", message("ping")), 403, "scope_denied")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize("path", ["content", "content/dispatch"])
def test_only_post(client: httpx.Client, method: str, path: str) -> None:
    answer = client.request(method, f"/api/v1/mcp/{path}")
    refused(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/jsonp", "multipart/form-data"])
def test_only_json(client: httpx.Client, content_type: str) -> None:
    headers = {"Authorization": f"Bearer {token()}", "Content-Type": content_type}
    for path in ("content", "content/dispatch"):
        answer = client.post(f"/api/v1/mcp/{path}", content=json.dumps(message("ping")), headers=headers)
        refused(answer, 415, "unsupported_media_type")


def test_too_large_a_request(client: httpx.Client, evo: Evo) -> None:
    padded = message("tools/call", {"name": "evo.content.search", "arguments": {"limit": 1, "x": "x" * 300_000}})
    refused(evo.post(padded), 413, "payload_too_large")
    refused(evo.post(padded, path="content/dispatch"), 413, "payload_too_large")

    def chunks() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 10_000

    headers = {"Authorization": f"Bearer {token()}", "Content-Type": "application/json"}
    refused(client.post("/api/v1/mcp/content", content=chunks(), headers=headers), 413, "payload_too_large")


def test_too_large_an_answer(evo: Evo) -> None:
    wanted = {"name": "evo.content.search", "arguments": {"limit": 100}}
    refused(evo.post(message("tools/call", wanted)), 413, "result_too_large")
    refused(evo.post(message("tools/call", wanted), path="content/dispatch"), 413, "result_too_large")
    assert evo.call("content.search", limit=20)["meta"]["count"] == 20


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{", -32700),
        ("", -32700),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": NaN}', -32700),
        ("[" * 5000, -32700),
        ("[]", -32600),
        ('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
        ('"ping"', -32600),
        ("null", -32600),
        ('{"id": 1, "method": "ping"}', -32600),
        ('{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": 1}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600),
        ('{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "no/such"}', -32601),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "x"}', -32602),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}', -32602),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": 5}}', -32602),
        (
            '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "evo.model.get", "arguments": 1}}',
            -32602,
        ),
    ],
)
def test_json_rpc_errors_come_with_status_200(client: httpx.Client, body: str, code: int) -> None:
    headers = {"Authorization": f"Bearer {token()}", "Content-Type": "application/json; charset=utf-8"}
    answer = client.post("/api/v1/mcp/content", content=body, headers=headers)
    assert answer.status_code == 200
    assert answer.json()["error"]["code"] == code
    assert answer.json()["jsonrpc"] == "2.0"
    assert "id" in answer.json()


def test_an_unknown_server(evo: Evo) -> None:
    for path in ("other", "other/dispatch", "Content", "%00"):
        answer = evo.post(message("ping"), path=path)
        assert answer.status_code == 200, answer.text
        assert answer.json()["error"]["code"] == -32601


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
def test_handshake_versions(evo: Evo, version: str) -> None:
    answer = evo.post(message("initialize", {"protocolVersion": version}))
    result = answer.json()["result"]
    assert result["protocolVersion"] == version
    assert ("instructions" in result) == (version >= "2025-06-18")
    assert re.fullmatch(r"[!-~]+", answer.headers["mcp-session-id"])


def test_handshake_without_and_with_an_unknown_version(evo: Evo) -> None:
    assert evo.rpc("initialize")["result"]["protocolVersion"] == "2025-11-25"
    error = evo.rpc("initialize", {"protocolVersion": "1999-01-01"})["error"]
    assert error["code"] == -32602
    assert error["data"]["requested"] == "1999-01-01"
    assert "2025-06-18" in error["data"]["supported"]


def test_the_session_is_passed_through(evo: Evo) -> None:
    answer = evo.post(message("ping"), headers={"MCP-Session-Id": "abc-1"})
    assert answer.headers["mcp-session-id"] == "abc-1"
    assert answer.json()["result"] == {}
    assert "mcp-session-id" not in evo.post(message("ping")).headers


def test_notifications_get_no_answer(evo: Evo) -> None:
    for method in ("notifications/initialized", "notifications/cancelled", "ping"):
        answer = evo.post({"jsonrpc": "2.0", "method": method})
        assert answer.status_code == 202
        assert answer.content == b""


def test_tools_are_listed_in_pages(evo: Evo) -> None:
    names: list[str] = []
    params: dict[str, Any] = {"per_page": 5}
    while True:
        page = evo.rpc("tools/list", params)["result"]
        names += [tool["name"] for tool in page["tools"]]
        if "nextCursor" not in page:
            break
        params["cursor"] = page["nextCursor"]
    assert len(names) == len(set(names)) == 14
    for bad in ({"per_page": 0}, {"per_page": 51}, {"cursor": "!"}, {"cursor": 5}):
        assert evo.rpc("tools/list", bad)["error"]["code"] == -32602


def test_the_trace_id_is_the_callers_or_ours(evo: Evo) -> None:
    assert evo.post(message("ping"), headers={"X-Trace-Id": "my-trace.1"}).headers["x-trace-id"] == "my-trace.1"
    answer = evo.server.client.post("/api/v1/mcp/content", json={}, headers={"X-Trace-Id": "t-2"})
    assert refused(answer, 401, "unauthenticated")["trace_id"] == "t-2"
    ours = {
        evo.post(message("ping"), headers={"X-Trace-Id": bad}).headers["x-trace-id"] for bad in ("", "a b", "x" * 200)
    }
    assert len(ours) == 3
    assert all(re.fullmatch(r"[0-9a-f-]{36}", one) for one in ours)


def test_pages_of_other_origins_are_refused_in_the_contracts_form(evo: Evo) -> None:
    refused(evo.post(message("ping"), headers={"Origin": "https://evil.example"}), 403, "forbidden")
    refused(evo.post(message("ping"), headers={"Host": "evil.example"}), 403, "forbidden")


def test_too_many_calls(stand: Stand, tmp_path: Path) -> None:
    with serving(tmp_path / "root", stand.url, jwt_secret=SECRET, rate_limit_per_minute="3") as server:
        evo = Evo(server)
        statuses = [evo.post(message("ping"), user=1).status_code for _ in range(3)]
        assert statuses == [200] * 3
        answer = evo.post(message("ping"), user=1)
        refused(answer, 429, "rate_limited")
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        # others, and other methods, have their own count
        assert evo.post(message("ping"), user=2).status_code == 200
        assert evo.post(message("tools/list"), user=1).status_code == 200


def test_without_a_secret_the_server_is_open_as_all_of_it(stand: Stand, tmp_path: Path) -> None:
    with serving(tmp_path / "root", stand.url) as server:
        answer = server.client.post("/api/v1/mcp/content", json=message("tools/call", CALL))
        assert answer.json()["result"]["structuredContent"]["meta"]["count"] == 2
        hidden = min(stand.made.protected)
        get = message("tools/call", {"name": "evo.content.get", "arguments": {"id": hidden}})
        assert server.client.post("/api/v1/mcp/content", json=get).json()["result"]["structuredContent"]["item"] is None


def test_a_wrong_prefix_is_told_to_the_owner(stand: Stand, tmp_path: Path) -> None:
    env = {"database_url": stand.url, "table_prefix": "wrong_", "jwt_secret": SECRET}
    with serving(tmp_path / "root", **env) as server:
        error = Evo(server).error("content.search", limit=1)
        assert error["code"] == -32603
        assert PREFIX not in error["message"]
        assert any("EVEROS_EMCP__TABLE_PREFIX" in str(line.get("reason")) for line in server.log())
