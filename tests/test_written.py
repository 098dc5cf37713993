"""Raw settings, as a process reads them that has no time for their types."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from everlore.errors import Misconfigured
from everlore.written import config_file, from_variables, merged, settings


def test_the_environment_comes_before_the_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("\ufefflog_level = 'error'\n[api]\nport = 1\nhost = 'h'\n", encoding="utf-8")
    environ = {"EVEROS_MEMORY__ROOT": str(tmp_path), "EVEROS_API": '{"port": 2, "threads": 3}', "everos_api__port": "4"}
    assert settings(environ) == {
        "log_level": "error",
        "api": {"port": "4", "host": "h", "threads": 3},
        "memory": {"root": str(tmp_path)},
    }


def test_what_is_not_ours_is_not_read() -> None:
    assert list(from_variables({"PATH": "x", "EVEROS": "y", "EVEROS_CONFIG_FILE": "z", "EVERME_API_BASE": "u"})) == [
        ("EVEROS", {"": "y"})
    ]
    with pytest.raises(Misconfigured, match="EVEROS_API: this is not valid JSON"):
        list(from_variables({"EVEROS_API": "{"}))


def test_merging_changes_neither() -> None:
    weaker = {"a": {"x": 1}, "b": 1}
    assert merged(weaker, {"a": {"y": 2}, "b": {"z": 3}}) == {"a": {"x": 1, "y": 2}, "b": {"z": 3}}
    assert weaker == {"a": {"x": 1}, "b": 1}


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="is not a file"):
        config_file({"EVEROS_CONFIG_FILE": str(tmp_path / "absent.toml")})


def test_it_needs_no_parser_where_there_is_no_file(tmp_path: Path) -> None:
    code = "import sys; from everlore.written import settings; settings({}); print(*sys.modules)"
    env = {"HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True)
    assert {"tomllib", "pydantic", "dataclasses"}.isdisjoint(done.stdout.split())
