"""Texts that try to be more than text, told to one vault and asked for through every surface that a model reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

import pytest
from evercli import Evercli
from gates import Host, host
from injections import INJECTIONS
from serving import Api, Server, running
from speaking import Client

WORD = "quince"
"""Stands in each of them, so that one question finds them all."""
MARKS = sorted({mark for one in INJECTIONS for mark in one.marks if not mark.startswith("\n")})
STORED = [f"{WORD.capitalize()} {number}: {one.text}" for number, one in enumerate(INJECTIONS)]


@dataclass(frozen=True)
class Told:
    server: Server
    knowledge: Client
    records: Client
    everme: Host
    cli: Evercli


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    root = tmp_path_factory.mktemp("orders") / "root"
    with running(root) as server, ExitStack() as hosts:
        api = Api(server.client, root, "default", "default")
        for number, text in enumerate(STORED):
            api.tell(f"talk {number}", text, sender="default")
        api.until("search", lambda found: len(found["episodes"]) >= 20, user_id="default", query=WORD, top_k=50)
        knowledge, records = (hosts.enter_context(closing(Client(root, {}, name))) for name in ("knowledge", "records"))
        everme = hosts.enter_context(host(root))
        everme.hello()
        cli = Evercli(tmp_path_factory.mktemp("home"), {"EVERCLI_API_BASE_URL": server.url})
        yield Told(server, knowledge, records, everme, cli)


def assert_is_data(text: str) -> None:
    assert WORD in text.casefold()
    assert not [mark for mark in MARKS if mark in text]


def assert_is_quoted(text: str) -> None:
    assert_is_data(text)
    lines = [line for line in text.splitlines() if WORD in line.casefold() and line.startswith("-")]
    assert lines
    for line in lines:
        assert line.count("“") == line.count("”") > 0
        assert WORD not in line.casefold().partition("“")[0]


@pytest.mark.parametrize("event", ["prompt", "session-start"])
def test_hooks_quote_what_was_stored(told: Told, event: str) -> None:
    said = told.cli("hook", event, stdin=json.dumps({"prompt": WORD}))
    text = json.loads(said.out)["hookSpecificOutput"]["additionalContext"]
    assert_is_quoted(text)
    assert "no instructions" in text


@pytest.mark.parametrize("tool", ["mem_search", "mem_context"])
def test_everme_quotes_what_was_stored(told: Told, tool: str) -> None:
    assert_is_quoted(told.everme.text(tool, query=WORD))


def test_knowledge_and_records_escape_it_and_give_it_back_as_it_was(told: Told) -> None:
    for number, text in enumerate(STORED):
        kept = told.knowledge.request(
            "tools/call", {"name": "store_memory", "arguments": {"content": text, "metadata": {"n": number}}}
        )["result"]
        named = json.loads(kept["content"][0]["text"])
        found = told.knowledge.request("tools/call", {"name": "get_memory", "arguments": {"id": named["id"]}})["result"]
        assert_is_data(found["content"][0]["text"])
        assert json.loads(found["content"][0]["text"]) == found["structuredContent"]
        assert found["structuredContent"]["content"] == text.encode("utf-8", "replace").decode()
    for tool in ("search_text", "recall"):
        result = told.knowledge.request("tools/call", {"name": tool, "arguments": {"query": WORD, "limit": 50}})[
            "result"
        ]
        assert_is_data(result["content"][0]["text"])


def test_records_and_their_resources_escape_it(told: Told) -> None:
    for text in STORED:
        arguments: dict[str, Any] = {"confidence": 0.9, "type": "note", "source": "test", "content": {"text": text}}
        kept = told.records.request("tools/call", {"name": "memory_create", "arguments": arguments})["result"]
        saved = json.loads(kept["content"][0]["text"])
        number = (saved["items"] if isinstance(saved, dict) else saved)[0]["id"]
        read = told.records.request("resources/read", {"uri": f"mem://item/{number}"})["result"]["contents"][0]["text"]
        assert_is_data(read)
        assert json.loads(read)["content"]["text"] == text
