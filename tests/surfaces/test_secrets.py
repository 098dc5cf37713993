"""A secret that is told through any surface is nowhere afterwards: not in files, databases, caches or the log."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from evercli import Evercli
from gates import host
from serving import Api, running
from speaking import Client

TOKEN = "glpat-" + "x7Kq" + "T9mWzR4bN1sV8yLd"
PASSWORD = "Zq4" + "!kV9t"
TOLD = f"The runner uses {TOKEN} and my password is {PASSWORD}, by the way."


def test_what_was_told_is_masked_everywhere(tmp_path: Path) -> None:
    root = tmp_path / "root"
    with running(root, {"EVEROS_LOG_LEVEL": "debug"}) as server:
        api = Api(server.client, root, "default", "default")
        call = {
            "id": "c1",
            "type": "function",
            "function": {"name": "login", "arguments": json.dumps({"password": PASSWORD})},
        }
        messages: list[dict[str, Any]] = [
            {"sender_id": "anna", "role": "user", "timestamp": 1_780_000_000_000, "content": TOLD},
            {
                "sender_id": "bot",
                "role": "assistant",
                "timestamp": 1_780_000_001_000,
                "content": "",
                "tool_calls": [call],
            },
            {"sender_id": "bot", "role": "tool", "timestamp": 1_780_000_002_000, "content": TOLD, "tool_call_id": "c1"},
        ]
        api.ok("add", session_id="s", messages=messages)
        api.ok("flush", session_id="s")
        found = api.until("search", lambda found: bool(found["episodes"]), user_id="anna", query="runner")
        assert "[MASKED GitLab token]" in json.dumps(found)
        for method in ("hybrid", "keyword", "vector"):
            api.ok("search", user_id="anna", query=TOLD, method=method)
        api.post(
            "add", session_id="s", messages=[{"sender_id": TOLD, "role": "owner", "timestamp": -1, "content": TOLD}]
        )
        with closing(Client(root, {}, "knowledge")) as knowledge:
            for tool, arguments in (
                ("store_memory", {"content": TOLD, "metadata": {"note": TOLD}}),
                ("create_entity", {"name": "runner", "entity_type": "machine", "observations": [TOLD]}),
                ("search", {"query": TOLD}),
                ("recall", {"query": TOLD}),
                ("store_memory", {"content": TOLD, "wrong": TOLD}),
            ):
                knowledge.request("tools/call", {"name": tool, "arguments": arguments})
        with closing(Client(root, {}, "records")) as records:
            arguments = {"type": "note", "source": "chat", "content": {"text": TOLD, "login": {"password": PASSWORD}}}
            records.request("tools/call", {"name": "memory_create", "arguments": arguments | {"confidence": 1}})
        with host(root) as everme:
            everme.hello()
            everme.call("mem_save_fact", fact=TOLD)
            everme.call("mem_search", query=TOLD)
        cli = Evercli(tmp_path / "home", {"EVERCLI_API_BASE_URL": server.url})
        cli("hook", "prompt", stdin=json.dumps({"prompt": TOLD}))
        left = leaks(tmp_path)
    assert not left
    assert not leaks(tmp_path)


def leaks(folder: Path) -> list[str]:
    every = [path for path in folder.rglob("*") if path.is_file()]
    return [
        f"{path}: {secret}" for path in every for secret in (TOKEN, PASSWORD) if secret.encode() in path.read_bytes()
    ]


@pytest.mark.parametrize("secret", [TOKEN])
def test_what_the_owner_allows_is_kept_as_it_is(tmp_path: Path, secret: str) -> None:
    with running(tmp_path / "root", {"EVEROS_MEMORY__UNMASKED": "order-*, glpat-*"}) as server:
        api = Api(server.client, tmp_path / "root", "default", "default")
        api.tell("s", f"The runner uses {secret} now.", sender="anna")
        found = api.until("search", lambda found: bool(found["episodes"]), user_id="anna", query="runner")
        assert secret in json.dumps(found)
