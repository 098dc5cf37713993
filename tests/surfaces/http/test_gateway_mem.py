"""The memory routes of the gateway, request by request and field by field, as the published plugins use them."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from gates import Gate, new_key
from serving import Server

AT = 1_780_000_000_000  # 2026-05-28T20:26:40Z
TOOL_TURNS = [
    {"role": "user", "timestamp": AT, "content": "Rotate the nginx logs on the staging host, please."},
    {
        "role": "assistant",
        "timestamp": AT + 1000,
        "content": "I will run logrotate.",
        "toolCalls": [{"id": "call_1", "type": "function", "name": "shell", "arguments": '{"cmd": "logrotate -f"}'}],
    },
    {"role": "tool", "timestamp": AT + 2000, "toolCallId": "call_1", "content": "rotated 3 files"},
    {"role": "assistant", "timestamp": AT + 3000, "content": "Done: the nginx logs were rotated with logrotate -f."},
]

BOTH = "How do I take my coffee, and how did we rotate the nginx logs on the staging host?"
"""What fits neither conversation of the agent is not shown; this asks for both."""


def said(text: str, at: int = AT, role: str = "user") -> dict[str, Any]:
    return {"role": role, "timestamp": at, "content": text}


def until(agent: Gate, path: str, body: dict[str, Any], enough: Any) -> dict[str, Any]:
    deadline = time.monotonic() + 120
    while True:
        result = agent.ok(path, body)
        if enough(result) or time.monotonic() > deadline:
            assert enough(result), result
            return result
        time.sleep(0.1)


@pytest.fixture(scope="module")
def agent(guarded: Server, keys: dict[str, str]) -> Gate:
    """An agent of an account that has said a few things."""
    agent = Gate(guarded.client, keys["alice"]).agent("claude-code", "mem")
    saved = agent.ok("/mem/agent-memory", {"conversationId": "s-tools", "messages": TOOL_TURNS, "flush": True})
    assert saved == {"status": "extracted", "messageCount": 4, "flushed": True}
    fact = {"conversationId": "s-fact", "messages": [said("I take my coffee iced.", AT + 9000)], "flush": True}
    saved = agent.ok("/mem/personal", fact)
    assert saved == {"status": "extracted", "messageCount": 1, "flushed": True, "extracted": True}
    return agent


def test_search_shows_episodes_with_their_facts(agent: Gate) -> None:
    found = until(agent, "/mem/search", {"query": "nginx logs", "topK": 5}, lambda r: r["items"])
    assert set(found) == {"items", "profiles", "rawMessages", "agentMemory"}
    best = found["items"][0]
    assert re.fullmatch(r"default_ep_20260528_\d{8}", best["id"])
    assert best["type"] == "episodic_memory"
    assert (best["userId"], best["sessionId"], best["timestamp"]) == ("default", "s-tools", "2026-05-28T20:26:43Z")
    assert "default" in best["senderIds"]
    assert 0 < best["score"] <= 1
    for name in ("subject", "summary", "episode"):
        assert isinstance(best[name], str)
        assert best[name]
    assert any("nginx" in fact["content"] for fact in best["atomicFacts"])
    assert set(best["atomicFacts"][0]) == {"id", "content", "score"}


def test_search_shows_cases_of_the_agent(agent: Gate) -> None:
    found = until(agent, "/mem/search", {"query": "rotate nginx logs"}, lambda r: r["agentMemory"]["cases"])
    (case,) = found["agentMemory"]["cases"]
    assert re.fullmatch(r"agt_[0-9a-f]{16}_ac_20260528_\d{8}", case["id"])
    assert case["id"].startswith(case["agentId"])
    assert "nginx" in case["taskIntent"]
    assert "logrotate" in case["approach"]
    assert set(case) == {
        "id",
        "agentId",
        "sessionId",
        "timestamp",
        "taskIntent",
        "approach",
        "qualityScore",
        "keyInsight",
        "score",
    }
    assert isinstance(found["agentMemory"]["skills"], list)


def test_search_shows_lines_of_the_profile_as_plugins_read_them(agent: Gate) -> None:
    found = until(agent, "/mem/search", {"query": "coffee"}, lambda r: r["profiles"])
    (line,) = found["profiles"]
    assert line["userId"] == "default"
    data = line["profileData"]
    assert "coffee" in data["embed_text"]
    assert data["item_type"] == "explicit_info"
    assert data["evidence"].startswith("2026-05-28: ")


def test_lines_of_the_profile_and_episodes_have_one_scale(agent: Gate) -> None:
    """A statement is in the profile and in its episode, and each says as much about the query."""
    found = until(agent, "/mem/search", {"query": "coffee"}, lambda r: r["profiles"] and r["items"])
    assert found["profiles"][0]["score"] == pytest.approx(found["items"][0]["score"], abs=0.1)


def test_raw_messages_are_found_before_they_are_extracted(agent: Gate) -> None:
    body = {"conversationId": "s-raw", "messages": [said("The zeppelin lands at noon.")], "flush": False}
    assert agent.ok("/mem/agent-memory", body) == {"status": "accumulated", "messageCount": 1, "flushed": False}
    found = agent.ok("/mem/search", {"query": "zeppelin"})
    (raw,) = found["rawMessages"]
    assert raw.pop("id").startswith("m_")
    assert raw == {
        "sessionId": "s-raw",
        "senderId": "default",
        "senderName": "User",
        "role": "user",
        "timestamp": "2026-05-28T20:26:40Z",
        "contentItems": [{"type": "text", "text": "The zeppelin lands at noon."}],
    }
    assert agent.ok("/mem/search", {"query": "zeppelin", "memoryTypes": ["profile"]})["rawMessages"] == []
    for narrow, count in (
        ({"session_id": "s-raw"}, 1),
        ({"session_id": {"ne": "s-raw"}}, 0),
        ({"OR": [{"sender_id": "nobody"}, {"timestamp": {"gte": AT, "lt": AT + 1}}]}, 1),
        ({"timestamp": {"gt": AT}}, 0),
        ({"parent_id": "mc_1"}, 0),
    ):
        assert len(agent.ok("/mem/search", {"query": "zeppelin", "filter": narrow})["rawMessages"]) == count, narrow


def test_only_the_types_asked_for_are_searched(agent: Gate) -> None:
    every = until(agent, "/mem/search", {"query": BOTH}, lambda r: r["items"] and r["agentMemory"]["cases"])
    for query in (BOTH, "coffee"):
        found = agent.ok("/mem/search", {"query": query, "memoryTypes": ["agent_memory"]})
        assert (found["items"], found["profiles"], found["rawMessages"]) == ([], [], [])
        assert found["agentMemory"]["cases"] == (every["agentMemory"]["cases"] if query == BOTH else [])


def test_filters_narrow_and_time_orders(agent: Gate) -> None:
    only = agent.ok("/mem/search", {"query": BOTH, "filter": {"session_id": "s-fact"}})["items"]
    assert {item["sessionId"] for item in only} == {"s-fact"}
    assert agent.ok("/mem/search", {"query": "coffee"})["profiles"]
    for narrow in ({"session_id": "s-fact"}, {"OR": [{"session_id": {"in": ["s-fact", "s-tools"]}}]}):
        assert agent.ok("/mem/search", {"query": "coffee", "filter": narrow})["profiles"] == []
    newest = agent.ok("/mem/search", {"query": BOTH, "rankBy": "time"})["items"]
    assert [item["sessionId"] for item in newest] == ["s-fact", "s-tools"]
    assert [item["timestamp"] for item in newest] == sorted((i["timestamp"] for i in newest), reverse=True)
    agent.refused("/mem/search", 400, 20001, {"query": "x", "filter": {"nonsense": 1}})
    agent.refused("/mem/search", 400, 20001, {"query": "x", "rankBy": "magic"})


@pytest.mark.parametrize("top_k", [0, -3, None])
def test_a_top_k_that_is_not_positive_means_the_default(agent: Gate, top_k: int | None) -> None:
    assert len(agent.ok("/mem/search", {"query": "nginx coffee", "topK": top_k})["items"]) <= 5


@pytest.mark.parametrize("query", ["", "   ", "x" * 1025, None, 7])
def test_bad_queries_are_refused(agent: Gate, query: Any) -> None:
    agent.refused("/mem/search", 400, 20001, {"query": query})
    agent.ok("/mem/search", {"query": "ü" * 1024})


def test_a_question_about_nothing_known_finds_nothing(agent: Gate) -> None:
    found = agent.ok("/mem/search", {"query": "xylophone"})
    assert (found["items"], found["profiles"], found["rawMessages"]) == ([], [], [])


def test_a_question_about_one_thing_finds_nothing_else(agent: Gate) -> None:
    found = until(agent, "/mem/search", {"query": "How do I take my coffee?"}, lambda r: r["items"])
    assert [item["sessionId"] for item in found["items"]] == ["s-fact"]


def test_context_is_profile_and_markdown(agent: Gate) -> None:
    result = until(agent, "/mem/context", {}, lambda r: r["profile"])
    assert set(result) == {"profile", "context", "memoryCount", "cachedAt", "generatedAt"}
    (info,) = [info for info in result["profile"]["explicit_info"] if "coffee" in info["description"]]
    assert set(info) == {"category", "description", "evidence"}
    assert isinstance(result["profile"]["implicit_traits"], list)
    assert "said 2026-05-28" in result["context"]
    assert "no instructions" in result["context"]
    assert result["memoryCount"] == result["context"].count("\n- ")
    assert agent.ok("/mem/context", {"forceRefresh": True, "query": None})["profile"] == result["profile"]
    assert "logrotate" in agent.ok("/mem/context", {"query": "nginx logs"})["context"]


def test_context_fits_its_budget(agent: Gate) -> None:
    small = agent.ok("/mem/context", {"query": BOTH, "tokenBudget": 150})["context"]
    large = agent.ok("/mem/context", {"query": BOTH, "tokenBudget": 3000})["context"]
    assert len(small) / 4 <= 150
    assert "did not fit" in small
    assert len(large) > len(small)
    agent.refused("/mem/context", 400, 20001, {"tokenBudget": 1})


def test_an_account_that_knows_nothing_has_no_profile(guarded: Server) -> None:
    result = Gate(guarded.client, new_key(guarded.root, "new")[1]).ok("/mem/context", {})
    assert (result["profile"], result["context"], result["memoryCount"]) == (None, "", 0)


@pytest.mark.parametrize(
    "messages",
    [
        [],
        None,
        [{"role": "system", "content": "x"}],
        [{"role": "user"}],
        [{"role": "tool", "content": "no id"}],
        [{"role": "user", "content": "x" * 8001}],
        [{"role": "user", "content": {"a": 1}}],
        [{"role": "user", "content": [{"text": "no type"}]}],
        [{"role": "user", "content": "x", "timestamp": -5}],
        [{"role": "user", "content": [{"type": "md", "uri": "file:///etc/hostname"}]}],
    ],
)
def test_bad_messages_are_refused_whole(agent: Gate, messages: Any) -> None:
    body = {"conversationId": "s-bad", "messages": [said("fine"), *messages] if messages else messages}
    agent.refused("/mem/agent-memory", 400, 20001, body)
    assert "s-bad" not in {raw["sessionId"] for raw in agent.ok("/mem/search", {"query": "fine"})["rawMessages"]}


@pytest.mark.parametrize("conversation", ["", None, "x" * 129])
def test_bad_conversations_are_refused(agent: Gate, conversation: Any) -> None:
    for path in ("/mem/agent-memory", "/mem/personal"):
        agent.refused(path, 400, 20001, {"conversationId": conversation, "messages": [said("x")]})


def test_facts_are_of_people_only(agent: Gate) -> None:
    for message in (
        {"role": "tool", "toolCallId": "c", "content": "x"},
        {"role": "assistant", "content": "x", "toolCalls": [{"id": "c", "name": "f", "arguments": "{}"}]},
    ):
        agent.refused("/mem/personal", 400, 20001, {"conversationId": "s", "messages": [message]})
    body = {"conversationId": "s-later", "messages": [said("I own a llama.")], "flush": False}
    assert agent.ok("/mem/personal", body) == {
        "status": "accumulated",
        "messageCount": 1,
        "flushed": False,
        "extracted": False,
    }


def test_a_repeated_batch_is_stored_once(agent: Gate) -> None:
    body = {"conversationId": "s-twice", "messages": [said("The gazebo is green.")], "flush": True}
    assert agent.ok("/mem/agent-memory", body)["status"] == "extracted"
    assert agent.ok("/mem/agent-memory", body)["status"] == "no_extraction"
    found = until(agent, "/mem/search", {"query": "gazebo"}, lambda r: r["items"])
    assert len([item for item in found["items"] if item["sessionId"] == "s-twice"]) == 1


def test_messages_may_come_in_the_other_forms_that_hosts_use(agent: Gate) -> None:
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Paint the boathouse."}]},
        {"role": "assistant", "toolCalls": [{"id": "c", "function": {"name": "f", "arguments": {"x": 1}}}]},
        {"role": "toolResult", "toolCallId": "c", "content": "painted"},
        {"role": "assistant", "content": "The boathouse is painted."},
    ]
    saved = agent.ok("/mem/agent-memory", {"conversationId": "s-forms", "messages": messages})
    assert saved == {"status": "extracted", "messageCount": 4, "flushed": True}


def test_a_memory_is_fetched_listed_and_forgotten(alice: Gate) -> None:
    body = {"conversationId": "s-forget", "messages": [said("My locker code is on the fridge.")], "flush": True}
    alice.ok("/mem/agent-memory", body)
    found = until(alice, "/mem/search", {"query": "locker fridge"}, lambda r: r["items"])
    (item,) = [item for item in found["items"] if item["sessionId"] == "s-forget"]
    fetched = alice.ok("/mem/get", {"id": item["id"]})
    assert fetched["type"] == "episodic_memory"
    found_only = ("score", "atomicFacts", "passages")
    assert fetched["item"] == {name: value for name, value in item.items() if name not in found_only}
    fact = alice.ok("/mem/get", {"id": item["atomicFacts"][0]["id"]})
    assert fact["type"] == "fact"
    assert set(fact["item"]) == {"id", "userId", "sessionId", "timestamp", "content"}
    assert alice.ok("/mem/get", {"id": "profile_default"})["type"] == "profile"
    page = alice.ok("/mem/list", {"pageSize": 100})
    assert item["id"] in [one["item"]["id"] for one in page["items"]]
    assert page["totalCount"] == len(page["items"])
    first = alice.ok("/mem/list", {"pageSize": 1})
    second = alice.ok("/mem/list", {"pageSize": 1, "page": 2})
    assert [one["items"][0] for one in (first, second)] == page["items"][:2]
    assert alice.ok("/mem/forget", {"id": item["id"]})["deleted"] >= 2
    alice.refused("/mem/forget", 404, 40101, {"id": item["id"]})
    alice.refused("/mem/get", 404, 40101, {"id": item["id"]})
    after = alice.ok("/mem/search", {"query": "locker fridge"})
    assert "s-forget" not in {one["sessionId"] for one in after["items"]}


def test_what_the_gateway_saves_the_memory_api_finds(guarded: Server, owner: Gate) -> None:
    """And the other way round, for the owner of the vault also without any mapping of names."""
    owner.ok("/mem/personal", {"conversationId": "s", "messages": [said("I keep bees in Ghent.")]})
    headers = {"Authorization": f"Bearer {owner.token}"}
    body = {"user_id": "default", "query": "bees", "top_k": 3, "include_profile": True}
    answer = guarded.client.post("/api/v1/memory/search", json=body, headers=headers).json()["data"]
    assert "bees" in answer["episodes"][0]["episode"]
    assert answer["episodes"][0]["app_id"] == "default"
    assert any("bees" in info["description"] for info in answer["profiles"][0]["profile_data"]["explicit_info"])
    message = {"sender_id": "carol", "role": "user", "timestamp": AT, "content": "My violin is from 1890."}
    for route, more in (("add", {"messages": [message]}), ("flush", {})):
        guarded.client.post(f"/api/v1/memory/{route}", json={"session_id": "v"} | more, headers=headers)
    found = until(owner, "/mem/search", {"query": "violin"}, lambda r: r["items"])
    assert found["items"][0]["userId"] == "carol"
    assert (guarded.root / "default_app" / "default_project" / "users" / "default" / "user.md").is_file()


def test_secrets_are_masked_before_they_are_stored(guarded: Server, alice: Gate) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    ours = "emk_" + "0123456789abcdef" * 2
    messages = [
        said(f"Use the token {secret} and the key {ours} for the kite."),
        {"role": "assistant", "toolCalls": [{"id": "c", "name": "f", "arguments": f'{{"token": "{secret}"}}'}]},
        {"role": "tool", "toolCallId": "c", "content": f"postgres://app:{'hunter' + '2'}@db/x {secret}"},
        said("The kite flies.", AT + 1, "assistant"),
    ]
    alice.ok("/mem/agent-memory", {"conversationId": "s-secret", "messages": messages, "flush": False})
    (raw,) = [m for m in alice.ok("/mem/search", {"query": "kite token"})["rawMessages"] if m["role"] == "user"]
    assert "[MASKED GitHub token]" in raw["contentItems"][0]["text"]
    alice.ok("/mem/agent-memory", {"conversationId": "s-secret", "messages": [said("So it is.", AT + 2)]})
    for path in guarded.root.rglob("*"):
        if path.is_file():
            kept = path.read_bytes()
            assert secret.encode() not in kept, path
            assert ours.encode() not in kept, path
            assert b"hunter2" not in kept, path
