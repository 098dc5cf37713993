"""MCP processes that have no engine: one server for all of them, started by the first, replaced when it dies."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from talking import Talk, talking

from everlore.background import client
from everlore.background.place import Server
from everlore.surfaces.mcp.relay import LOST

EVERLORE = [sys.executable, "-m", "everlore", "mcp", "--toolset"]
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals as on POSIX")


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "vault"
    for place, server in client.running(tmp_path / "vault"):
        client.stop(place, server)


@contextmanager
def speaking(root: Path, toolset: str = "knowledge", env: Mapping[str, str] | None = None) -> Iterator[Talk]:
    with talking(root, command=[*EVERLORE, toolset], env=env) as process:
        process.shake()
        yield process


def the_server(root: Path) -> Server:
    ((_, server),) = client.running(root)
    return server


def store(process: Talk, content: str) -> str:
    ident: str = process.call("store_memory", content=content)["structuredContent"]["id"]
    return ident


def test_all_processes_share_the_server_that_the_first_one_started(root: Path) -> None:
    with speaking(root) as first, speaking(root, "records") as second, speaking(root, "everme,review") as third:
        ident = store(first, "The lighthouse is in Cadiz.")
        assert second.call("memory_list")["structuredContent"]["items"][0]["id"] == ident
        assert "Cadiz" in third.call("mem_search", query="lighthouse")["content"][0]["text"]
        assert third.call("memory_review")["structuredContent"]["items"] == []
        server = the_server(root)
        assert [process.end() for process in (first, second, third)] == [0, 0, 0]
    assert the_server(root) == server, "it outlives them"


def test_several_toolsets_are_offered_as_one(root: Path) -> None:
    with talking(root, command=[*EVERLORE, "everme,records"]) as process:
        greeted = process.shake()
        assert greeted["serverInfo"]["name"] == "everme-memory-mcp"
        assert "memory_create" in greeted["instructions"]
        assert "mem_save_fact" in greeted["instructions"]
        assert {"tools", "resources", "prompts"} <= set(greeted["capabilities"])
        names = [tool["name"] for tool in process.ask("tools/list")["result"]["tools"]]
        assert names[:4] == ["mem_search", "mem_context", "mem_save_turn", "mem_save_fact"]
        assert names[4:] == ["memory_create", "memory_search", "memory_list"]
        uris = [one["uri"] for one in process.ask("resources/list")["result"]["resources"]]
        assert uris == ["mem://profile", "mem://recent"]
        assert process.ask("resources/read", {"uri": "mem://recent"})["result"]["contents"][0]["text"] == "[]"
        assert "profile" in process.ask("resources/read", {"uri": "mem://profile"})["result"]["contents"][0]["text"]
        unknown = process.ask("resources/read", {"uri": "mem://nowhere"})["error"]
        assert "mem://profile" in unknown["message"], "the first one says why"
        assert process.call("mem_search")["content"][0]["text"].startswith("error: ")
        assert process.ask("tools/call", {"name": "memory_search"})["error"]["code"] == -32000


@posix_only
def test_a_server_that_is_killed_in_the_middle_of_a_call(root: Path) -> None:
    with speaking(root) as process:
        ident = store(process, "Before.")
        for tool, arguments in (("get_memory", {"id": ident}), ("store_memory", {"content": "Meanwhile."})):
            server = the_server(root)
            os.kill(server.pid, signal.SIGSTOP)
            params = {"name": tool, "arguments": arguments}
            process.say({"jsonrpc": "2.0", "id": tool, "method": "tools/call", "params": params})
            assert process.silent(0.5)
            os.kill(server.pid, signal.SIGKILL)
            answer = process.hear()
            assert answer["id"] == tool
            if tool == "get_memory":
                assert answer["result"]["structuredContent"]["content"] == "Before.", "it was asked again"
            else:
                assert answer["result"] == {"content": [{"type": "text", "text": LOST}], "isError": True}
            assert process.call("get_memory", id=ident)["structuredContent"]["content"] == "Before."
            assert the_server(root).pid != server.pid
        assert process.end() == 0


def test_a_server_that_stopped_is_started_again(root: Path) -> None:
    with speaking(root) as process:
        ident = store(process, "Kept.")
        ((place, server),) = client.running(root)
        assert client.stop(place, server)
        assert process.call("get_memory", id=ident)["structuredContent"]["content"] == "Kept."
        assert the_server(root).pid != server.pid


def test_each_process_has_settings_of_its_own(root: Path) -> None:
    with (
        speaking(root, env={"EVEROS_MCP__USER": "anna"}) as anna,
        speaking(root, env={"EVEROS_MCP__USER": "ben", "EVEROS_MCP__PROJECT": "other"}) as ben,
        speaking(root, env={"EVEROS_MCP__TOP_K": "many"}) as wrong,
    ):
        store(anna, "Anna's.")
        store(ben, "Ben's.")
        listed = ben.call("list_memories")["structuredContent"]["memories"]
        assert [memory["content"] for memory in listed] == ["Ben's."]
        refused = wrong.call("list_memories")
        assert refused["isError"] is True
        assert "EVEROS_MCP__TOP_K" in refused["content"][0]["text"]
        assert len(list(client.running(root))) == 1
    assert len(list(root.glob("*/*/users/anna/**/*.md"))) == 1
    assert len(list(root.glob("*/other/users/ben/**/*.md"))) == 1


def test_another_embedder_is_another_server(root: Path) -> None:
    other = {"EVEROS_EMBEDDING__BASE_URL": "http://127.0.0.1:1", "EVEROS_EMBEDDING__MODEL": "m"}
    with speaking(root) as one, speaking(root, env=other) as two:
        store(one, "One.")
        store(two, "Two.")
        assert len(list(client.running(root))) == 2
        assert two.call("list_memories")["structuredContent"]["total"] == 2


def test_where_none_may_be_started_the_process_does_it_itself(root: Path) -> None:
    with speaking(root, env={"EVEROS_BACKGROUND__START": "false"}) as process:
        ident = store(process, "Here.")
        assert process.call("get_memory", id=ident)["structuredContent"]["content"] == "Here."
        assert list(client.running(root)) == []
        assert process.end() == 0


def test_a_later_read_sees_an_earlier_write(root: Path) -> None:
    with speaking(root) as process:
        for number in range(30):
            for name, arguments in (
                ("store_memory", {"content": f"Number {number}."}),
                ("list_memories", {"limit": 100}),
            ):
                params = {"name": name, "arguments": arguments}
                process.say({"jsonrpc": "2.0", "id": f"{name} {number}", "method": "tools/call", "params": params})
        answers = {
            answer["id"]: answer["result"]["structuredContent"] for answer in (process.hear() for _ in range(60))
        }
        totals = [answers[f"list_memories {number}"]["total"] for number in range(30)]
        assert totals == list(range(1, 31))


def test_relative_paths_are_those_of_the_host(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "main.py").write_text("def greet():\n    return 'hello'\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "app")
    with speaking(root) as process:
        indexed = process.call("index_project", path=".")
        assert indexed["structuredContent"]["project_id"] == "app"
        assert indexed["structuredContent"]["files_indexed"] == 1


def test_limits_of_a_contract_change_what_is_listed(root: Path) -> None:
    with speaking(root, "records", {"SEARCH_MAX_LIMIT": "7"}) as process:
        tools = {tool["name"]: tool for tool in process.ask("tools/list")["result"]["tools"]}
        assert "at most 7" in tools["memory_search"]["inputSchema"]["properties"]["limit"]["description"]
    with speaking(root, "evo", {"EVEROS_EMCP__MAX_RESULT_ITEMS": "9"}) as process:
        listed = process.ask("tools/list")["result"]["tools"]
        assert listed[0]["inputSchema"]["properties"]["limit"]["maximum"] == 9


@posix_only
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_it_is_small_and_quick(root: Path) -> None:
    """The budgets: .25 s of the processor and 40 MB for the lists, .4 s for the first answer of a tool."""
    with speaking(root, "everme") as warming:
        warming.call("mem_search", query="x")
    with speaking(root, "everme") as process:
        process.ask("tools/list")
        assert _cpu_seconds(process.process.pid) < 0.25
        process.call("mem_search", query="x")
        assert _cpu_seconds(process.process.pid) < 0.4
        time.sleep(0.2)
        status = Path(f"/proc/{process.process.pid}/status").read_text(encoding="utf-8")
        resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
        assert resident / 1024 < 40


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
