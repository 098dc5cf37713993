"""A toolset on the SDK, without a transport: what its middleware answers is what stdio answers."""

from __future__ import annotations

from typing import Any

import anyio
import tiny
from mcp.client.client import Client

from everlore.surfaces.contracts.toolset import Caller
from everlore.surfaces.http.mcp_sdk import build
from everlore.surfaces.mcp.answer import answer, offer_of


def no_engine(_: Caller) -> Any:
    raise AssertionError("no tool here needs one")


def test_the_sdk_carries_our_answers() -> None:
    async def talk() -> None:
        async with Client(build(tiny.toolset(), no_engine, 2)) as client:
            listed = await client.list_tools()
            expected = offer_of([tiny.toolset()]).lists["handshake"]["tools/list"]["tools"]
            assert [tool.name for tool in listed.tools] == [tool["name"] for tool in expected]
            caller = Caller(no_engine, protocol_version=client.protocol_version)
            ours = answer([tiny.toolset()], "tools/call", {"name": "echo", "arguments": {"word": "x"}}, caller)
            theirs = await client.call_tool("echo", {"word": "x"})
            assert theirs.structured_content == ours["structuredContent"]

    anyio.run(talk)
