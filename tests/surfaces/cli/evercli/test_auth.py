"""`evercli auth` and everything that a login changes, against a real server with accounts."""

from __future__ import annotations

import json
import os
import re
import select
import stat
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from evercli import Evercli
from serving import Server, clean_env, running


@dataclass
class Gated:
    server: Server
    keys: dict[str, str]


def everlore(root: Path, *args: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "everlore", *args, "--format", "json"],
        env=clean_env(root),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["data"]


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gated]:
    """A server that wants a token for everything, with two accounts."""
    root = tmp_path_factory.mktemp("gated") / "root"
    keys = {name: everlore(root, "keys", "create", "--name", name)["key"] for name in ("alice", "bob")}
    with running(root, {"EVEROS_AUTH__ENABLED": "true"}) as server:
        yield Gated(server, keys)


@pytest.fixture
def cli(evercli: Evercli, gated: Gated) -> Evercli:
    evercli.env["EVERCLI_API_BASE_URL"] = gated.server.url
    return evercli


@pytest.fixture
def alice(cli: Evercli, gated: Gated) -> Evercli:
    assert cli("auth", "login", "--api-key", "-", stdin=gated.keys["alice"] + "\n").code == 0
    return cli


GATED = pytest.mark.skipif(sys.platform == "win32", reason="file modes of POSIX")


def stored(cli: Evercli, name: str) -> dict[str, Any]:
    (path,) = cli.home.rglob(name)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def approve(gated: Gated, user_code: str, name: str = "alice") -> None:
    """As a person does on the server's page."""
    page = gated.server.client.get("/device", params={"code": user_code})
    stamp = re.search(r'name="stamp" value="([^"]+)"', page.text)
    assert stamp is not None, page.text
    form = {"code": user_code, "stamp": stamp[1], "key": gated.keys[name], "decision": "approve"}
    answer = gated.server.client.post("/device", data=form)
    assert answer.status_code == 200, answer.text


def find(cli: Evercli, query: str) -> list[dict[str, Any]]:
    deadline = time.monotonic() + 120
    while True:
        items: list[dict[str, Any]] = cli("memory", "search", query).data["items"]
        if items or time.monotonic() > deadline:
            return items
        time.sleep(0.2)


def codex_env(cli: Evercli) -> dict[str, str]:
    config = tomllib.loads((cli.home / ".codex" / "config.toml").read_text(encoding="utf-8"))
    env: dict[str, str] = config["mcp_servers"]["everme-memory"]["env"]
    return env


def plugin_check(cli: Evercli, host: str) -> dict[str, Any]:
    done = cli("doctor").envelope
    checks = (done["data"] if done["ok"] else done["error"]["detail"])["checks"]
    found: dict[str, Any] = next(one for one in checks if one["name"] == f"plugin {host}")
    return found


def is_alive(gated: Gated, token: str) -> bool:
    headers = {"Authorization": f"Bearer {token}"}
    return gated.server.client.post("/api/v1/mem/list", json={}, headers=headers).status_code == 200


def mcp_session(entry: dict[str, Any], env: dict[str, str], *calls: tuple[str, dict[str, Any]]) -> list[str]:
    """One process of the host's entry, spoken to as a host does; the texts that the tools answered."""
    process = subprocess.Popen(
        [entry["command"], *entry["args"]],
        env={**env, **entry.get("env", {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        return _talk(process, *calls)


def _talk(process: subprocess.Popen[str], *calls: tuple[str, dict[str, Any]]) -> list[str]:
    assert process.stdin is not None

    def ask(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        process.stdin.flush()
        answer: dict[str, Any] = json.loads(process.stdout.readline())
        assert answer["id"] == number
        result: dict[str, Any] = answer["result"]
        return result

    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}
    assert ask(1, "initialize", client)["serverInfo"]["name"] == "everme-memory-mcp"
    process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    texts = []
    for number, (name, arguments) in enumerate(calls, 2):
        result = ask(number, "tools/call", {"name": name, "arguments": arguments})
        assert not result.get("isError"), result
        texts.append(str(result["content"][0]["text"]))
    process.communicate(timeout=60)
    return texts


def test_without_a_login(cli: Evercli) -> None:
    for command in (["memory", "search", "x"], ["auth", "me"], ["auth", "status"], ["doctor"]):
        done = cli(*command)
        assert (done.code, done.error["type"]) == (3, "not_logged_in"), command
        assert done.error["hint"] == "Run `evercli auth login` first"


@GATED
def test_login_with_a_key_me_status_and_logout(cli: Evercli, gated: Gated) -> None:
    key = gated.keys["alice"]
    done = cli("auth", "login", "--api-key", key, "-v")
    assert done.data["status"] == "approved"
    assert done.data["name"] == "alice"
    assert key not in done.out + done.err
    files = {path.name: path for path in cli.home.rglob("*.json")}
    assert set(files) == {"account.json", "credentials.json"}
    for path in files.values():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    secrets = stored(cli, "credentials.json")
    assert secrets["apiKey"] == key
    assert re.fullmatch(r"evt_[0-9a-f]{32}", secrets["agentToken"])
    account = files["account.json"].read_text(encoding="utf-8")
    assert key not in account
    assert secrets["agentToken"] not in account
    assert cli("auth", "status").data["loggedIn"] is True
    me = cli("auth", "me").data
    assert me["accountId"] == done.data["accountId"]
    assert me["apiKeyPrefix"] == key[:8]
    assert cli("auth", "logout").data == {"cleared": True}
    assert not [path for path in cli.home.rglob("*") if path.is_file()], "no secret stays, in no backup either"
    assert cli("auth", "logout").data == {"cleared": False}
    assert cli("auth", "status").error["type"] == "not_logged_in"


def test_a_wrong_key(cli: Evercli) -> None:
    done = cli("auth", "login", "--api-key", "emk_" + "0" * 32)
    assert (done.code, done.error["type"], done.error["code"]) == (3, "auth", 30201)
    assert not [path for path in cli.home.rglob("*") if path.is_file()]


def test_a_key_is_never_sent_to_another_server(alice: Evercli, server: Server) -> None:
    done = alice("auth", "me", env={"EVERCLI_API_BASE_URL": server.url})
    assert (done.code, done.error["type"]) == (3, "not_logged_in")
    assert "the login is for" in done.error["message"]
    del alice.env["EVERCLI_API_BASE_URL"]
    assert alice("auth", "me").code == 0, "the address of the login is remembered"


def test_a_revoked_key_and_a_stale_token(cli: Evercli, gated: Gated) -> None:
    extra = everlore(gated.server.root, "keys", "create", "--name", "carol")
    assert cli("auth", "login", "--api-key", extra["key"]).code == 0
    everlore(gated.server.root, "keys", "revoke", extra["id"])
    done = cli("auth", "me")
    assert (done.code, done.error["type"], done.error["code"]) == (3, "auth", 30202)
    doctor = cli("doctor")
    assert (doctor.code, doctor.error["type"]) == (3, "auth")


def test_device_login_in_two_steps(cli: Evercli, gated: Gated) -> None:
    begun = cli("auth", "login", "--no-wait").data
    assert begun["status"] == "pending"
    assert begun["userCode"] in begun["verificationUrl"]
    assert begun["resumeCommand"].endswith(begun["deviceCode"])
    assert stored(cli, "device-session.json")["deviceCode"] == begun["deviceCode"]
    assert cli("auth", "login", "--device-code", begun["deviceCode"]).data["status"] == "pending"
    approve(gated, begun["userCode"])
    time.sleep(float(begun["interval"]))
    done = cli("auth", "login", "--device-code", begun["deviceCode"])
    assert done.data["status"] == "approved"
    assert "emk_" not in re.sub(r"emk_[0-9a-f]{4}\b", "", done.out)
    assert not list(cli.home.rglob("device-session.json"))
    assert cli("auth", "me").code == 0
    spent = cli("auth", "login", "--device-code", begun["deviceCode"])
    assert (spent.code, spent.error["type"], spent.error["code"]) == (3, "auth", 30101)


def test_device_login_that_waits(cli: Evercli, gated: Gated) -> None:
    with cli.start("auth", "login") as process:
        assert process.stderr is not None
        said = b""
        while b"Code: " not in said or not said.endswith(b"\n"):
            assert select.select([process.stderr], [], [], 30)[0], said
            said += os.read(process.stderr.fileno(), 4096)
        code = re.search(rb"Code: ([A-Z-]+)", said)
        assert code is not None
        approve(gated, code[1].decode())
        out, _ = process.communicate(timeout=60)
    assert json.loads(out)["data"]["status"] == "approved", "stdout has the result and nothing else"


def test_a_key_in_the_environment_is_a_login(alice: Evercli, gated: Gated, tmp_path: Path) -> None:
    alice("memory", "add", "My harpsichord is from Antwerp.")
    assert find(alice, "harpsichord")
    assert "alice" in alice("auth", "status", "--format", "text").out
    bob = {"EVERCLI_API_KEY": gated.keys["bob"]}
    assert alice("memory", "search", "harpsichord", env=bob).data["items"] == [], "it counts before the stored login"
    home = tmp_path / "ci"
    (home / ".codex").mkdir(parents=True)
    job = Evercli(home, {**alice.env, "EVERCLI_API_KEY": gated.keys["alice"]})
    assert find(job, "harpsichord")
    assert job("auth", "me").data["name"] == "alice"
    assert "None" not in job("auth", "status", "--format", "text").out
    assert job("plugin", "install", "codex").code == 0
    assert job("doctor").code == 0
    notes = tmp_path / "note.md"
    notes.write_text("My lute is from Füssen.", encoding="utf-8")
    assert job("import", "run", "markdown", "--path", str(notes)).data["imports"][0]["messages"] == 1
    again = job("import", "run", "markdown", "--path", str(notes), "--dry-run", env=bob).data["imports"][0]
    assert again["messages"] == 1, "another account has not got it yet"
    assert not [*home.rglob("credentials.json"), *home.rglob("account.json")], "nothing of it is kept"
    assert job("auth", "status", env={"EVERCLI_API_KEY": "nonsense"}).error["type"] == "invalid_args"


def test_memories_are_the_accounts_own(alice: Evercli, gated: Gated, tmp_path: Path) -> None:
    assert alice("memory", "add", "My violin is from Cremona.").data["saved"] is True
    (first, *_) = find(alice, "violin")
    assert "Cremona" in json.dumps(first)
    episode = alice("memory", "get").data["items"][0]["id"]
    assert "Cremona" in alice("memory", "get", episode).data["episode"]
    home = tmp_path / "bob"
    home.mkdir()
    bob = Evercli(home, alice.env)
    bob("auth", "login", "--api-key", gated.keys["bob"])
    assert bob("memory", "search", "violin").data["items"] == []
    assert bob("memory", "get", episode).error["type"] == "not_found"
    assert bob("memory", "forget", episode).error["type"] == "not_found"
    assert alice("memory", "forget", episode).data["deleted"] >= 1


def test_an_import_goes_to_the_account(alice: Evercli, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("I keep my telescope in Granada.", encoding="utf-8")
    assert alice("import", "run", "markdown", "--path", str(notes)).data["imports"][0]["messages"] == 1
    assert "Granada" in json.dumps(find(alice, "telescope"))


@GATED
def test_plugins_get_a_token_of_their_own(alice: Evercli, gated: Gated) -> None:
    config = alice.home / ".cursor" / "mcp.json"
    config.parent.mkdir()
    config.write_text("{}", encoding="utf-8")
    config.chmod(0o644)
    done = alice("plugin", "install", "cursor")
    entry = json.loads(config.read_text(encoding="utf-8"))["mcpServers"]["everme-memory"]
    assert entry["env"]["EVERME_API_BASE"] == gated.server.url
    assert entry["env"]["EVERME_AGENT_ID"] == done.data["installed"][0]["agentId"]
    token = entry["env"]["EVERME_AGENT_TOKEN"]
    assert token != stored(alice, "credentials.json")["agentToken"]
    assert token not in done.out + done.err
    assert stat.S_IMODE(config.stat().st_mode) == 0o600, "a file with a token is its owner's only"
    again = alice("plugin", "install", "cursor")
    assert again.data["installed"][0]["changes"][0]["action"] == "unchanged", "a token that works is kept"
    dry = alice("plugin", "install", "cursor", "--dry-run", "--force")
    assert token not in dry.out
    assert alice("doctor").code == 0
    asked = {"Authorization": f"Bearer {token}"}
    assert gated.server.client.post("/api/v1/mem/list", json={}, headers=asked).status_code == 200
    alice("plugin", "uninstall", "cursor")
    assert gated.server.client.post("/api/v1/mem/list", json={}, headers=asked).status_code == 401


def test_a_token_that_is_dead_is_replaced(alice: Evercli, gated: Gated) -> None:
    (alice.home / ".codex").mkdir()
    alice("plugin", "install", "codex")
    old = codex_env(alice)
    headers = {"Authorization": f"Bearer {gated.keys['alice']}"}
    gated.server.client.post("/api/v1/agents/revoke", json={"agentId": old["EVERME_AGENT_ID"]}, headers=headers)
    assert plugin_check(alice, "codex")["hint"] == "Run: evercli plugin install codex"
    assert alice("plugin", "install", "codex").data["installed"][0]["changes"][0]["action"] == "update"
    assert is_alive(gated, codex_env(alice)["EVERME_AGENT_TOKEN"])
    assert plugin_check(alice, "codex")["ok"]


def test_a_token_of_another_account_is_replaced(alice: Evercli, gated: Gated) -> None:
    (alice.home / ".codex").mkdir()
    alice("plugin", "install", "codex")
    old = codex_env(alice)
    bob = alice
    bob("auth", "login", "--api-key", gated.keys["bob"])
    check = plugin_check(bob, "codex")
    assert check["severity"] == "warning"
    assert "not of this login" in check["message"]
    done = bob("plugin", "install", "codex")
    assert done.data["installed"][0]["agentId"] != old["EVERME_AGENT_ID"]
    assert f"{old['EVERME_AGENT_ID']} was not ended" in done.err
    assert "log in there as its account" in done.err
    assert plugin_check(bob, "codex")["ok"]
    mine = codex_env(bob)["EVERME_AGENT_TOKEN"]
    bob("auth", "login", "--api-key", gated.keys["alice"])
    assert bob("plugin", "install", "codex").code == 0
    assert not is_alive(gated, old["EVERME_AGENT_TOKEN"]), "as the warning said"
    assert is_alive(gated, mine)


def test_uninstalling_without_a_login_says_that_the_token_lives(alice: Evercli) -> None:
    (alice.home / ".codex").mkdir()
    alice("plugin", "install", "codex")
    agent = codex_env(alice)["EVERME_AGENT_ID"]
    alice("auth", "logout")
    done = alice("plugin", "uninstall", "codex")
    assert done.code == 0
    assert f"the token of agent {agent} was not ended" in done.err


def test_a_named_server_that_wants_a_login_gets_no_plugin_without_one(cli: Evercli) -> None:
    (cli.home / ".cursor").mkdir()
    done = cli("plugin", "install", "cursor")
    assert (done.code, done.error["type"]) == (3, "not_logged_in")
    assert not (cli.home / ".cursor" / "mcp.json").exists()


def test_hooks_with_a_login(alice: Evercli, tmp_path: Path) -> None:
    path = tmp_path / "77aa.jsonl"
    line = {"type": "user", "timestamp": "2026-05-01T10:00:00Z", "message": {"content": "My kayak is yellow."}}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert alice("hook", "stop", stdin=json.dumps({"transcript_path": str(path)})).out == ""
    assert "yellow" in json.dumps(find(alice, "kayak"))
    asked = alice("hook", "prompt", stdin=json.dumps({"prompt": "what colour is my kayak"}))
    assert "yellow" in json.loads(asked.out)["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("logged_in", [False, True])
def test_install_then_save_in_one_process_and_recall_in_another(
    evercli: Evercli, gated: Gated, logged_in: bool
) -> None:
    """The whole way: `evercli plugin install claude-code`, then a host that starts what the entry says."""
    (evercli.home / ".claude").mkdir()
    if logged_in:
        evercli.env["EVERCLI_API_BASE_URL"] = gated.server.url
        assert evercli("auth", "login", "--api-key", gated.keys["bob"]).code == 0
    else:
        evercli.env["EVEROS_MEMORY__ROOT"] = str(evercli.home / "vault")
    assert evercli("plugin", "install", "claude-code").code == 0
    config = json.loads((evercli.home / ".claude.json").read_text(encoding="utf-8"))
    entry = config["mcpServers"]["everme-memory"]
    env = Evercli(evercli.home).environment()
    (saved,) = mcp_session(entry, env, ("mem_save_fact", {"fact": "My favourite tea is oolong from Alishan."}))
    assert json.loads(saved)["saved"] is True
    found, known = mcp_session(
        entry, env, ("mem_search", {"query": "favourite tea"}), ("mem_context", {"query": "tea"})
    )
    assert "Alishan" in found
    assert "Alishan" in known
