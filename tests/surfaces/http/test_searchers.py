"""Processes that search answer as the server itself does, are replaced when they die, and outlive nobody."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from serving import Api, Server
from vaults import within

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")

QUESTIONS: tuple[dict[str, Any], ...] = (
    {"query": "Where does Alice live?", "method": "hybrid"},
    {"query": "bees", "method": "keyword", "include_profile": True},
    {"query": "insects in the garden", "method": "vector", "explain": True},
    {"query": "bees", "method": "agentic", "filters": {"session_id": "s1"}},
)


def searching(server: Server) -> set[int]:
    """The processes of the server that search."""
    tasks = Path(f"/proc/{server.process.pid}/task").iterdir()
    children = {int(child) for task in tasks for child in (task / "children").read_text(encoding="ascii").split()}
    return {child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()}


def alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def plain(found: dict[str, Any]) -> dict[str, Any]:
    """Without what a clock says."""
    trace = found.get("trace")
    return found | {"trace": trace and sorted(trace)}


def test_they_answer_as_the_server_itself_does(start: Any) -> None:
    server = start({"EVEROS_API__SEARCH_PROCESSES": "2"})
    api = Api(server.client, server.root, app_id="app")
    api.tell("s1", "I live in Lisbon.", "I keep bees behind the house.")
    api.ok("add", session_id="s1", messages=[{"sender_id": "alice", "role": "user", "timestamp": 1, "content": "Yes."}])
    assert len(searching(server)) == 2
    theirs = [plain(api.ok("search", user_id="alice", **asked)) for asked in QUESTIONS]
    wrong = api.refused("search", 422, user_id="alice", query="bees", filters={"timestamp": {"gt": "soon"}})
    assert 'everlore_search_seconds_count{method="hybrid"} 1' in server.client.get("/metrics").text
    assert server.stop() == 0

    server = start()
    api = Api(server.client, server.root, app_id="app")
    assert not searching(server)
    assert [plain(api.ok("search", user_id="alice", **asked)) for asked in QUESTIONS] == theirs
    assert api.refused("search", 422, user_id="alice", query="bees", filters={"timestamp": {"gt": "soon"}}) == wrong
    assert any(found["episodes"] for found in theirs)


def test_what_was_stored_a_moment_ago_is_found(start: Any) -> None:
    server = start({"EVEROS_API__SEARCH_PROCESSES": "1"})
    api = Api(server.client, server.root)
    for number, thing in enumerate(("a violin", "a canoe", "a telescope")):
        api.tell(f"s{number}", f"I bought {thing}.", at=1_780_000_000_000 + number * 86_400_000)
        found = api.ok("search", user_id="alice", query=f"Who has {thing}?", method="vector")
        assert thing in found["episodes"][0]["episode"]


def test_one_that_is_killed_is_replaced(start: Any) -> None:
    server = start({"EVEROS_API__SEARCH_PROCESSES": "2"})
    api = Api(server.client, server.root)
    api.tell("s", "I keep bees.")
    first = searching(server)
    for pid in first:
        os.kill(pid, signal.SIGKILL)
    assert api.ok("search", user_id="alice", query="bees", method="keyword")["episodes"]
    within(10, lambda: len(searching(server) - first) == 2)
    assert server.stop() == 0


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_none_outlives_the_server(start: Any, how: int) -> None:
    server = start({"EVEROS_API__SEARCH_PROCESSES": "2"})
    within(10, lambda: len(searching(server)) == 2)
    pids = searching(server)
    server.stop(how)
    within(10, lambda: not any(map(alive, pids)))
    assert "Traceback" not in server.log_path.read_text(encoding="utf-8")
