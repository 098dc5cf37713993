"""Accounts on PostgreSQL, with real processes: what one server gave out, the other knows, and so does the command."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from databases import Postgres
from embeddings import Endpoint
from gates import Gate, hidden_fields, new_key, quick
from serving import Server, everlore, running

TEXT = b"The quince tree was planted in 2019.\n"


@pytest.fixture(scope="module")
def env(database: Postgres, vectors: Endpoint) -> Mapping[str, str]:
    return {"DATABASE_URL": database.database(), "EVEROS_AUTH__ENABLED": "true"} | quick(vectors)


@pytest.fixture(scope="module")
def servers(env: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """Two, started at once on an empty database."""
    roots = [tmp_path_factory.mktemp("pg") / "root" for _ in range(2)]
    with ExitStack() as stack, ThreadPoolExecutor(2) as pool:
        yield list(pool.map(stack.enter_context, [running(root, env) for root in roots]))


def keys(root: Path, env: Mapping[str, str], *words: str) -> tuple[dict[str, Any], str]:
    """What the command answers, and what it says beside."""
    done = everlore("keys", *words, "--format", "json", root=root, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    data: dict[str, Any] = json.loads(done.stdout)["data"]
    return data, done.stderr


@pytest.fixture(scope="module")
def key(servers: list[Server], env: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Made by the command, in a folder of its own."""
    return keys(tmp_path_factory.mktemp("cli"), env, "create", "--name", "alice")[0]


def test_a_key_made_by_the_command_works_on_both_until_it_is_revoked(
    servers: list[Server], env: Mapping[str, str], tmp_path: Path
) -> None:
    made, _ = keys(tmp_path, env, "create", "--name", "bob")
    gates = [Gate(server.client, made["key"]) for server in servers]
    for gate in gates:
        assert gate.ok("/mem/search", {"query": "x"})["items"] == []
    assert made["id"] in [one["id"] for one in keys(tmp_path, env, "list")[0]["items"]]
    keys(tmp_path, env, "revoke", made["id"])
    for gate in gates:
        gate.refused("/mem/search", 401, 30202, {"query": "x"})
    events = keys(tmp_path, env, "audit")[0]["items"]
    assert {"key.create", "key.revoke", "token"} <= {event["action"] for event in events}
    assert not list(tmp_path.rglob("accounts.db*"))


def test_a_device_begins_on_one_is_approved_on_the_other_and_polls_anywhere(
    servers: list[Server], key: dict[str, Any]
) -> None:
    one, two = (Gate(server.client) for server in servers)
    device = {"platform": "evercli", "clientName": "EverCli", "clientVersion": "1", "machineFingerprint": "f" * 64}
    begun = one.ok("/auth/device", device)
    asked = {"deviceCode": begun["deviceCode"], "grantType": "device_code"}
    assert two.ok("/auth/token", asked)["status"] == "pending"
    assert one.post("/auth/token", asked).json()["status"] == 30104, "too soon, also on the other server"
    page = servers[0].client.get("/device", params={"code": begun["userCode"]})
    form = hidden_fields(page.text) | {"key": key["key"], "decision": "approve"}
    assert "signed in" in servers[1].client.post("/device", data=form).text
    with ThreadPoolExecutor(2) as pool:
        answers = [done.json() for done in pool.map(lambda gate: gate.post("/auth/token", asked), (one, two))]
    (given,) = [answer["result"] for answer in answers if answer["status"] == 0]
    assert [answer["status"] for answer in answers if answer["status"] != 0] == [30101], "handed out once"
    for server in servers:
        assert Gate(server.client).ok("/auth/login", {"apiKey": given["apiKey"]})["accountId"] == key["accountId"]
        Gate(server.client, given["agentToken"]).ok("/mem/context")


def test_an_agent_revoked_on_one_is_refused_by_the_other(servers: list[Server], key: dict[str, Any]) -> None:
    one, two = (Gate(server.client, key["key"]) for server in servers)
    body = {"platform": "cursor", "name": "Cursor", "machineFingerprint": "m1"}
    made = one.ok("/agents", body)
    agent = Gate(servers[1].client, made["agentToken"])
    agent.ok("/mem/context")
    assert two.ok("/agents", body)["agentId"] == made["agentId"]
    agent.refused("/mem/context", 401, 30302)
    Gate(servers[0].client, made["agentToken"]).refused("/mem/context", 401, 30302)
    again = two.ok("/agents", body)
    one.ok("/agents/revoke", {"agentId": made["agentId"]})
    Gate(servers[1].client, again["agentToken"]).refused("/mem/context", 401, 30302)


def test_an_upload_is_promised_taken_and_confirmed_by_any_server(servers: list[Server], key: dict[str, Any]) -> None:
    one, two = (Gate(server.client, key["key"]) for server in servers)
    digest = hashlib.sha256(TEXT).hexdigest()
    file = {"sizeBytes": len(TEXT), "contentHash": digest}
    made = one.ok("/mem/uploads/presign", {"fileName": "n.md", "contentType": "text/markdown", **file})
    there = httpx.URL(made["uploadUrl"]).copy_with(port=servers[1].port)
    assert httpx.put(there, content=TEXT + b"x").json()["status"] == 40104
    assert httpx.put(there, content=TEXT).json()["result"]["sizeBytes"] == len(TEXT)
    body = {"objectKey": made["objectKey"], "title": "Notes", "idempotencyKey": "once", **file}
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda gate: gate.ok("/mem/sources", body), (one, two))
    assert first == second, "confirmed on both at once, it is remembered once"
    assert first["status"] == "extracted"
    for gate in (one, two):
        assert len(gate.ok("/mem/search", {"query": "quince tree"})["items"]) == 1
    assert httpx.put(there, content=TEXT).json()["status"] == 40102
    for server in servers:
        assert not list(server.root.rglob("uploads"))


def test_probes_and_doctor_work_with_accounts_in_the_database(
    servers: list[Server], env: Mapping[str, str], tmp_path: Path, database: Postgres
) -> None:
    for server in servers:
        assert server.client.get("/readyz").json()["checks"]["accounts"] == "ok"
    done = everlore("doctor", root=tmp_path, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    logs = [server.log_path.read_text(encoding="utf-8") for server in servers]
    assert not any(database.password in text for text in (done.stdout, done.stderr, *logs))


def test_while_nothing_can_be_written_a_key_still_reads(
    servers: list[Server], env: Mapping[str, str], database: Postgres, tmp_path: Path
) -> None:
    made, _ = keys(tmp_path, env, "create", "--name", "reader")
    gate = Gate(servers[0].client, made["key"])
    name = env["DATABASE_URL"].rpartition("/")[2]
    kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
    database.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    try:
        database.run(kill, (name,))
        assert gate.ok("/mem/search", {"query": "x"})["items"] == []
        assert "read-only" in gate.refused("/agents", 503, 50101, {
            "platform": "p", "name": "n", "machineFingerprint": "m"
        })  # fmt: skip
        assert "read-only" in Gate(servers[0].client, "evt_" + "0" * 32).refused("/mem/search", 503, 50101, {})
    finally:
        database.run(f"ALTER DATABASE {name} SET default_transaction_read_only = off")
        database.run(kill, (name,))


def test_accounts_that_lay_beside_the_database_are_taken_over_once(
    database: Postgres, vectors: Endpoint, tmp_path: Path
) -> None:
    before, other = tmp_path / "before", tmp_path / "other"
    made, secret = new_key(before, "alice")
    env = {"DATABASE_URL": database.database(), "EVEROS_AUTH__ENABLED": "true"} | quick(vectors)
    with running(before, env) as server:
        assert Gate(server.client).ok("/auth/login", {"apiKey": secret})["accountId"] == made.account.id
        said = [line["event"] for line in server.log() if "took over" in line.get("event", "")]
        assert len(said) == 1
        assert "1 keys of 1 accounts" in said[0]
    listed, beside = keys(tmp_path / "elsewhere", env, "list")
    assert [(one["id"], one["main"]) for one in listed["items"]] == [(made.id, True)]
    assert beside == ""
    assert keys(before, env, "list")[1] == "", "said once"
    stranger, _ = new_key(other, "bob")
    listed, beside = keys(other, env, "list")
    assert stranger.id not in [one["id"] for one in listed["items"]]
    assert "1 keys in" in beside
    assert "not known to the database" in beside
    (other / ".everlore" / "accounts.db").write_bytes(b"no database" * 1000)
    assert "were not taken over" in keys(other, env, "list")[1]
