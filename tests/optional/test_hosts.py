"""The real hosts, as npm has them, against a model on this machine: our tools are in the first request that the model
gets, and what was told in one session is in the context of the next.

Asked for by `make test-hosts`, which installs them.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from evercli import Evercli
from models import Model, scripted, tools_of

from everlore.background import client

INSTALLED = os.environ.get("EVERLORE_TEST_HOSTS", "")
OURS = {"mem_search", "mem_context", "mem_save_turn", "mem_save_fact"}
FACT, WORD, QUESTION = "My cat is called Saffron.", "Saffron", "What is my cat called?"
SECONDS = 180.0
pytestmark = pytest.mark.skipif(not INSTALLED, reason="make test-hosts asks for it")


def claude_code(home: Path, _url: str) -> None:
    (home / ".claude").mkdir()


def codex(home: Path, url: str) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(
        'model = "scripted"\nmodel_provider = "scripted"\n\n[model_providers.scripted]\nname = "scripted"\n'
        f'base_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n',
        encoding="utf-8",
    )


def gemini(home: Path, _url: str) -> None:
    (home / ".gemini").mkdir()
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"disableAutoUpdate": True}}
    (home / ".gemini" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def opencode(home: Path, url: str) -> None:
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    provider = {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": f"{url}/v1", "apiKey": "x"}}
    config = {"model": "scripted/m", "small_model": "scripted/m", "autoupdate": False}
    config |= {"provider": {"scripted": {**provider, "models": {"m": {"name": "m"}}}}}
    (folder / "opencode.json").write_text(json.dumps(config), encoding="utf-8")


HOSTS: dict[str, tuple[Callable[[Path, str], None], list[str]]] = {
    "claude-code": (claude_code, ["claude", "-p"]),
    "codex": (codex, ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]),
    "gemini": (gemini, ["gemini", "--approval-mode", "yolo", "-p"]),  # else it offers no tool that it would ask about
    "opencode": (opencode, ["opencode", "run"]),
}


@pytest.fixture
def machine(evercli: Evercli) -> Iterator[Evercli]:
    """Whose servers go with the test."""
    evercli.env["PATH"] = f"{Path(INSTALLED) / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"
    yield evercli
    for place, server in client.running(evercli.home / ".everos"):
        if not client.stop(place, server):
            with suppress(ProcessLookupError):
                os.kill(server.pid, signal.SIGKILL)


@pytest.fixture
def evercli(tmp_path: Path) -> Evercli:
    home = tmp_path / "home"
    home.mkdir()
    return Evercli(home)


def talk(machine: Evercli, model: Model, command: list[str], prompt: str, folder: Path) -> float:
    """One session of the host; the seconds that it took."""
    of_host = {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "x",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "SCRIPTED_KEY": "x",
        "GEMINI_API_KEY": "x",
        "GOOGLE_GEMINI_BASE_URL": model.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_MODEL": "gemini-2.5-flash",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "TERM": "dumb",
    }
    begin = time.monotonic()
    done = subprocess.run(
        [*command, prompt],
        cwd=folder,
        env=machine.environment(of_host),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-2000:])
    return time.monotonic() - begin


@pytest.mark.parametrize("host", HOSTS)
def test_a_session_remembers_and_the_next_one_knows(host: str, machine: Evercli, tmp_path: Path) -> None:
    prepare, command = HOSTS[host]
    if shutil.which(command[0], path=machine.env["PATH"]) is None:
        pytest.skip(f"{command[0]} is not installed")
    folder = tmp_path / "project"
    folder.mkdir()
    with scripted() as model:
        prepare(machine.home, model.url)
        assert machine("plugin", "install", host).code == 0
        first = talk(machine, model, command, FACT, folder)
        offered = [tools_of(one) for one in model.with_tools()]
        assert offered, "the host asked its model with tools"
        named = {name.rpartition("everme-memory")[2].strip("_") or name for name in offered[0]}
        kept = _until_saved(machine)
        model.asked.clear()
        second = talk(machine, model, command, QUESTION, folder)
        known = [WORD in json.dumps(one) for one in model.with_tools()]
    print(f"{host}: first session {first:.1f} s, second {second:.1f} s, tools in the first request: {named >= OURS}")
    assert named >= OURS, sorted(offered[0])
    assert kept, "the first session is in memory"
    assert known[0], "what was told is in the context of the next session, before its model is asked"


def _until_saved(machine: Evercli) -> bool:
    """A hook leaves what it began to the server."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if any(WORD in path.read_text("utf-8") for path in (machine.home / ".everos").rglob("episode-*.md")):
            return True
        time.sleep(0.2)
    return False
