"""Slow requests leave the others in peace."""

from __future__ import annotations

import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from serving import Api, Server


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
