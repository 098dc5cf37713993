"""MCP over streamable HTTP on the real server: who may ask, sessions, the short handshake, stopping."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from serving import Server, running
from talking import CONTRACT_FORM, TINY

TINY_SERVER = (sys.executable, str(TINY), "http")
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


@pytest.fixture(scope="module")
def tiny_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("http") / "root", program=TINY_SERVER) as server:
        yield server


def post(server: Server, body: Any, path: str = "tiny", **headers: str) -> httpx.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return server.client.post(f"/mcp/{path}", content=content, headers=HEADERS | headers)


def message(response: httpx.Response) -> dict[str, Any]:
    """The answer, whether it came as JSON or as the one event of a stream."""
    text = response.text
    if response.headers["content-type"].startswith("text/event-stream"):
        text = next(line[6:] for line in text.splitlines() if line.startswith("data: {"))
    answer: dict[str, Any] = json.loads(text)
    return answer


def initialize(server: Server, params: Any = None, path: str = "tiny") -> tuple[dict[str, Any], dict[str, str]]:
    response = post(
        server, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params or CONTRACT_FORM}, path
    )
    assert response.status_code == 200, response.text
    result: dict[str, Any] = message(response)["result"]
    session = {"Mcp-Session-Id": response.headers["mcp-session-id"], "Mcp-Protocol-Version": result["protocolVersion"]}
    post(server, {"jsonrpc": "2.0", "method": "notifications/initialized"}, path, **session)
    return result, session


def call(server: Server, session: dict[str, str], tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return message(post(server, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}, **session))


def test_the_short_handshake_and_a_list(tiny_server: Server) -> None:
    result, session = initialize(tiny_server)
    assert result["protocolVersion"] == "2025-06-18"
    assert result["serverInfo"] == {"name": "tiny-mcp", "version": "0.0.1", "displayName": "Tiny"}
    assert call(tiny_server, session, "who")["result"]["structuredContent"]["bare"] is True
    assert call(tiny_server, session, "items")["result"]["structuredContent"] == [{"id": "1"}, {"id": "2"}]
    _, full = initialize(tiny_server, CONTRACT_FORM | {"capabilities": {}})
    assert call(tiny_server, full, "items")["result"]["structuredContent"] == {"items": [{"id": "1"}, {"id": "2"}]}
    assert call(tiny_server, session, "who")["result"]["structuredContent"]["bare"] is True, "sessions are apart"


def test_toolsets_have_addresses_of_their_own(tiny_server: Server) -> None:
    _, session = initialize(tiny_server, path="rpc")
    params = {"name": "refuse", "arguments": {}}
    answer = post(tiny_server, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}, "rpc", **session)
    assert message(answer)["error"]["code"] == -32000
    unknown = post(tiny_server, {}, "nothing")
    assert unknown.status_code == 404
    assert "tiny" in unknown.json()["error"]["message"]
    (listening,) = [line for line in tiny_server.log() if line["event"] == "listening"]
    assert listening["mcp"] == [f"{tiny_server.url}/mcp/tiny", f"{tiny_server.url}/mcp/rpc"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Host": "evil.example"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
        {"Host": "127.0.0.1.evil.example"},
    ],
)
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_web_pages_and_rebound_names_are_refused(tiny_server: Server, method: str, headers: dict[str, str]) -> None:
    answer = tiny_server.client.request(method, "/mcp/tiny", headers=HEADERS | headers, content=b"{}")
    assert answer.status_code == 403


def test_a_local_page_may_ask(tiny_server: Server) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CONTRACT_FORM}
    assert post(tiny_server, body, Origin="http://localhost:5173").status_code == 200


def test_on_an_open_interface_pages_of_other_origins_are_refused(tmp_path: Path) -> None:
    env = {"EVEROS_API__HOST": "0.0.0.0", "EVEROS_API__INSECURE": "true"}
    with running(tmp_path / "root", env, program=TINY_SERVER) as server:
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CONTRACT_FORM}
        named = {"Host": "memory.example"}
        assert post(server, body, **named).status_code == 200
        assert post(server, body, **named, Origin="https://memory.example").status_code == 200
        assert post(server, body, **named, Origin="https://evil.example").status_code == 403


def test_bad_bodies(tiny_server: Server) -> None:
    _, session = initialize(tiny_server)
    broken = post(tiny_server, b"{nonsense", **session)
    assert broken.status_code == 400
    assert broken.json()["error"]["code"] == -32700
    assert tiny_server.client.put("/mcp/tiny", headers=HEADERS).status_code == 405
    unknown = post(tiny_server, {"jsonrpc": "2.0", "id": 1, "method": "ping"}, **{"Mcp-Session-Id": "none"})
    assert unknown.status_code == 404
    assert "Traceback" not in tiny_server.log_path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("body", "id_"),
    [
        (b'{"jsonrpc": "1.0", "id": 5, "method": "ping"}', 5),
        (b'{"jsonrpc": "2.0", "id": 6, "method": "ping", "params": [1]}', 6),
        (b'{"jsonrpc": "2.0", "id": 7}', 7),
        (b'{"jsonrpc": "2.0", "id": 8, "method": "ping", "params": {"a": ' + b"[" * 250 + b"]" * 250 + b"}}", 8),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": ' + b"[" * 5000 + b"]" * 5000 + b"}}", 7),
        (b'{"jsonrpc": "2.0", "id": 9, "method": "ping", "params": {"a": ' + b"9" * 5000 + b"}}", 9),
        (b"[]", None),
        (b'"text"', None),
    ],
)
def test_what_is_no_request_is_refused_as_on_stdio(tiny_server: Server, body: bytes, id_: Any) -> None:
    _, session = initialize(tiny_server)
    answer = post(tiny_server, body, **session)
    assert (answer.status_code, answer.json()["id"], answer.json()["error"]["code"]) == (400, id_, -32600)
    assert "pydantic" not in answer.text


def test_half_a_character_that_a_client_sends(tiny_server: Server) -> None:
    _, session = initialize(tiny_server)
    assert call(tiny_server, session, "echo", word="cut \ud83d")["result"]["structuredContent"]["word"] == "cut ?"


def test_a_batch_is_answered_by_a_batch(tiny_server: Server) -> None:
    _, session = initialize(tiny_server, CONTRACT_FORM | {"protocolVersion": "2025-03-26"})
    ping = {"jsonrpc": "2.0", "method": "ping"}
    unheard = {"jsonrpc": "2.0", "method": "notifications/unheard"}
    echo = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "echo", "arguments": {"word": "a"}}}
    again = {"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": CONTRACT_FORM}
    answer = post(tiny_server, [ping | {"id": 1}, unheard, ping | {"id": "1"}, echo, 7, again], **session)
    assert answer.status_code == 200
    assert [one["id"] for one in answer.json()] == [1, "1", 3, None, 4]
    assert answer.json()[2]["result"]["structuredContent"]["word"] == "a"
    assert [one.get("error", {}).get("code") for one in answer.json()] == [None, None, None, -32600, -32600]
    assert post(tiny_server, [unheard, unheard], **session).status_code == 202
    assert post(tiny_server, [ping | {"id": 1}], **{"Mcp-Session-Id": "none"}).status_code == 404


@pytest.mark.parametrize("ids", [(1, "1"), (5, 5)])
def test_requests_at_once_whose_ids_look_alike_get_an_answer_each(tiny_server: Server, ids: tuple[Any, Any]) -> None:
    _, session = initialize(tiny_server)
    answers: dict[float, dict[str, Any]] = {}

    def ask(id_: Any, seconds: float) -> None:
        params = {"name": "wait", "arguments": {"seconds": seconds}}
        request = {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}
        answers[seconds] = message(post(tiny_server, request, **session))

    # as daemons: an answer that never comes must not keep the tests from ending
    threads = [
        threading.Thread(target=ask, args=one, daemon=True) for one in ((ids[0], 0.5), (ids[1], 0.25), (9, 0.75))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert {seconds: answer["id"] for seconds, answer in answers.items()} == {0.5: ids[0], 0.25: ids[1], 0.75: 9}
    assert all(answer["result"]["structuredContent"] == {"waited": one} for one, answer in answers.items())


def test_a_body_that_is_too_large(tmp_path: Path) -> None:
    with running(tmp_path / "root", {"EVEROS_API__MAX_BODY_BYTES": "10000"}, program=TINY_SERVER) as server:
        large = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "x" * 20_000}}).encode()
        assert post(server, large).status_code == 413
        parts = (large[at : at + 5000] for at in range(0, len(large), 5000))
        assert server.client.post("/mcp/tiny", content=parts, headers=HEADERS).status_code == 413


def test_it_stops_although_a_client_listens(tmp_path: Path) -> None:
    with running(tmp_path / "root", program=TINY_SERVER) as server:
        _, session = initialize(server)
        heard = threading.Event()

        def listen() -> None:
            with (
                httpx.Client(timeout=120) as client,
                client.stream("GET", f"{server.url}/mcp/tiny", headers=HEADERS | session) as stream,
            ):
                heard.set()
                try:
                    for _ in stream.iter_bytes():
                        pass
                except httpx.HTTPError:
                    pass

        listener = threading.Thread(target=listen)
        listener.start()
        assert heard.wait(60)
        assert server.stop() == 0
        listener.join(60)
        assert "Traceback" not in server.log_path.read_text(encoding="utf-8")
