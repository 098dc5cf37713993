"""The official clients list and call our tools: Python, TypeScript (both lines), the inspector; stdio and HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import anyio
import nodes
import pytest
import tiny
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from serving import Server, clean_env, running
from talking import TINY

NAMES = [tool.name for tool in tiny.toolset().tools]
MODERN = "2026-07-28"
needs_node = pytest.mark.skipif(nodes.missing is not None, reason=nodes.missing or "")


@pytest.fixture(scope="module")
def tiny_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("http") / "root"
    with running(root, program=(sys.executable, str(TINY), "http")) as server:
        yield server


@pytest.fixture(scope="module")
def folder() -> Path:
    return nodes.installed(nodes.CLIENTS)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_python_client(tiny_server: Server, mode: Literal["legacy", "auto"], transport: str) -> None:
    async def talk() -> None:
        parameters = StdioServerParameters(
            command=sys.executable, args=[str(TINY)], env=clean_env(tiny_server.root.parent / "other")
        )
        target: Any = stdio_client(parameters) if transport == "stdio" else f"{tiny_server.url}/mcp/tiny"
        async with Client(target, mode=mode) as client:
            assert client.protocol_version == (MODERN if mode == "auto" else "2025-11-25")
            assert [tool.name for tool in (await client.list_tools()).tools] == NAMES
            echo = await client.call_tool("echo", {"word": "Grüße", "limit": 5})
            assert echo.structured_content == {"word": "Grüße", "limit": 5, "flag": False}
            plain = [{"id": "1"}, {"id": "2"}]
            items = await client.call_tool("items", {})
            assert items.structured_content == (plain if mode == "auto" else {"items": plain})
            refused = await client.call_tool("refuse", {})
            assert refused.is_error
            read = await client.read_resource("tiny://fixed")
            assert json.loads(getattr(read.contents[0], "text", "")) == {"uri": "tiny://fixed"}
            prompt = await client.get_prompt("greet", {"name": "Ada"})
            assert getattr(prompt.messages[0].content, "text", "") == "Say hello to Ada."

    anyio.run(talk)


@needs_node
@pytest.mark.parametrize(("flavour", "mode"), [("sdk", "legacy"), ("client", "legacy"), ("client", "auto")])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_typescript_clients(tiny_server: Server, folder: Path, flavour: str, mode: str, transport: str) -> None:
    target = [sys.executable, str(TINY)] if transport == "stdio" else [f"{tiny_server.url}/mcp/tiny"]
    command = [nodes.node(folder), str(Path(__file__).parent / "client.mjs"), str(folder), flavour, mode, *target]
    env = clean_env(tiny_server.root.parent / "other")
    done = subprocess.run(command, env=env, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["server"] == "tiny-mcp"
    if flavour == "client":
        assert seen["version"] == (MODERN if mode == "auto" else "2025-11-25")
    assert seen["tools"] == NAMES
    assert seen["echo"]["structuredContent"] == {"word": "Grüße", "limit": 5, "flag": False}
    plain = [{"id": "1"}, {"id": "2"}]
    assert seen["items"]["structuredContent"] == (plain if mode == "auto" else {"items": plain})
    assert seen["refused"]["isError"] is True
    assert json.loads(seen["resource"]) == {"uri": "tiny://fixed"}
    assert seen["prompt"] == "Say hello to Ada."


@needs_node
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector(tiny_server: Server, folder: Path, tmp_path: Path, transport: str) -> None:
    root = tiny_server.root.parent / "other"
    path = os.environ.get("PYTHONPATH")
    given = ["-e", f"EVEROS_MEMORY__ROOT={root}", *(["-e", f"PYTHONPATH={path}"] if path else [])]
    target = [sys.executable, str(TINY), *given] if transport == "stdio" else [f"{tiny_server.url}/mcp/tiny"]

    def inspect(*args: str) -> Any:
        program = [nodes.node(folder), str(folder / "node_modules" / ".bin" / "mcp-inspector"), "--cli"]
        http = ["--transport", "http"] if transport == "http" else []
        done = subprocess.run(
            [*program, *target, *http, *args],
            env=clean_env(root, {"HOME": str(tmp_path)}), capture_output=True, encoding="utf-8", timeout=120,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert [tool["name"] for tool in inspect("--method", "tools/list")["tools"]] == NAMES
    called = inspect("--method", "tools/call", "--tool-name", "echo", "--tool-arg", "word=hello", "limit=5")
    assert called["structuredContent"] == {"word": "hello", "limit": 5, "flag": False}


STORE = {"content": "Grüße from the lighthouse."}
SERVED = ["-m", "everlore", "mcp", "--toolset", "knowledge"]


def test_the_python_client_has_all_tools_of_knowledge(server: Server, tmp_path: Path) -> None:
    async def talk(target: Any) -> None:
        async with Client(target) as client:
            assert len((await client.list_tools()).tools) == 21
            stored = await client.call_tool("store_memory", STORE)
            told = await client.call_tool("get_memory", {"id": stored.structured_content["id"]})
            assert told.structured_content["content"] == STORE["content"]
            assert (await client.call_tool("get_memory", {"id": "nothing"})).is_error

    parameters = StdioServerParameters(command=sys.executable, args=SERVED, env=clean_env(tmp_path / "root"))
    anyio.run(talk, stdio_client(parameters))
    anyio.run(talk, f"{server.url}/mcp/knowledge")


@needs_node
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_typescript_client_has_all_tools_of_knowledge(
    server: Server, folder: Path, tmp_path: Path, transport: str
) -> None:
    target = [sys.executable, *SERVED] if transport == "stdio" else [f"{server.url}/mcp/knowledge"]
    command = [nodes.node(folder), str(Path(__file__).parent / "client.mjs"), str(folder), "sdk", "legacy", *target]
    env = clean_env(tmp_path / "root") | {"CALLS": json.dumps([["store_memory", STORE], ["get_status", {}]])}
    done = subprocess.run(command, env=env, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert len(seen["tools"]) == 21
    stored, status = (one["structuredContent"] for one in seen["results"])
    assert len(stored["id"]) == 20
    assert status["memories_count"] >= 1


@needs_node
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_inspector_has_all_tools_of_knowledge(server: Server, folder: Path, tmp_path: Path, transport: str) -> None:
    root = tmp_path / "root"
    path = os.environ.get("PYTHONPATH")
    given = ["-e", f"EVEROS_MEMORY__ROOT={root}", *(["-e", f"PYTHONPATH={path}"] if path else [])]
    # options of the command behind `--` would be taken for the inspector's own
    script = tmp_path / "knowledge.py"
    script.write_text(
        f"import runpy, sys\nsys.argv[1:] = {SERVED[2:]!r}\nrunpy.run_module('everlore', run_name='__main__')\n"
    )
    stdio = transport == "stdio"
    target = [sys.executable, str(script), *given] if stdio else [f"{server.url}/mcp/knowledge", "--transport", "http"]

    def inspect(*args: str) -> Any:
        program = [nodes.node(folder), str(folder / "node_modules" / ".bin" / "mcp-inspector"), "--cli"]
        env = clean_env(root, {"HOME": str(tmp_path)})
        done = subprocess.run([*program, *target, *args], env=env, capture_output=True, encoding="utf-8", timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    assert len(inspect("--method", "tools/list")["tools"]) == 21
    stored = inspect("--method", "tools/call", "--tool-name", "store_memory", "--tool-arg", "content=lighthouse")
    assert len(stored["structuredContent"]["id"]) == 20
