"""No way out of the product shows a full credential: each is given one, and what comes out is looked through.

The credentials are in places where they end up in output: paths, ids, names, stored text, settings, errors.
"""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from embeddings import Endpoint
from gates import Gate, Host, host, quick
from serving import Server, clean_env, running

from everlore import logs
from everlore.surfaces.cli import keys, output
from everlore.surfaces.cli.evercli.failure import Failure
from everlore.surfaces.cli.evercli.output import finish

HEX = "0123456789abcdef" * 2
KEY, TOKEN = f"emk_{HEX}", f"evt_{HEX}"
AWS_ID = "AKIA" + "ABCDEFGH12345678"
SIGNED = f"https://b.example/k?X-Amz-Credential={AWS_ID}%2F2026&X-Amz-Signature={HEX}&x=1"
LEAK = f"{KEY} {TOKEN} {SIGNED}"
FULL = re.compile(rf"(?:emk|evt)_[0-9a-f]{{32}}|{AWS_ID}|Signature=0123")


def clean(text: str) -> None:
    assert not FULL.search(text), text


@pytest.fixture(scope="module")
def leaky(tmp_path_factory: pytest.TempPathFactory, vectors: Endpoint) -> Iterator[Server]:
    """A server on a vault in whose files somebody wrote credentials by hand, and that masks nothing."""
    root = tmp_path_factory.mktemp("leaky") / "root"
    folder = root / "default_app" / "default_project" / "users" / "default"
    (folder / "episodes").mkdir(parents=True)
    front = "---\nid: profile_default\ntype: user_profile\nuser_id: default\nexplicit_info:\n- category: stated\n"
    (folder / "user.md").write_text(
        f'{front}  description: "the key {LEAK}"\n  evidence: "2026-05-28: x"\nimplicit_traits: []\n---\nHas {LEAK}.\n',
        encoding="utf-8",
    )
    env = {"EVEROS_MEMORY__MASK_SECRETS": "false", "EVEROS_LOG_LEVEL": "debug"} | quick(vectors)
    with running(root, env) as started:
        yield started


@pytest.fixture(scope="module")
def agent(leaky: Server, vectors: Endpoint) -> Iterator[Host]:
    with host(leaky.root, {"EVEROS_MEMORY__MASK_SECRETS": "false"} | quick(vectors)) as started:
        started.hello()
        text = f"The walrus key is {LEAK}."
        assert json.loads(started.text("mem_save_turn", text=text))["saved"]
        assert json.loads(started.text("mem_save_turn", text=f"Waiting walrus {LEAK}.", flush=False))["saved"]
        yield started


def test_http_error_bodies_and_logs(leaky: Server) -> None:
    client = leaky.client
    answers = [
        client.get(f"/nothing/{KEY}"),
        client.post(f"/api/v1/memory/{TOKEN}", json={}),
        client.post("/api/v1/memory/get", json={"user_id": "u", "memory_type": KEY}),
        client.post("/api/v1/memory/search", json={"user_id": "u", "query": "q", "filters": {KEY: 1}}),
        client.post("/api/v1/memory/delete", json={"user_id": "u", "id": f"u_{LEAK}"}),
        client.post("/api/v1/memory/add", json={"session_id": LEAK}),
        client.get("/health", headers={"Host": KEY}),
        client.get("/health", headers={"Origin": SIGNED}),
        client.post(f"/mcp/{KEY}", json={}),
        client.get(f"/device?code={KEY}"),
        client.put(f"/api/v1/mem/uploads/obj_{KEY}?expires=1&signature={HEX}"),
        client.post(f"/api/v1/agents/{KEY}", json={}, headers={"Authorization": f"Bearer {KEY}"}),
        client.post("/api/v1/auth/login", json={"apiKey": KEY}),
        client.post("/api/v1/auth/token", json={"deviceCode": KEY, "grantType": LEAK}),
        client.post("/api/v1/mem/get", json={"id": LEAK}, headers={"Authorization": f"Bearer {TOKEN}"}),
    ]
    for answer in answers:
        assert answer.status_code >= 400, answer.text
        clean(answer.text)
        clean(str(answer.headers))
    clean(leaky.log_path.read_text(encoding="utf-8"))


def test_gateway_errors_with_a_good_token(guarded: Server, alice: Gate) -> None:
    for path, body in (
        ("/mem/get", {"id": LEAK}),
        ("/mem/search", {"query": "x", "filter": {KEY: LEAK}}),
        ("/mem/sources", {"objectKey": KEY, "title": "t", "sizeBytes": 1, "contentHash": HEX * 2}),
        ("/agents/revoke", {"agentId": KEY}),
        (f"/mem/{KEY}", {}),
    ):
        answer = alice.post(path, body)
        assert answer.status_code >= 400
        clean(answer.text)
    log = guarded.log_path.read_text(encoding="utf-8")
    clean(log)
    assert alice.token not in log


def test_mcp_results_resources_and_errors(agent: Host) -> None:
    seen = [
        agent.text("mem_search", query="walrus"),
        agent.text("mem_context", query="walrus"),
        agent.text("mem_search", query=LEAK),
        json.dumps(agent.ask("resources/read", {"uri": "mem://profile"})),
        json.dumps(agent.ask("resources/read", {"uri": "mem://search?q=walrus"})),
        json.dumps(agent.ask("resources/read", {"uri": f"mem://{KEY}"})),
        json.dumps(agent.ask(f"nothing/{KEY}")),
        agent.call(KEY)[1],
        agent.call("mem_save_turn", messages=[{"role": KEY, "content": "x"}])[1],
    ]
    assert "emk_0123_REDACTED" in seen[0]
    assert "emk_0123_REDACTED" in seen[1]
    for text in seen:
        clean(text)


@pytest.mark.parametrize("form", ["text", "json", "yaml"])
def test_the_command_line_in_all_formats(
    form: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVEROS_MEMORY__ROOT", str(tmp_path))
    keys.create(form, f"name {LEAK}"[:120], "", "mem:read", 0, separate=False)
    shown = capsys.readouterr()
    secrets = re.findall(r"emk_[0-9a-f]{32}", shown.out)
    assert len(secrets) == 1, "the new key, and nothing else"
    assert secrets[0] != KEY
    keys.show(form)
    keys.audit(form, 10)
    finish(Failure("internal", LEAK, LEAK, detail={LEAK: LEAK}), form)
    output.show_json({LEAK: [LEAK]})
    output.show_pairs([(LEAK, LEAK)])
    output.show_finding("error", LEAK, LEAK)
    output.show_line(LEAK)
    left = capsys.readouterr()
    clean(left.out + left.err)


@pytest.mark.parametrize("args", [["doctor"], ["index", "status", "--json"], ["keys", "revoke", KEY], ["server", KEY]])
def test_commands_on_a_vault_whose_very_name_is_a_credential(tmp_path: Path, args: list[str]) -> None:
    env = clean_env(tmp_path / KEY, {"EVEROS_LOG_LEVEL": "debug"})
    if args[0] == "doctor":
        (tmp_path / KEY).write_text("not a folder")
    done = subprocess.run([sys.executable, "-m", "everlore", *args], env=env, capture_output=True, encoding="utf-8")
    clean(done.stdout + done.stderr)


@pytest.mark.parametrize("form", ["json", "console"])
def test_logs_and_tracebacks(form: Any, capsys: pytest.CaptureFixture[str]) -> None:
    before = logging.getLogger().handlers, logging.getLogger().level
    try:
        logs.configure("debug", form)
        log = logs.get_logger("everlore.test")
        logging.getLogger("some.library").warning("said %s", LEAK)
        log.info(f"event {LEAK}", path=LEAK, nested={"a": [LEAK]})
        try:
            raise ValueError(LEAK)
        except ValueError:
            log.exception("failed")
            logging.getLogger("some.library").exception("failed too")
    finally:
        logging.getLogger().handlers, logging.getLogger().level = before[0], before[1]
    shown = capsys.readouterr().err
    assert "ValueError" in shown
    assert "REDACTED" in shown
    clean(shown)
