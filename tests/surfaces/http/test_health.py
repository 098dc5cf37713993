"""Probes, numbers, the published spec, the display zone, and the contract's cURL examples."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from serving import Api, Server, running

from everlore import __version__

AT = 1_780_000_000_000

ADD_EXAMPLE = r"""
TS=$(date +%s)
curl -X POST http://127.0.0.1:8000/api/v1/memory/add \
  -H 'Content-Type: application/json' \
  -d "{
    \"session_id\": \"demo-002\",
    \"app_id\": \"default\",
    \"project_id\": \"default\",
    \"messages\": [
      {\"sender_id\": \"alice\", \"role\": \"user\", \"timestamp\": $TS, \"content\": \"I love climbing in Yosemite every spring.\"},
      {\"sender_id\": \"alice\", \"role\": \"user\", \"timestamp\": $((TS+10)), \"content\": \"My favorite coffee shop is Blue Bottle in SOMA.\"},
      {\"sender_id\": \"alice\", \"role\": \"user\", \"timestamp\": $((TS+20)), \"content\": \"I bike to work most days.\"}
    ]
  }"
"""  # noqa: E501 - as printed
FLUSH_EXAMPLE = r"""
curl -X POST http://127.0.0.1:8000/api/v1/memory/flush \
  -H 'Content-Type: application/json' \
  -d '{"session_id":"demo-002","app_id":"default","project_id":"default"}'
"""
SEARCH_EXAMPLE = r"""
curl -X POST http://127.0.0.1:8000/api/v1/memory/search \
  -H 'Content-Type: application/json' \
  -d '{
    "user_id": "alice",
    "app_id": "default",
    "project_id": "default",
    "query": "Where do I like to climb?",
    "top_k": 5
  }'
"""
GET_EXAMPLE = r"""
curl -X POST http://127.0.0.1:8000/api/v1/memory/get \
  -H 'Content-Type: application/json' \
  -d '{
    "user_id": "alice",
    "app_id": "default",
    "project_id": "default",
    "memory_type": "episode"
  }'
"""


def shell(server: Server, script: str) -> dict[str, Any]:
    """Run an example as printed, with the port of this server."""
    script = script.replace("127.0.0.1:8000", f"127.0.0.1:{server.port}")
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True, timeout=60)
    answer: dict[str, Any] = json.loads(done.stdout)
    assert set(answer) == {"request_id", "data"}, answer
    assert re.fullmatch(r"[0-9a-f]{32}", answer["request_id"])
    data: dict[str, Any] = answer["data"]
    return data


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="needs curl and bash")
def test_the_contract_s_examples(start: Any) -> None:
    server = start()
    seconds_to_midnight = 86_400 - time.time() % 86_400
    if seconds_to_midnight < 60:  # the example's twenty seconds would cross a day, which closes a cell
        time.sleep(seconds_to_midnight)
    assert shell(server, ADD_EXAMPLE) == {"message_count": 3, "status": "accumulated"}
    assert shell(server, FLUSH_EXAMPLE) == {"status": "extracted"}
    deadline = time.monotonic() + 120
    while not (listed := shell(server, GET_EXAMPLE))["count"] and time.monotonic() < deadline:
        time.sleep(0.2)
    (episode,) = listed["episodes"]
    assert re.fullmatch(r"alice_ep_\d{8}_00000001", episode["id"])
    assert episode["session_id"] == "demo-002"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", episode["timestamp"])
    assert listed == {
        "episodes": [episode],
        "profiles": [],
        "agent_cases": [],
        "agent_skills": [],
        "total_count": 1,
        "count": 1,
    }
    found = shell(server, SEARCH_EXAMPLE)
    (hit,) = found["episodes"]
    assert hit["id"] == episode["id"]
    assert "climbing in Yosemite" in hit["atomic_facts"][0]["content"]
    folder = server.root / "default_app" / "default_project" / "users" / "alice" / "episodes"
    (file,) = folder.glob("*.md")
    assert file.name == f"episode-{episode['timestamp'][:10]}.md"


SCHEMAS = {
    *("MessageItem", "ContentItem", "ToolCall", "ToolFunction", "FilterNode", "SearchMethod", "GetMemoryType"),
    *("SearchData", "SearchEpisodeItem", "SearchAtomicFactItem", "SearchProfileItem", "SearchAgentCaseItem"),
    *("SearchAgentSkillItem", "UnprocessedMessageDTO"),
    *("GetData", "GetEpisodeItem", "GetProfileItem", "GetAgentCaseItem", "GetAgentSkillItem"),
}


@pytest.mark.parametrize("path", ["/openapi.json", "/docs", "/redoc"])
def test_the_spec_is_not_exposed_by_default(server: Server, path: str) -> None:
    answer = server.client.get(path)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "HTTP_ERROR"


def test_the_spec_describes_the_real_envelopes(start: Any) -> None:
    server = start({"ENV": "DEV"})
    assert server.client.get("/docs").status_code == 200
    assert server.client.get("/redoc").status_code == 200
    spec = server.client.get("/openapi.json").json()
    assert spec["openapi"].startswith("3.")
    routes = {path for path in spec["paths"] if path.startswith("/api/v1/memory/")}
    names = ["add", "flush", "search", "get", "delete", "history", "export", "import", "review", "curate"]
    names += [
        "delete/preview",
        "delete/owner",
        "reopen",
        "bin",
        "bin/restore",
        "bin/empty",
        "owners",
        "source",
        "edit",
        "sessions",
        "graph",
    ]
    assert {f"/api/v1/memory/{name}" for name in names} == routes
    for path in routes:
        operation = spec["paths"][path]["post"]
        for status in ("413", "415", "422", "500", "503"):
            schema = operation["responses"][status]["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/Failure"}
        name = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].rsplit("/")[-1]
        assert set(spec["components"]["schemas"][name]["required"]) == {"request_id", "data"}
    assert "HTTPValidationError" not in spec["components"]["schemas"]
    schemas = spec["components"]["schemas"]
    assert schemas["SearchRequest"]["required"] == ["query"]
    assert schemas["SearchRequest"]["properties"]["app_id"]["default"] == "default"
    assert schemas["SearchRequest"]["properties"]["app_id"]["maxLength"] == 128
    assert schemas["GetRequest"]["properties"]["page_size"]["maximum"] == 100
    assert schemas["AddRequest"]["properties"]["messages"]["maxItems"] == 500
    assert schemas["MessageItem"]["required"] == ["sender_id", "role", "timestamp", "content"]
    assert set(schemas) >= SCHEMAS, "names of the contract, which generated clients take for their classes"
    always = {"episodes", "profiles", "agent_cases", "agent_skills"}
    assert set(schemas["SearchData"]["required"]) == always | {"unprocessed_messages"}
    assert set(schemas["GetData"]["required"]) == always | {"total_count", "count"}
    for name in ("GetEpisodeItem", "SearchEpisodeItem", "SearchProfileItem", "UnprocessedMessageDTO"):
        assert set(schemas[name]["required"]) == set(schemas[name]["properties"])
    assert schemas["SearchRequest"]["properties"]["top_k"].items() >= {"minimum": -1, "maximum": 100}.items()


def test_settings_of_zone_and_radius(start: Any) -> None:
    server = start({"EVEROS_MEMORY__TIMEZONE": "Asia/Shanghai", "EVEROS_SEARCH__DEFAULT_RADIUS": "0.99"})
    api = Api(server.client, server.root)
    api.tell("s", "I love climbing in Yosemite every spring.", at=AT)
    listed = api.until("get", lambda d: d["count"] == 1, user_id="alice", memory_type="episode")["episodes"][0]
    assert listed["timestamp"] == "2026-05-29T04:26:40+08:00"
    assert listed["id"] == "alice_ep_20260528_00000001", "ids and files stay in UTC"
    assert listed["episode"].startswith(
        "On May 28, 2026 at 8:26 PM UTC (from May 29, 2026 at 4:26 AM UTC+08:00), Alice spoke."
    )
    assert "2026-05-28T20:26:40" in api.files("users/alice/episodes/*.md")[0].read_text(encoding="utf-8")
    naive = {"timestamp": {"gte": "2026-05-29T04:26:00", "lt": "2026-05-29T04:27:00"}}
    assert api.ok("get", user_id="alice", memory_type="episode", filters=naive)["count"] == 1
    utc = {"timestamp": {"gte": "2026-05-28T20:26:00", "lt": "2026-05-28T20:27:00"}}
    assert api.ok("get", user_id="alice", memory_type="episode", filters=utc)["count"] == 0
    refused = server.client.post("/api/v1/memory/get", json={})
    assert refused.json()["error"]["timestamp"].endswith("+08:00")
    body: dict[str, Any] = {"user_id": "alice", "query": "coffee", "method": "vector"}
    assert len(api.until("search", lambda d: bool(d["episodes"]), **body, top_k=5)["episodes"]) == 1
    assert api.ok("search", **body)["episodes"] == [], "only top_k -1 has a default radius"
    assert len(api.ok("search", **body, radius=0.0)["episodes"]) == 1, "a literal 0.0 wins over the default"


def test_health(server: Server, api: Api) -> None:
    def health() -> Any:
        return server.client.get("/health").json()

    before = health()
    assert before["status"] == "ok"
    assert before["version"] == __version__
    assert before["problems"] == []
    assert set(before["model"]) == {"name", "ready"}
    api.ok("add", session_id="s", messages=[{"sender_id": "a", "role": "user", "timestamp": AT, "content": "I ski."}])
    assert health()["messages_buffered"] == before["messages_buffered"] + 1
    api.ok("flush", session_id="s")
    api.until("get", lambda d: d["count"] == 1, user_id="a", memory_type="episode")
    after = health()
    assert after["index"]["rows"]["episode"] == before["index"]["rows"].get("episode", 0) + 1
    assert after["messages_buffered"] == before["messages_buffered"]
    head = server.client.head("/health")
    assert (head.status_code, head.content) == (200, b"")


def test_a_damaged_file_degrades_health_and_nothing_else(start: Any) -> None:
    server = start()
    api = Api(server.client, server.root)
    api.tell("s", "I love climbing in Yosemite every spring.")
    file = api.files("users/alice/episodes/*.md")[0]
    file.write_text(file.read_text(encoding="utf-8").replace("### Content", "### Contents"), encoding="utf-8")
    deadline = time.monotonic() + 120
    while (body := server.client.get("/health").json())["status"] == "ok" and time.monotonic() < deadline:
        time.sleep(0.1)
    assert body["status"] == "degraded"
    assert any(file.name in problem for problem in body["problems"])
    assert api.ok("get", user_id="alice", memory_type="episode")["count"] == 1, "what cannot be read is not deleted"


def _fill(disk: Path) -> None:
    with suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
        while True:
            filler.write(b"x" * 4096)


def _show(disk: Path, view: str) -> None:
    """What is opened by name from now on is opened there; what is open stays so."""
    subprocess.run(["mount", "--bind", str(disk.with_name(view)), str(disk)], check=True)


def _long(at: int) -> dict[str, Any]:
    return {"sender_id": "alice", "role": "user", "timestamp": at, "content": "I ski. " * 1000}


@pytest.mark.parametrize(
    ("harm", "mend", "reason"),
    [
        (_fill, lambda disk: (disk / "filler").unlink(), "No space left"),
        (lambda disk: _show(disk, "ro"), lambda disk: _show(disk, "rw"), "Read-only"),
    ],
    ids=["full", "read-only"],
)
def test_a_disk_that_takes_nothing_is_told_and_nothing_is_lost(
    tmp_path: Path, harm: Callable[[Path], None], mend: Callable[[Path], object], reason: str
) -> None:
    disk, views = tmp_path / "root", [tmp_path / "rw", tmp_path / "ro"]
    for folder in (disk, *views):
        folder.mkdir()
    if sys.platform != "linux" or os.geteuid() != 0 or os.system(f"mount -t tmpfs -o size=8m tmpfs {disk} 2>&-") != 0:
        pytest.skip("only root may mount a disk of its own")
    for folder in views:
        subprocess.run(["mount", "--bind", str(disk), str(folder)], check=True)
    subprocess.run(["mount", "-o", "remount,bind,ro", str(views[1])], check=True)
    message = {"sender_id": "alice", "role": "user", "timestamp": AT, "content": "I ski in Zermatt."}
    try:
        with running(disk) as server:
            api = Api(server.client, disk)
            api.ok("add", session_id="before", messages=[message])
            harm(disk)
            ready, health = server.client.get("/readyz"), server.client.get("/health").json()
            assert (ready.status_code, health["status"]) == (503, "degraded")
            assert reason in ready.json()["checks"]["vault"]
            assert any(reason in problem for problem in health["problems"])
            sizes = range(100) if harm is _fill else ()  # what fits into pages that a database has already is kept
            answers = [api.post("add", session_id="after", messages=[_long(AT + at)]).status_code for at in sizes]
            assert set(answers) <= {200, 503}
            assert 503 in answers or harm is not _fill
            assert api.post("flush", session_id="before").status_code == 503
            mend(disk)
            api.until(
                "get", lambda _: server.client.get("/readyz").status_code == 200, user_id="alice", memory_type="episode"
            )
            assert api.ok("flush", session_id="before")["status"] == "extracted"
            assert api.ok("get", user_id="alice", memory_type="episode")["count"] == 1
    finally:
        for folder in (disk, *views):
            while folder.is_mount():
                subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_file_that_is_no_text_is_named_and_what_waits_for_it_stays(start: Any) -> None:
    server = start()
    api = Api(server.client, server.root)
    api.tell("s", "I love climbing in Yosemite every spring.")
    file = api.files("users/alice/episodes/*.md")[0]
    good = file.read_bytes()
    file.write_bytes(good + "Müller".encode("latin-1"))
    message = {"sender_id": "alice", "role": "user", "timestamp": 1_780_000_100_000, "content": "I ski in Zermatt."}
    api.ok("add", session_id="t", messages=[message])
    told = api.refused("flush", 503, session_id="t")
    assert file.name in told
    assert "save the file with the encoding UTF-8" in told
    deadline = time.monotonic() + 120
    while not (problems := server.client.get("/health").json()["problems"]) and time.monotonic() < deadline:
        time.sleep(0.1)
    (problem,) = problems
    assert problem.count(file.name) == 1
    file.write_bytes(good)
    assert api.ok("flush", session_id="t")["status"] == "extracted"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_what_is_in_the_way_of_a_file_is_named_and_what_waits_for_it_stays(start: Any) -> None:
    server = start()
    api = Api(server.client, server.root)
    api.tell("s", "I love climbing in Yosemite every spring.")
    message = {"sender_id": "alice", "role": "user", "timestamp": 1_780_000_100_000, "content": "I ski in Zermatt."}
    api.ok("add", session_id="t", messages=[message])
    (file,) = api.files("users/alice/episodes/*.md")
    elsewhere = file.rename(file.with_name("elsewhere.txt"))
    file.symlink_to(elsewhere)
    link = api.refused("flush", 503, session_id="t")
    file.unlink()
    file.mkdir()
    folder = api.refused("flush", 503, session_id="t")
    file.rmdir()
    elsewhere.rename(file)
    assert "leads through a link" in link
    assert "a vault is plain folders" in folder
    assert all(file.name in told and "Nothing was lost" in told for told in (link, folder))
    assert api.ok("flush", session_id="t")["status"] == "extracted"
    assert api.ok("get", user_id="alice", memory_type="episode")["count"] == 2


def test_what_was_acknowledged_survives_a_kill(start: Any) -> None:
    server = start()
    api = Api(server.client, server.root, app_id="kept")
    message = {"sender_id": "alice", "role": "user", "timestamp": AT, "content": "My passport is in the blue box."}
    api.ok("add", session_id="s", messages=[message])
    server.process.kill()
    server.process.wait()
    again = Api(start().client, server.root, app_id="kept")
    waiting = again.ok("search", user_id="alice", query="passport", filters={"session_id": "s"})["unprocessed_messages"]
    assert [m["content"] for m in waiting] == ["My passport is in the blue box."]
    assert again.ok("flush", session_id="s") == {"status": "extracted"}


def test_a_model_out_of_reach_is_503_only_where_it_is_needed(start: Any) -> None:
    endpoint = {"BASE_URL": "http://127.0.0.1:9/v1", "MODEL": "none", "TIMEOUT_SECONDS": "0.1"}
    server = start({f"EVEROS_EMBEDDING__{name}": value for name, value in endpoint.items()})
    api = Api(server.client, server.root)
    api.tell("s", "I love climbing in Yosemite every spring.")
    ask: dict[str, Any] = {"user_id": "alice", "query": "climbing"}
    for method in ("keyword", "hybrid", "agentic"):
        assert api.until("search", lambda d: bool(d["episodes"]), **ask, method=method)
    answer = api.post("search", **ask, method="vector")
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "SYSTEM_ERROR"
    assert answer.json()["error"]["message"] != "Internal server error", "it says what is out of reach"
