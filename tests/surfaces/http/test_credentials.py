"""What a credential may do, and what ends with it, on a server that asks everyone for one."""

from __future__ import annotations

import threading
import time
from typing import Any

import httpx
import pytest
from gates import Gate, new_key, store
from serving import Server

ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def called(server: Server, token: str, toolset: str, tool: str, **arguments: Any) -> dict[str, Any]:
    headers = ACCEPT | {
        "Authorization": f"Bearer {token}",
        "Mcp-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
    }
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = server.client.post(f"/mcp/{toolset}", json=body, headers=headers | {"Mcp-Name": tool})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_a_token_that_may_only_read_can_use_the_tools_that_read(guarded: Server, keys: dict[str, str]) -> None:
    token = new_key(guarded.root, "reader", ["mem:read"])[1]
    asked: dict[str, Any]
    for toolset, tool, asked in (
        ("knowledge", "search_text", {"query": "bread"}),
        ("knowledge", "get_status", {}),
        ("everme", "mem_search", {"query": "bread"}),
    ):
        told = called(guarded, token, toolset, tool, **asked)
        assert not told["result"].get("isError"), told
    for toolset, tool, asked in (
        ("knowledge", "store_memory", {"content": "x"}),
        ("knowledge", "reset_all_memory", {"confirm": True}),
        ("everme", "mem_save_fact", {"fact": "I like quince."}),
    ):
        told = called(guarded, token, toolset, tool, **asked)
        assert told["result"]["isError"]
        assert "mem:write" in told["result"]["content"][0]["text"]


def test_a_stream_ends_with_the_key_that_opened_it(guarded: Server, keys: dict[str, str]) -> None:
    key, token = new_key(guarded.root, "listener")
    bearer = ACCEPT | {"Authorization": f"Bearer {token}"}
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    with httpx.Client(base_url=guarded.url, timeout=60) as client:
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}
        begun = client.post("/mcp/knowledge", json=body, headers=bearer)
        session = {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
        ended = threading.Event()
        with client.stream("GET", "/mcp/knowledge", headers=bearer | session) as stream:
            assert stream.status_code == 200

            def listen() -> None:
                for _ in stream.iter_raw():
                    pass
                ended.set()

            threading.Thread(target=listen, daemon=True).start()
            time.sleep(0.2)
            assert not ended.is_set()
            with store(guarded.root) as accounts:
                accounts.revoke_key(key.id)
            assert ended.wait(30), "the stream outlived its key"
    assert guarded.client.get("/health").status_code == 200


def test_metrics_belong_to_the_operator(guarded: Server, owner: Gate, alice: Gate) -> None:
    def status(token: str) -> int:
        return guarded.client.get("/metrics", headers={"Authorization": f"Bearer {token}"}).status_code

    assert status(owner.token) == 200
    assert status(alice.token) == status(owner.agent().token) == 403
    assert guarded.client.get("/metrics").status_code == 401


def test_lists_tell_where_an_agent_comes_from(alice: Gate) -> None:
    alice.agent("zed", "m9")
    made = {one["platform"]: one["keyId"] for one in alice.ok("/agents/list")["items"]}
    assert made["zed"].startswith("key_")


def test_looking_for_sign_in_codes_is_metered(start: Any) -> None:
    server = start({"EVEROS_AUTH__ATTEMPTS_PER_MINUTE": "5"})
    answers = [server.client.get("/device", params={"code": f"AAAA-{number:04}"}).status_code for number in range(12)]
    assert set(answers[:5]) == {404}
    assert answers[-1] == 429


@pytest.mark.parametrize("path", ["/api/v1/memory/search", "/api/v1/memory/add"])
def test_a_question_of_ten_megabytes_is_refused(alice: Gate, path: str) -> None:
    body = {"user_id": "u", "query": "why " * 2_500_000, "session_id": "s", "messages": []}
    answer = alice.client.post(path, json=body, headers={"Authorization": f"Bearer {alice.token}"})
    assert answer.status_code == 422
    assert "traceback" not in answer.text.lower()
