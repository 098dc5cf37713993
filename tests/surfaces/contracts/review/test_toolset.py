"""An agent reviews drafts over MCP, on a real process over stdio."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from serving import Api, running
from talking import talking

from everlore.extract.curation import Refusal, Stretch, TurnShown
from everlore.memory import CurationOutcome
from everlore.memory.review import Item
from everlore.surfaces.contracts.review.toolset import lent, outcome_shown

SERVER = [sys.executable, "-m", "everlore", "mcp", "--toolset", "review"]


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("review") / "root"
    with running(root) as server:
        api = Api(server.client, root, "default", "default")
        api.tell("s", "I moved to Graz yesterday.", "Never call me before nine.", sender="default")
    return root


def read(result: dict[str, Any]) -> dict[str, Any]:
    assert not result.get("isError"), result
    found: dict[str, Any] = json.loads(result["content"][0]["text"])
    return found


def test_a_draft_is_reviewed_by_the_agent_itself(vault: Path) -> None:
    with talking(vault, command=SERVER) as talk:
        talk.shake()
        tools = {tool["name"]: tool for tool in talk.ask("tools/list")["result"]["tools"]}
        assert list(tools) == ["memory_review", "memory_curate", "memory_save_fact"]
        assert tools["memory_curate"]["annotations"]["destructiveHint"] is True
        [item] = read(talk.call("memory_review"))["items"]
        assert read(talk.call("memory_review"))["items"] == []
        reply = {"facts": [{"text": "User moved to Graz.", "turns": [1]}, {"text": "Bob called.", "turns": [2]}]}
        wrong = talk.call("memory_curate", id=item["id"], lease="", reply=reply)
        assert wrong["isError"]
        done = read(talk.call("memory_curate", id=item["id"], lease=item["lease"], reply=json.dumps(reply)))
        assert done["state"] == "curated"
        assert [one["where"] for one in done["refused"]] == ["facts[1]"]
        undone = read(talk.call("memory_curate", id=item["id"], undo=True))
        assert undone["state"] == "drafted"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"id": "default_ep_1"}, "reply is required"),
        ({"id": "default_ep_1", "reply": "{"}, "one JSON object"),
        ({"id": "default_ep_1", "reply": {}, "force": True}, "unknown argument: force"),
        ({"reply": {}}, "id is required"),
    ],
)
def test_bad_calls_are_explained(vault: Path, arguments: dict[str, Any], says: str) -> None:
    with talking(vault, command=SERVER) as talk:
        talk.shake()
        result = talk.call("memory_curate", **arguments)
        assert result["isError"]
        assert says in result["content"][0]["text"]


def test_a_fact_is_saved_with_what_it_replaces_and_only_once(vault: Path) -> None:
    with talking(vault, command=SERVER) as talk:
        talk.shake()
        told = {"fact": "User lives in Linz.", "category": "home", "valid_from": "2026-05-03", "evidence": "a letter"}
        first = read(talk.call("memory_save_fact", **told))
        assert first["new"]
        assert read(talk.call("memory_save_fact", fact="user lives in  Linz")) == {"id": first["id"], "new": False}
        second = read(talk.call("memory_save_fact", fact="User lives in Wels.", replaces=[first["id"]]))
        again = read(talk.call("memory_save_fact", fact="User lives in Linz.", category="home"))
        assert again["new"]  # the first has ended
    text = "\n".join(path.read_text(encoding="utf-8") for path in vault.rglob("fact-*.md"))
    entry = text.split(f"## {first['id'].removeprefix('default_')}")[1].split("<!-- entry")[0]
    assert "**valid_from**: 2026-05-03T00:00:00Z" in entry
    assert f"**superseded_by**: {second['id'].removeprefix('default_')}" in entry
    assert "a letter" in entry
    assert text.count("User lives in Linz.") == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"fact": " "}, "content"),
        ({"fact": "User is 30.", "replaces": ["default_af_20200101_00000001"]}, "no memory"),
        ({"fact": "User is 30.", "valid_from": "soon"}, "soon"),
        ({"fact": "User is 30.", "category": "other"}, "category"),
    ],
)
def test_a_fact_that_cannot_be_saved_is_explained(vault: Path, arguments: dict[str, Any], says: str) -> None:
    with talking(vault, command=SERVER) as talk:
        talk.shake()
        result = talk.call("memory_save_fact", **arguments)
        assert result["isError"]
        assert says in result["content"][0]["text"]


AT = 1_780_000_000_000
ITEM = Item("a_ep_1", "token", AT, "s", Stretch((TurnShown(1, AT, "Anna", "user", "Hello."),), "t", "s", ()))


def test_instructions_come_once_and_only_with_something_to_review() -> None:
    found = lent([ITEM, ITEM], 7)
    assert (len(found["items"]), found["waiting"], "instructions" in found) == (2, 7, True)
    assert found["items"][0]["lease_until"] == "2026-05-28T20:26:40Z"
    assert lent([], 0) == {"items": [], "waiting": 0}


def test_an_outcome_tells_what_changed_and_what_was_refused() -> None:
    outcome = CurationOutcome("a_ep_1", "curated", 2, (Refusal("facts[0]", "why"),), "+ one\n- two")
    assert outcome_shown(outcome) == {
        "id": "a_ep_1",
        "state": "curated",
        "changed": 2,
        "changes": ["+ one", "- two"],
        "refused": [{"where": "facts[0]", "reason": "why"}],
    }
