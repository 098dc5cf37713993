"""A real language model through the whole path. Optional: `make test-llm` fetches it; without it this is skipped."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from embeddings import Endpoint
from serving import Api

pytestmark = [
    pytest.mark.skipif(not os.environ.get("EVERLORE_TEST_LLM"), reason="takes minutes; `make test-llm` runs it"),
    pytest.mark.timeout(1800),
]


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    server = subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / "small_model.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.communicate()


def test_what_people_say_passes_through_a_real_model(start: Any, model: str, vectors: Endpoint) -> None:
    server = start(
        {
            "EVEROS_EMBEDDING__BASE_URL": vectors.url,
            "EVEROS_EMBEDDING__MODEL": "test",
            "EVEROS_EMBEDDING__DIMENSION": str(vectors.dimension),
            "EVEROS_LLM__BASE_URL": model,
            "EVEROS_LLM__MODEL": "SmolLM2-135M-Instruct",
            "EVEROS_LLM__TIMEOUT_SECONDS": "600",
            "EVEROS_LLM__BUDGET_SECONDS": "900",
            "EVEROS_LLM__MAX_OUTPUT_TOKENS": "1536",
        }
    )
    server.client.timeout = 1000
    api = Api(server.client, server.root)
    said = ("I moved to Porto in May because I repair boats there.", "My sister Clara bakes bread in Lisbon.")
    messages = [
        {"sender_id": "alice", "role": "user", "timestamp": 1_780_000_000_000 + at * 10_000, "content": text}
        for at, text in enumerate(said)
    ]
    api.ok("add", session_id="s", messages=messages)
    answer = api.ok("flush", session_id="s")
    print(answer)
    assert answer["usage"]["prompt_tokens"] > 100
    if answer["status"] == "extracted":
        episode = api.ok("get", user_id="alice", memory_type="episode")["episodes"][0]
        print(episode["subject"], "|", episode["summary"])
        assert all(text in episode["episode"] for text in said)
        found = api.until("search", lambda data: bool(data["episodes"]), user_id="alice", query="boats in Porto")
        assert found["episodes"][0]["id"] == episode["id"]
    else:  # so small a model may not find an end; then nothing is lost, and the answer says so
        assert answer["pending"]["messages"] == 2
        data = api.ok("search", user_id="alice", query="x", filters={"session_id": "s"})
        assert [message["content"] for message in data["unprocessed_messages"]] == list(said)
