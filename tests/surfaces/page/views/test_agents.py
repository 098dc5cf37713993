"""Agents: what they learnt and what they were given."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect
from serving import Server

RUN = (
    ("user", "Please fix the failing test in tests/test_clock.py.", None),
    (
        "assistant",
        "I run it.",
        [{"id": "1", "function": {"name": "bash", "arguments": '{"command": "pytest tests/test_clock.py"}'}}],
    ),
    ("tool", "1 failed: AssertionError", None),
    (
        "assistant",
        "I correct the time zone.",
        [{"id": "2", "function": {"name": "edit", "arguments": '{"path": "clock.py"}'}}],
    ),
    ("tool", "1 passed in 0.2 s", None),
    ("assistant", "Done: the clock used local time; it uses UTC now.", None),
)


def test_runs_become_cases_and_what_was_given_is_listed(open_tab: Any, told: Server) -> None:
    messages = [
        {
            "sender_id": "kim" if role == "user" else "coder",
            "role": role,
            "timestamp": 1_790_000_000_000 + at * 1000,
            "content": text,
        }
        | ({"tool_calls": calls} if calls else {})
        | ({"tool_call_id": str(at // 2)} if role == "tool" else {})
        for at, (role, text, calls) in enumerate(RUN)
    ]
    for route, body in (("add", {"session_id": "run", "messages": messages}), ("flush", {"session_id": "run"})):
        answer = told.client.post(f"/api/v1/memory/{route}", json=body)
        assert answer.status_code == 200, answer.text
    told.client.post("/api/v1/memory/search", json={"agent_id": "coder", "query": "failing test", "top_k": 3})
    tab = open_tab("/agents?owner=agent:coder")
    expect(tab.content).to_contain_text("Fix the failing test")
    given = tab.content.get_by_role("table", name="Which memories went where")
    expect(given.get_by_role("row", name="failing test").get_by_role("link").first).to_be_visible()
    tab.open("/agents?owner=agent:nobody")
    expect(tab.content).to_contain_text("No agent has learnt anything yet")
