"""/add and /flush: what is accepted, when it is extracted, and what is on disk when the answer comes."""

from __future__ import annotations

import base64
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from serving import Api
from vaults import ALICE, SCOPE, says

from everlore.engine import Engine
from everlore.memory import flush, remember
from everlore.search import Query, Recall, Recipe, recall
from everlore.surfaces.contracts.everos.answers import SearchData
from everlore.surfaces.contracts.everos.requests import FilterNode, SearchRequest
from everlore.surfaces.http import routes

AT = 1_780_000_000_000  # 2026-05-28T20:26:40Z


def say(text: Any, seconds: int = 0, sender: str = "alice", role: str = "user", **more: Any) -> dict[str, Any]:
    return {"sender_id": sender, "role": role, "timestamp": AT + seconds * 1000, "content": text, **more}


def waiting(api: Api, session_id: str) -> list[dict[str, Any]]:
    found = api.ok("search", user_id="anyone", query="q", filters={"session_id": session_id})
    messages: list[dict[str, Any]] = found["unprocessed_messages"]
    return messages


def test_messages_accumulate_until_the_flush(api: Api) -> None:
    first = api.ok("add", session_id="s", messages=[say("I love climbing in Yosemite every spring.")])
    assert first == {"message_count": 1, "status": "accumulated"}
    second = api.ok("add", session_id="s", messages=[say("I bike to work.", 10), say("My dog is called Rex.", 20)])
    assert second == {"message_count": 2, "status": "accumulated"}
    assert [m["content"] for m in waiting(api, "s")] == [
        "I love climbing in Yosemite every spring.",
        "I bike to work.",
        "My dog is called Rex.",
    ]
    assert api.ok("flush", session_id="s") == {"status": "extracted"}
    assert waiting(api, "s") == []


def test_an_empty_buffer_flushes_to_nothing(api: Api) -> None:
    assert api.ok("flush", session_id="never") == {"status": "no_extraction"}
    api.tell("s", "I play the violin.")
    assert api.ok("flush", session_id="s") == {"status": "no_extraction"}


@pytest.mark.looks_at_files
def test_the_markdown_is_there_when_flush_returns(api: Api) -> None:
    api.tell("s", "I love climbing in Yosemite every spring.")
    (file,) = api.files("users/alice/episodes/*.md")
    assert file.name == "episode-2026-05-28.md"
    assert "climbing in Yosemite" in file.read_text(encoding="utf-8")


def test_sessions_and_scopes_do_not_share_a_buffer(api: Api, server: Any) -> None:
    other = Api(server.client, server.root)
    api.ok("add", session_id="s1", messages=[say("I like tea.")])
    api.ok("add", session_id="s2", messages=[say("I like coffee.")])
    other.ok("add", session_id="s1", messages=[say("I like water.")])
    api.ok("add", session_id="s1", project_id="q", messages=[say("I like juice.")])
    assert api.ok("flush", session_id="s1") == {"status": "extracted"}
    assert waiting(api, "s1") == []
    assert [m["content"] for m in waiting(api, "s2")] == ["I like coffee."]
    assert [m["content"] for m in waiting(other, "s1")] == ["I like water."]
    there = api.ok("search", user_id="u", query="q", project_id="q", filters={"session_id": "s1"})
    assert [m["content"] for m in there["unprocessed_messages"]] == ["I like juice."]


@pytest.mark.looks_at_files
def test_a_boundary_extracts_within_add_and_empties_the_buffer(api: Api) -> None:
    api.ok("add", session_id="s", messages=[say("I love climbing in Yosemite every spring.")])
    later = say("I adopted a dog called Rex.", 3 * 24 * 3600)
    assert api.ok("add", session_id="s", messages=[later]) == {"message_count": 1, "status": "extracted"}
    assert waiting(api, "s") == []
    names = [file.name for file in api.files("users/alice/episodes/*.md")]
    assert names == ["episode-2026-05-28.md", "episode-2026-05-31.md"]


def test_order_is_kept(api: Api) -> None:
    texts = [f"Sentence number {n}." for n in range(30)]
    for at in range(0, 30, 10):
        api.ok("add", session_id="s", messages=[say(text, at) for text in texts[at : at + 10]])
    assert [m["content"] for m in waiting(api, "s")] == texts


def test_an_episode_opens_with_who_talked_and_when(api: Api) -> None:
    told = [say("I love climbing."), say("Where do you climb?", 60, sender="bot", role="assistant")]
    api.ok("add", session_id="s", messages=told)
    api.ok("flush", session_id="s")
    (episode,) = api.until("get", lambda d: d["count"] == 1, user_id="alice", memory_type="episode")["episodes"]
    opening = "On May 28, 2026 from 8:26 PM to 8:27 PM UTC, Alice and the assistant talked."
    assert episode["episode"].startswith(f"{opening}\n\n**Alice** (20:26): I love climbing.")


def test_a_repeated_batch_is_stored_once(api: Api) -> None:
    batch = [say("I love climbing."), say("I bike to work.", 10)]
    api.ok("add", session_id="s", messages=batch)
    assert api.ok("add", session_id="s", messages=batch)["message_count"] == 2
    assert len(waiting(api, "s")) == 2
    api.ok("flush", session_id="s")
    api.ok("add", session_id="s", messages=batch)
    assert api.ok("flush", session_id="s") == {"status": "no_extraction"}
    assert api.until("get", lambda d: d["count"] > 0, user_id="alice", memory_type="episode")["total_count"] == 1


def test_what_an_item_has_not_may_be_left_out_or_null(api: Api) -> None:
    for item in ({"type": "text", "text": "I bike."}, {"type": "text", "text": "I bike.", "uri": None, "ext": None}):
        api.ok("add", session_id="s", messages=[say("") | {"content": [item]}])
    assert len(waiting(api, "s")) == 1


def test_equal_moments_do_not_swallow_messages(api: Api) -> None:
    api.ok("add", session_id="s", messages=[say("one"), say("two"), say("two")])
    api.ok("add", session_id="s", messages=[say("three")])
    kept = waiting(api, "s")
    assert [m["content"] for m in kept] == ["one", "two", "two", "three"]
    assert len({m["id"] for m in kept}) == 4


def test_seconds_are_understood(api: Api) -> None:
    api.ok("add", session_id="s", messages=[say("I bike to work.") | {"timestamp": AT // 1000}])
    assert waiting(api, "s")[0]["timestamp"] == "2026-05-28T20:26:40Z"
    api.ok("add", session_id="old", messages=[say("I bike to work.") | {"timestamp": 946_684_800_000}])
    assert waiting(api, "old")[0]["timestamp"] == "2000-01-01T00:00:00Z", "as seconds it would be beyond the year 9999"
    api.ok("add", session_id="whole", messages=[say("I bike to work.") | {"timestamp": float(AT)}])
    assert waiting(api, "whole")[0]["timestamp"] == "2026-05-28T20:26:40Z"


def test_blank_messages_are_counted_and_not_remembered(api: Api) -> None:
    data = api.ok("add", session_id="s", messages=[say(" \n\t"), say("")])
    assert data["message_count"] == 2
    api.ok("flush", session_id="s")
    assert api.files("users/*/episodes/*.md") == []


def test_names_reach_the_text_and_ids_the_index(api: Api) -> None:
    api.ok("add", session_id="s", messages=[say("I love climbing.", sender="u_42", sender_name="Alice")])
    api.ok("flush", session_id="s")
    found = api.until("get", lambda d: d["count"] == 1, user_id="u_42", memory_type="episode")["episodes"][0]
    assert "Alice" in found["episode"]
    assert found["sender_ids"] == ["u_42"]
    assert found["id"] == "u_42_ep_20260528_00000001"


@pytest.mark.looks_at_files
def test_content_items_are_read_as_text(api: Api, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Plan\n\nWe visit Lisbon in October.", encoding="utf-8")
    items = [
        {"type": "text", "text": "My plans:"},
        {"type": "md", "text": "I am learning **Portuguese**."},
        {"type": "md", "uri": note.as_uri(), "name": "note.md", "extras": {"page": 1}},
        {"type": "md", "base64": base64.b64encode("Käse essen wir in Bern.".encode()).decode(), "ext": "md"},
    ]
    api.ok("add", session_id="s", messages=[say(items)])
    kept = waiting(api, "s")[0]
    assert kept["content"] == items, "the original payload comes back as it was sent"
    api.ok("flush", session_id="s")
    text = api.files("users/alice/episodes/*.md")[0].read_text(encoding="utf-8")
    assert all(word in text for word in ("Portuguese", "Lisbon", "Käse"))


def test_files_outside_the_allowed_folders_are_refused(start: Any, tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    (allowed / "in.md").write_text("inside", encoding="utf-8")
    (tmp_path / "out.md").write_text("outside", encoding="utf-8")
    (allowed / "link.md").symlink_to(tmp_path / "out.md")
    (allowed / "large.md").write_text("x" * 200, encoding="utf-8")
    server = start(
        {
            "EVEROS_MULTIMODAL__FILE_URI_ALLOW_DIRS": f'["{allowed.as_posix()}"]',
            "EVEROS_MULTIMODAL__FILE_URI_MAX_BYTES": "100",
        }
    )
    api = Api(server.client, server.root)

    def status(path: Path) -> int:
        item = {"type": "md", "uri": path.as_uri()}
        return api.post("add", session_id="s", messages=[say([item])]).status_code

    assert status(allowed / "in.md") == 200
    assert status(tmp_path / "out.md") == 415
    assert status(allowed / "link.md") == 415
    assert status(allowed / "large.md") == 415
    assert status(allowed) == 415
    assert status(allowed / ".." / "out.md") == 415


def test_tool_calls_are_kept_as_sent(api: Api) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"path": "."}'}}
    api.ok(
        "add",
        session_id="s",
        messages=[
            say("List my files."),
            say("", 1, "bot", "assistant", tool_calls=[call]),
            say("a.txt", 2, "ls", "tool", tool_call_id="c1"),
        ],
    )
    asked, called, answered = waiting(api, "s")
    assert (asked["tool_calls"], asked["tool_call_id"], asked["sender_name"]) == (None, None, None)
    assert called["tool_calls"] == [call]
    assert called["role"] == "assistant"
    assert answered["tool_call_id"] == "c1"
    assert answered["role"] == "tool"


@pytest.mark.parametrize(
    "owner", ["..", ".", "../../etc", "a/b", "C:\\x", "Ünï", "日本", "a b", "con", "x" * 200, "a\nb", "%41", "a\u0000b"]
)
@pytest.mark.looks_at_files
def test_any_owner_id_is_accepted_and_stays_inside_the_vault(api: Api, owner: str) -> None:
    before = {path for path in api.root.parent.iterdir() if path.name != api.root.name}
    api.tell("s", "I love climbing in Yosemite every spring.", sender=owner)
    found = api.until("get", lambda d: d["count"] == 1, user_id=owner, memory_type="episode")["episodes"][0]
    assert found["user_id"] == owner
    assert found["id"] == f"{owner}_ep_20260528_00000001"
    assert len(api.files("users/*/episodes/*.md")) == 1
    assert {path for path in api.root.parent.iterdir() if path.name != api.root.name} == before


def test_many_clients_at_once_lose_nothing(api: Api) -> None:
    def one(number: int) -> int:
        return api.post("add", session_id="s", messages=[say(f"Note {number}.", number)]).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(one, range(40))) == {200}
    assert {m["content"] for m in waiting(api, "s")} == {f"Note {n}." for n in range(40)}


def test_projects_with_the_same_owner_never_mix(api: Api) -> None:
    other = Api(api.client, api.root, api.app_id, "q")
    api.tell("s", "I love climbing in Yosemite every spring.")
    other.tell("s", "My favorite coffee shop is Blue Bottle in SOMA.")
    for scope, word, absent in ((api, "climbing", "coffee"), (other, "coffee", "climbing")):
        (episode,) = scope.until("get", lambda d: d["count"] > 0, user_id="alice", memory_type="episode")["episodes"]
        assert episode["id"] == "alice_ep_20260528_00000001"
        assert word in episode["episode"]
        assert absent not in episode["episode"]
    api.ok("delete", user_id="alice", id="alice_ep_20260528_00000001")
    assert other.ok("get", user_id="alice", memory_type="episode")["count"] == 1


def test_what_is_extracted_during_a_search_is_not_missing_from_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was no memory yet when the index was asked, and is no longer buffered when the answer is made."""
    remember(engine, SCOPE, "s", [says("I keep bees.")])

    def slow(engine: Engine, query: Query, recipe: Recipe) -> Recall:
        found = recall(engine, query, recipe)
        assert flush(engine, SCOPE, "s")
        return found

    monkeypatch.setattr(routes, "recall", slow)
    asked = SearchRequest(user_id="alice", query="bees", filters=FilterNode.model_validate({"session_id": "s"}))
    data = SearchData.model_validate_json(routes._search(engine, ALICE, asked)[0])
    assert [message.content for message in data.unprocessed_messages] == ["I keep bees."]
