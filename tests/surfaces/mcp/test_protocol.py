"""The protocol on real stdio processes, with raw lines: handshake, errors, results, both eras; by a process that has an
engine, and by one that carries requests to a server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import tiny
from serving import running
from talking import CONTRACT_FORM, TINY, Talk, talking

from everlore.surfaces.mcp import protocol
from everlore.surfaces.mcp.protocol import Refused

VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mcp") / "root"


@pytest.fixture(scope="module", params=["here", "relayed"])
def carried(request: pytest.FixtureRequest, root: Path) -> Iterator[tuple[list[str], list[Path]]]:
    """The words that a process is started with, and where what it logs is found besides."""
    if request.param == "here":
        yield [], []
        return
    with running(root, program=(sys.executable, str(TINY), "http")) as server:
        yield ["relay"], [server.log_path]


@contextmanager
def speaking(root: Path, carried: tuple[list[str], list[Path]], *words: str) -> Iterator[Talk]:
    with talking(root, *carried[0], *words) as process:
        process.logs += tuple(carried[1])
        yield process


@pytest.fixture(scope="module")
def talk(root: Path, carried: tuple[list[str], list[Path]]) -> Iterator[Talk]:
    """One process for all tests that leave the session as it is."""
    with speaking(root, carried) as process:
        process.shake()
        yield process


@pytest.fixture(scope="module")
def stateless(root: Path, carried: tuple[list[str], list[Path]]) -> Iterator[Talk]:
    with speaking(root, carried) as process:
        yield process


def code(answer: dict[str, Any]) -> int:
    number: int = answer["error"]["code"]
    return number


def test_a_session_from_first_line_to_last(root: Path, carried: tuple[list[str], list[Path]]) -> None:
    """What needs an unused process: before the handshake, the handshake, again, and the end."""
    with speaking(root, carried) as process:
        assert code(process.ask("initialize", CONTRACT_FORM | {"clientInfo": "me"})) == -32602
        before = process.ask("tools/list")
        assert before["error"] == {"code": -32002, "message": "Server not initialized"}
        assert code(process.ask("no/such/method")) == -32002
        assert process.ask("ping")["result"] == {}
        first = process.ask("initialize", CONTRACT_FORM)["result"]
        assert first["protocolVersion"] == "2025-06-18"
        assert len(process.ask("tools/list")["result"]["tools"]) == len(tiny.toolset().tools)
        assert process.call("who")["structuredContent"] == {"version": "2025-06-18", "client": "claude", "bare": True}
        assert process.ask("initialize", CONTRACT_FORM)["result"] == first
        other = process.ask("initialize", CONTRACT_FORM | {"protocolVersion": "2024-11-05", "capabilities": {}})
        assert other["result"]["protocolVersion"] == "2024-11-05"
        assert process.call("who")["structuredContent"] == {"version": "2024-11-05", "client": "claude", "bare": False}
        assert process.end() == 0
        assert "Traceback" not in process.log()


def full_form(version: str) -> dict[str, Any]:
    return {
        "protocolVersion": version,
        "capabilities": {"roots": {"listChanged": True}, "sampling": {}},
        "clientInfo": {"name": "c", "version": "1", "title": "C", "websiteUrl": "https://example.org"},
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_a_client_that_says_all_it_can_is_answered_in_its_version(talk: Talk, version: str) -> None:
    assert talk.ask("initialize", full_form(version))["result"] == {
        "protocolVersion": version,
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}, "evo": {"toolsetVersion": "1.0"}},
        "serverInfo": {"name": "tiny-mcp", "version": "0.0.1", "displayName": "Tiny"},
        "instructions": "Tools for tests.",
    }
    caller = json.dumps({"version": version, "client": "c", "bare": False})
    assert talk.call("who")["content"][0]["text"] == caller
    talk.shake()


@pytest.mark.parametrize(
    ("params", "version"),
    [
        (CONTRACT_FORM | {"protocolVersion": "1999-01-01"}, "2025-11-25"),
        (CONTRACT_FORM | {"protocolVersion": "2026-07-28"}, "2025-11-25"),
        ({}, "2024-11-05"),
        (None, "2024-11-05"),
    ],
)
def test_versions_we_do_not_speak_and_none_at_all(talk: Talk, params: Any, version: str) -> None:
    assert talk.ask("initialize", params)["result"]["protocolVersion"] == version
    talk.shake()


@pytest.mark.parametrize(
    "params",
    [
        CONTRACT_FORM | {"protocolVersion": 7},
        CONTRACT_FORM | {"clientInfo": "me"},
        CONTRACT_FORM | {"capabilities": []},
    ],
)
def test_a_handshake_that_makes_no_sense_is_refused(talk: Talk, params: Any) -> None:
    answer = talk.ask("initialize", params)
    assert code(answer) == -32602
    assert "Invalid request parameters" in answer["error"]["message"]


DEEP = b'{"jsonrpc": "2.0", "method": "ping", "params": {"id": 1, "}": "\\"[", "a": ' + b"[" * 5000 + b"]" * 5000 + b"}"
"""Of a message, deeper than Python reads, what stands before its id."""


@pytest.mark.parametrize(
    ("line", "code", "id_"),
    [
        (b"nonsense", -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping"', -32700, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": NaN}}', -32700, None),
        (
            b'{"jsonrpc": "2.0", "id": 2, "method": "ping", "params": {"a": ' + b"[" * 250 + b"]" * 250 + b"}}",
            -32600,
            2,
        ),
        (b'{"jsonrpc": "2.0", "id": 3, "method": "ping", "params": {"a": ' + b"9" * 5000 + b"}}", -32600, 3),
        (b"\xff\xfe", -32700, None),
        (b"[" * 100_000, -32700, None),
        (DEEP + b', "id": "4"}', -32600, "4"),
        (DEEP + b', "ids": 4}', -32700, None),
        (b'"text"', -32600, None),
        (b"[]", -32600, None),
        (b"{}", -32600, None),
        (b'{"jsonrpc": "1.0", "id": 5, "method": "ping"}', -32600, 5),
        (b'{"id": "five", "method": "ping"}', -32600, "five"),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 6, "method": 6}', -32600, 6),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": [1]}', -32600, 7),
        (b'{"jsonrpc": "2.0", "id": 8}', -32600, 8),
    ],
)
def test_what_is_no_request_is_answered_too(talk: Talk, line: bytes, code: int, id_: Any) -> None:
    talk.say(line)
    answer = talk.hear()
    assert (answer["error"]["code"], answer["id"]) == (code, id_)
    assert answer["error"]["message"]
    assert talk.ask("ping")["result"] == {}


def test_a_message_that_is_too_long_is_refused_with_its_limit(talk: Talk) -> None:
    talk.say(b'{"jsonrpc": "2.0", "id": 9, "method": "ping", "params": {"a": "' + b"x" * protocol.LARGEST + b'"}}')
    answer = talk.hear()
    assert (answer["error"]["code"], answer["id"]) == (-32600, 9)
    assert str(protocol.LARGEST) in answer["error"]["message"]
    assert talk.ask("ping")["result"] == {}


def test_half_a_character_that_a_client_sends(talk: Talk) -> None:
    request = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "echo", "arguments": {}}}
    talk.say(json.dumps(request).replace("{}", '{"word": "cut \\ud83d"}'))
    answer = talk.hear()
    assert (answer["id"], answer["result"]["structuredContent"]["word"]) == (7, "cut ?")


def test_blank_lines_and_unknown_notifications_are_passed_over(talk: Talk) -> None:
    for line in (b"", b"  \r", b'{"jsonrpc": "2.0", "method": "notifications/unheard"}'):
        talk.say(line)
    assert talk.ask("ping")["result"] == {}


def test_a_batch_is_answered_by_a_batch(talk: Talk) -> None:
    request = {"jsonrpc": "2.0", "method": "ping"}
    talk.say([request | {"id": "a"}, {"jsonrpc": "2.0", "method": "notifications/unheard"}, request | {"id": "b"}, 7])
    answers = talk.hear()
    assert sorted(str(answer["id"]) for answer in answers) == ["None", "a", "b"]
    talk.say([{"jsonrpc": "2.0", "method": "notifications/unheard"}])
    assert talk.silent()


def test_a_number_and_the_same_digits_are_two_ids(talk: Talk) -> None:
    request = {"jsonrpc": "2.0", "method": "ping"}
    talk.say([request | {"id": 1001}, request | {"id": "1001"}, {"method": "ping"}])
    assert sorted(repr(answer["id"]) for answer in talk.hear()) == ["'1001'", "1001", "None"]
    assert talk.ask("ping")["result"] == {}


@pytest.mark.parametrize("method", ["no/such/method", "tools/destroy", "logging/setLevel", "completion/complete"])
def test_unknown_methods(talk: Talk, method: str) -> None:
    params = {
        "logging/setLevel": {"level": "info"},
        "completion/complete": {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}},
    }
    assert code(talk.ask(method, params.get(method))) == -32601


def test_an_unknown_tool_and_a_call_without_a_name(talk: Talk) -> None:
    answer = talk.ask("tools/call", {"name": "nothing", "arguments": {}})
    assert answer["error"] == {"code": -32602, "message": "Unknown tool: nothing"}
    answer = talk.ask("tools/call", {"arguments": {}})
    assert code(answer) == -32602
    assert "name" in answer["error"]["message"]


def test_tools_are_listed_with_schemas_and_annotations(talk: Talk) -> None:
    tools = {tool["name"]: tool for tool in talk.ask("tools/list")["result"]["tools"]}
    assert tools["echo"]["inputSchema"] == tiny.ECHO
    assert tools["echo"]["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert tools["refuse"]["annotations"]["destructiveHint"] is True
    assert tools["wait"]["title"] == "Wait a while"
    assert code(talk.ask("tools/list", {"cursor": "elsewhere"})) == -32602


def test_a_result_is_structured_and_mirrored_as_text(talk: Talk) -> None:
    result = talk.call("echo", word="Grüße 🦊", limit="5", share="0.5")
    assert result["isError"] is False
    assert result["structuredContent"] == {"word": "Grüße 🦊", "limit": 5, "share": 0.5, "flag": False}
    assert [json.loads(block["text"]) for block in result["content"]] == [result["structuredContent"]]
    assert talk.call("text") == {"content": [{"type": "text", "text": "plain words"}], "isError": False}


def test_arguments_are_checked(talk: Talk) -> None:
    result = talk.call("echo", word="x", limit=500)
    assert result == {"content": [{"type": "text", "text": "limit must be at most 100, not 500"}], "isError": True}
    assert talk.call("echo")["content"][0]["text"] == "word is required (string)"
    assert code(talk.ask("tools/call", {"name": "echo", "arguments": ["x"]})) == -32602


def test_errors_are_results_and_tell_nothing_unforeseen(talk: Talk) -> None:
    refused = talk.call("refuse")
    assert refused == {"content": [{"type": "text", "text": "this cannot be; do that instead"}], "isError": True}
    crashed = talk.call("crash")
    assert crashed["isError"] is True
    assert tiny.SECRET not in json.dumps(crashed)
    assert tiny.SECRET not in talk.log()
    assert "RuntimeError" in talk.log()
    assert "tiny.py" in talk.log(), "the place is logged"


def test_in_rpc_form_errors_are_json_rpc_errors(root: Path, carried: tuple[list[str], list[Path]]) -> None:
    with speaking(root, carried, "rpc") as process:
        process.shake()
        unknown = process.ask("tools/call", {"name": "nothing"})["error"]
        assert unknown["code"] == -32601
        refused = process.ask("tools/call", {"name": "refuse"})["error"]
        assert refused == {"code": -32000, "message": "this cannot be; do that instead"}
        invalid = process.ask("tools/call", {"name": "echo", "arguments": {"word": 5}})["error"]
        assert invalid == {"code": -32000, "message": "word must be a string, not 5"}
        crashed = process.ask("tools/call", {"name": "crash"})["error"]
        assert crashed["code"] == -32000
        assert tiny.SECRET not in crashed["message"]
        missing = process.ask("resources/read", {"uri": "tiny://item/none"})["error"]
        assert (missing["code"], missing["message"]) == (-32000, "there is no item none")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_list_is_a_list_where_the_client_can_take_it(talk: Talk, version: str) -> None:
    plain = [{"id": "1"}, {"id": "2"}]
    talk.shake(version)
    result = talk.call("items")
    wrapped = version in ("2025-06-18", "2025-11-25")
    assert result["structuredContent"] == ({"items": plain} if wrapped else plain)
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    talk.ask("initialize", CONTRACT_FORM | {"protocolVersion": version})
    assert talk.call("items")["structuredContent"] == plain
    talk.shake()


def test_links_to_resources(talk: Talk) -> None:
    assert talk.call("items")["content"][1] == {
        "type": "resource_link",
        "uri": "tiny://item/1",
        "name": "item:1",
        "description": "The first",
        "mimeType": "application/json",
    }


def test_resources(talk: Talk) -> None:
    assert talk.ask("resources/list")["result"]["resources"] == [
        {"uri": "tiny://fixed", "name": "fixed", "description": "A fixed one", "mimeType": "application/json"}
    ]
    assert talk.ask("resources/templates/list")["result"]["resourceTemplates"] == [
        {"uriTemplate": "tiny://item/{id}", "name": "item"}
    ]
    uri = "tiny://item/1?limit=20"
    contents = talk.ask("resources/read", {"uri": uri})["result"]["contents"]
    assert contents == [{"uri": uri, "mimeType": "application/json", "text": f'{{"uri": "{uri}"}}'}]
    missing = talk.ask("resources/read", {"uri": "tiny://item/none"})["error"]
    assert (missing["code"], missing["message"]) == (-32002, "there is no item none")


def test_prompts(talk: Talk) -> None:
    (prompt,) = talk.ask("prompts/list")["result"]["prompts"]
    assert prompt["arguments"] == [{"name": "name", "description": "Whom", "required": True}]
    given = talk.ask("prompts/get", {"name": "greet", "arguments": {"name": "Ada"}})["result"]
    assert given["messages"] == [{"role": "user", "content": {"type": "text", "text": "Say hello to Ada."}}]
    assert talk.ask("prompts/get", {"name": "greet"})["error"]["message"] == "name is required by the prompt greet"
    assert code(talk.ask("prompts/get", {"name": "none"})) == -32602


def test_half_a_character_does_not_break_the_line(talk: Talk) -> None:
    assert talk.call("torn")["structuredContent"] == {"half": "?"}


def test_what_a_library_prints_does_not_reach_the_client(talk: Talk) -> None:
    assert talk.call("noise")["isError"] is False
    assert talk.ask("ping")["result"] == {}
    assert "from the descriptor" in talk.log()


def test_the_stateless_era(stateless: Talk) -> None:
    """2026-07-28 on stdio: no handshake, every request carries its own envelope."""
    found = stateless.ask("server/discover", {"_meta": ENVELOPE})["result"]
    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["capabilities"]["tools"] == {}
    assert found["capabilities"]["evo"] == {"toolsetVersion": "1.0"}
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["displayName"] == "Tiny"
    listed = stateless.ask("tools/list", {"_meta": ENVELOPE})["result"]
    assert len(listed["tools"]) == len(tiny.toolset().tools)
    assert listed["resultType"] == "complete"
    items = stateless.ask("tools/call", {"name": "items", "_meta": ENVELOPE})["result"]
    assert items["structuredContent"] == [{"id": "1"}, {"id": "2"}]
    assert stateless.ask("resources/read", {"uri": "tiny://item/none", "_meta": ENVELOPE})["error"]["code"] == -32602
    read = stateless.ask("resources/read", {"uri": "tiny://fixed", "_meta": ENVELOPE})["result"]
    assert (read["ttlMs"], read["cacheScope"]) == (0, "private")
    got = stateless.ask("prompts/get", {"name": "greet", "arguments": {"name": "Ada"}, "_meta": ENVELOPE})
    assert got["result"]["messages"]
    future = ENVELOPE | {"io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    assert "2026-07-28" in json.dumps(stateless.ask("tools/list", {"_meta": future})["error"])
    assert "error" in stateless.ask("initialize", CONTRACT_FORM), "the era is decided by the first request"


def test_reading_needs_nothing_but_the_standard_library() -> None:
    code = "import sys, everlore.surfaces.mcp.relay; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    tops = {module.partition(".")[0] for module in loaded}
    assert {top for top in tops if top not in sys.stdlib_module_names} <= {"everlore", "__main__", "_distutils_hack"}
    assert {"asyncio", "everlore.config", "everlore.engine"}.isdisjoint(loaded)


@pytest.mark.parametrize("number", [b"1e999", b"-1e999", b"9" * 5000])
def test_a_number_that_nobody_could_write_again(number: bytes) -> None:
    with pytest.raises(Refused) as caught:
        protocol.read(b'{"jsonrpc": "2.0", "id": "x", "method": "ping", "params": {"a": ' + number + b"}}")
    assert caught.value.answer() == {
        "jsonrpc": "2.0",
        "id": "x",
        "error": {"code": -32600, "message": protocol.TOO_MUCH},
    }


def test_an_error_shows_no_credential() -> None:
    told = Refused(-32000, "emk_" + "a1b2" * 8).answer(1)["error"]["message"]
    assert told == "emk_a1b2_REDACTED"
