"""Signing in, agents and their tokens, over real HTTP."""

from __future__ import annotations

import re
import time
from typing import Any

import httpx
import pytest
from embeddings import Endpoint
from gates import NO_KEY, NO_TOKEN, Gate, hidden_fields, new_key, quick, store
from serving import Server

DEVICE = {"platform": "evercli", "clientName": "EverCli", "clientVersion": "1.0", "machineFingerprint": "f" * 64}


def test_login_tells_who_the_key_belongs_to(guarded: Server, alice: Gate) -> None:
    result = Gate(guarded.client).ok("/auth/login", {"apiKey": alice.token})
    assert re.fullmatch(r"acc_[0-9a-f]{16}", result.pop("accountId"))
    assert result == {
        "valid": True,
        "email": "alice",
        "name": "alice",
        "apiKeyPrefix": alice.token[:8],
        "scopes": ["agents", "mem:read", "mem:write"],
        "userId": "default",
        "expiresAt": None,
    }


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"apiKey": NO_KEY}, 401, 30201),
        ({"apiKey": "emk_short"}, 401, 30201),
        ({"apiKey": NO_TOKEN}, 401, 30201),
        ({"apiKey": ""}, 401, 30201),
        ({"apiKey": 7}, 400, 20001),
        ({}, 400, 20001),
        ([], 400, 20001),
    ],
)
def test_bad_keys_are_refused(guarded: Server, body: Any, status: int, code: int) -> None:
    Gate(guarded.client).refused("/auth/login", status, code, body)


def test_what_is_not_a_request_gets_the_envelope_too(guarded: Server) -> None:
    def answer(method: str, path: str, **rest: Any) -> tuple[int, int]:
        got = guarded.client.request(method, f"/api/v1{path}", **rest)
        assert set(got.json()) == {"error", "requestId", "status", "result"}
        return got.status_code, got.json()["status"]

    json_type = {"Content-Type": "application/json"}
    assert answer("GET", "/auth/login") == (405, 20003)
    assert answer("POST", "/auth/nothing") == (404, 20002)
    assert answer("POST", "/auth/login", content=b"{", headers=json_type) == (400, 20001)
    assert answer("POST", "/auth/login", content=b"{}", headers={"Content-Type": "text/plain"}) == (415, 20004)
    assert answer("POST", "/auth/login", json={}, headers={"Host": "evil.example"}) == (403, 30002)


def test_a_key_that_was_revoked_or_has_expired(guarded: Server) -> None:
    key, secret = new_key(guarded.root, "short-lived")
    gate = Gate(guarded.client, secret)
    agent = gate.agent()
    assert agent.ok("/mem/search", {"query": "x"})["items"] == []
    with store(guarded.root) as accounts:
        accounts.revoke_key(key.account.id)
        late = accounts.create_key("late", expires=1)[1]
        _, token = accounts.register_agent(accounts.keys()[0], "p", "late", "n", "", 1)
    assert "ErrApiKeyRevoked" in gate.refused("/mem/search", 401, 30202, {"query": "x"})
    gate.refused("/auth/login", 401, 30202, {"apiKey": secret})
    agent.refused("/mem/search", 401, 30302, {"query": "x"})
    Gate(guarded.client, late).refused("/mem/search", 401, 30203, {"query": "x"})
    Gate(guarded.client, token).refused("/mem/search", 401, 30304, {"query": "x"})


def test_every_route_of_memory_needs_a_token(guarded: Server) -> None:
    for path in ("/mem/search", "/mem/context", "/mem/agent-memory", "/mem/personal", "/mem/sources", "/mem/get"):
        Gate(guarded.client).refused(path, 401, 30001, {})
        Gate(guarded.client, NO_TOKEN).refused(path, 401, 30301, {})
        Gate(guarded.client, NO_KEY).refused(path, 401, 30201, {})
        Gate(guarded.client, "nonsense").refused(path, 401, 30003, {})
    answer = Gate(guarded.client).post("/agents/list")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_the_memory_api_and_mcp_need_a_token_and_health_does_not(guarded: Server) -> None:
    client = guarded.client
    for route in ("add", "flush", "search", "get", "delete", "history", "export", "import"):
        answer = client.post(f"/api/v1/memory/{route}", json={})
        assert (answer.status_code, answer.json()["error"]["code"]) == (401, "HTTP_ERROR")
    for path in ("/mcp/everme", "/mcp/knowledge", "/metrics", "/nowhere"):
        assert client.post(path, json={}).status_code == 401
    for path in ("/health", "/healthz", "/readyz"):
        assert client.get(path).status_code == 200
    assert client.get("/healthz").json() == {"status": "ok"}
    checks = client.get("/readyz").json()["checks"]
    assert checks == {"vault": "ok", "databases": "ok", "index": "ok", "accounts": "ok"}


def test_a_key_with_few_scopes_can_do_little(guarded: Server) -> None:
    reader = Gate(guarded.client, new_key(guarded.root, "reader", ["mem:read"])[1])
    reader.ok("/mem/search", {"query": "x"})
    for path in ("/mem/personal", "/mem/forget", "/mem/uploads/presign"):
        assert "mem:write" in reader.refused(path, 403, 30303, {})
    assert "agents" in reader.refused("/agents", 403, 30303, {})
    headers = {"Authorization": f"Bearer {reader.token}"}
    for route, status in (("add", 403), ("delete", 403), ("import", 403), ("export", 200), ("history", 200)):
        answer = guarded.client.post(f"/api/v1/memory/{route}", json={"user_id": "alice"}, headers=headers)
        assert answer.status_code == status
    assert guarded.client.post("/mcp/everme", json={}, headers=headers).status_code == 400, (
        "tools that read are its own"
    )


def test_an_agent_is_registered_listed_and_disconnected(guarded: Server, alice: Gate, bob: Gate) -> None:
    body = {"platform": "codex", "name": "Codex", "machineFingerprint": "m9", "clientVersion": "2.1"}
    made = alice.ok("/agents", body)
    assert set(made) == {"agentId", "agentToken", "tokenPrefix", "sourceId"}
    assert re.fullmatch(r"agt_[0-9a-f]{16}", made["agentId"])
    assert re.fullmatch(r"evt_[0-9a-f]{32}", made["agentToken"])
    assert made["tokenPrefix"] == made["agentToken"][:8]
    agent = Gate(alice.client, made["agentToken"])
    agent.ok("/mem/context")
    (row,) = alice.ok("/agents/list", {"platform": "codex", "machineFingerprint": "m9"})["items"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", row.pop("createdAt"))
    assert row.pop("lastActiveAt")
    with store(guarded.root) as accounts:
        key = accounts.authenticate(alice.token).actor
    assert row == {
        "id": made["agentId"],
        "platform": "codex",
        "name": "Codex",
        "clientVersion": "2.1",
        "machineFingerprint": "m9",
        "tokenPrefix": made["tokenPrefix"],
        "connectionStatus": "connected",
        "keyId": key,
    }
    assert alice.ok("/agents/list", {"platform": "nothing"})["items"] == []
    assert made["agentId"] not in [row["id"] for row in bob.ok("/agents/list")["items"]]
    bob.refused("/agents/revoke", 404, 40101, {"agentId": made["agentId"]})
    agent.refused("/agents/list", 403, 30303)
    assert alice.ok("/agents/revoke", {"agentId": made["agentId"]})["connectionStatus"] == "disconnected"
    agent.refused("/mem/context", 401, 30302)
    again = alice.ok("/agents", body)
    assert again["agentId"] == made["agentId"]
    Gate(alice.client, again["agentToken"]).ok("/mem/context")
    for missing in ("platform", "name", "machineFingerprint"):
        alice.refused("/agents", 400, 20001, {name: value for name, value in body.items() if name != missing})


def begun(gate: Gate) -> dict[str, Any]:
    result = gate.ok("/auth/device", DEVICE)
    assert set(result) == {"deviceCode", "userCode", "verificationUrl", "expiresIn", "interval"}
    assert result["verificationUrl"].endswith(f"/device?code={result['userCode']}")
    assert (result["expiresIn"], result["interval"]) == (900, 5)
    return result


def poll(gate: Gate, started: dict[str, Any]) -> httpx.Response:
    return gate.post("/auth/token", {"deviceCode": started["deviceCode"], "grantType": "device_code"})


def page_form(client: httpx.Client, started: dict[str, Any]) -> dict[str, str]:
    page = client.get(started["verificationUrl"])
    assert page.status_code == 200
    assert started["userCode"] in page.text
    assert "EverCli" in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    return hidden_fields(page.text)


def test_a_device_is_approved_on_the_page_with_the_account_key(guarded: Server, alice: Gate) -> None:
    anyone = Gate(guarded.client)
    started = begun(anyone)
    assert poll(anyone, started).json()["result"] == {"status": "pending", "interval": 5}
    slow = poll(anyone, started)
    assert (slow.status_code, slow.json()["status"], slow.headers["retry-after"]) == (429, 30104, "5")
    form = page_form(guarded.client, started)
    wrong = guarded.client.post("/device", data={**form, "key": NO_KEY, "decision": "approve"})
    assert wrong.status_code == 403
    assert "Not approved" in wrong.text
    done = guarded.client.post("/device", data={**form, "key": alice.token, "decision": "approve"})
    assert done.status_code == 200
    assert "signed in" in done.text
    result = poll(anyone, started).json()["result"]
    assert set(result) == {"status", "apiKey", "apiKeyPrefix", "agentId", "agentToken", "isNewKey", "scopes"}
    assert result["status"] == "approved"
    assert result["apiKeyPrefix"] == result["apiKey"][:8]
    who = anyone.ok("/auth/login", {"apiKey": result["apiKey"]})
    assert who["accountId"] == anyone.ok("/auth/login", {"apiKey": alice.token})["accountId"]
    Gate(guarded.client, result["agentToken"]).ok("/mem/context")
    assert poll(anyone, started).json()["status"] == 30101, "handed out once"


def test_no_key_makes_a_credential_that_may_more_or_lives_longer(guarded: Server) -> None:
    ends = int(time.time() * 1000) + 60_000
    with store(guarded.root) as accounts:
        limited = Gate(guarded.client, accounts.create_key("limited", scopes=["agents"], expires=ends)[1])
    anyone = Gate(guarded.client)
    started = begun(anyone)
    form = page_form(guarded.client, started)
    guarded.client.post("/device", data={**form, "key": limited.token, "decision": "approve"})
    result = poll(anyone, started).json()["result"]
    assert result["scopes"] == ["agents"]
    who, made = (anyone.ok("/auth/login", {"apiKey": key}) for key in (limited.token, result["apiKey"]))
    assert made["expiresAt"] == who["expiresAt"]
    for agent in (limited.agent(), Gate(guarded.client, result["agentToken"])):
        for path in ("/mem/search", "/mem/context", "/mem/personal"):
            agent.refused(path, 403, 30303, {"query": "x"})


def test_a_device_may_be_refused_on_the_page(guarded: Server, alice: Gate) -> None:
    anyone = Gate(guarded.client)
    started = begun(anyone)
    form = page_form(guarded.client, started)
    guarded.client.post("/device", data={**form, "key": alice.token, "decision": "deny"})
    answer = poll(anyone, started)
    assert (answer.status_code, answer.json()["status"]) == (403, 30103)


def test_no_other_page_can_approve_a_device(guarded: Server, alice: Gate) -> None:
    anyone = Gate(guarded.client)
    started = begun(anyone)
    form = page_form(guarded.client, started)
    good = {**form, "key": alice.token, "decision": "approve"}
    for headers in ({"Origin": "http://localhost:1"}, {"Sec-Fetch-Site": "cross-site"}):
        assert guarded.client.post("/device", data=good, headers=headers).status_code == 403
    assert guarded.client.post("/device", data={**good, "stamp": "0" * 64}).status_code == 403
    assert guarded.client.post("/device", data={**good, "code": "BBBB-BBBB"}).status_code == 404
    assert guarded.client.get("/device", params={"code": "<script>"}).status_code == 404
    assert "<script>" not in guarded.client.get("/device", params={"code": "<script>"}).text
    assert guarded.client.get("/device").status_code == 200
    assert poll(anyone, started).json()["result"]["status"] == "pending"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"deviceCode": "dev_nobody", "grantType": "device_code"}, 30101),
        ({"deviceCode": "dev_nobody", "grantType": "password"}, 20001),
        ({"deviceCode": "dev_nobody"}, 20001),
    ],
)
def test_unknown_codes_and_grants(guarded: Server, body: dict[str, str], code: int) -> None:
    Gate(guarded.client).refused("/auth/token", 400, code, body)


def test_requests_and_attempts_are_limited_and_audited(start: Any, vectors: Endpoint) -> None:
    env = {"EVEROS_AUTH__ENABLED": "true", "EVEROS_AUTH__REQUESTS_PER_MINUTE": "5"} | quick(vectors)
    server: Server = start(env | {"EVEROS_AUTH__ATTEMPTS_PER_MINUTE": "4", "EVEROS_AUTH__AGENT_TOKEN_DAYS": "1"})
    _, secret = new_key(server.root, "limited")
    gate = Gate(server.client, secret)
    answers = [gate.post("/mem/list") for _ in range(7)]
    assert [answer.status_code for answer in answers[:5]] == [200] * 5
    last = answers[-1]
    assert (last.status_code, last.json()["status"]) == (429, 20005)
    assert 0 < int(last.headers["retry-after"]) <= 60
    guesses = [Gate(server.client).post("/auth/login", {"apiKey": NO_KEY}).status_code for _ in range(6)]
    assert guesses[:4] == [401] * 4
    assert guesses[-1] == 429
    assert Gate(server.client, NO_TOKEN).post("/mem/list").status_code == 429
    _, other = new_key(server.root, "other")
    assert Gate(server.client, other).post("/mem/list").status_code == 200, "a good token is not kept out by bad ones"
    assert Gate(server.client).post("/auth/login", {"apiKey": other}).status_code == 200
    with store(server.root) as accounts:
        assert [event.outcome for event in accounts.events(5)] == ["ok"] + ["key_invalid"] * 4


def test_the_audit_log_names_what_was_done(guarded: Server, bob: Gate) -> None:
    made = bob.ok("/agents", {"platform": "p", "name": "n", "machineFingerprint": "audit"})
    bob.ok("/agents/revoke", {"agentId": made["agentId"]})
    with store(guarded.root) as accounts:
        events = [event for event in accounts.events(100) if event.target == made["agentId"]]
    assert [event.action for event in events] == ["agent.revoke", "agent.register"]
    assert all(event.actor.startswith("key_") and event.address == "127.0.0.1" for event in events)
