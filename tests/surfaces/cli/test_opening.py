"""Settings as people write them: what has no effect is named, what is wrong is one line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from serving import Api, clean_env, everlore, running

from everlore.config import unknown_settings

MISSPELT = "[memory]\ntimezzone = 'UTC'\n[foo]\n[bar]\nbaz = 1\n[api]\n"


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with one episode, and no server on it any more."""
    root = tmp_path_factory.mktemp("cli") / "root"
    with running(root) as server:
        api = Api(server.client, root)
        api.tell("s", "I love climbing in Yosemite every spring.")
        api.until("get", lambda d: d["count"] == 1, user_id="alice", memory_type="episode")
    # the watcher may have seen the new files only when the server was stopping, and left them to the next one
    assert everlore("index", "sync", root=root).returncode == 0
    return root


@pytest.mark.parametrize(
    "command", [["index", "status"], ["index", "sync"], ["doctor"], ["keys", "list"], ["content", "status"]]
)
def test_a_command_names_settings_without_effect_once(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "config.toml").write_text(MISSPELT, encoding="utf-8")
    env = {"EVEROS_MEMORY__ROOOT": "/x", "EVEROS_API__PROT": "1", "EVEROS_API": '{"thread": 3}'}
    done = everlore(*command, root=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    named = ("EVEROS_API__PROT", "EVEROS_MEMORY__ROOOT", "api.thread in EVEROS_API", "bar.baz in config.toml",
             "foo in config.toml", "memory.timezzone in config.toml")  # fmt: skip
    assert line == f"warning: settings without effect, check their names: {', '.join(named)}"


def test_settings_that_have_an_effect_are_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.toml").write_text("log_level = 'info'\n[store]\nschema = 'x'\n[api]\n", encoding="utf-8")
    monkeypatch.setenv("EVEROS_MEMORY__ROOT", str(tmp_path))
    monkeypatch.setenv("EVEROS_CONFIG_FILE", str(tmp_path / "config.toml"))
    monkeypatch.setenv("everos_api__port", "1")
    monkeypatch.setenv("EVEROS_SEARCH", '{"default_radius": 0.5}')
    assert unknown_settings() == []


def test_a_value_where_a_section_must_be_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.toml").write_text("memory = 5\n", encoding="utf-8")
    monkeypatch.setenv("EVEROS_MEMORY__ROOT", str(tmp_path))
    assert unknown_settings() == ["memory in config.toml"]


def test_a_config_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("\ufeff[memory]\ntimezone = 'Mars/Olympus'\n", encoding="utf-8")
    done = everlore("index", "status", root=tmp_path)
    assert "EVEROS_MEMORY__TIMEZONE" in done.stderr, "it was read"


@pytest.mark.parametrize(
    ("env", "told"),
    [
        ({"EVEROS_API__PORT": "many"}, "EVEROS_API__PORT"),
        ({"EVEROS_API": '{"port": 1'}, "setting EVEROS_API: this is not valid JSON"),
        ({"EVEROS_MULTIMODAL__FETCH_ALLOW_NETWORKS": "x"}, "EVEROS_MULTIMODAL__FETCH_ALLOW_NETWORKS: Input is not"),
        ({"EVEROS_MEMORY__TIMEZONE": "Mars/Olympus"}, "EVEROS_MEMORY__TIMEZONE"),
        ({"EVEROS_CONFIG_FILE": "/no/such/file.toml"}, "EVEROS_CONFIG_FILE"),
        ({"EVEROS_LOG_LEVEL": "loud"}, "EVEROS_LOG_LEVEL"),
    ],
)
@pytest.mark.parametrize("command", [["doctor"], ["server", "start"]])
def test_wrong_settings_are_one_line(tmp_path: Path, command: list[str], env: dict[str, str], told: str) -> None:
    done = everlore(*command, root=tmp_path / "root", env=env)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_setting_in_the_config_file_is_looked_for_there(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[api]\nport = "many"\n', encoding="utf-8")
    done = everlore("doctor", root=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: api.port in {config}: ")


@pytest.mark.parametrize("content", [b"api = [", b"\xff\xfe"])
def test_a_config_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    config = tmp_path / "config.toml"
    config.write_bytes(content)
    done = everlore("doctor", root=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {config} cannot be read: ")
    assert "Traceback" not in done.stderr


def test_a_root_that_is_a_file_is_told(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.write_text("not a folder", encoding="utf-8")
    done = everlore("index", "status", root=root)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert "EVEROS_MEMORY__ROOT" in done.stderr
    assert "Errno" not in done.stderr
    assert len(done.stderr.splitlines()) == 1, "trying again would not help"


@pytest.mark.parametrize("empty", [False, True])
def test_the_vault_is_in_the_home_folder_by_default(tmp_path: Path, empty: bool) -> None:
    env = clean_env(tmp_path, {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "EVEROS_MEMORY__ROOT": ""})
    if not empty:
        del env["EVEROS_MEMORY__ROOT"]
    done = subprocess.run(
        [sys.executable, "-m", "everlore", "index", "status", "--json"],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert json.loads(done.stdout)["vault"] == str(tmp_path / ".everos"), done.stderr
    assert not (tmp_path / "~").exists()
