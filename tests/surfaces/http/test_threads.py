"""Slow requests leave the others in peace."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from embeddings import endpoint
from gates import quick
from serving import Api, Server

from everlore.config import load
from everlore.surfaces.http.threads import Threads, run


def test_a_slow_client_blocks_nobody(server: Server) -> None:
    """One upload that never ends, and the others are answered meanwhile."""
    release = threading.Event()

    def dripping() -> Any:
        yield b'{"session_id": '
        release.wait(120)
        yield b'"s"}'

    headers = {"Content-Type": "application/json"}
    slow = threading.Thread(
        target=lambda: server.client.post("/api/v1/memory/flush", content=dripping(), headers=headers)
    )
    slow.start()
    try:
        for _ in range(5):
            assert server.client.post("/api/v1/memory/flush", json={"session_id": "x"}).status_code == 200
        assert slow.is_alive()
    finally:
        release.set()
        slow.join()


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is POSIX")
def test_slow_requests_leave_threads_to_the_others(start: Any) -> None:
    """More files than there are threads are fetched from a site that does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        uri = f"http://127.0.0.1:{silent.getsockname()[1]}/x.txt"
        env = {"EVEROS_MULTIMODAL__FETCH_ALLOW_NETWORKS": "127.0.0.1/32", "EVEROS_MULTIMODAL__FETCH_SECONDS": "200"}
        server = start({"EVEROS_API__THREADS": "4"} | env)
        api = Api(server.client, server.root)
        message = {"sender_id": "alice", "role": "user", "timestamp": 1_780_000_000_000, "content": "I love climbing."}
        slow = message | {"content": [{"type": "doc", "uri": uri}]}
        with ThreadPoolExecutor(6) as clients:
            fetching = [clients.submit(api.post, "add", session_id=f"s{n}", messages=[slow]) for n in range(6)]
            time.sleep(1)
            api.ok("add", session_id="quick", messages=[message])
            api.ok("search", user_id="alice", query="climbing", method="keyword")
            api.ok("get", user_id="alice", memory_type="episode")
            assert not any(one.done() for one in fetching)
            silent.close()
            assert {one.result().status_code for one in fetching} == {415}


def test_searches_leave_threads_to_those_who_store(start: Any) -> None:
    """More searches than there are threads wait for a model that takes its time."""
    with endpoint() as slow, ThreadPoolExecutor(8) as clients:
        server = start({"EVEROS_API__THREADS": "4"} | quick(slow))
        api = Api(server.client, server.root)
        api.ok("search", user_id="alice", query="measured", method="hybrid")
        slow.delay = 20.0
        asked = [clients.submit(api.post, "search", user_id="alice", query=f"q{n}", method="hybrid") for n in range(8)]
        time.sleep(1)
        message = {"sender_id": "alice", "role": "user", "timestamp": 1_780_000_000_000, "content": "I love climbing."}
        api.ok("add", session_id="quick", messages=[message])
        assert not any(one.done() for one in asked)
        slow.delay = 0.0


def test_no_more_searches_at_once_than_the_processors_can_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    entered, leave = threading.Semaphore(0), threading.Event()

    def search() -> None:
        entered.release()
        leave.wait(60)

    async def crowd() -> int:
        threads = Threads(load(store={"url": ""}, embedding={"base_url": ""}))
        request: Any = SimpleNamespace(app=SimpleNamespace(state=SimpleNamespace(threads=threads)))
        async with anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(lambda: run(request, search, searching=True))
            while threads.searching.statistics().tasks_waiting < 5:
                await anyio.sleep(0.01)
            assert await run(request, lambda: "stored") == "stored"
            begun: int = threads.searching.statistics().borrowed_tokens
            leave.set()
        return begun

    assert anyio.run(crowd) == 3
    assert all(entered.acquire(timeout=0) for _ in range(8))
