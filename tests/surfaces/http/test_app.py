"""A vault's life: its first minute, and what befalls the folder while a server is at work on it."""

from __future__ import annotations

import random
import shutil
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from serving import Api
from talking import CONTRACT_FORM

ASKED: dict[str, Any] = {"user_id": "alice", "query": "Where do I like to climb?"}


@pytest.mark.parametrize("method", ["hybrid", "agentic", "vector"])
def test_the_very_first_search_compares_the_meaning_too(start: Any, method: str) -> None:
    """The model is still loading when the first memory is written, so that it has no vector yet."""
    server = start()
    api = Api(server.client, server.root)
    api.tell("s", "I love climbing in Yosemite every spring.")
    first = api.ok("search", **ASKED, method=method)["episodes"]
    time.sleep(1.5)
    assert first == api.ok("search", **ASKED, method=method)["episodes"]
    assert first[0]["score"] > 0.2


@pytest.mark.parametrize("gone", ["index.db", "index.db*"])
def test_an_index_that_is_deleted_while_it_is_in_use_comes_back_by_itself(start: Any, gone: str) -> None:
    server = start()
    api = Api(server.client, server.root)
    for number in range(8):
        api.tell(f"s{number}", f"I love climbing in Yosemite, for the time number {number}.", at=1_780_000_000_000)
    before = api.ok("search", **ASKED, top_k=8)["episodes"]
    listing: dict[str, Any] = {"user_id": "alice", "memory_type": "episode"}
    stopped = threading.Event()

    def read() -> None:
        while not stopped.is_set():
            # in the very moment of the deletion a request may be told to try again
            assert api.post("get", **listing).status_code in (200, 503)

    with ThreadPoolExecutor(8) as readers:
        reading = [readers.submit(read) for _ in range(8)]
        try:
            for file in sorted((server.root / ".everlore").glob(gone)):  # as a shell does it
                file.unlink()
            api.tell("after", "I keep my passport in the blue box.", sender="bob")
            api.until("get", lambda data: data["total_count"] == 8, **listing)
        finally:
            stopped.set()
        for one in reading:
            one.result()
    with ThreadPoolExecutor(16) as readers:
        counts = list(readers.map(lambda _: api.ok("get", **listing)["total_count"], range(64)))
    assert counts == [8] * 64
    api.until("search", lambda data: data["episodes"] == before, **ASKED, top_k=8)
    api.until("get", lambda data: data["total_count"] == 1, user_id="bob", memory_type="episode")
    assert server.client.get("/health").json()["status"] == "ok"


def test_a_vault_that_is_moved_away_under_a_server_is_not_begun_anew(start: Any) -> None:
    server = start()
    api = Api(server.client, server.root)
    api.tell("s", "I love climbing in Yosemite every spring.")
    aside = server.root.with_name("aside")
    server.root.rename(aside)
    assert "was removed or moved" in api.refused("search", 503, **ASKED)
    assert not (server.root / ".everlore").exists()
    shutil.rmtree(server.root, ignore_errors=True)
    aside.rename(server.root)
    assert len(api.until("search", lambda data: bool(data["episodes"]), **ASKED)["episodes"]) == 1


def test_whoever_waits_when_a_server_stops_is_told_so(start: Any) -> None:
    """One request hangs at a language model, another never sends its body."""
    with socket.create_server(("127.0.0.1", 0)) as model:
        url = f"http://127.0.0.1:{model.getsockname()[1]}/v1"
        server = start({"EVEROS_LLM__BASE_URL": url, "EVEROS_LLM__MODEL": "m", "EVEROS_LLM__TIMEOUT_SECONDS": "100"})
        api = Api(server.client, server.root)
        message = {"sender_id": "alice", "role": "user", "timestamp": 1_780_000_000_000, "content": "I climb."}
        api.ok("add", session_id="s", messages=[message])
        with ThreadPoolExecutor(1) as threads, socket.create_connection((server.host, server.port)) as half:
            half.sendall(b"POST /api/v1/memory/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n")
            half.sendall(b"Content-Type: application/json\r\n\r\n{")
            flushing = threads.submit(api.post, "flush", session_id="s")
            model.settimeout(120)
            asked, _ = model.accept()  # it is asked, and never answers
            assert server.stop(seconds=80) == 0
            asked.close()
            answer = flushing.result()
            told = half.makefile("rb").read().decode()
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "SYSTEM_ERROR")
        assert answer.json()["request_id"] == answer.headers["x-request-id"]
        assert "stopping" in answer.json()["error"]["message"]
        assert told.startswith("HTTP/1.1 503")
        assert "stopping" in told
        assert "Traceback" not in server.log_path.read_text(encoding="utf-8")
        server = start()
        again = Api(server.client, server.root, api.app_id)
        again.until("get", lambda data: data["count"] == 1, user_id="alice", memory_type="episode")


def test_a_server_stops_in_order_while_a_long_text_is_being_embedded(start: Any) -> None:
    server = start({"EVEROS_EMBEDDING__THREADS": "1"})
    api = Api(server.client, server.root)
    codes = random.Random(1)  # digits have a token each, so that one step of embedding takes long
    api.tell("s", " ".join(f"{codes.random():.17f}" for _ in range(20_000)))
    time.sleep(0.5)
    assert server.client.get("/health").json()["index"]["unembedded"] >= 128
    assert server.stop() == 0
    assert [line["event"] for line in server.log()[-2:]] == ["stopping", "stopped"]


def test_mcp_without_a_name_is_the_configured_toolset(start: Any) -> None:
    """Clients exist that know no other path."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": CONTRACT_FORM}
    headers = {"Accept": "application/json, text/event-stream"}
    for env, name in (({}, "everme"), ({"EVEROS_MCP__TOOLSET": "knowledge"}, "memory-mcp")):
        answer = start(env).client.post("/mcp", json=asked, headers=headers)
        assert answer.status_code == 200, answer.text
        assert f'"name":"{name}' in answer.text.replace(" ", "")
