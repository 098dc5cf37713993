"""Routes beside the contract's: what held when, and an owner's files taken along and put elsewhere."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from serving import Api

from everlore.types import Key, Owner, Scope

AT = 1_780_000_000_000
DAY = 24 * 3600 * 1000


@pytest.fixture
def moved(api: Api) -> Api:
    """Alice lived in three places, one after the other, and has a dog."""
    for number, place in enumerate(("Boston", "Seattle", "Lisbon")):
        said = ("I have a dog named Rex.",) if number == 1 else ()
        api.tell(f"s{number}", f"I live in {place} now.", *said, at=AT + number * 30 * DAY)
    api.until("get", lambda data: data["total_count"] == 3, user_id="alice", memory_type="episode")
    return api


def homes(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in data["memories"] if " live" in one["content"]]


def test_what_an_owner_stated_is_told_with_the_time_in_which_it_held(moved: Api) -> None:
    data = moved.ok("history", user_id="alice")
    assert data["count"] == data["total_count"] == 4
    lisbon, seattle, boston = homes(data)
    assert set(boston) == {
        *("id", "user_id", "agent_id", "app_id", "project_id", "memory_type", "content", "session_id", "episode_id"),
        *("timestamp", "valid_from", "valid_until", "superseded_by"),
    }
    assert (boston["memory_type"], boston["session_id"], boston["agent_id"]) == ("atomic_fact", "s0", None)
    assert boston["valid_from"] == boston["timestamp"] == "2026-05-28T20:26:40Z"
    assert boston["valid_until"] == seattle["valid_from"]
    assert (boston["superseded_by"], seattle["superseded_by"]) == (seattle["id"], lisbon["id"])
    assert (lisbon["valid_until"], lisbon["superseded_by"]) == (None, None)
    episodes = moved.ok("get", user_id="alice", memory_type="episode")["episodes"]
    assert {one["session_id"]: one["id"] for one in episodes} == {
        one["session_id"]: one["episode_id"] for one in (boston, seattle, lisbon)
    }


@pytest.mark.parametrize("as_iso", [False, True])
def test_the_past_can_be_asked(moved: Api, as_iso: bool) -> None:
    for days, place in ((1, "Boston"), (31, "Seattle"), (61, "Lisbon")):
        moment = "2026-05-29T20:26:40Z" if as_iso and days == 1 else AT + days * DAY
        (home,) = homes(moved.ok("history", user_id="alice", at=moment))
        assert place in home["content"]
    assert moved.ok("history", user_id="alice", at=AT - DAY)["memories"] == []


def test_the_chain_of_one_statement_is_told_from_any_of_its_links(moved: Api) -> None:
    chain = [one["id"] for one in reversed(homes(moved.ok("history", user_id="alice")))]
    for link in chain:
        found = moved.ok("history", user_id="alice", id=link)
        assert [one["id"] for one in found["memories"]] == chain
    assert [one["id"] for one in moved.ok("history", user_id="alice", id=chain[2], at=AT + DAY)["memories"]] == chain[
        :1
    ]
    second = moved.ok("history", user_id="alice", id=chain[2], page=2, page_size=2)
    assert ([one["id"] for one in second["memories"]], second["total_count"], second["count"]) == (chain[2:], 3, 1)


def test_the_history_of_an_episode_is_that_of_its_facts(moved: Api) -> None:
    (episode,) = moved.ok("get", user_id="alice", memory_type="episode", filters={"session_id": "s1"})["episodes"]
    seattle, rex = moved.ok("history", user_id="alice", id=episode["id"])["memories"]
    assert ("Seattle" in seattle["content"], "Rex" in rex["content"]) == (True, True)
    assert (seattle["valid_until"] is None, rex["valid_until"]) == (False, None)


def test_bad_requests_for_history_say_what_to_do(moved: Api) -> None:
    assert "no memory 'alice_af_20260528_99999999'" in moved.refused(
        "history", 404, user_id="alice", id="alice_af_20260528_99999999"
    )
    assert moved.refused("history", 422, user_id="alice", at="in May") == "'in May' is not an ISO-8601 time: at"
    for odd in (True, 1.5, [1], {"gte": 1}):
        reason = moved.refused("history", 422, user_id="alice", at=odd)
        assert reason == "Input should be epoch milliseconds or ISO-8601 text: at"
    assert moved.refused("history", 422, user_id="alice", agent_id="a").startswith("Value error, exactly one of")
    assert moved.refused("history", 422, user_id="alice", page=0).endswith(": page")


ENDED = """---
---
<!-- entry:af_20260101_00000001 -->
## af_20260101_00000001
**timestamp**: 2026-01-01T12:00:00Z
**valid_until**: 2026-01-02T12:00:00Z
**superseded_by**: {handle}

### Fact
Alice drinks tea.
<!-- /entry:af_20260101_00000001 -->
"""


def superseded_by(api: Api, ended_by: str, of: Api, kind: str) -> dict[str, Any]:
    """The history of a fact of Alice's in whose file a memory, of another place perhaps, is named as its successor."""
    key = Key(Owner(Scope(of.app_id, of.project_id), "user", "alice"), kind, ended_by.removeprefix("alice_"))
    file = {"path": "facts/fact-2026-01-01.md", "text": ENDED.format(handle=key.global_id)}
    assert api.ok("import", user_id="alice", files=[file])["written"] == 1
    return api.ok("history", user_id="alice", id="alice_af_20260101_00000001")


def test_a_file_that_names_a_memory_of_another_place_tells_nothing_of_it(moved: Api) -> None:
    theirs = homes(moved.ok("history", user_id="alice"))[0]
    data = superseded_by(Api(moved.client, moved.root), theirs["id"], moved, "fact")
    assert [(one["content"], one["superseded_by"]) for one in data["memories"]] == [("Alice drinks tea.", None)]


def test_any_memory_may_have_taken_the_place_of_another(moved: Api) -> None:
    (episode,) = moved.ok("get", user_id="alice", memory_type="episode", filters={"session_id": "s1"})["episodes"]
    tea, told = superseded_by(moved, episode["id"], moved, "episode")["memories"]
    assert tea["superseded_by"] == told["id"] == episode["id"]
    assert (told["memory_type"], told["content"]) == ("episode", episode["episode"])


def exported(api: Api, **owner: str) -> dict[str, dict[str, Any]]:
    """All files, page by page."""
    files: dict[str, dict[str, Any]] = {}
    page = 1
    while found := api.ok("export", **owner, page=page, page_size=2)["files"]:
        files |= {file["path"]: file for file in found}
        page += 1
    return files


def test_an_export_is_the_files_and_an_import_gives_the_same_memory(moved: Api) -> None:
    files = exported(moved, user_id="alice")
    assert len(files) == moved.ok("export", user_id="alice")["total_count"]
    assert {"user.md", "episodes/episode-2026-05-28.md", "facts/fact-2026-05-28.md"} <= set(files)
    other = Api(moved.client, moved.root)
    sent = list(files.values())
    assert other.ok("import", user_id="alice", files=sent) == {"written": len(files), "unchanged": 0}
    assert other.ok("import", user_id="alice", files=sent) == {"written": 0, "unchanged": len(files)}
    assert exported(other, user_id="alice") == files
    asked = {"user_id": "alice", "query": "Where do I live?", "top_k": 5, "include_profile": True}

    def answer(api: Api) -> list[Any]:
        data = api.ok("search", **asked)
        return [[one["id"], one["episode"], one["atomic_facts"]] for one in data["episodes"]] + [
            one["profile_data"] for one in data["profiles"]
        ]

    other.until("search", lambda _: answer(other) == answer(moved), **asked)
    told = [one["id"] for one in moved.ok("history", user_id="alice")["memories"]]
    assert [one["id"] for one in other.ok("history", user_id="alice")["memories"]] == told


def test_an_import_overwrites_nothing_unless_told_to(moved: Api) -> None:
    files = exported(moved, user_id="alice")
    changed = [{"path": path, "text": file["text"] + "\n"} for path, file in files.items()]
    new = {"path": "episodes/episode-2020-01-01.md", "text": "# Nothing yet\n"}
    reason = moved.refused("import", 409, user_id="alice", files=[*changed, new])
    assert "hold something else here; nothing was written" in reason
    assert exported(moved, user_id="alice") == files
    assert moved.ok("import", user_id="alice", files=changed, overwrite=True)["written"] == len(files)
    assert exported(moved, user_id="alice") == {file["path"]: file | {"base64": None} for file in changed}


@pytest.mark.parametrize(
    "path",
    [
        "../bob/user.md",
        "/etc/passwd",
        "episodes/../user.md",
        "notes.txt",
        "episodes/episode-2026-13-01.md",
        "a\x00.md",
        "entities/a\x00.md",
    ],
)
def test_only_files_of_memories_can_be_imported(api: Api, path: str) -> None:
    good = {"path": "episodes/episode-2026-05-28.md", "text": "---\n---\n"}
    reason = api.refused("import", 422, user_id="alice", files=[good, {"path": path, "text": "x"}])
    assert "is not a file of memories" in reason
    assert api.ok("export", user_id="alice")["files"] == []
    assert api.files("**/*") == []


def test_of_two_files_in_one_place_none_is_dropped_silently(api: Api) -> None:
    twice = [{"path": "user.md", "text": f"---\nsummary: {text}\n---\n"} for text in ("one", "two")]
    reason = api.refused("import", 422, user_id="alice", files=twice)
    assert reason == "Value error, 'user.md' is there twice, and only one of the two could be kept: files"
    assert api.ok("export", user_id="alice")["files"] == []


def test_files_that_are_no_text_travel_as_they_are(api: Api) -> None:
    broken = base64.b64encode("Müsli".encode("latin-1")).decode()
    sent = {"path": "episodes/episode-2026-05-28.md", "base64": broken}
    assert api.ok("import", user_id="alice", files=[sent])["written"] == 1
    assert api.ok("export", user_id="alice")["files"] == [sent | {"text": None}]
    for wrong in ({"base64": "%%%"}, {"text": "x", "base64": broken}, {}):
        api.refused("import", 422, user_id="alice", files=[{"path": sent["path"]} | wrong])
    # the server is shared, so what is broken does not stay
    api.ok("import", user_id="alice", files=[{"path": sent["path"], "text": "---\n---\n"}], overwrite=True)


def test_owners_and_scopes_stay_apart(moved: Api) -> None:
    for owner in ({"user_id": "bob"}, {"agent_id": "alice"}):
        assert moved.ok("export", **owner)["files"] == []
        assert moved.ok("history", **owner)["memories"] == []
    elsewhere = Api(moved.client, moved.root)
    assert elsewhere.ok("export", user_id="alice")["files"] == []
    assert elsewhere.ok("history", user_id="alice")["memories"] == []


def test_what_an_agent_learned_has_a_history_and_can_be_taken_along(api: Api) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "run_tests", "arguments": "{}"}}
    turns: list[dict[str, Any]] = [
        {"sender_id": "alice", "role": "user", "content": "Please run the tests and fix what fails."},
        {"sender_id": "helper", "role": "assistant", "content": "", "tool_calls": [call]},
        {"sender_id": "helper", "role": "tool", "content": "3 passed", "tool_call_id": "c1"},
        {"sender_id": "helper", "role": "assistant", "content": "All three tests pass, nothing had to be fixed."},
    ]
    messages = [turn | {"timestamp": AT + 1000 * number} for number, turn in enumerate(turns)]
    api.ok("add", session_id="s", messages=messages)
    api.ok("flush", session_id="s")
    data = api.until("history", lambda found: found["total_count"] > 0, agent_id="helper")
    assert {one["memory_type"] for one in data["memories"]} <= {"agent_case", "agent_skill"}
    assert all(one["content"] and one["agent_id"] == "helper" and one["user_id"] is None for one in data["memories"])
    files = exported(api, agent_id="helper")
    assert any(path.startswith("cases/") for path in files)
