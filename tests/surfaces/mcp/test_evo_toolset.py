"""The content tools as a toolset of the MCP servers: the same tools and answers as over HTTP."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import anyio
import httpx
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from serving import Server, running
from sites import SECRET, token
from talking import talking

from everlore.content.importing import import_folder
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.surfaces.mcp.evo import EMBEDDED, OFFERED, Opener, call, described, toolset
from everlore.vault.files import SYSTEM


@pytest.fixture
def filled(engine: Engine, tmp_path: Path) -> Engine:
    for name in ("a.md", "b/c.md"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}", encoding="utf-8")
    import_folder(engine.settings.memory.root / SYSTEM / EMBEDDED, tmp_path / "docs")
    return engine


@pytest.fixture
def served(filled: Engine) -> Iterator[Server]:
    with running(filled.settings.memory.root) as server:
        yield server


def test_the_toolset_names_platform_and_version() -> None:
    made = toolset()
    assert made.server_fields["platform"] == "eMCP"
    assert made.capabilities["evo"] == made.capabilities["experimental"]["evo"] == {"toolsetVersion": "1.0"}
    assert [tool.name for tool in made.tools] == list(OFFERED)
    assert [tool["inputSchema"] for tool in described(100)] == [tool.input_schema for tool in made.tools]
    assert all(tool.read_only for tool in made.tools)


def test_tools_answer_from_the_embedded_site(filled: Engine) -> None:
    tools = {tool.name: tool for tool in toolset().tools}
    found: Any = tools["evo.content.search"].run(filled, {"limit": 10})
    assert [one["pagetitle"] for one in found["items"]] == ["a.md", "B", "b/c.md"]
    children: Any = tools["evo.content.children"].run(filled, {"id": 2, "limit": 5})
    assert children["meta"]["count"] == 1
    with pytest.raises(InvalidInput, match="limit"):
        tools["evo.content.search"].run(filled, {"limit": 1000})
    with pytest.raises(NotFound, match="no model"):
        tools["evo.model.get"].run(filled, {"model": "Nothing", "id": 1})


def test_a_tool_that_nobody_offers(engine: Engine) -> None:
    with pytest.raises(NotFound, match="no tool"):
        call(Opener(), engine, 0, "evo.write.page", {})


def test_on_stdio(filled: Engine) -> None:
    command = [sys.executable, "-m", "everlore", "mcp", "--toolset", "evo"]
    with talking(filled.settings.memory.root, command=command) as talk:
        shaken = talk.shake()
        assert shaken["serverInfo"]["platform"] == "eMCP"
        assert shaken["capabilities"]["evo"] == {"toolsetVersion": "1.0"}
        assert len(talk.ask("tools/list")["result"]["tools"]) == 14
        found = talk.call("evo.content.search", limit=10, with_tvs=["price:d"])
        assert found["structuredContent"]["meta"] == {"limit": 10, "offset": 0, "count": 3, "toolsetVersion": "1.0"}
        for name, arguments, code in (
            ("evo.content.search", {}, -32602),
            ("evo.content.search", {"limit": 101}, -32602),
            ("evo.content.children_range", {"id": 1, "limit": 1, "from": 5, "to": 2}, -32602),
            ("evo.nothing", {}, -32601),
            ("evo.model.get", {"model": "Nothing", "id": 1}, -32601),
        ):
            answer = talk.ask("tools/call", {"name": name, "arguments": arguments})
            assert answer["error"]["code"] == code, answer


def test_a_secret_holds_for_the_other_http_address_too(filled: Engine) -> None:
    call_ = {"name": "evo.content.search", "arguments": {"limit": 1}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call_}
    shake = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    with running(filled.settings.memory.root, {"EVEROS_EMCP__JWT_SECRET": SECRET}) as server:
        headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}

        def post(message: dict[str, Any], **more: str) -> httpx.Response:
            return server.client.post("/mcp/evo", json=message, headers=headers | more)

        def answer(**more: str) -> Any:
            # one event in a stream of one
            return json.loads(post(body, **more).text.partition("data: ")[2])

        started = post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": shake})
        session = started.headers.get("mcp-session-id")
        headers |= {"Mcp-Session-Id": session} if session else {}
        assert "token" in answer()["error"]["message"]
        assert "scope" in answer(Authorization=f"Bearer {token(scopes=['mcp:read'])}")["error"]["message"]
        allowed = answer(Authorization=f"Bearer {token(scopes=['mcp:call'])}")
        assert allowed["result"]["structuredContent"]["meta"]["count"] == 1


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("address", ["/api/v1/mcp/content", "/mcp/evo"])
def test_the_official_client_on_both_addresses(served: Server, mode: Literal["legacy", "auto"], address: str) -> None:
    async def talk() -> None:
        async with Client(f"{served.url}{address}", mode=mode) as client:
            assert len((await client.list_tools()).tools) == 14
            found = await client.call_tool("evo.content.search", {"limit": 10})
            assert found.structured_content["meta"]["count"] == 3
            with pytest.raises(MCPError, match="limit"):
                await client.call_tool("evo.content.search", {"limit": 1000})

    anyio.run(talk)
