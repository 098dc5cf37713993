"""/search: shapes, owners, scopes, methods, limits, filters, profile and waiting messages."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from serving import Api

AT = 1_780_000_000_000  # 2026-05-28T20:26:40Z
DAY = 24 * 3600 * 1000
ARRAYS = {"episodes", "profiles", "agent_cases", "agent_skills", "unprocessed_messages"}
EPISODE = {
    "passages",
    "id",
    "user_id",
    "app_id",
    "project_id",
    "session_id",
    "timestamp",
    "sender_ids",
    "summary",
    "subject",
    "episode",
    "type",
    "score",
    "atomic_facts",
}
METHODS = ["keyword", "vector", "hybrid", "agentic"]


@pytest.fixture
def alice(api: Api) -> Api:
    api.tell("s1", "I love climbing in Yosemite every spring.", "I bike to work most days.", at=AT)
    api.tell("s2", "My favorite coffee shop is Blue Bottle in SOMA.", at=AT + DAY)
    api.tell("s3", "My sister Nora moved to Lisbon in March.", at=AT + 2 * DAY)
    api.until("get", lambda d: d["count"] == 3, user_id="alice", memory_type="episode")
    api.until("search", lambda d: bool(d["episodes"]), user_id="alice", query="climbing", method="vector", top_k=3)
    return api


def sessions(data: dict[str, Any]) -> list[str]:
    return [episode["session_id"] for episode in data["episodes"]]


def test_nothing_known_gives_five_empty_arrays(api: Api) -> None:
    for owner in ({"user_id": "nobody"}, {"agent_id": "nobody"}):
        assert api.ok("search", query="anything", **owner) == {key: [] for key in ARRAYS}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_the_episode_with_its_facts(alice: Api, method: str) -> None:
    data = alice.ok("search", user_id="alice", query="Where does she go climbing?", method=method, top_k=5)
    assert set(data) == ARRAYS
    best = data["episodes"][0]
    assert best["session_id"] == "s1"
    assert set(best) == EPISODE
    assert best["id"] == "alice_ep_20260528_00000001"
    assert best["user_id"] == "alice"
    assert best["app_id"] == alice.app_id
    assert best["project_id"] == "p"
    assert best["timestamp"] == "2026-05-28T20:26:50Z", "the time of the last message"
    assert best["sender_ids"] == ["alice"]
    assert best["type"] == "Conversation"
    assert best["subject"]
    assert "\n" not in best["subject"]
    assert 0 < len(best["summary"]) <= 260
    assert "climbing in Yosemite" in best["episode"]
    facts = best["atomic_facts"]
    assert facts
    for fact in facts:
        assert set(fact) == {"id", "content", "score"}
        assert re.fullmatch(r"alice_af_20260528_\d{8}", fact["id"])
    assert any("climbing" in fact["content"] for fact in facts)
    scores = [episode["score"] for episode in data["episodes"]] + [fact["score"] for fact in facts]
    assert all(0 <= score <= 1 for score in scores)
    ranked = [episode["score"] for episode in data["episodes"]]
    assert ranked == sorted(ranked, reverse=True)


@pytest.mark.parametrize("method", METHODS)
def test_a_fact_from_inside_the_time_brings_no_episode_from_outside(api: Api, method: str) -> None:
    """A fact has the time of its message, its episode that of the last message: the filter is about the episode."""
    api.tell("s1", "I am planning a trip to Japan.", "My sister lives in Oslo.", at=AT)
    body: dict[str, Any] = {"user_id": "alice", "query": "Japan trip", "method": method, "top_k": 5}
    assert sessions(api.ok("search", **body, filters={"timestamp": {"lte": AT + 10_000}})) == ["s1"]
    for wrong in ({"lt": AT + 5_000}, {"eq": AT}, {"ne": AT + 10_000}):
        assert sessions(api.ok("search", **body, filters={"timestamp": wrong})) == [], wrong


def test_facts_without_a_word_of_the_query_are_no_lexical_match(api: Api) -> None:
    api.tell("s1", "I want to see Kyoto in May. I am vegetarian. My friend Sarah is allergic to peanuts.", at=AT)
    [episode] = api.ok("search", user_id="alice", query="Kyoto", method="keyword")["episodes"]
    assert ["Kyoto" in fact["content"] for fact in episode["atomic_facts"]] == [True]
    api.tell("s2", "I love climbing in Yosemite.", "My coffee shop is Blue Bottle.", "I bike to work.", at=AT + DAY)
    [episode] = api.ok("search", user_id="alice", query="Where is it that I climb?", method="keyword")["episodes"]
    assert ["climbing" in fact["content"] for fact in episode["atomic_facts"]] == [True]


def test_the_radius_is_also_that_of_the_facts(api: Api) -> None:
    api.tell("s1", "I want to see Kyoto in May. I am vegetarian. My friend Sarah is allergic to peanuts.", at=AT)
    body: dict[str, Any] = {"user_id": "alice", "query": "a visit to Kyoto in May", "method": "vector", "top_k": 3}
    found = api.until("search", lambda d: bool(d["episodes"]), **body)["episodes"][0]
    scores = sorted(fact["score"] for fact in found["atomic_facts"])
    assert len(scores) == 3
    [episode] = api.ok("search", **body, radius=scores[1])["episodes"]
    assert sorted(fact["score"] for fact in episode["atomic_facts"]) == scores[1:]


@pytest.mark.parametrize("method", METHODS)
def test_the_most_telling_fact_of_a_turn_comes_first(api: Api, method: str) -> None:
    for number in range(3):
        api.tell(f"other{number}", "What do you do? I do what I do.", at=AT + number * DAY)
    api.tell("s1", "I do what I can at the office. My friend Sarah is allergic to peanuts.", at=AT + 5 * DAY)
    ask: dict[str, Any] = {"user_id": "alice", "query": "What can Sarah do about it?", "method": method, "top_k": 3}
    data = api.until("search", lambda d: "s1" in sessions(d), **ask)
    [episode] = [one for one in data["episodes"] if one["session_id"] == "s1"]
    assert "Sarah" in episode["atomic_facts"][0]["content"]


@pytest.mark.parametrize("method", METHODS)
def test_a_long_episode_leaves_room_for_the_others(api: Api, method: str) -> None:
    flowers = ("roses", "tulips", "beans", "herbs", "lilies", "asters")
    api.tell("long", *(f"In the garden I looked after {flowers[at % 6]} on round {at}." for at in range(60)), at=AT)
    for number, name in enumerate(flowers):
        api.tell(name, f"My neighbour's garden is full of {name}.", at=AT + (number + 1) * DAY)
    asked: dict[str, Any] = {"user_id": "alice", "query": "garden", "method": method}
    api.until("search", lambda d: set(sessions(d)) == {"long", *flowers}, **asked, top_k=20)
    for top_k in (7, 10, 100, -1):
        found = sessions(api.ok("search", **asked, top_k=top_k))
        assert (len(found), set(found)) == (7, {"long", *flowers}), top_k
    assert len(api.ok("search", **asked, top_k=3)["episodes"]) == 3


def test_learned_words_do_not_get_past_a_radius(alice: Api) -> None:
    asked: dict[str, Any] = {"user_id": "alice", "query": "climbing", "radius": 0.95}
    assert sessions(alice.ok("search", **asked, method="hybrid")) == ["s1"]
    assert sessions(alice.ok("search", **asked, method="agentic")) == ["s1"]


def test_hybrid_is_the_default(alice: Api) -> None:
    body: dict[str, Any] = {"user_id": "alice", "query": "coffee", "top_k": 3}
    assert alice.ok("search", **body) == alice.ok("search", **body, method="hybrid")


def test_top_k_caps_the_episodes(alice: Api) -> None:
    assert len(alice.ok("search", user_id="alice", query="Alice", top_k=1)["episodes"]) <= 1
    assert len(alice.ok("search", user_id="alice", query="climbing coffee Lisbon", top_k=2)["episodes"]) == 2


def test_the_radius_drops_weak_vector_matches(alice: Api) -> None:
    body: dict[str, Any] = {"user_id": "alice", "query": "quantum chromodynamics lecture", "method": "vector"}
    assert alice.ok("search", **body, top_k=3, radius=0.999)["episodes"] == []
    assert alice.ok("search", **body, radius=0.999)["episodes"] == []
    assert len(alice.ok("search", **body, top_k=3)["episodes"]) == 3, "an explicit top_k has no threshold"


def test_words_that_are_nowhere_find_nothing(alice: Api) -> None:
    assert alice.ok("search", user_id="alice", query="xylophone", method="keyword")["episodes"] == []


def test_owners_and_scopes_are_isolated(alice: Api, server: Any) -> None:
    ask: dict[str, Any] = {"query": "climbing in Yosemite", "top_k": 10}
    assert alice.ok("search", user_id="bob", **ask)["episodes"] == []
    assert alice.ok("search", user_id="Alice", **ask)["episodes"] == []
    assert alice.ok("search", user_id="alice", project_id="other", **ask)["episodes"] == []
    assert Api(server.client, server.root).ok("search", user_id="alice", **ask)["episodes"] == []
    assert alice.ok("search", agent_id="alice", **ask)["episodes"] == []


def test_the_profile_comes_only_when_asked_for(alice: Api) -> None:
    ask: dict[str, Any] = {"query": "coffee", "top_k": 1}
    assert alice.ok("search", user_id="alice", **ask)["profiles"] == []
    (profile,) = alice.until("search", lambda d: bool(d["profiles"]), user_id="alice", include_profile=True, **ask)[
        "profiles"
    ]
    assert set(profile) == {"id", "user_id", "app_id", "project_id", "profile_data", "score"}
    assert profile["score"] is None
    assert profile["user_id"] == "alice"
    assert profile["id"] == "profile_alice"
    assert isinstance(profile["profile_data"], dict)
    assert profile["profile_data"]
    assert alice.ok("search", user_id="bob", include_profile=True, **ask)["profiles"] == []
    assert alice.ok("search", agent_id="alice", include_profile=True, **ask)["profiles"] == []


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"session_id": "s2"}, {"s2"}),
        ({"session_id": {"eq": "s2"}}, {"s2"}),
        ({"session_id": {"ne": "s2"}}, {"s1", "s3"}),
        ({"session_id": {"in": ["s1", "s3", "s9"]}}, {"s1", "s3"}),
        ({"sender_id": "alice"}, {"s1", "s2", "s3"}),
        ({"sender_id": "bob"}, set()),
        ({"sender_id": {"in": ["bob", "alice"]}}, {"s1", "s2", "s3"}),
        ({"parent_type": "memcell"}, {"s1", "s2", "s3"}),
        ({"parent_type": {"ne": "memcell"}}, set()),
        ({"parent_id": "none"}, set()),
        ({"timestamp": {"gte": AT + DAY}}, {"s2", "s3"}),
        ({"timestamp": {"gt": AT + DAY}}, {"s3"}),
        ({"timestamp": {"lte": AT + DAY}}, {"s1", "s2"}),
        ({"timestamp": {"lt": AT + DAY}}, {"s1"}),
        ({"timestamp": {"lt": (AT + DAY) // 1000}}, {"s1"}),
        ({"timestamp": AT + DAY}, {"s2"}),
        ({"timestamp": float(AT + DAY)}, {"s2"}),
        ({"timestamp": {"gte": "20260529T000000Z", "lt": "2026-05-30 00:00"}}, {"s2"}),
        ({"timestamp": {"ne": AT + DAY}}, {"s1", "s3"}),
        ({"timestamp": {"gte": "2026-05-29T00:00:00Z", "lt": "2026-05-30T00:00:00"}}, {"s2"}),
        ({"timestamp": "2026-05-29T22:26:40+02:00"}, {"s2"}),
        ({"OR": [{"session_id": "s1"}, {"session_id": "s2"}]}, {"s1", "s2"}),
        ({"AND": [{"session_id": "s1"}, {"session_id": "s2"}]}, set()),
        ({"session_id": "s1", "OR": [{"sender_id": "alice"}, {"sender_id": "bob"}]}, {"s1"}),
        ({"AND": [{"OR": [{"session_id": "s1"}, {"session_id": "s3"}]}, {"timestamp": {"gt": AT + DAY}}]}, {"s3"}),
        ({"AND": None, "OR": []}, {"s1", "s2", "s3"}),
        ({"session_id": "' OR 1=1 --"}, set()),
    ],
)
def test_filters_apply_before_ranking(alice: Api, filters: Any, expected: set[str]) -> None:
    listed = alice.ok("get", user_id="alice", memory_type="episode", filters=filters)
    assert set(sessions(listed)) == expected
    found = alice.ok(
        "search", user_id="alice", query="climbing coffee Lisbon Nora", top_k=1, filters=filters, method="keyword"
    )
    assert len(found["episodes"]) == min(1, len(expected))
    assert set(sessions(found)) <= expected


def test_waiting_messages_need_a_plain_session_at_the_top(api: Api) -> None:
    message = {"sender_id": "alice", "role": "user", "timestamp": AT + 1, "content": "Buy milk.", "sender_name": "Al"}
    api.ok("add", session_id="open", messages=[message])
    ask: dict[str, Any] = {"query": "milk", "top_k": 1}
    for owner in ({"user_id": "alice"}, {"user_id": "somebody"}, {"agent_id": "bot"}):
        (waiting,) = api.ok("search", **owner, **ask, filters={"session_id": "open"})["unprocessed_messages"]
        assert waiting.pop("id")
        assert waiting == {
            "app_id": api.app_id,
            "project_id": "p",
            "session_id": "open",
            "sender_id": "alice",
            "sender_name": "Al",
            "role": "user",
            "content": "Buy milk.",
            "timestamp": "2026-05-28T20:26:40.001Z",
            "tool_calls": None,
            "tool_call_id": None,
        }
    for filters in (
        None,
        {"session_id": {"eq": "open"}},
        {"session_id": {"in": ["open"]}},
        {"AND": [{"session_id": "open"}]},
        {"OR": [{"session_id": "open"}]},
        {"session_id": "other"},
    ):
        assert api.ok("search", user_id="alice", **ask, filters=filters)["unprocessed_messages"] == []
    elsewhere = api.ok("search", user_id="alice", **ask, project_id="q", filters={"session_id": "open"})
    assert elsewhere["unprocessed_messages"] == []


def test_the_trace_comes_only_when_asked_for(alice: Api) -> None:
    assert "trace" not in alice.ok("search", user_id="alice", query="coffee")
    plain = alice.ok("search", user_id="alice", query="coffee", top_k=2)
    explained = alice.ok("search", user_id="alice", query="coffee", top_k=2, explain=True)
    assert explained.pop("trace")
    assert explained == plain


def run(api: Api, session_id: str, at: int, task: str = "Rotate the nginx logs on the staging host.") -> None:
    """One run of an agent with two rounds of tools."""

    def turn(seconds: int, role: str, sender: str, text: str, **more: Any) -> dict[str, Any]:
        return {"sender_id": sender, "role": role, "timestamp": at + seconds * 1000, "content": text, **more}

    def call(number: int, command: str) -> dict[str, Any]:
        arguments = f'{{"command": "{command}"}}'
        return {"id": f"c{number}", "type": "function", "function": {"name": "shell", "arguments": arguments}}

    messages = [
        turn(0, "user", "alice", task),
        turn(1, "assistant", "bot", "I look at the configuration first.", tool_calls=[call(1, "cat logrotate.conf")]),
        turn(2, "tool", "shell", "weekly rotate 4", tool_call_id="c1"),
        turn(3, "assistant", "bot", "", tool_calls=[call(2, "logrotate -f logrotate.conf")]),
        turn(4, "tool", "shell", "rotated 3 files\nexit code: 0", tool_call_id="c2"),
        turn(5, "assistant", "bot", "Done: the nginx logs were rotated with logrotate -f, three files in all."),
    ]
    api.ok("add", session_id=session_id, messages=messages)
    assert api.ok("flush", session_id=session_id)["status"] == "extracted"


CASE = {
    "id",
    "agent_id",
    "app_id",
    "project_id",
    "session_id",
    "task_intent",
    "approach",
    "quality_score",
    "key_insight",
    "timestamp",
}
SKILL = {
    "id",
    "agent_id",
    "app_id",
    "project_id",
    "name",
    "description",
    "content",
    "confidence",
    "maturity_score",
    "source_case_ids",
}


def test_a_run_with_tools_is_remembered_on_both_tracks(api: Api) -> None:
    run(api, "r1", AT)
    ask: dict[str, Any] = {"query": "rotate nginx logs", "top_k": 5}
    data = api.until("search", lambda d: bool(d["agent_cases"]), agent_id="bot", **ask)
    assert set(data) == ARRAYS
    assert data["episodes"] == []
    (case,) = data["agent_cases"]
    assert set(case) == CASE | {"score"}
    assert case["id"] == "bot_ac_20260528_00000001"
    assert case["agent_id"] == "bot"
    assert case["session_id"] == "r1"
    assert "nginx" in case["task_intent"]
    assert case["approach"]
    assert 0 <= case["quality_score"] <= 1
    assert 0 <= case["score"] <= 1
    assert case["key_insight"] is None or case["key_insight"]
    assert case["timestamp"] == "2026-05-28T20:26:45Z"
    assert api.until("search", lambda d: bool(d["episodes"]), user_id="alice", **ask)["agent_cases"] == []
    (listed,) = api.ok("get", agent_id="bot", memory_type="agent_case")["agent_cases"]
    assert listed == {name: value for name, value in case.items() if name != "score"}


def test_cases_are_filtered_by_who_took_part(api: Api) -> None:
    run(api, "r1", AT)
    for who, count in (("alice", 1), ("bot", 1), ("shell", 1), ("carol", 0)):
        filters = {"sender_id": who}
        assert api.ok("get", agent_id="bot", memory_type="agent_case", filters=filters)["total_count"] == count, who
        found = api.ok("search", agent_id="bot", query="nginx", method="keyword", filters=filters)["agent_cases"]
        assert len(found) == count, who


def test_a_session_without_a_user_belongs_to_the_agent_alone(api: Api) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "shell", "arguments": "{}"}}
    bot = {"sender_id": "cron-bot", "role": "assistant"}
    messages = [
        bot | {"timestamp": AT, "content": "Vacuum the database.", "tool_calls": [call]},
        {"sender_id": "shell", "role": "tool", "timestamp": AT + 1, "content": "ok", "tool_call_id": "c"},
        bot | {"timestamp": AT + 2, "content": "The database was vacuumed."},
    ]
    api.ok("add", session_id="s", messages=messages)
    api.ok("flush", session_id="s")
    cases = api.until("get", lambda d: d["count"] == 1, agent_id="cron-bot", memory_type="agent_case")["agent_cases"]
    assert cases[0]["id"].startswith("cron-bot_ac_20260528_")
    assert api.files("users/*") == []


def test_runs_that_resemble_each_other_become_a_skill(api: Api) -> None:
    hosts = ["staging", "production", "backup", "testing"]
    for number, host in enumerate(hosts):
        run(api, f"r{number}", AT + number * DAY, f"Rotate the nginx logs on the {host} host.")
    ask: dict[str, Any] = {"query": "rotate nginx logs", "top_k": 5}
    data = api.until("search", lambda d: bool(d["agent_skills"]), agent_id="bot", **ask)
    skill = data["agent_skills"][0]
    assert set(skill) == SKILL | {"score"}
    assert re.fullmatch(r"bot_sk_\d{8}_\d{8}", skill["id"])
    assert skill["name"]
    assert skill["content"]
    assert 0 <= skill["confidence"] <= 1
    assert 0 <= skill["maturity_score"] <= 1
    assert 0 <= skill["score"] <= 1
    known = {case["id"] for case in api.ok("get", agent_id="bot", memory_type="agent_case")["agent_cases"]}
    assert len(known) == len(hosts)
    assert set(skill["source_case_ids"]) <= known
    assert skill["source_case_ids"]
    listed = api.ok("get", agent_id="bot", memory_type="agent_skill", sort_by="timestamp")
    assert {name: value for name, value in skill.items() if name != "score"} in listed["agent_skills"]


def test_ten_memories_in_a_compact_answer_take_less_than_8_kb(api: Api) -> None:
    """However long they are: what they are, when, and the sentences that matched."""
    for number in range(12):
        ripe = f"ripen slowly, {'as they always did, ' * 30}so we wait."
        lines = [f"The tomatoes in bed {number}-{at} {ripe}" for at in range(8)]
        api.tell(f"s{number}", *lines, at=AT + number * DAY)
    body: dict[str, Any] = {"user_id": "alice", "query": "Which tomatoes ripen slowly?", "top_k": 10}
    api.until("search", lambda data: len(data["episodes"]) == 10, **body)
    whole, short = api.ok("search", **body), api.ok("search", **body, compact=True)
    assert [one["id"] for one in short["episodes"]] == [one["id"] for one in whole["episodes"]]
    assert all("tomatoes" in one["passages"][0]["text"] for one in short["episodes"])
    assert not {"episode", "summary", "atomic_facts"} & set(short["episodes"][0])
    assert len(json.dumps(short).encode()) < 8192 < len(json.dumps(whole).encode())
