"""`evercli memory`, `hook` and `doctor` against a real server without accounts."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path
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


def test_doctor_on_a_healthy_machine(cli: Evercli) -> None:
    checks = {one["name"]: one for one in cli("doctor").data["checks"]}
    assert checks["server"]["ok"]
    assert checks["server version"]["ok"]
    assert checks["clock"]["ok"]
    assert checks["login"]["ok"]
    assert "server" in cli("doctor", "--format", "text").out


def test_doctor_says_what_is_wrong_and_what_to_do(cli: Evercli) -> None:
    private = cli.home / ".local" / "share" / "evercli"
    private.mkdir(parents=True)
    (private / "credentials.json").write_text("{}", encoding="utf-8")
    (private / "credentials.json").chmod(0o644)
    (cli.home / ".cursor").mkdir()
    (cli.home / ".cursor" / "mcp.json").write_text(
        '{"mcpServers": {"everme-memory": {"command": "/gone/everlore", "args": []}}}', encoding="utf-8"
    )
    (private / "evercli.log").write_text("2026-01-01T00:00:00Z hook stop: network: no server\n", encoding="utf-8")
    places = {"XDG_DATA_HOME": str(private.parent)}
    done = cli("doctor", env=places)
    assert (done.code, done.error["type"]) == (5, "io"), "the worst finding decides"
    checks = {one["name"]: one for one in done.error["detail"]["checks"]}
    assert checks["plugin cursor"]["severity"] == "error"
    assert checks["plugin cursor"]["type"] == "not_found"
    assert "plugin install cursor" in checks["plugin cursor"]["hint"]
    assert checks["hooks"]["severity"] == "warning"
    assert all(one["hint"] for one in checks.values() if not one["ok"])
    (private / "credentials.json").chmod(0o600)
    assert cli("doctor", env=places).code == 1
    text = cli("doctor", "--format", "text", env=places)
    assert text.out == ""
    assert "error: its command is gone" in text.err


def test_doctor_without_a_server(evercli: Evercli) -> None:
    done = evercli("doctor", env={"EVERCLI_API_BASE_URL": "http://127.0.0.1:1"})
    assert (done.code, done.error["type"]) == (4, "network")


def test_doctor_where_nobody_spoke_of_a_server(evercli: Evercli) -> None:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", 8000)) == 0:
            pytest.skip("somebody answers at the default address")
    checks = {one["name"]: one for one in evercli("doctor").data["checks"]}
    assert checks["server"]["severity"] == "warning"


def test_doctor_goes_on_with_a_damaged_login(cli: Evercli) -> None:
    path = cli.home / "data" / "evercli" / "credentials.json"
    path.parent.mkdir(parents=True)
    path.write_text("{", encoding="utf-8")
    path.chmod(0o644)
    done = cli("doctor", env={"XDG_DATA_HOME": str(cli.home / "data")})
    assert (done.code, done.error["type"]) == (5, "io")
    checks = done.error["detail"]["checks"]
    assert [one["severity"] for one in checks if one["name"] == "login"] == ["error"]
    assert [one["severity"] for one in checks if one["name"] == "files"] == ["error"]
    assert {"server", "plugins"} <= {one["name"] for one in checks if one["ok"]}


# hooks


def transcript(path: Path, *turns: tuple[str, Any], start: int = 0) -> None:
    lines = [
        {"type": role, "timestamp": f"2026-05-01T10:00:{start + number:02}.000Z", "message": {"content": content}}
        for number, (role, content) in enumerate(turns)
    ]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def test_hooks_save_a_turn_and_recall_it_in_the_next_session(cli: Evercli, start: Any, tmp_path: Path) -> None:
    own = start()
    here = {"EVERCLI_API_BASE_URL": own.url}
    path = tmp_path / "5d0c.jsonl"
    said = json.dumps({"session_id": "5d0c", "transcript_path": str(path), "hook_event_name": "Stop"})
    transcript(path, ("user", "My cat is called Saffron."), ("assistant", [{"type": "text", "text": "Noted."}]))
    saved = cli("hook", "stop", stdin=said, env=here)
    assert (saved.code, saved.out) == (0, "")
    transcript(path, ("user", "She is four years old."), ("assistant", "Good."), start=2)
    assert cli("hook", "stop", stdin=said, env=here).code == 0
    assert cli("hook", "stop", stdin=said, env=here).code == 0
    episodes = until_found(Evercli(cli.home, here), "memory", "get").data["items"]
    told = " ".join(item["episode"] for item in episodes)
    assert told.count("Saffron") == 1, "a turn is saved once"
    assert told.count("four years old") == 1
    assert cli("memory", "get", "profile_default", env=here).data["type"] == "profile"
    asked = cli("hook", "prompt", stdin=json.dumps({"prompt": "What is my cat called?"}), env=here)
    answer = json.loads(asked.out)["hookSpecificOutput"]
    assert answer["hookEventName"] == "UserPromptSubmit"
    assert "Saffron" in answer["additionalContext"]
    assert "not an instruction" in answer["additionalContext"]
    begun = cli("hook", "session-start", stdin="{}", env=here)
    assert "Saffron" in json.loads(begun.out)["hookSpecificOutput"]["additionalContext"]
    again = cli("import", "run", "claude-code", "--path", str(path), env=here)
    assert again.data["imports"][0]["messages"] == 0, "an import knows what the hooks have saved"


def test_hooks_without_a_server_use_the_vault_itself(evercli: Evercli, tmp_path: Path) -> None:
    path = tmp_path / "7e1a.jsonl"
    transcript(path, ("user", "My boat is called Kestrel."), ("assistant", "Noted."))
    nowhere = {"EVERCLI_API_BASE_URL": "http://127.0.0.1:1"}
    vault = ("--vault", str(tmp_path / "vault"))
    saved = evercli("hook", "stop", *vault, stdin=json.dumps({"transcript_path": str(path)}), env=nowhere)
    assert (saved.code, saved.out, saved.err) == (0, "", "")
    assert not list(evercli.home.rglob("evercli.log"))
    asked = evercli("hook", "prompt", *vault, stdin=json.dumps({"prompt": "my boat"}), env=nowhere)
    assert "Kestrel" in json.loads(asked.out)["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("said", ["", "{", "[]", '{"transcript_path": "/nowhere"}', '{"prompt": 7}'])
def test_a_hook_never_gets_in_the_way(evercli: Evercli, said: str) -> None:
    event = "prompt" if "prompt" in said else "stop"
    done = evercli("hook", event, stdin=said, env={"EVERCLI_API_BASE_URL": "http://no-such-host.invalid"})
    assert (done.code, done.out, done.err) == (0, "", "")
