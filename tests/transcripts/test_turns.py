"""What is left of a conversation when it is to be remembered."""

from __future__ import annotations

import json

from everlore.transcripts.turns import Conversation, Turn, tidy


def test_sessions_have_names_that_the_server_takes() -> None:
    assert Conversation("claude-code", "aaa", ()).session == "claude-code-aaa"
    for name in ("x" * 500, "/home/me/notes/a.md", "new\nline"):
        assert len(Conversation("markdown", name, ()).session) <= 128
    assert Conversation("markdown", "/a", ()).session != Conversation("markdown", "/b", ()).session


def test_what_memory_said_and_what_a_tool_has_saved_is_not_saved_again() -> None:
    fact = json.dumps({"fact": "I prefer tea."})
    turn = json.dumps(
        {"messages": [{"role": "user", "content": "Mend  the\nclock."}, {"role": "assistant", "text": "Done."}]}
    )
    turns = [
        Turn("user", 1, "I prefer tea."),
        Turn("assistant", 2, "", (("c1", "mcp__everme-memory__mem_search", "{}"), ("c2", "Bash", "{}"))),
        Turn("tool", 3, "## EverMe search results: I prefer coffee", answers="c1"),
        Turn("tool", 4, "ok", answers="c2"),
        Turn("assistant", 5, "", (("c3", "mcp__everme-memory__mem_save_fact", fact),)),
        Turn("user", 6, "Mend the clock."),
        Turn("assistant", 7, "Done.", (("c4", "everme-memory_mem_save_turn", turn),)),
        Turn("user", 8, "<hook_context>## Memory context</hook_context>And the bell?"),
    ]
    assert [(one.role, one.text, [name for name, _, _ in one.calls]) for one in tidy(turns)] == [
        ("assistant", "", ["c2"]),
        ("tool", "ok", []),
        ("user", "And the bell?", []),
    ]
