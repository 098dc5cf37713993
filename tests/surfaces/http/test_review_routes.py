"""Reviewing drafts over HTTP, on both stores, with scripted reviewers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from serving import Api

AT = 1_780_000_000_000
DAY = 86_400_000


@pytest.fixture
def item(api: Api) -> dict[str, Any]:
    api.tell("old", "I live in Vienna.")
    api.tell("new", "I moved to Graz yesterday.", "Never book flights before 9:30 for me.", at=AT + DAY)
    found = api.ok("review", user_id="alice")
    [lent] = found["items"]
    assert found["waiting"] == 2
    assert found["reply_schema"]["properties"]
    return dict(lent)


def good(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": "Alice moved to Graz",
        "facts": [{"text": "Alice lives in Graz.", "turns": [1]}],
        "rules": [{"text": "Never book flights before 9:30 for Alice.", "turns": [2]}],
        "ends": [{"id": one["id"], "turns": [1], "replaced_by": 1} for one in item["older"] if "Vienna" in one["text"]],
    }


def profile(api: Api) -> list[str]:
    [found] = api.ok("get", user_id="alice", memory_type="profile")["profiles"]
    return [info["description"] for info in found["profile_data"]["explicit_info"]]


def test_a_draft_is_shown_with_what_a_reviewer_needs(item: dict[str, Any]) -> None:
    assert [(turn["turn"], turn["speaker"], turn["role"]) for turn in item["turns"]] == [
        (1, "Alice", "user"),
        (2, "Alice", "user"),
    ]
    assert item["draft"]["facts"]
    assert any("Vienna" in one["text"] for one in item["older"])


def test_a_reply_is_checked_and_taken_and_can_be_undone(api: Api, item: dict[str, Any]) -> None:
    reply = good(item)
    reply["facts"].append({"text": "Bob lives in Graz.", "turns": [1]})
    trial = api.ok("curate", user_id="alice", id=item["id"], lease=item["lease"], reply=reply, dry_run=True)
    assert (trial["state"], "+ Alice lives in Graz." in trial["changes"]) == ("drafted", True)
    done = api.ok("curate", user_id="alice", id=item["id"], lease=item["lease"], reply=reply)
    assert (done["state"], [one["where"] for one in done["refused"]]) == ("curated", ["facts[1]"])
    assert "Never book flights before 9:30 for Alice." in profile(api)
    assert not any("Vienna" in line for line in profile(api))
    [first, *_] = api.ok("search", user_id="alice", query="Where does Alice live?")["episodes"]
    assert first["subject"] == "Alice moved to Graz"
    again = api.ok("curate", user_id="alice", id=item["id"], lease="whatever", reply=reply)
    assert again["state"] == "curated"
    undone = api.ok("curate", user_id="alice", id=item["id"], undo=True)
    assert undone["state"] == "drafted"
    assert not any("for Alice" in line for line in profile(api))
    held = api.ok("history", user_id="alice", id=item["id"])["memories"]
    assert any(one["memory_type"] == "review" for one in held)


def test_two_reviewers_at_once_never_hold_the_same(api: Api) -> None:
    for number in range(4):
        api.tell(f"s{number}", f"I bought {number + 3} lamps.", at=AT + number * DAY)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: api.ok("review", user_id="alice", limit=2)["items"], range(4)))
    ids = [one["id"] for items in found for one in items]
    assert sorted(ids) == sorted(set(ids))
    assert len(ids) == 4


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"reply": {}}, "lease"),
        ({"reply": {"facts": []}, "lease": "0" * 16}, "lease"),
        ({}, "exactly one of reply and undo"),
        ({"reply": {}, "undo": True}, "exactly one of reply and undo"),
        ({"reply": []}, "reply"),
        ({"reply": {}, "verdict": 1}, "Extra inputs are not permitted"),
    ],
)
def test_a_request_that_is_wrong_says_why(api: Api, item: dict[str, Any], body: dict[str, Any], says: str) -> None:
    assert says in api.refused("curate", 422, user_id="alice", id=item["id"], **body)


def test_another_users_draft_is_not_found(api: Api, item: dict[str, Any]) -> None:
    assert api.refused("review", 404, user_id="bob", id=item["id"])
    assert api.ok("review", user_id="bob")["items"] == []


def test_a_late_reply_is_refused_and_nothing_changes(api: Api, item: dict[str, Any]) -> None:
    api.ok("curate", user_id="alice", id=item["id"], lease=item["lease"], reply=good(item))
    api.ok("curate", user_id="alice", id=item["id"], undo=True)
    reply = {"facts": [{"text": "Alice moved to Graz.", "turns": [1]}]}
    assert "lease" in api.refused("curate", 422, user_id="alice", id=item["id"], lease=item["lease"], reply=reply)
