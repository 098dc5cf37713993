"""What a hostile or careless client sends, and what a person does to the files meanwhile."""

from __future__ import annotations

import re
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from serving import Api, Server

AT = 1_780_000_000_000


def message(sender: str = "alice", content: Any = "I love climbing in Yosemite.", at: int = AT) -> dict[str, Any]:
    return {"sender_id": sender, "role": "user", "timestamp": at, "content": content}


def test_an_id_that_fits_no_path_is_refused_and_blocks_nobody(api: Api) -> None:
    told = api.refused("add", 422, session_id="s", messages=[message(), message("界" * 2000)])
    assert "too long" in told
    assert told.endswith(": messages.1.sender_id")
    api.ok("add", session_id="s", messages=[message()])
    assert api.ok("flush", session_id="s")["status"] == "extracted"


def test_a_long_id_in_any_script_has_memories(api: Api) -> None:
    for sender in ("y" * 900, "界" * 300, "é" * 480):
        api.tell(f"s-{sender[0]}", "I love climbing in Yosemite.", sender=sender)
        assert api.ok("get", user_id=sender, memory_type="episode")["count"] == 1


@pytest.mark.parametrize(
    ("bad", "status", "place"),
    [
        (message(content=[{"type": "text"}]), 422, "messages.2.content"),
        (message(content=[{"type": "image", "text": "x"}]), 415, "messages.2.content"),
        (message(at=10**17), 422, "messages.2.timestamp"),
    ],
)
def test_a_refusal_says_which_message(api: Api, bad: dict[str, Any], status: int, place: str) -> None:
    told = api.refused("add", status, session_id="s", messages=[message(), message(), bad])
    assert told.endswith(f": {place}")
    assert api.ok("flush", session_id="s")["status"] == "no_extraction", "nothing of the batch was kept"


def test_settings_of_other_versions_are_named_and_harmless(start: Any, tmp_path: Path) -> None:
    config = tmp_path / "root/config.toml"
    config.parent.mkdir()
    config.write_text(
        "log_levle = 'debug'\n[api]\nprot = 3\nthreads = 8\n[rerank]\nprovider = 'vllm'\n", encoding="utf-8"
    )
    server = start({"EVEROS_RERANK__PROVIDER": "vllm", "EVEROS_MEMROY__ROOT": "typo"})
    (warned,) = [record for record in server.log() if record["level"] == "warning"]
    assert warned["names"] == [
        "EVEROS_MEMROY__ROOT",
        "EVEROS_RERANK__PROVIDER",
        "api.prot in config.toml",
        "log_levle in config.toml",
        "rerank.provider in config.toml",
    ]


def test_a_day_ends_at_midnight_of_the_display_zone(start: Any) -> None:
    server = start({"EVEROS_MEMORY__TIMEZONE": "Asia/Shanghai"})
    api = Api(server.client, server.root)
    evening = 1_780_069_800_000  # 23:50 in Shanghai, 15:50 UTC
    later = [message(at=evening), message(content="My sister moved to Lisbon.", at=evening + 20 * 60_000)]
    assert api.ok("add", session_id="s", messages=later)["status"] == "extracted"
    api.ok("add", session_id="t", messages=[message(content="I will visit my aunt tomorrow.", at=evening + 3_600_000)])
    api.ok("flush", session_id="t")
    found = api.until("search", lambda d: bool(d["episodes"]), user_id="alice", query="visit my aunt", top_k=1)
    assert "31 May 2026" in found["episodes"][0]["atomic_facts"][0]["content"]


def test_a_fact_typed_by_hand_is_found(start: Any) -> None:
    server = start()
    api = Api(server.client, server.root)
    api.tell("s", "I ride my bicycle to the harbour every morning.")
    file = api.files("users/alice/facts/*.md")[0]
    text = file.read_text(encoding="utf-8")
    parent = re.search(r"\*\*parent_id\*\*: (\S+)", text)
    assert parent
    entry = "af_20260528_00000077"
    file.write_text(
        f"{text}\n<!-- entry:{entry} -->\n## {entry}\n\n**parent_id**: {parent[1]}\n\n### Fact\n"
        f"The bicycle has a zebra bell.\n<!-- /entry:{entry} -->\n",
        encoding="utf-8",
    )

    def told(data: dict[str, Any]) -> bool:
        return any("zebra bell" in fact["content"] for hit in data["episodes"] for fact in hit["atomic_facts"])

    assert told(api.until("search", told, user_id="alice", query="zebra bell", top_k=3))


@pytest.mark.parametrize("how", ["removed", "moved"])
def test_no_message_is_accepted_into_a_file_that_is_gone(start: Callable[..., Server], how: str) -> None:
    """SQLite would go on writing to it, and a restart would find nothing."""
    server = start()
    api = Api(server.client, server.root)
    api.tell("before", "I drink green tea.")
    waiting = [{"sender_id": "alice", "role": "user", "timestamp": 1, "content": "I moved to Lisbon."}]
    aside = server.root.with_name("aside")
    if how == "removed":
        shutil.rmtree(server.root / ".everlore")
    else:
        server.root.rename(aside)
    assert "was removed or moved" in api.refused("add", 503, session_id="after", messages=waiting)
    if how == "removed":
        server.stop()
        server = start()
    else:
        shutil.rmtree(server.root, ignore_errors=True)
        aside.rename(server.root)
    api = replace(api, client=server.client)
    api.ok("add", session_id="after", messages=waiting)
    server.stop(signal.SIGKILL)
    api = replace(api, client=start().client)
    assert api.ok("flush", session_id="after")["status"] == "extracted"
    api.until("get", lambda data: data["total_count"] == 2, user_id="alice", memory_type="episode")
