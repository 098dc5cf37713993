"""`evercli memory`, `hook` and `doctor` against a real server without accounts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from typing import Any

import pytest
from evercli import Done, Evercli
from serving import Server


@pytest.fixture
def cli(evercli: Evercli, server: Server) -> Evercli:
    evercli.env["EVERCLI_API_BASE_URL"] = server.url
    return evercli


@pytest.fixture
def user() -> str:
    return f"u{uuid.uuid4().hex[:10]}"


def until_found(cli: Evercli, *args: str) -> Done:
    """The index may lag behind the files, as the contract says."""
    deadline = time.monotonic() + 120
    while True:
        done = cli(*args)
        if done.data["items"] or time.monotonic() > deadline:
            return done
        time.sleep(0.2)


def test_add_search_get_forget(cli: Evercli, user: str) -> None:
    added = cli("memory", "add", "I", "moved to Lisbon in March and I love pastel de nata.", "--user", user)
    assert added.data["saved"] is True
    assert added.data["status"] == "extracted"
    found = until_found(cli, "memory", "search", "where do I live", "--user", user)
    (item,) = found.data["items"]
    assert "Lisbon" in item["episode"]
    assert item["type"] == "episodic_memory"
    assert found.envelope["meta"]["count"] == 1
    assert len(found.envelope["meta"]["requestId"]) == 32
    assert cli("memory", "get", "--user", user).data["totalCount"] == 1
    assert "Lisbon" in cli("memory", "get", item["id"], "--user", user).data["episode"]
    text = cli("memory", "search", "Lisbon", "--user", user, "--format", "text")
    assert item["id"] in text.out
    assert cli("memory", "forget", item["id"], "--user", user).data["deleted"] >= 1
    gone = cli("memory", "forget", item["id"], "--user", user)
    assert (gone.code, gone.error["type"], gone.error["detail"]["id"]) == (1, "not_found", item["id"])
    assert cli("memory", "get", item["id"], "--user", user).error["type"] == "not_found"
    assert cli("memory", "search", "Lisbon", "--user", user, "--format", "text").out == "Nothing found.\n"


def test_a_search_shows_the_sentence_that_answers_and_what_it_ended_with(cli: Evercli) -> None:
    user = "anna" + "".join(chr(ord("a") + int(digit, 16)) for digit in uuid.uuid4().hex[:10])
    cli("memory", "add", "I live in Rome. The weather was fine and we went for a walk.", "--user", user)
    cli("memory", "add", "I live in Lisbon now. The tram was late again.", "--user", user)
    deadline = time.monotonic() + 120
    passages: list[dict[str, Any]] = []
    while not any(passage["valid_until"] for passage in passages) and time.monotonic() < deadline:
        items = cli("memory", "search", "Where do I live?", "--user", user).data["items"]
        passages = [passage for item in items for passage in item["passages"]]
        time.sleep(0.2)
    assert "Lisbon" in items[0]["passages"][0]["text"]
    (rome,) = [passage for passage in passages if "Rome" in passage["text"]]
    assert rome["valid_until"] is not None
    today = rome["time"][:10]
    lines = cli("memory", "search", "Where do I live?", "--user", user, "--format", "text").out.splitlines()
    assert f"{today} {user.capitalize()}: {items[0]['passages'][0]['text']}" in lines[0]
    (past,) = [line for line in lines if f"{user.capitalize()}: {rome['text']}" in line]
    assert f"(ended {rome['valid_until'][:10]}: {rome['ended_by']})" in past


def test_a_long_text_from_stdin_is_remembered_whole(cli: Evercli, user: str) -> None:
    text = (
        "".join(f"Sentence number {number} is about the garden.\n" for number in range(250)) + "The gate code is blue."
    )
    added = cli("memory", "add", "--user", user, stdin=text)
    assert added.data["messageCount"] > 1
    assert "gate code is blue" in json.dumps(until_found(cli, "memory", "search", "gate code", "--user", user).data)


def test_a_dash_is_stdin(cli: Evercli, user: str) -> None:
    cli("memory", "add", "-", "--user", user, stdin="The spare key is under the blue pot.\n")
    assert "blue pot" in json.dumps(until_found(cli, "memory", "search", "spare key", "--user", user).data)
    nothing = cli("memory", "add", "-", "--user", user)
    assert (nothing.code, nothing.error["type"]) == (2, "invalid_args")


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of POSIX")
def test_deleting_asks_a_person_and_not_a_program(cli: Evercli, user: str) -> None:
    import pty

    ours, theirs = pty.openpty()
    os.write(ours, b"n\n")
    done = subprocess.run(
        cli.command("memory", "forget", "some-id", "--user", user, "--format", "json"),
        env=cli.environment(),
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        timeout=60,
    )
    os.close(theirs)
    assert b"[y/N]" in os.read(ours, 4096)
    os.close(ours)
    assert done.returncode == 130
    assert json.loads(done.stdout)["error"]["type"] == "cancelled"


def test_a_query_that_is_too_long(cli: Evercli) -> None:
    done = cli("memory", "search", "x" * 1025)
    assert (done.code, done.error["type"]) == (2, "invalid_args")
