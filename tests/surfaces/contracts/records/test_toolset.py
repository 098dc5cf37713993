"""The Memory Server contract, sentence by sentence, on a real process over stdio."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from databases import Postgres, new_schema
from serving import clean_env

from everlore.engine import Engine
from everlore.kinds import record
from everlore.memory import save_note
from everlore.memory.records import save_record
from everlore.surfaces.contracts.records import toolset
from everlore.types import Owner, Scope

DECISION = {
    "type": "decision",
    "content": {"summary": "Adopt Blue/Green deploy for service-x", "owners": ["alice", "bob"], "version": 2},
    "source": "chat://claude/session-2025-09-17",
    "tags": ["project:service-x", "topic:release"],
    "confidence": 0.9,
}


class Session:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._number = 0

    def line(self, text: str) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(text + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def ask(self, method: str, params: Any = None) -> Any:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method}
        answer = self.line(json.dumps(message if params is None else {**message, "params": params}))
        assert answer["id"] == self._number
        return answer

    def initialize(self, version: str = "2025-06-18", **more: Any) -> Any:
        return self.ask(
            "initialize", {"protocolVersion": version, "clientInfo": {"name": "claude", "version": "1.0"}, **more}
        )

    def call(self, name: str, **arguments: Any) -> Any:
        return self.ask("tools/call", {"name": name, "arguments": arguments})

    def items(self, name: str, **arguments: Any) -> list[dict[str, Any]]:
        answer = self.call(name, **arguments)
        assert "result" in answer, answer
        found: list[dict[str, Any]] = answer["result"]["structuredContent"]
        return found

    def refusal(self, name: str, **arguments: Any) -> tuple[int, str]:
        error = self.call(name, **arguments)["error"]
        return error["code"], error["message"]

    def read(self, uri: str) -> Any:
        answer = self.ask("resources/read", {"uri": uri})
        assert "result" in answer, answer
        [content] = answer["result"]["contents"]
        assert (content["uri"], content["mimeType"]) == (uri, "application/json")
        return json.loads(content["text"])


@contextmanager
def started(root: Path, **environment: str) -> Iterator[Session]:
    with (root.parent / f"{root.name}.log").open("a") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "everlore", "mcp", "--toolset", "records"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            encoding="utf-8",
            env=clean_env(root, environment),
        )
    with process:
        yield Session(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.fixture(scope="module", params=["folder", "postgres"])
def store(request: pytest.FixtureRequest) -> dict[str, str]:
    """What names the store in the environment; each use is an empty one."""
    if request.param == "folder":
        return {}
    database: Postgres = request.getfixturevalue("database")
    return {"DATABASE_URL": database.url(), "EVEROS_STORE__SCHEMA": new_schema()}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, store: dict[str, str]) -> Iterator[Session]:
    with started(tmp_path_factory.mktemp("records") / "vault", **store) as session:
        session.initialize()
        yield session


def test_a_request_before_initialize_is_refused_and_a_second_initialize_is_answered(tmp_path: Path) -> None:
    with started(tmp_path / "vault", MCP_PROTOCOL_VERSION="2025-03-26") as session:
        assert session.ask("tools/list")["error"]["code"] == -32002
        first = session.ask("initialize", {"clientInfo": {"name": "x", "version": "1"}})["result"]
        assert first["protocolVersion"] == "2025-03-26"
        assert first["serverInfo"]["name"] == "memory"
        assert first["serverInfo"]["displayName"] == "Memory Server"
        assert session.initialize("2024-11-05")["result"]["protocolVersion"] == "2024-11-05"
        assert len(session.ask("tools/list")["result"]["tools"]) == 3
        assert session.line("{nonsense")["error"]["code"] == -32700


def test_what_is_offered_can_be_listed(server: Session) -> None:
    tools = {tool["name"]: tool for tool in server.ask("tools/list")["result"]["tools"]}
    assert list(tools) == ["memory_create", "memory_search", "memory_list"]
    assert tools["memory_create"]["inputSchema"]["required"] == ["type", "content", "source", "confidence"]
    create, search = (tools[name]["inputSchema"]["properties"] for name in ("memory_create", "memory_search"))
    assert create["content"]["type"] == "object"
    assert "must be present" in search["tags"]["description"]
    assert "must be present" not in create["tags"]["description"]
    assert tools["memory_search"]["annotations"]["readOnlyHint"] is True
    assert [one["uri"] for one in server.ask("resources/list")["result"]["resources"]] == ["mem://recent"]
    templates = [one["uriTemplate"] for one in server.ask("resources/templates/list")["result"]["resourceTemplates"]]
    assert {template.split("?")[0] for template in templates} == {
        "mem://recent",
        "mem://by-tags/{tags}",
        "mem://by-type/{type}",
        "mem://item/{id}",
    }
    prompts = server.ask("prompts/list")["result"]["prompts"]
    assert [prompt["name"] for prompt in prompts] == ["memory_recall", "memory_save"]


def test_both_prompts_can_be_had(server: Session) -> None:
    recall = server.ask("prompts/get", {"name": "memory_recall", "arguments": {"query": "blue/green"}})["result"]
    assert "blue/green" in recall["messages"][0]["content"]["text"]
    arguments = {"type": "decision", "source": "chat://x", "confidence": "0.9"}
    save = server.ask("prompts/get", {"name": "memory_save", "arguments": arguments})["result"]
    assert "memory_create" in save["messages"][0]["content"]["text"]
    assert "query" in server.ask("prompts/get", {"name": "memory_recall"})["error"]["message"]


def test_saving_again_merges_tags_and_keeps_the_higher_confidence(server: Session) -> None:
    [first] = server.items("memory_create", **DECISION)
    other_order = {"version": 2.0, "owners": ["alice", "bob"], "summary": DECISION["content"]["summary"]}  # type: ignore[index]
    again = {**DECISION, "content": other_order, "tags": ["status:accepted"], "confidence": 0.5}
    [second] = server.items("memory_create", **again)
    assert second["id"] == first["id"]
    assert second["tags"] == ["project:service-x", "topic:release", "status:accepted"]
    assert second["confidence"] == 0.9
    whole = server.read(f"mem://item/{first['id']}")
    assert whole["content"] == DECISION["content"]
    assert whole["updated_at"] > whole["created_at"]
    assert set(whole) == {"id", "type", "content", "source", "tags", "confidence", "created_at", "updated_at"}
    for field in ("type", "source", "content"):
        [different] = server.items("memory_create", **{**DECISION, field: f"another {field}"})
        assert different["id"] != first["id"]


def test_a_record_is_found_by_meaning_with_links_to_its_content(server: Session) -> None:
    note = {
        "type": "note",
        "content": {"text": "Use /healthz for readiness; /livez for liveness"},
        "source": "agent://p",
    }
    [made] = server.items("memory_create", **note, tags=["project:alpha", "env:prod"], confidence=0.9)
    answer = server.call("memory_search", query="readiness check endpoint", tags=["project:alpha"], limit=3)["result"]
    [hit] = answer["structuredContent"]
    assert set(hit) == {"id", "type", "similarity", "tags", "createdAt"}
    assert hit["id"] == made["id"]
    assert 0 < hit["similarity"] <= 1
    text, link = answer["content"]
    assert json.loads(text["text"]) == [hit]
    assert (link["type"], link["uri"]) == ("resource_link", f"mem://item/{made['id']}")
    assert server.read(link["uri"])["content"] == note["content"]


def test_search_is_ordered_and_filtered(server: Session) -> None:
    for number, text in enumerate(("Restore the orders database from backup", "The office plants need water")):
        content = {"text": text}
        server.items(
            "memory_create", type="fact", content=content, source=f"t{number}", tags=["set:order"], confidence=1
        )
    found = server.items("memory_search", query="how to restore a database backup", tags=["set:order"])
    assert [hit["similarity"] for hit in found] == sorted((hit["similarity"] for hit in found), reverse=True)
    assert "Restore" in server.read(f"mem://item/{found[0]['id']}")["content"]["text"]
    assert len(server.items("memory_search", query="database", tags=["set:order"], limit="1")) == 1
    assert server.items("memory_search", query="database", tags=["set:order", "set:none"]) == []
    assert {hit["type"] for hit in server.items("memory_search", query="database", type="fact")} == {"fact"}
    assert server.items("memory_search", query="database", type="nothing") == []
    assert len(server.items("memory_search", query="database", limit=100_000)) <= 100


def test_listing_needs_all_tags_and_shows_the_newest_first(server: Session) -> None:
    for number in range(3):
        arguments = {"type": "todo", "content": {"n": number}, "source": "list", "confidence": 0.4}
        server.items("memory_create", **arguments, tags=["project:list", f"n:{number}"])
    listed = server.items("memory_list", type="todo", tags=["project:list"])
    assert [item["tags"][1] for item in listed] == ["n:2", "n:1", "n:0"]
    assert [item["tags"][1] for item in server.items("memory_list", tags=["project:list", "n:1"])] == ["n:1"]
    assert server.items("memory_list", tags=["project:nothing"]) == []
    by_tags = server.read("mem://by-tags/project:list,n:2?limit=50")
    assert [item["tags"][1] for item in by_tags] == ["n:2"]
    assert "content" not in by_tags[0]
    assert len(server.read("mem://by-type/todo?limit=2")) == 2
    recent = server.read("mem://recent?limit=1")
    assert [item["tags"] for item in recent] == [["project:list", "n:2"]]


@pytest.mark.parametrize("uri", ["mem://item/123e4567", "mem://item/", "mem://nothing", "https://example.org/x"])
def test_a_resource_that_is_not_there_is_an_error(server: Session, uri: str) -> None:
    assert server.ask("resources/read", {"uri": uri})["error"]["code"] == -32000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": " "}, "type is required and must be a non-empty string"),
        ({"type": None}, "type is required and must be a non-empty string"),
        ({"source": 5}, "source is required and must be a non-empty string"),
        ({"content": None}, "content is required"),
        ({"content": {"text": "x" * 10_001}}, "content is too large (max 10000 characters)"),
        ({"confidence": 1.5}, "confidence is required and must be a number between 0 and 1"),
        ({"confidence": "high"}, "confidence is required and must be a number between 0 and 1"),
        ({"confidence": None}, "confidence is required and must be a number between 0 and 1"),
        ({"tags": "project:x"}, "tags must be an array"),
        ({"tags": ["has blank"]}, "invalid tag"),
        ({"tags": [""]}, "invalid tag"),
        ({"tags": [7]}, "invalid tag"),
        ({"tags": ["x" * 101]}, "invalid tag"),
        ({"tags": [f"t{number}" for number in range(21)]}, "tags array cannot have more than 20 items"),
    ],
)
def test_a_record_that_cannot_be_saved_says_why(server: Session, change: dict[str, Any], message: str) -> None:
    before = len(server.items("memory_list"))
    code, said = server.refusal("memory_create", **{**DECISION, "source": "bad", **change})
    assert code == -32000
    assert message in said
    assert len(server.items("memory_list")) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "query is required and must be a non-empty string"),
        ({"query": "  "}, "query is required and must be a non-empty string"),
        ({"query": "x" * 1001}, "query length cannot exceed 1000 characters"),
        ({"query": "x", "limit": 0}, "limit must be a positive number"),
        ({"query": "x", "limit": "many"}, "limit must be a positive number"),
        ({"query": "x", "tags": ["a b"]}, "invalid tag"),
    ],
)
def test_a_bad_search_is_answered(server: Session, arguments: dict[str, Any], message: str) -> None:
    code, said = server.refusal("memory_search", **arguments)
    assert code == -32000
    assert message in said


def test_unknown_tools_and_methods_have_their_code(server: Session) -> None:
    assert server.refusal("memory_burn")[0] == -32601
    assert server.ask("memory/burn")["error"]["code"] == -32601


def test_numbers_may_come_as_text_and_tags_are_tidied(server: Session) -> None:
    arguments = {**DECISION, "source": "codex", "confidence": "0.75", "tags": [" Project:X ", "project:x"]}
    [made] = server.items("memory_create", **arguments)
    assert (made["confidence"], made["tags"]) == (0.75, ["project:x"])


def test_objects_and_lists_may_come_as_text(server: Session) -> None:
    text = '{"version": 2.0, "owners": ["alice", "bob"], "summary": "Adopt Blue/Green deploy for service-x"}'
    [made] = server.items("memory_create", **{**DECISION, "source": "as text"})
    [again] = server.items("memory_create", **{**DECISION, "source": "as text", "content": text, "tags": '["as:text"]'})
    assert again["id"] == made["id"], "the same record"
    assert again["tags"] == ["project:service-x", "topic:release", "as:text"]
    assert [one["id"] for one in server.items("memory_list", tags='["as:text"]')] == [made["id"]]
    [plain] = server.items("memory_create", **{**DECISION, "source": "as text", "content": "[1] is no object"})
    assert plain["id"] != made["id"]


def test_newer_clients_that_announce_capabilities_get_an_object(tmp_path: Path) -> None:
    with started(tmp_path / "vault") as session:
        session.initialize("2025-06-18", capabilities={})
        result = session.call("memory_create", **DECISION)["result"]
        assert result["structuredContent"] == {"items": json.loads(result["content"][0]["text"])["items"]}
    with started(tmp_path / "vault") as session:
        session.initialize("2024-11-05", capabilities={})
        assert len(session.items("memory_list")) == 1


def test_limits_come_from_the_environment_and_bad_ones_are_explained(tmp_path: Path) -> None:
    environment = {
        "MAX_TAGS_COUNT": "2",
        "MAX_CONTENT_LENGTH": "50",
        "SEARCH_DEFAULT_LIMIT": "1",
        "SEARCH_MAX_LIMIT": "2",
        "DB_MAX_POOL_SIZE": "lots",
        "EMBEDDINGS_MAX_RETRIES": "99",
        "LOG_LEVEL": "warn",
        "MCP_DEBUG_LOG_PATH": str(tmp_path / "debug.log"),
    }
    with started(tmp_path / "vault", **environment) as session:
        session.initialize()
        for number in range(3):
            session.items("memory_create", type="n", content={"n": number}, source="s", confidence=1)
        assert len(session.items("memory_search", query="n")) == 1
        assert len(session.items("memory_search", query="n", limit=50)) == 2
        small = {"type": "n", "content": {"n": 9}, "source": "s", "confidence": 1}
        assert "more than 2" in session.refusal("memory_create", **small, tags=["a", "b", "c"])[1]
        assert "max 50" in session.refusal("memory_create", **{**DECISION, "content": {"text": "x" * 60}})[1]
    log = (tmp_path / "vault.log").read_text()
    assert "DB_MAX_POOL_SIZE must be a number from 1 to 100" in log
    assert "EMBEDDINGS_MAX_RETRIES must be from 1 to 10; 10 is used" in log
    assert "DB_MAX_POOL_SIZE" in (tmp_path / "debug.log").read_text()


def test_the_page_of_a_record_can_be_read_edited_and_survives_odd_content(tmp_path: Path) -> None:
    odd = {"text": "a\n```json\n{}\n```\n---\n<!-- x -->", "ключ": ["№", {"deep": None}], "n": 1e-7, "flag": False}
    with started(tmp_path / "vault") as session:
        session.initialize()
        [made] = session.items("memory_create", **{**DECISION, "content": odd})
        assert session.read(f"mem://item/{made['id']}")["content"] == odd
        [page] = (tmp_path / "vault").rglob("records/*.md")
        assert page.stem == made["id"]
        page.unlink()
        # what is in the file is what there is, and it can be saved anew
        [again] = session.items("memory_create", **{**DECISION, "content": odd, "tags": []})
        assert (again["id"], again["tags"]) == (made["id"], [])
        assert session.read(f"mem://item/{made['id']}")["content"] == odd


def test_many_clients_save_the_same_and_different_records_at_once(tmp_path: Path, store: dict[str, str]) -> None:
    root = tmp_path / "vault"
    shared = store | ({"EVEROS_STORE__SCHEMA": new_schema()} if store else {})
    ids: list[str] = []

    def save(tag: int) -> None:
        with started(root, **shared) as session:
            session.initialize()
            for number in range(5):
                [same] = session.items("memory_create", **{**DECISION, "tags": [f"from:{tag}-{number}"]})
                ids.append(same["id"])
                session.items("memory_create", **{**DECISION, "source": f"s{tag}-{number}"})

    threads = [threading.Thread(target=save, args=(tag,)) for tag in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with started(root, **shared) as session:
        session.initialize()
        [one] = set(ids)
        assert len(session.read(f"mem://item/{one}")["tags"]) == 15
        assert len(session.items("memory_list")) == 16


def test_ids_are_uuids(server: Session) -> None:
    [made] = server.items("memory_create", **DECISION)
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", made["id"])


OWNER = Owner(Scope("default", "default"), "user", "ada")


def test_a_record_is_shown_as_it_was_saved(engine: Engine) -> None:
    saved = save_record(engine, OWNER, "decision", {"a": 1}, "chat://1", ("x",), 0.9)
    key = record.key(OWNER, saved.local_id)
    row = engine.index.rows.find([key])[key]
    assert toolset.item(row, similarity=0.5) | {"createdAt": ""} == {
        "id": saved.local_id,
        "type": "decision",
        "similarity": 0.5,
        "tags": ["x"],
        "createdAt": "",
    }
    whole = toolset.whole(row)
    assert (whole["content"], whole["source"], whole["confidence"]) == ({"a": 1}, "chat://1", 0.9)
    assert toolset.link(row).uri == f"mem://item/{saved.local_id}"


def test_other_kinds_go_by_their_kind(engine: Engine) -> None:
    key = save_note(engine, OWNER, "Row.", "semantic", None)
    row = engine.index.rows.find([key])[key]
    whole = toolset.whole(row)
    assert (whole["id"], whole["type"], whole["tags"]) == (key.global_id, "note", [])
    assert (whole["content"], whole["source"]) == ({"text": "Row."}, f"everlore://note/{key.public_id}")
