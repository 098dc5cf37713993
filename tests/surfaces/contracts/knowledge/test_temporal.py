"""get_valid, get_valid_at, invalidate."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from speaking import Client


def contents(found: dict[str, Any]) -> list[str]:
    assert found["count"] == len(found["results"])
    return [one["content"] for one in found["results"]]


def now() -> str:
    time.sleep(0.005)
    moment = datetime.now(UTC).isoformat(timespec="milliseconds")
    time.sleep(0.005)
    return moment


def test_what_is_invalid_is_left_out_and_still_there(mcp: Client) -> None:
    old = mcp.store("Alice works at Acme.")
    new = mcp.store("Alice works at Globex.")
    assert mcp.ok("invalidate", id=old, reason="changed jobs", superseded_by=new) == {"invalidated": True}
    for tool in ("search", "search_text", "recall"):
        assert mcp.contents(tool, "Where does Alice work?") == ["Alice works at Globex."]
    assert contents(mcp.ok("get_valid")) == ["Alice works at Globex."]
    memory = mcp.ok("get_memory", id=old)
    assert memory["valid_until"] is not None
    assert (memory["invalidation_reason"], memory["superseded_by"]) == ("changed jobs", new)
    assert mcp.ok("list_memories")["total"] == 2


def test_the_past_can_be_asked(mcp: Client) -> None:
    before = now()
    first = mcp.store("The build is red.")
    between = now()
    second = mcp.store("The build is green.")
    mcp.ok("invalidate", id=first, superseded_by=second)
    after = now()
    assert contents(mcp.ok("get_valid_at", timestamp=before)) == []
    assert contents(mcp.ok("get_valid_at", timestamp=between)) == ["The build is red."]
    assert contents(mcp.ok("get_valid_at", timestamp=after)) == ["The build is green."]


def test_any_offset_of_a_timestamp(mcp: Client) -> None:
    mcp.store("x y z")
    moment = datetime.now(timezone(timedelta(hours=-7))) + timedelta(seconds=1)
    found = mcp.ok("get_valid_at", timestamp=moment.isoformat(timespec="seconds"))
    assert found["count"] == 1
    assert datetime.fromisoformat(found["timestamp"]) == moment.replace(microsecond=0)
    assert mcp.ok("get_valid_at", timestamp="2026-01-06T12:00:00Z")["timestamp"] == "2026-01-06T12:00:00Z"


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+14:00", "1", "٢"])
def test_a_bad_timestamp_is_explained(mcp: Client, text: str) -> None:
    assert "ISO 8601" in mcp.refused("get_valid_at", timestamp=text)


def test_users_and_limits(mcp: Client) -> None:
    for number in range(25):
        mcp.store(f"Number {number}.", user_id="alice" if number % 5 else "bob")
    assert mcp.ok("get_valid")["count"] == 20
    assert mcp.ok("get_valid", limit=1000)["count"] == 25
    assert mcp.ok("get_valid", user_id="bob")["count"] == 5
    assert mcp.ok("get_valid", user_id="nobody")["count"] == 0
    assert mcp.ok("get_valid_at", timestamp=now(), user_id="bob", limit=3)["count"] == 3
    assert "limit" in mcp.refused("get_valid", limit=0)


def test_a_second_invalidation_keeps_the_first_end(mcp: Client) -> None:
    ident = mcp.store("The door is open.")
    mcp.ok("invalidate", id=ident, reason="closed")
    first = mcp.ok("get_memory", id=ident)
    assert mcp.ok("invalidate", id=ident, reason="again") == {"invalidated": True}
    assert mcp.ok("get_memory", id=ident) == first


def test_a_successor_may_be_named_later(mcp: Client) -> None:
    old, new, newer = (mcp.store(text) for text in ("The door is open.", "The door is shut.", "The door is gone."))
    mcp.ok("invalidate", id=old)
    end = mcp.ok("get_memory", id=old)["valid_until"]
    for successor in (new, newer):
        mcp.ok("invalidate", id=old, reason="it changed", superseded_by=successor)
        memory = mcp.ok("get_memory", id=old)
        assert (memory["valid_until"], memory["superseded_by"]) == (end, successor)
        assert memory["invalidation_reason"] == "it changed"


def test_a_chain_of_successors_does_not_come_back(mcp: Client) -> None:
    first, second, third = (mcp.store(text) for text in ("Eve lives in Rome.", "Eve lives in Oslo.", "Eve moved back."))
    mcp.ok("invalidate", id=first, superseded_by=second)
    mcp.ok("invalidate", id=second, superseded_by=third)
    assert "was itself superseded by this memory" in mcp.refused("invalidate", id=third, superseded_by=first)
    assert contents(mcp.ok("get_valid")) == ["Eve moved back."]


def test_a_successor_must_exist_and_be_another(mcp: Client) -> None:
    ident = mcp.store("The door is open.")
    assert mcp.refused("invalidate", id=ident, superseded_by="f" * 20) == f"Memory not found: {'f' * 20}"
    assert "itself" in mcp.refused("invalidate", id=ident, superseded_by=ident)
    assert mcp.ok("get_memory", id=ident)["valid_until"] is None


def end_by_hand(mcp: Client, ident: str, when: str) -> None:
    """Write an end into the only note, and wait until it is known."""
    (path,) = mcp.root.rglob("notes/note-*.md")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("**memory_type**", f"**valid_until**: {when}\n**memory_type**"), "utf-8")
    deadline = time.monotonic() + 120
    while mcp.ok("get_memory", id=ident)["valid_until"] is None and time.monotonic() < deadline:
        time.sleep(0.1)


@pytest.mark.looks_at_files
def test_a_hand_edit_of_the_end_counts(mcp: Client) -> None:
    ident = mcp.store("The kettle is broken.")
    end_by_hand(mcp, ident, "2026-01-01T00:00:00Z")
    assert mcp.ok("get_memory", id=ident)["valid_until"] == "2026-01-01T00:00:00Z"
    assert mcp.contents("search_text", "kettle") == []


@pytest.mark.looks_at_files
def test_what_would_end_later_can_be_ended_now(mcp: Client) -> None:
    ident = mcp.store("The offer stands.")
    end_by_hand(mcp, ident, "2199-01-01T00:00:00Z")
    assert mcp.contents("search_text", "offer") == ["The offer stands."]
    mcp.ok("invalidate", id=ident)
    assert mcp.ok("get_memory", id=ident)["valid_until"] < "2199"
    assert mcp.contents("search_text", "offer") == []
