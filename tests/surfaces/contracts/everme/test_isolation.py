"""Two accounts on one server never see or change each other's memories, whichever way they try."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from gates import Gate
from serving import Server

AT = 1_780_000_000_000
WORD = "pangolin"
"""What only alice knows."""
SESSION = "alices-session"
TURNS = [
    {"role": "user", "timestamp": AT, "content": f"Feed the {WORD} in the greenhouse, please."},
    {
        "role": "assistant",
        "timestamp": AT + 1000,
        "content": "I will open the hatch.",
        "toolCalls": [{"id": "c1", "name": "hatch", "arguments": f'{{"animal": "{WORD}"}}'}],
    },
    {"role": "tool", "timestamp": AT + 2000, "toolCallId": "c1", "content": f"{WORD} fed"},
    {"role": "assistant", "timestamp": AT + 3000, "content": f"The {WORD} was fed through the hatch."},
]


class Known:
    """Alice, everything of hers that has a name, and the others' ways to ask for it."""

    def __init__(self, server: Server, alice: Gate) -> None:
        self.server, self.alice = server, alice
        self.account = alice.ok("/auth/login", {"apiKey": alice.token})["accountId"]
        made = alice.ok("/agents", {"platform": "p", "name": "n", "machineFingerprint": "iso"})
        self.agent_id, self.agent = made["agentId"], Gate(server.client, made["agentToken"])
        self.agent.ok("/mem/agent-memory", {"conversationId": SESSION, "messages": TURNS})
        said = {"role": "user", "timestamp": AT, "content": f"I keep a {WORD} called Ada."}
        self.agent.ok("/mem/personal", {"conversationId": SESSION, "messages": [said]})
        waiting = [{**said, "content": f"The {WORD} sleeps.", "timestamp": AT + 9}]
        self.agent.ok("/mem/agent-memory", {"conversationId": "waiting", "messages": waiting, "flush": False})
        message = {"sender_id": "alice", "role": "user", "timestamp": AT, "content": f"The {WORD} likes ants."}
        for route, more in (("add", {"messages": [message]}), ("flush", {})):
            body = {"session_id": "api", "app_id": "zoo", "project_id": "ants"} | more
            answer = everos(server, alice, route, body)
            assert answer.status_code == 200, answer.text
        self.ids = list(self._ids())
        assert len(self.ids) >= 6
        self.upload = alice.ok("/mem/uploads/presign", upload_body())

    def _ids(self) -> Iterator[str]:
        found = self.alice.ok("/mem/search", {"query": WORD, "topK": 50})
        for item in found["items"]:
            yield item["id"]
            yield from (fact["id"] for fact in item["atomicFacts"])
        yield from (case["id"] for case in found["agentMemory"]["cases"])
        yield "profile_default"

    def whole(self) -> list[str]:
        """Everything that she has, in order."""
        kinds = ("episodic_memory", "profile", "agent_case", "agent_skill")
        pages = [self.alice.ok("/mem/list", {"memoryType": kind, "pageSize": 100}) for kind in kinds]
        api = everos(self.server, self.alice, "get", api_body("get", "alice", "zoo", "ants")).json()["data"]
        return [json.dumps(page, sort_keys=True) for page in (*pages, api)]


@pytest.fixture(scope="module")
def known(guarded: Server, keys: dict[str, str]) -> Known:
    return Known(guarded, Gate(guarded.client, keys["alice"]))


@pytest.fixture(params=["bob", "owner", "agent of bob", "agent of owner"])
def other(request: pytest.FixtureRequest, guarded: Server, keys: dict[str, str]) -> Gate:
    *kind, name = request.param.split(" of ")
    gate = Gate(guarded.client, keys[name])
    return gate.agent("p", "iso") if kind else gate


def everos(server: Server, gate: Gate, route: str, body: dict[str, Any]) -> httpx.Response:
    headers = {"Authorization": f"Bearer {gate.token}"}
    return server.client.post(f"/api/v1/memory/{route}", json=body, headers=headers)


def api_body(route: str, user: str, app: str, project: str) -> dict[str, Any]:
    body = {"user_id": user, "app_id": app, "project_id": project}
    return body | ({"query": WORD} if route == "search" else {"memory_type": "episode"})


def upload_body() -> dict[str, Any]:
    content = f"The {WORD} is shy.".encode()
    digest = hashlib.sha256(content).hexdigest()
    return {"fileName": "a", "contentType": "text/plain", "sizeBytes": len(content), "contentHash": digest}


def test_the_memory_api_shows_nothing_of_anothers(known: Known, other: Gate) -> None:
    users = ("default", "alice", known.agent_id, f"{known.account}.default", "../alice")
    apps = ("default", "zoo", known.account, f"{known.account}.default", f"{known.account}.zoo")
    for user, app, project in itertools.product(users, apps, ("default", "ants")):
        for route in ("search", "get"):
            body = api_body(route, user, app, project)
            answer = everos(known.server, other, route, body)
            assert answer.status_code in (200, 422), answer.text
            assert WORD not in answer.text.replace(f'"{WORD}"', ""), body
            assert known.account not in json.dumps(answer.json().get("data", {})).replace(f'"{app}"', "")
        agent = {"agent_id": user, "app_id": app, "project_id": project}
        for route, more in (("search", {"query": WORD}), ("get", {"memory_type": "agent_case"})):
            assert WORD not in everos(known.server, other, route, agent | more).text


@pytest.mark.parametrize(
    "filters",
    [
        {"session_id": SESSION},
        {"session_id": {"in": [SESSION, "api", "waiting"]}},
        {"OR": [{"session_id": SESSION}, {"timestamp": {"gt": 0}}]},
        {"AND": [{"sender_id": {"ne": "x"}}]},
        {"session_id": "waiting"},
        {"session_id": "' OR 1=1 --"},
    ],
)
def test_no_filter_leads_to_anothers_memories(known: Known, other: Gate, filters: dict[str, Any]) -> None:
    for user in ("default", "alice"):
        answer = everos(known.server, other, "search", {"user_id": user, "query": "hatch", "filters": filters})
        assert answer.status_code in (200, 422)
        assert WORD not in answer.text, "neither as a memory nor as a message that waits"
    assert WORD not in other.post("/mem/search", {"query": "hatch greenhouse", "filter": filters}).text


def test_the_gateway_shows_nothing_of_anothers(known: Known, other: Gate) -> None:
    for query in (WORD, f"{WORD} greenhouse hatch ants Ada"):
        found = other.ok("/mem/search", {"query": query, "topK": 50})
        assert WORD not in json.dumps(found)
    assert WORD not in json.dumps(other.ok("/mem/context", {"query": "greenhouse hatch", "forceRefresh": True}))
    for kind in ("episodic_memory", "profile", "agent_case", "agent_skill"):
        assert WORD not in json.dumps(other.ok("/mem/list", {"memoryType": kind, "pageSize": 100}))


def test_no_id_fetches_or_removes_anothers_memory(known: Known, other: Gate) -> None:
    before = known.whole()
    for ident in known.ids:
        answer = other.post("/mem/get", {"id": ident})
        assert WORD not in answer.text
        if WORD in json.dumps(known.alice.ok("/mem/get", {"id": ident})) and ident != "profile_default":
            own = {one["item"]["id"] for one in other.ok("/mem/list", {"pageSize": 100})["items"]}
            if ident not in own:  # ids count within an owner, so another account may have one that reads the same
                other.post("/mem/forget", {"id": ident})
        for user, app in itertools.product(("default", "alice", known.agent_id), ("nowhere", f"{known.account}.zoo")):
            body = {"id": ident, "app_id": app}
            for owner in ({"user_id": user}, {"agent_id": user}):
                assert everos(known.server, other, "delete", body | owner).status_code in (404, 422)
    assert known.whole() == before


def test_nothing_is_written_into_anothers_sessions(known: Known, other: Gate) -> None:
    before = known.whole()
    intruder = {"role": "user", "timestamp": AT + 5, "content": "The intruder was here."}
    other.ok("/mem/agent-memory", {"conversationId": SESSION, "messages": [intruder]})
    other.ok("/mem/personal", {"conversationId": "waiting", "messages": [intruder]})
    message = {**intruder, "sender_id": "alice"}
    for app in ("zoo", f"{known.account}.zoo"):
        body = {"session_id": "api", "app_id": app, "project_id": "ants", "messages": [message]}
        everos(known.server, other, "add", body)
        everos(known.server, other, "flush", {name: body[name] for name in ("session_id", "app_id", "project_id")})
    assert known.whole() == before
    waiting = known.alice.ok("/mem/search", {"query": "sleeps"})["rawMessages"]
    assert [raw["sessionId"] for raw in waiting] == ["waiting"], "and her messages still wait"


def test_files_of_the_vault_are_not_read_for_anyone(known: Known, other: Gate) -> None:
    hers = [path for path in known.server.root.rglob("*.md") if WORD in path.read_text(encoding="utf-8")]
    assert any(path.relative_to(known.server.root).parts[0].startswith(known.account) for path in hers)
    for path in hers:
        item = [{"type": "md", "uri": Path(path).as_uri()}]
        message = {"sender_id": "u", "role": "user", "timestamp": AT, "content": item}
        assert everos(known.server, other, "add", {"session_id": "f", "messages": [message]}).status_code == 415
        body = {"conversationId": "f", "messages": [{"role": "user", "content": item}]}
        other.refused("/mem/agent-memory", 400, 20001, body)


def test_agents_and_uploads_are_the_accounts_own(known: Known, other: Gate) -> None:
    listed = other.post("/agents/list")
    assert known.agent_id not in listed.text
    assert other.post("/agents/revoke", {"agentId": known.agent_id}).status_code in (403, 404)
    known.agent.ok("/mem/context")
    httpx.put(known.upload["uploadUrl"], content=f"The {WORD} is shy.".encode())
    announced = upload_body()
    body = {name: announced[name] for name in ("sizeBytes", "contentHash")}
    other.refused("/mem/sources", 404, 40102, body | {"objectKey": known.upload["objectKey"], "title": "t"})


def mcp(gate: Gate, body: dict[str, Any], session: str = "", toolset: str = "everme") -> httpx.Response:
    headers = {"Authorization": f"Bearer {gate.token}", "Accept": "application/json, text/event-stream"}
    headers |= {"Mcp-Session-Id": session, "Mcp-Protocol-Version": "2025-06-18"} if session else {}
    return gate.client.post(f"/mcp/{toolset}", json={"jsonrpc": "2.0", **body}, headers=headers)


def opened(gate: Gate, toolset: str = "everme") -> str:
    info = {"name": "t", "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
    answer = mcp(gate, {"id": 1, "method": "initialize", "params": params}, toolset=toolset)
    session = answer.headers["mcp-session-id"]
    mcp(gate, {"method": "notifications/initialized"}, session, toolset)
    return session


def test_mcp_over_http_sees_what_its_token_may_see(known: Known, other: Gate) -> None:
    hers, theirs = opened(known.agent), opened(other)

    def tool(gate: Gate, session: str, name: str, **arguments: Any) -> str:
        params = {"name": name, "arguments": arguments}
        return mcp(gate, {"id": 2, "method": "tools/call", "params": params}, session).text

    def read(gate: Gate, session: str, uri: str) -> str:
        return mcp(gate, {"id": 3, "method": "resources/read", "params": {"uri": uri}}, session).text

    assert "Ada" in tool(known.agent, hers, "mem_search", query=WORD)
    assert WORD in read(known.agent, hers, "mem://profile")
    for session in (theirs, hers):  # also in a session that is not theirs, if they ever learnt its name
        assert "Ada" not in tool(other, session, "mem_search", query=WORD, topK=50)
        assert WORD not in tool(other, session, "mem_context", query="greenhouse hatch")
        assert WORD not in read(other, session, "mem://profile")
        assert "Ada" not in read(other, session, f"mem://search?q={WORD}&topK=50")
    before = known.whole()
    for name, more in (("mem_save_fact", {"fact": "I am the intruder."}), ("mem_save_turn", {"text": "Intruder!"})):
        for session in (theirs, hers):
            tool(other, session, name, sessionKey=SESSION, **more)
    assert known.whole() == before


def test_notes_and_records_are_the_accounts_own(known: Known, other: Gate) -> None:
    def call(gate: Gate, toolset: str, tool: str, **arguments: Any) -> str:
        params = {"name": tool, "arguments": arguments}
        session = opened(gate, toolset)
        return mcp(gate, {"id": 2, "method": "tools/call", "params": params}, session, toolset).text

    hers = known.alice
    stored = call(hers, "knowledge", "store_memory", content=f"The {WORD} bites.")
    note = json.loads(json.loads(stored.split("data: ")[-1])["result"]["content"][0]["text"])["id"]
    record = {"type": "note", "content": {"text": f"{WORD} diet"}, "source": "zoo", "confidence": 1}
    made = call(hers, "records", "memory_create", **record)
    [item] = json.loads(json.loads(made.split("data: ")[-1])["result"]["content"][0]["text"])["items"]
    assert WORD in call(hers, "knowledge", "get_memory", id=note)
    for tool, arguments in (
        ("get_memory", {"id": note}),
        ("update_memory", {"id": note, "content": "gone"}),
        ("delete_memory", {"id": note}),
        ("invalidate", {"id": note}),
        ("list_memories", {}),
        ("get_valid", {"user_id": "default"}),
        ("search_text", {"query": "bites"}),
        ("recall", {"query": "bites", "include_code": True}),
        ("index_project", {"path": str(known.server.root)}),
        ("search_code", {"query": "bites"}),
        ("list_projects", {}),
        ("reset_all_memory", {"confirm": True}),
    ):
        assert WORD not in call(other, "knowledge", tool, **arguments), tool
    assert "owner" in call(other, "knowledge", "index_project", path=str(known.server.root))
    assert WORD not in call(other, "records", "memory_list")
    read = {"id": 3, "method": "resources/read", "params": {"uri": f"mem://item/{item['id']}"}}
    assert WORD not in mcp(other, read, opened(other, "records"), "records").text
    assert WORD in call(hers, "knowledge", "get_memory", id=note)
    assert item["id"] in call(hers, "records", "memory_list")


def test_health_and_numbers_tell_nothing_of_an_account(known: Known, other: Gate) -> None:
    broken = next(known.server.root.glob(f"{known.account}.zoo/**/episode-*.md"))
    text = broken.read_text(encoding="utf-8")
    client = known.server.client
    headers = {"Authorization": f"Bearer {other.token}"}
    shown = client.get("/health").text + client.get("/metrics", headers=headers).text + client.get("/readyz").text
    for secret in (WORD, known.account, known.agent_id, "alice"):
        assert secret not in shown
    assert broken.read_text(encoding="utf-8") == text
