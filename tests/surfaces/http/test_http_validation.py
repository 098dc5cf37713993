"""Every constraint of the request tables at its edge: the last value that passes, the first that does not."""

from __future__ import annotations

from typing import Any

import pytest
from serving import Api

from everlore.search.filters import MAX_IN_VALUES, MAX_VALUES
from everlore.search.query import LONGEST

MESSAGE = {"sender_id": "alice", "role": "user", "timestamp": 1_780_000_000_000, "content": "hello"}


def add(api: Api, status: int, **change: Any) -> str:
    """One message with some fields changed (... removes one)."""
    message = {name: value for name, value in (MESSAGE | change).items() if value is not ...}
    answer = api.post("add", session_id="s", messages=[message])
    assert answer.status_code == status, answer.text
    return str(answer.json().get("error", {}).get("message", ""))


@pytest.mark.parametrize("field", ["sender_id", "role", "timestamp", "content"])
def test_required_fields_of_a_message(api: Api, field: str) -> None:
    assert add(api, 422, **{field: ...}) == f"Field required: messages.0.{field}"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sender_id", ""),
        ("sender_id", None),
        ("sender_id", 7),
        ("sender_name", 7),
        ("role", "system"),
        ("role", "User"),
        ("role", None),
        ("timestamp", 0),
        ("timestamp", -1),
        ("timestamp", "1780000000000"),
        ("timestamp", 1780000000000.5),
        ("timestamp", True),
        ("timestamp", None),
        ("timestamp", 10**40),
        ("content", None),
        ("content", 7),
        ("content", {"type": "text", "text": "x"}),
        ("content", [{"text": "x"}]),
        ("content", [{"type": "video", "uri": "http://x"}]),
        ("content", ["x"]),
        ("content", [{"type": "text", "text": 7}]),
        ("content", [{"type": "text", "text": "x", "extras": []}]),
        ("tool_calls", {}),
        ("tool_calls", [{"id": "c"}]),
        ("tool_calls", [{"function": {"name": "f", "arguments": "{}"}}]),
        ("tool_calls", [{"id": "c", "function": {"name": "f"}}]),
        ("tool_calls", [{"id": "c", "function": {"name": "f", "arguments": {}}}]),
        ("tool_call_id", 7),
    ],
)
def test_a_message_that_is_not_valid_is_refused(api: Api, field: str, value: Any) -> None:
    message = add(api, 422, **{field: value})
    assert field in message or "timestamp" in message
    assert "content-" not in message, "names of union branches are ours, not the client's"
    assert api.ok("flush", session_id="s")["status"] == "no_extraction", "nothing of a refused batch is kept"


def test_the_place_of_a_bad_content_item_is_told(api: Api) -> None:
    assert add(api, 422, content=[{"type": "text", "text": "x"}, {"text": "y"}]) == (
        "Field required: messages.0.content.1.type"
    )


@pytest.mark.parametrize(
    "item",
    [
        {"type": "text"},
        {"type": "text", "uri": "http://localhost/x"},
        {"type": "text", "text": "x", "base64": "eA=="},
        {"type": "md"},
        {"type": "md", "text": "x", "uri": "file:///x"},
        {"type": "image"},
        {"type": "image", "uri": "http://localhost/x.png", "base64": "eA=="},
    ],
)
def test_a_content_item_has_exactly_one_payload(api: Api, item: dict[str, Any]) -> None:
    add(api, 422, content=[item])


@pytest.mark.parametrize("kind", ["image", "audio", "doc", "pdf", "html", "email"])
def test_text_alone_is_no_payload_for_a_medium(api: Api, kind: str) -> None:
    answer = api.post("add", session_id="s", messages=[MESSAGE | {"content": [{"type": kind, "text": "<p>x</p>"}]}])
    assert answer.status_code == 415
    assert answer.json()["error"]["code"] == "HTTP_ERROR"


@pytest.mark.parametrize("uri", ["http://localhost/x.md", "https://localhost/x.md", "file:///no/such/file.md", "x.md"])
def test_markdown_comes_from_readable_local_files_only(api: Api, uri: str) -> None:
    add(api, 415, content=[{"type": "md", "uri": uri}])


@pytest.mark.parametrize("value", ["data:text/plain;base64,eA==", "%%%", "/w=="])
def test_markdown_in_base64_is_utf8(api: Api, value: str) -> None:
    add(api, 415, content=[{"type": "md", "base64": value}])


def test_one_bad_message_refuses_the_batch(api: Api) -> None:
    bad = MESSAGE | {"content": [{"type": "image", "text": "x"}]}
    assert api.post("add", session_id="s", messages=[MESSAGE, bad]).status_code == 415
    assert api.ok("flush", session_id="s")["status"] == "no_extraction"


def test_batches_have_1_to_500_messages(api: Api) -> None:
    assert "messages" in api.refused("add", 422, session_id="s", messages=[])
    many = [MESSAGE | {"timestamp": 1_780_000_000_000 + n, "content": f"line {n}"} for n in range(501)]
    assert "messages" in api.refused("add", 422, session_id="s", messages=many)
    assert api.ok("add", session_id="s", messages=many[:500])["message_count"] == 500


@pytest.mark.parametrize("route", ["add", "flush"])
def test_session_ids_have_1_to_128_characters(api: Api, route: str) -> None:
    rest = {"messages": [MESSAGE]} if route == "add" else {}
    assert api.refused(route, 422, session_id="", **rest).endswith(": session_id")
    assert api.refused(route, 422, session_id="é" * 129, **rest).endswith(": session_id")
    assert api.refused(route, 422, session_id=7, **rest).endswith(": session_id")
    assert api.refused(route, 422, **rest) == "Field required: session_id"
    api.ok(route, session_id="é" * 128, **rest)
    api.ok(route, session_id="../ / \n weird", **rest)


BODIES: dict[str, dict[str, Any]] = {
    "add": {"session_id": "s", "messages": [MESSAGE]},
    "flush": {"session_id": "s"},
    "search": {"user_id": "u", "query": "q"},
    "get": {"user_id": "u", "memory_type": "episode"},
    "delete": {"user_id": "u", "id": "u_ep_20260528_00000001"},
}


@pytest.mark.parametrize("route", BODIES)
@pytest.mark.parametrize("field", ["app_id", "project_id"])
@pytest.mark.parametrize(
    "value", ["", ".", "..", "a/b", "a\\b", "a b", "a\n", "ä", "a" * 129, "\u0000", "a:b", None, 7, "%2e%2e", "~"]
)
def test_scope_ids(api: Api, route: str, field: str, value: Any) -> None:
    assert api.refused(route, 422, **BODIES[route], **{field: value}).endswith(f": {field}")


@pytest.mark.parametrize("value", ["a" * 128, "A-z_0.9", "...", "-", "_", "default"])
def test_scope_ids_that_are_fine(api: Api, value: str) -> None:
    api.ok("flush", session_id="none-such", app_id=value, project_id=value)


def test_scope_defaults_to_default(server: Any) -> None:
    answer = server.client.post("/api/v1/memory/search", json={"user_id": "nobody", "query": "q"})
    assert answer.status_code == 200


@pytest.mark.parametrize("value", [0, -2, 101, 1000, 10**30])
def test_top_k_range(api: Api, value: int) -> None:
    message = api.refused("search", 422, user_id="u", query="q", top_k=value)
    assert message == "Value error, top_k must be -1 or 1..100: top_k"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("query", ""),
        ("query", None),
        ("query", 7),
        ("user_id", ""),
        ("user_id", 7),
        ("method", "magic"),
        ("method", None),
        ("top_k", "5"),
        ("top_k", 5.5),
        ("top_k", True),
        ("top_k", None),
        ("radius", -0.01),
        ("radius", 1.01),
        ("radius", "0.5"),
        ("radius", True),
        ("include_profile", "yes"),
        ("include_profile", 1),
        ("include_profile", None),
        ("enable_llm_rerank", 0),
        ("explain", "true"),
        ("filters", []),
        ("filters", "x"),
    ],
)
def test_search_fields(api: Api, field: str, value: Any) -> None:
    message = api.refused("search", 422, **({"user_id": "u", "query": "q"} | {field: value}))
    assert message.endswith(f": {field}")


def test_an_empty_agent_id_is_refused(api: Api) -> None:
    assert api.refused("search", 422, agent_id="", query="q").endswith(": agent_id")
    assert api.refused("get", 422, agent_id="", memory_type="agent_case").endswith(": agent_id")


@pytest.mark.parametrize(
    "change",
    [
        {"top_k": -1},
        {"top_k": 1},
        {"top_k": 100},
        {"radius": 0},
        {"radius": 0.0},
        {"radius": 1},
        {"radius": None},
        {"filters": None},
        {"filters": {}},
        {"enable_llm_rerank": True},
        {"agent_id": None},
        {"query": " "},
        {"query": "'\"*()^:-+ OR AND NEAR \u0000"},
        {"query": "x" * LONGEST},
        {"method": "keyword"},
        {"method": "vector"},
        {"method": "agentic"},
    ],
)
def test_searches_that_are_fine(api: Api, change: dict[str, Any]) -> None:
    api.ok("search", **({"user_id": "u", "query": "q"} | change))


def test_a_query_that_is_too_long_is_refused_with_its_limit(api: Api) -> None:
    message = api.refused("search", 422, user_id="u", query="x" * (LONGEST + 1))
    assert f"at most {LONGEST} characters" in message


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("memory_type", "fact"),
        ("memory_type", "Episode"),
        ("memory_type", None),
        ("page", 0),
        ("page", -1),
        ("page", "1"),
        ("page", 1.5),
        ("page", True),
        ("page_size", 0),
        ("page_size", 101),
        ("page_size", None),
        ("sort_by", "updated"),
        ("sort_by", None),
        ("sort_order", "DESC"),
        ("filters", []),
    ],
)
def test_get_fields(api: Api, field: str, value: Any) -> None:
    message = api.refused("get", 422, **({"user_id": "u", "memory_type": "episode"} | {field: value}))
    assert message.endswith(f": {field}")


def test_memory_type_is_required(api: Api) -> None:
    assert api.refused("get", 422, user_id="u") == "Field required: memory_type"


@pytest.mark.parametrize(
    ("memory_type", "owner", "needed"),
    [
        ("episode", "agent_id", "user_id"),
        ("profile", "agent_id", "user_id"),
        ("agent_case", "user_id", "agent_id"),
        ("agent_skill", "user_id", "agent_id"),
    ],
)
def test_the_owner_must_match_the_memory_type(api: Api, memory_type: str, owner: str, needed: str) -> None:
    message = api.refused("get", 422, memory_type=memory_type, **{owner: "x"})
    assert message == f"Value error, memory_type '{memory_type}' requires {needed}"


@pytest.mark.parametrize("route", ["search", "get"])
@pytest.mark.parametrize(
    ("filters", "told"),
    [
        ({"color": "red"}, "color"),
        ({"app_id": "x"}, "app_id"),
        ({"project_id": "x"}, "project_id"),
        ({"owner_id": "x"}, "owner_id"),
        ({"owner_type": "user"}, "owner_type"),
        ({"AND": [{"owner_id": "x"}]}, "owner_id"),
        ({"session_id": {"gt": "a"}}, "gt"),
        ({"session_id": {"like": "a"}}, "like"),
        ({"session_id": 7}, "session_id"),
        ({"session_id": {}}, "session_id"),
        ({"session_id": {"in": []}}, "leave it out to match all"),
        ({"sender_id": {"ne": "a"}}, "sender_id"),
        ({"timestamp": True}, "timestamp"),
        ({"timestamp": "yesterday"}, "timestamp"),
        ({"timestamp": "1780000000000"}, "without quotes"),
        ({"timestamp": {"gte": "1712010100000"}}, "without quotes"),
        ({"timestamp": "2026-05-28X20:26:40Z"}, "timestamp"),
        ({"timestamp": 1780000000000.5}, "timestamp"),
        ({"timestamp": {"before": 1}}, "allowed: eq, ne, gt, gte, lt, lte"),
        ({"timestamp": {"in": [1]}}, "in"),
        ({"AND": {}}, "AND"),
        ({"OR": "x"}, "OR"),
        ({"OR": ["x"]}, "OR"),
        ({"AND": [{"AND": [{"OR": [7]}]}]}, "OR"),
    ],
)
def test_filters_that_do_not_compile(api: Api, route: str, filters: Any, told: str) -> None:
    rest = {"query": "q"} if route == "search" else {"memory_type": "episode"}
    assert told in api.refused(route, 422, user_id="u", filters=filters, **rest)


def test_a_filter_of_17_levels_is_refused_and_one_of_16_is_not(api: Api) -> None:
    node: dict[str, Any] = {"session_id": "s"}
    for _ in range(15):
        node = {"AND": [node]}
    api.ok("get", user_id="u", memory_type="episode", filters=node)
    assert "16" in api.refused("get", 422, user_id="u", memory_type="episode", filters={"OR": [node]})


@pytest.mark.parametrize(
    ("route", "body"),
    [
        ("flush", {"session_id": "s"}),
        ("search", {"user_id": "u", "query": "q"}),
        ("get", {"user_id": "u", "memory_type": "episode"}),
        ("delete", {"user_id": "u", "id": "x"}),
        ("history", {"user_id": "u"}),
        ("export", {"user_id": "u"}),
        ("import", {"user_id": "u", "files": [{"path": "user.md", "text": "x"}]}),
    ],
)
def test_a_field_that_nobody_knows_is_refused(api: Api, route: str, body: dict[str, Any]) -> None:
    """A filter that is silently dropped would show more than was asked for."""
    refused = api.refused(route, 422, **body, team_id="red")
    assert refused == "Extra inputs are not permitted: team_id"


def test_the_place_of_an_unknown_field_is_told(api: Api) -> None:
    file = {"path": "user.md", "text": "x", "mode": 7}
    assert api.refused("import", 422, user_id="u", files=[file]) == "Extra inputs are not permitted: files.0.mode"


def test_messages_may_have_further_fields(api: Api) -> None:
    message = MESSAGE | {"name": "Alice", "content": [{"type": "text", "text": "I keep bees.", "lang": "en"}]}
    assert api.ok("add", session_id="s", messages=[message], metadata={"a": 1})["message_count"] == 1


@pytest.mark.parametrize("field", ["session_id", "sender_id"])
def test_as_many_values_as_a_filter_may_have_can_be_looked_for(api: Api, field: str) -> None:
    api.tell("s1", "I keep bees.")
    names = ["s1", "alice", *(f"nobody-{number}" for number in range(MAX_VALUES - 2))]
    lists = [names[start : start + MAX_IN_VALUES] for start in range(0, MAX_VALUES, MAX_IN_VALUES)]
    filters = {"OR": [{field: {"in": some}} for some in lists]}
    assert api.ok("get", user_id="alice", memory_type="episode", filters=filters)["total_count"] == 1
    for method in ("keyword", "vector", "hybrid", "agentic"):
        found = api.ok("search", user_id="alice", query="bees", method=method, top_k=5, filters=filters)
        assert method == "vector" or len(found["episodes"]) == 1
    more = {"OR": [*filters["OR"], {field: "s2"}]}
    assert "more than" in api.refused("search", 422, user_id="alice", query="bees", filters=more)
