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
from everlore.content.tools import DOCUMENTS
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.surfaces.contracts.emcp import toolset as rpc
from everlore.surfaces.contracts.emcp.toolset import EMBEDDED, OFFERED, call, described, open_site, result, toolset
from everlore.surfaces.contracts.toolset import Caller
from everlore.vault.folder import SYSTEM


@pytest.fixture
def filled(engine: Engine, tmp_path: Path) -> Engine:
    for name in ("a.md", "b/c.md"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ntags: [a]\n---\n# {name}", encoding="utf-8")
    import_folder(engine.settings.memory.root / SYSTEM / EMBEDDED, tmp_path / "docs")
    return engine


@pytest.fixture
def served(filled: Engine) -> Iterator[Server]:
    with running(filled.settings.memory.root) as server:
        yield server


def test_the_toolset_names_platform_and_version() -> None:
    made = toolset()
    assert made.identity.server_fields["platform"] == "eMCP"
    assert (
        made.identity.capabilities["evo"]
        == made.identity.capabilities["experimental"]["evo"]
        == {"toolsetVersion": "1.0"}
    )
    assert [tool.name for tool in made.tools] == list(OFFERED)
    assert [tool["inputSchema"] for tool in described(100)] == [tool.input_schema for tool in made.tools]
    assert all(tool.reads for tool in made.tools)


def test_tools_answer_from_the_embedded_site(filled: Engine) -> None:
    ask = Caller(lambda _: filled)
    tools = {tool.name: tool for tool in toolset().tools}
    found: Any = tools["evo.content.search"].call(ask, {"limit": 10})
    assert [one["pagetitle"] for one in found["items"]] == ["a.md", "B", "b/c.md"]
    children: Any = tools["evo.content.children"].call(ask, {"id": 2, "limit": 5})
    assert children["meta"]["count"] == 1
    with pytest.raises(InvalidInput, match="limit"):
        tools["evo.content.search"].call(ask, {"limit": 1000})
    with pytest.raises(NotFound, match="no model"):
        tools["evo.model.get"].call(ask, {"model": "Nothing", "id": 1})


def test_a_tool_that_nobody_offers(engine: Engine) -> None:
    with pytest.raises(NotFound, match="no tool"):
        call(engine, 0, "evo.write.page", {})


def test_a_variable_with_the_name_of_a_sensitive_field_is_shown_to_nobody(engine: Engine, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "login.md"
    page.parent.mkdir()
    page.write_text("---\nPassword: hunter2\naccess_token: hunter2\nprice: 5\n---\nHow to log in.", encoding="utf-8")
    import_folder(engine.settings.memory.root / SYSTEM / EMBEDDED, page.parent)
    command = [sys.executable, "-m", "everlore", "mcp", "--toolset", "evo"]
    with talking(engine.settings.memory.root, command=command) as talk:
        talk.shake()
        found = talk.call("evo.content.get", id=1, with_tvs=["price", "Password", "access_token:d"])
        assert found["structuredContent"]["item"]["tvs"] == {"price": "5", "Password": None, "access_token": None}
        for model in ("SiteTmplvar", "SiteTmplvarContentvalue"):
            listed = talk.call("evo.model.list", model=model, limit=10)["structuredContent"]["items"]
            assert len(listed) == 1, "the price"
            gone = [talk.call("evo.model.get", model=model, id=id_)["structuredContent"]["item"] for id_ in (1, 2, 3)]
            assert gone.count(None) == 2
        by_value = [{"tv": "Password", "op": "like", "value": "hunter"}]
        for arguments in ({"tv_filters": by_value}, {"tv_order": [{"tv": "Password", "dir": "asc"}]}):
            params = {"name": "evo.content.search", "arguments": {"limit": 5, **arguments}}
            assert talk.ask("tools/call", params)["error"]["code"] == -32602


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


CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "evo.content.search", "arguments": {"limit": 2}},
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


class Session:
    """Of the address for MCP clients."""

    def __init__(self, server: Server, bearer: str = "") -> None:
        self.server = server
        self.headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
        self.bearer = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        shake = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        self.started = self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": shake})
        session = self.started.headers.get("mcp-session-id")
        self.headers |= {"Mcp-Session-Id": session} if session else {}

    def post(self, message: Any, bearer: str | None = None) -> httpx.Response:
        told = self.bearer if bearer is None else {"Authorization": f"Bearer {bearer}"} if bearer else {}
        return self.server.client.post("/mcp/evo", json=message, headers=self.headers | told)

    def ask(self, message: Any) -> Any:
        # one event in a stream of one
        return json.loads(self.post(message).text.partition("data: ")[2])


def test_a_secret_holds_for_the_address_of_mcp_clients_too(filled: Engine) -> None:
    env = {"EVEROS_EMCP__JWT_SECRET": SECRET, "EVEROS_AUTH__ENABLED": "true"}
    with running(filled.settings.memory.root, env) as server:
        stranger = Session(server)
        assert stranger.started.status_code == 401
        assert set(stranger.started.json()["error"]) == {"code", "message", "trace_id"}
        session = Session(server, token(scopes=["mcp:read", "mcp:call"]))
        assert session.ask(CALL)["result"]["structuredContent"]["meta"]["count"] == 2
        for message in (CALL, LIST, [CALL, LIST], {}):
            for bad in ("", "nonsense", token(secret="another secret that is long enough too"), "emk_" + "0" * 32):
                refused = session.post(message, bad)
                assert (refused.status_code, refused.json()["error"]["code"]) == (401, "unauthenticated")
        for message in (CALL, [LIST, CALL]):
            refused = session.post(message, token(scopes=["mcp:read"]))
            assert (refused.status_code, refused.json()["error"]["code"]) == (403, "scope_denied")
        assert [one["id"] for one in session.post([LIST, CALL]).json()] == [2, 1]
        for method in ("GET", "DELETE"):
            assert server.client.request(method, "/mcp/evo", headers=session.headers).status_code == 401
        lines = [line for line in server.log() if line["event"] == "emcp.audit"]
        told = [(line["method"], line["tool"], line["status"]) for line in lines if line["status"] in (200, 403)]
        assert told.count(("tools/call", "evo.content.search", 200)) == 2
        assert ("tools/call", "evo.content.search", 403) in told
        assert {line["rate_limit_identity"] for line in lines} == {None, "api:test-0"}


def test_limits_hold_for_the_address_of_mcp_clients_too(filled: Engine) -> None:
    env = {
        "EVEROS_EMCP__MAX_RESULT_BYTES": "1500",
        "EVEROS_EMCP__RATE_LIMIT_PER_MINUTE": "4",
        "EVEROS_EMCP__MAX_PAYLOAD_KB": "1",
    }
    many: dict[str, Any] = CALL | {"params": {"name": "evo.content.search", "arguments": {"limit": 3}}}
    with running(filled.settings.memory.root, env) as server:
        session = Session(server)
        refused = session.post(many)
        assert (refused.status_code, refused.json()["error"]["code"]) == (413, "result_too_large")
        refused = session.post(CALL | {"params": {"name": "evo.content.get", "arguments": {"id": 1, "x": "y" * 2000}}})
        assert (refused.status_code, refused.json()["error"]["code"]) == (413, "payload_too_large")
        ping = {"jsonrpc": "2.0", "id": 3, "method": "ping"}
        assert [session.post(ping).status_code for _ in range(6)] == [200, 200, 200, 200, 429, 429]
        assert int(session.post(ping).headers["retry-after"]) > 0
    command = [sys.executable, "-m", "everlore", "mcp", "--toolset", "evo"]
    with talking(filled.settings.memory.root, command=command, env=env) as talk:
        talk.shake()
        answer = talk.ask("tools/call", many["params"])
        assert "larger than 1500 bytes" in answer["error"]["message"]


@pytest.mark.parametrize("most", [2, 500])
def test_the_schema_tells_the_limit_of_the_settings(filled: Engine, most: int) -> None:
    command = [sys.executable, "-m", "everlore", "mcp", "--toolset", "evo"]
    env = {"EVEROS_EMCP__MAX_RESULT_ITEMS": str(most)}
    with talking(filled.settings.memory.root, command=command, env=env) as talk:
        talk.shake()
        search = talk.ask("tools/list")["result"]["tools"][0]
        assert search["inputSchema"]["properties"]["limit"]["maximum"] == most
        assert talk.call("evo.content.search", limit=most)["structuredContent"]["meta"]["limit"] == most
        refused = talk.ask("tools/call", {"name": "evo.content.search", "arguments": {"limit": most + 1}})
        assert f"between 1 and {most}" in refused["error"]["message"]


def test_arguments_are_read_as_clients_write_them_on_both_addresses(served: Server) -> None:
    session = Session(served)
    accepted: list[dict[str, Any]] = [
        {"limit": "2", "offset": "1", "parent": "0", "depth": "1"},
        {"limit": 2.0, "offset": 1.0, "depth": 3.0},
        {"limit": 2, "published": "true", "deleted": "False", "hidemenu": "0", "order_by": "ID", "order_dir": "ASC"},
        {"limit": 2, "with_tvs": '["price"]', "parent": None, "offset": None},
        {"limit": 2, "tv_order": '[{"tv": "tags", "dir": "DESC", "use_default": "false"}]'},
        {"limit": 2, "tags_data": '{"tv_id": "1", "tags": ["a"]}'},
    ]
    refused: list[dict[str, Any]] = [
        {"limit": 2.5},
        {"limit": True},
        {"limit": 1, "with_tvs": "price"},
        {"limit": 1, "x": 1},
        {},
    ]
    for given in accepted:
        message = CALL | {"params": {"name": "evo.content.search", "arguments": given}}
        one = session.ask(message)
        other = served.client.post("/api/v1/mcp/content", json=message).json()
        assert "error" not in one, (given, one)
        assert one["result"]["structuredContent"] == other["result"]["structuredContent"]
    for given in refused:
        message = CALL | {"params": {"name": "evo.content.search", "arguments": given}}
        for answer in (session.ask(message), served.client.post("/api/v1/mcp/content", json=message).json()):
            assert answer["error"]["code"] == -32602, (given, answer)


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


def test_every_tool_that_is_offered_has_a_function() -> None:
    assert list(OFFERED) == [tool["name"] for tool in described(10)]
    assert [name for name in OFFERED if not name.startswith("evo.model.")] == list(DOCUMENTS)
    limits = [tool["inputSchema"]["properties"].get("limit", {}).get("maximum", 10) for tool in described(10)]
    assert set(limits) == {10}


def test_an_answer_is_told_twice() -> None:
    told = result({"items": []})
    assert (told["content"][0]["text"], told["structuredContent"]) == ('{"items":[]}', {"items": []})


def test_a_site_is_opened_once_and_tools_answer(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A", encoding="utf-8")
    import_folder(engine.settings.memory.root / SYSTEM / EMBEDDED, tmp_path / "docs")
    assert engine.part(open_site) is engine.part(open_site)
    assert call(engine, 0, "evo.content.search", {"limit": 1})["meta"]["count"] == 1
    with pytest.raises(NotFound, match="no tool"):
        call(engine, 0, "evo.write.page", {})
    with pytest.raises(InvalidInput, match="unknown argument: query; known are: limit, offset, with_tvs"):
        call(engine, 0, "evo.content.search", {"limit": 1, "query": "x"})


def ask(engine: Engine, method: str, params: Any = None, **more: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}} | more
    return rpc.answer(engine, 0, "content", message)


def test_an_answer_carries_the_id_of_its_request(engine: Engine) -> None:
    assert ask(engine, "ping", id="seven") == {"jsonrpc": "2.0", "id": "seven", "result": {}}


def test_a_result_of_the_stateless_protocol_says_that_it_is_complete(engine: Engine) -> None:
    meta = {"_meta": {rpc.VERSION_KEY: rpc.STATELESS}}
    assert ask(engine, "prompts/list", meta)["result"] == {
        "prompts": [],
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
    }


def test_only_what_went_wrong_here_is_internal(engine: Engine) -> None:
    assert not rpc.internal(ask(engine, "no/such"))
    assert not rpc.internal(None)
    assert rpc.internal(rpc.failure(1, rpc.INTERNAL, "x"))


def test_without_the_packages_of_a_site_the_command_is_told(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("sqlalchemy", "pymysql"):
        monkeypatch.setitem(sys.modules, module, None)  # as if they were not installed
    error = ask(engine, "tools/call", {"name": "evo.content.get", "arguments": {"id": 1}})["error"]
    assert error["code"] == rpc.INTERNAL
    assert 'pip install "everlore[cms]"' in error["message"]
    assert len(ask(engine, "tools/list")["result"]["tools"]) == 14, "what needs no site works"
