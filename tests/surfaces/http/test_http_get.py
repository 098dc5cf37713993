"""/get and /delete: listings, pages, orders; and forgetting, in files and index."""

from __future__ import annotations

from typing import Any

import pytest
from embeddings import Endpoint
from serving import Api
from vaults import open_vault

from everlore.kinds import record
from everlore.memory import save_note
from everlore.memory.records import save_record
from everlore.types import Owner, Scope

AT = 1_780_000_000_000
DAY = 24 * 3600 * 1000
ARRAYS = {"episodes", "profiles", "agent_cases", "agent_skills"}


@pytest.fixture
def five(api: Api) -> Api:
    # told out of order, so that sorting by time and by update differ
    for number in (2, 0, 4, 1, 3):
        api.tell(f"s{number}", f"On day {number} I went climbing with Bob.", at=AT + number * DAY)
    api.until("get", lambda d: d["total_count"] == 5, user_id="alice", memory_type="episode")
    return api


def order(data: dict[str, Any]) -> str:
    return "".join(episode["session_id"][1:] for episode in data["episodes"])


def test_an_empty_listing_has_all_four_arrays(api: Api) -> None:
    for owner, kinds in (("user_id", ("episode", "profile")), ("agent_id", ("agent_case", "agent_skill"))):
        for kind in kinds:
            data = api.ok("get", **{owner: "nobody"}, memory_type=kind)
            assert data == {key: [] for key in ARRAYS} | {"total_count": 0, "count": 0}


def test_episodes_are_listed_newest_first_without_scores(five: Api) -> None:
    data = five.ok("get", user_id="alice", memory_type="episode")
    assert set(data) == ARRAYS | {"total_count", "count"}
    assert (data["total_count"], data["count"]) == (5, 5)
    assert (data["profiles"], data["agent_cases"], data["agent_skills"]) == ([], [], [])
    assert order(data) == "43210"
    assert set(data["episodes"][0]) == {
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
    }
    found = five.ok("search", user_id="alice", query="climbing on day 4", top_k=5)["episodes"]
    by_id = {episode["id"]: episode for episode in data["episodes"]}
    for episode in found:
        assert {k: v for k, v in episode.items() if k not in ("score", "atomic_facts", "passages")} == by_id[
            episode["id"]
        ]


def test_orders(five: Api) -> None:
    ask: dict[str, Any] = {"user_id": "alice", "memory_type": "episode"}
    assert order(five.ok("get", **ask, sort_order="asc")) == "01234"
    assert order(five.ok("get", **ask, sort_by="updated_at")) == "31402"
    assert order(five.ok("get", **ask, sort_by="updated_at", sort_order="asc")) == "20413"


def test_pages_cover_everything_once(five: Api) -> None:
    ask: dict[str, Any] = {"user_id": "alice", "memory_type": "episode", "page_size": 2}
    pages = [five.ok("get", **ask, page=page) for page in (1, 2, 3)]
    assert [order(page) for page in pages] == ["43", "21", "0"]
    assert [page["count"] for page in pages] == [2, 2, 1]
    assert {page["total_count"] for page in pages} == {5}


@pytest.mark.parametrize("page", [4, 1000, 10**9, 10**18, 10**30])
def test_beyond_the_last_page_there_is_nothing(five: Api, page: int) -> None:
    data = five.ok("get", user_id="alice", memory_type="episode", page_size=2, page=page)
    assert (data["episodes"], data["count"], data["total_count"]) == ([], 0, 5)


def test_filters_count_before_paging(five: Api) -> None:
    filters = {"timestamp": {"gte": AT + 2 * DAY}}
    data = five.ok("get", user_id="alice", memory_type="episode", page_size=1, filters=filters)
    assert (order(data), data["total_count"], data["count"]) == ("4", 3, 1)


def test_listings_keep_to_owner_and_scope(five: Api, server: Any) -> None:
    assert five.ok("get", user_id="bob", memory_type="episode")["total_count"] == 0
    assert five.ok("get", user_id="alice", memory_type="episode", project_id="q")["total_count"] == 0
    assert Api(server.client, server.root).ok("get", user_id="alice", memory_type="episode")["total_count"] == 0


def test_the_profile_is_listed_whatever_it_is_sorted_by(five: Api) -> None:
    five.tell("me", "My name is Alice and I work as a nurse in Bern.", "I prefer tea.", at=AT + 9 * DAY)
    for sort_by in ("timestamp", "updated_at"):
        data = five.until("get", lambda d: d["count"] == 1, user_id="alice", memory_type="profile", sort_by=sort_by)
        (profile,) = data["profiles"]
        assert set(profile) == {"id", "user_id", "app_id", "project_id", "profile_data"}
        assert profile["id"] == "profile_alice"
        assert data["total_count"] == 1


def test_an_episode_is_deleted_with_its_facts(five: Api) -> None:
    episode = five.ok("get", user_id="alice", memory_type="episode")["episodes"][0]
    found = five.ok("search", user_id="alice", query="climbing day 4", filters={"session_id": "s4"}, top_k=5)
    assert found["episodes"][0]["atomic_facts"]
    deleted = five.ok("delete", user_id="alice", id=episode["id"])["deleted"]
    assert deleted >= 2
    assert five.ok("get", user_id="alice", memory_type="episode")["total_count"] == 4
    assert five.ok("search", user_id="alice", query="day 4", filters={"session_id": "s4"}, top_k=5)["episodes"] == []
    texts = [file.read_text(encoding="utf-8") for file in five.files("users/alice/**/*.md")]
    assert not any("On day 4" in text for text in texts)
    again = five.post("delete", user_id="alice", id=episode["id"])
    assert again.status_code == 404
    assert again.json()["error"]["code"] == "HTTP_ERROR"


def test_a_deleted_episode_leaves_the_profile_too(api: Api) -> None:
    api.tell("one", "I'm allergic to walnuts and my PIN hint is zebrafish.", "I love jazz.")
    api.tell("two", "I live in Bonn.", at=AT + DAY)
    ask: dict[str, Any] = {"user_id": "alice", "memory_type": "episode"}
    first = next(e["id"] for e in api.ok("get", **ask)["episodes"] if e["session_id"] == "one")
    api.ok("delete", user_id="alice", id=first)
    (profile,) = api.ok("get", user_id="alice", memory_type="profile")["profiles"]
    assert [info["description"] for info in profile["profile_data"]["explicit_info"]] == ["Alice lives in Bonn."]
    assert profile["profile_data"]["summary"] == "Alice lives in Bonn."
    assert not any("zebrafish" in file.read_text(encoding="utf-8") for file in api.files("users/alice/**/*.md"))
    api.ok("delete", user_id="alice", id=api.ok("get", **ask)["episodes"][0]["id"])
    assert api.ok("get", user_id="alice", memory_type="profile")["profiles"] == []
    assert api.files("users/alice/user.md") == []


def test_an_id_is_never_used_again(five: Api) -> None:
    gone = five.ok("get", user_id="alice", memory_type="episode")["episodes"][0]["id"]
    five.ok("delete", user_id="alice", id=gone)
    five.tell("new", "I bought a red canoe.", at=AT + 4 * DAY + 60_000)
    data = five.until("get", lambda d: d["total_count"] == 5, user_id="alice", memory_type="episode")
    assert gone not in {episode["id"] for episode in data["episodes"]}


@pytest.mark.parametrize(
    "unknown", ["nope", "alice_ep_20200101_00000001", "bob_ep_20260528_00000001", "alice_", "../x", "alice_ep_"]
)
def test_unknown_ids_are_not_found(five: Api, unknown: str) -> None:
    assert five.post("delete", user_id="alice", id=unknown).status_code == 404


def test_deletion_keeps_to_owner_and_scope(five: Api, server: Any) -> None:
    known = five.ok("get", user_id="alice", memory_type="episode")["episodes"][0]["id"]
    assert five.post("delete", user_id="bob", id=known).status_code == 404
    assert five.post("delete", agent_id="alice", id=known).status_code == 404
    assert Api(server.client, server.root).post("delete", user_id="alice", id=known).status_code == 404
    assert five.ok("get", user_id="alice", memory_type="episode")["total_count"] == 5


def test_a_deletion_names_one_owner_and_an_id(api: Api) -> None:
    assert api.refused("delete", 422, user_id="alice") == "Field required: id"
    assert api.refused("delete", 422, id="x").startswith("Value error, exactly one of")
    assert api.refused("delete", 422, user_id="alice", id="").endswith(": id")


@pytest.mark.looks_at_files
def test_an_edit_in_an_editor_reaches_the_agents(five: Api) -> None:
    file = next(file for file in five.files("users/alice/episodes/*.md") if "On day 3" in file.read_text("utf-8"))
    file.write_text(file.read_text(encoding="utf-8").replace("On day 3", "On the third day"), encoding="utf-8")
    five.until(
        "search",
        lambda d: bool(d["episodes"]) and "On the third day" in d["episodes"][0]["episode"],
        user_id="alice",
        query="third day",
        method="keyword",
        filters={"session_id": "s3"},
        top_k=1,
    )


@pytest.mark.looks_at_files
def test_a_note_is_listed_found_and_deleted_like_an_episode(api: Api, vectors: Endpoint) -> None:
    engine = open_vault(api.root, vectors.url)
    owner = Owner(Scope(api.app_id, api.project_id), "user", "alice")
    text = f"Violin\n\n{'A long exercise for the left hand. ' * 12}"
    key = save_note(engine, owner, text)
    engine.close()
    api.tell("s1", "I climb in Yosemite every spring.")
    listed = api.ok("get", user_id="alice", memory_type="episode")
    assert (listed["total_count"], listed["count"]) == (2, 2)
    (item,) = [one for one in listed["episodes"] if one["id"] == key.public_id]
    assert item["episode"] == text
    assert item["subject"] == "Violin"
    assert len(item["summary"]) <= 200
    assert (item["session_id"], item["sender_ids"], item["type"]) == ("", ["alice"], "Conversation")
    for method in ("keyword", "hybrid", "agentic"):
        found = api.ok("search", user_id="alice", query="violin exercise", method=method, top_k=5)["episodes"]
        assert found[0]["id"] == key.public_id
        assert found[0]["atomic_facts"] == []
    assert api.ok("delete", user_id="alice", id=key.public_id)["deleted"] == 1
    assert api.ok("get", user_id="alice", memory_type="episode")["total_count"] == 1


@pytest.mark.looks_at_files
def test_a_record_is_found_like_an_episode_and_listed_only_as_a_record(api: Api, vectors: Endpoint) -> None:
    engine = open_vault(api.root, vectors.url)
    owner = Owner(Scope(api.app_id, api.project_id), "user", "alice")
    saved = save_record(engine, owner, "decision", {"title": "Violin", "text": "We rent it."}, "test", ["music"], 0.9)
    key = record.key(owner, saved.local_id)
    engine.close()
    api.tell("s1", "I climb in Yosemite every spring.")
    (talk,) = api.ok("get", user_id="alice", memory_type="episode")["episodes"]
    assert talk["session_id"] == "s1"
    records = api.ok("get", user_id="alice", memory_type="record")
    assert [one["id"] for one in records["episodes"]] == [key.public_id]
    assert (records["total_count"], records["count"]) == (1, 1)
    found = api.ok("search", user_id="alice", query="violin", method="keyword", top_k=5)["episodes"]
    assert [one["id"] for one in found] == [key.public_id]
    assert api.refused("get", 422, agent_id="alice", memory_type="record").endswith("requires user_id")


def test_a_profile_of_lists_answers_and_other_languages(api: Api) -> None:
    api.tell("one", "Name: Peter\nJob: nurse\nCity: Graz", "Meine Frau heißt Anna.", "My boss is an idiot.")
    api.ok(
        "add",
        session_id="two",
        messages=[
            {"sender_id": "bot", "role": "assistant", "timestamp": AT + DAY, "content": "Any allergies?"},
            {"sender_id": "alice", "role": "user", "timestamp": AT + DAY + 1, "content": "Nuts"},
            {"sender_id": "alice", "role": "user", "timestamp": AT + DAY + 2, "content": "Ich wohne jetzt in Wien."},
        ],
    )
    api.ok("flush", session_id="two")
    (profile,) = api.ok("get", user_id="alice", memory_type="profile")["profiles"]
    assert {info["description"] for info in profile["profile_data"]["explicit_info"]} == {
        "Alice's name is Peter.",
        "Alice works as a nurse.",
        'Alice said: "Ich wohne jetzt in Wien."',
        'Alice said: "Meine Frau heißt Anna."',
        "Alice is allergic to Nuts.",
    }
