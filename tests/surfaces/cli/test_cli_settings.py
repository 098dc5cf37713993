"""Settings as people write them: what has no effect is named, and what editors add does no harm."""

from __future__ import annotations

from pathlib import Path

import pytest
from serving import everlore

from everlore.config import unknown_settings

MISSPELT = "[memory]\ntimezzone = 'UTC'\n[foo]\n[bar]\nbaz = 1\n[api]\n"


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
