"""Forgetting over HTTP: what would go, what went, and how it comes back."""

from __future__ import annotations

import pytest
from serving import Api

AT = 1_780_000_000_000


@pytest.fixture
def told(api: Api) -> Api:
    api.tell("s0", "I live in Boston now.", "I have a dog named Rex.", at=AT)
    api.tell("s1", "I live in Lisbon now.", at=AT + 86_400_000)
    return api


def statements(api: Api) -> list[tuple[str, str | None]]:
    found = api.ok("history", user_id="alice")["memories"]
    return sorted((one["content"], one["valid_until"]) for one in found)


def the_id(api: Api, word: str) -> str:
    found = api.ok("history", user_id="alice")["memories"]
    return next(str(one["id"]) for one in found if word in one["content"])


def test_what_was_deleted_can_be_restored(told: Api) -> None:
    episode = told.ok("get", user_id="alice", memory_type="episode", filters={"session_id": "s0"})["episodes"][0]["id"]
    before = told.ok("export", user_id="alice")["files"]
    would = told.ok("delete/preview", user_id="alice", id=episode)
    assert would["counts"] == {"episode": 1, "fact": 2}
    assert {one["id"] for one in would["memories"]} >= {episode}
    assert any("Rex" in line for line in would["profile"])
    gone = told.ok("delete", user_id="alice", id=episode)
    assert gone["deleted"] == 3
    (item,) = told.ok("bin", user_id="alice")["items"]
    assert (item["id"], item["act"], item["user_id"]) == (gone["bin"], "forget", "alice")
    assert item["until"][:10] > item["at"][:10]
    assert told.ok("bin/restore", bin=gone["bin"])["left"] == []
    assert told.ok("export", user_id="alice")["files"] == before
    assert told.ok("bin")["items"] == []
    assert "nothing in the bin" in told.refused("bin/restore", 404, bin=gone["bin"])


def test_what_two_conversations_say_stays_until_both_are_gone(api: Api) -> None:
    api.tell("s0", "I have a dog named Rex.", "I live in Boston.", at=AT)
    api.tell("s1", "I work as a nurse.", "I have a dog named Rex.", at=AT + 86_400_000)
    talks = {one["session_id"]: one["id"] for one in api.ok("get", user_id="alice", memory_type="episode")["episodes"]}

    def told() -> set[str]:
        return {text for text, _ in statements(api)}

    would = api.ok("delete/preview", user_id="alice", id=talks["s0"])
    assert would["counts"] == {"episode": 1, "fact": 1}
    assert not any("Rex" in line for line in would["profile"])
    first = api.ok("delete", user_id="alice", id=talks["s0"])
    assert first["deleted"] == 2
    assert told() == {"Alice has a dog named Rex.", "Alice works as a nurse."}
    (found,) = api.ok("search", user_id="alice", query="dog named Rex", top_k=1)["episodes"]
    assert (found["id"], found["atomic_facts"][0]["content"]) == (talks["s1"], "Alice has a dog named Rex.")
    api.ok("bin/restore", bin=first["bin"])
    api.ok("delete", user_id="alice", id=talks["s1"])
    assert told() == {"Alice has a dog named Rex.", "Alice lives in Boston."}
    api.ok("delete", user_id="alice", id=talks["s0"])
    assert told() == set()


def test_what_it_had_ended_is_told_and_can_be_opened_again(told: Api) -> None:
    gone = told.ok("delete", user_id="alice", id=the_id(told, "Lisbon"))
    (boston,) = gone["still_ended"]
    assert boston["id"] == the_id(told, "Boston")
    assert all(end is not None for text, end in statements(told) if "Boston" in text)
    told.ok("reopen", user_id="alice", id=boston["id"])
    assert [end for text, end in statements(told) if "Boston" in text] == [None]


def test_an_owner_is_deleted_as_a_whole(told: Api) -> None:
    gone = told.ok("delete/owner", user_id="alice")
    assert gone["deleted"] > 3
    assert told.ok("get", user_id="alice", memory_type="episode")["total_count"] == 0
    told.ok("bin/restore", bin=gone["bin"])
    assert told.ok("get", user_id="alice", memory_type="episode")["total_count"] == 2


def test_the_bin_is_emptied(told: Api) -> None:
    first = told.ok("delete", user_id="alice", id=the_id(told, "Rex"))["bin"]
    told.ok("delete", user_id="alice", id=the_id(told, "Lisbon"))
    assert told.ok("bin/empty", bin=first) == {"deleted": 1}
    assert told.ok("bin/empty") == {"deleted": 1}
    assert told.ok("bin") == {"items": [], "total_count": 0, "count": 0}


def test_an_import_that_overwrites_tells_where_the_old_is(told: Api) -> None:
    files = told.ok("export", user_id="alice")["files"]
    told.tell("s2", "I work as a nurse.", at=AT + 2000)
    now = told.ok("export", user_id="alice")["files"]
    done = told.ok("import", user_id="alice", files=files, overwrite=True)
    assert done["bin"]
    told.ok("bin/restore", bin=done["bin"])
    assert told.ok("export", user_id="alice")["files"] == now
