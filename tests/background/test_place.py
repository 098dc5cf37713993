"""Which server serves whom: where it is registered, and which settings make it another one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from everlore.background.place import place_of
from everlore.errors import Misconfigured


def name(tmp_path: Path, **environ: str) -> str:
    return place_of({"EVEROS_MEMORY__ROOT": str(tmp_path)} | environ).name


def test_it_is_registered_in_the_vault(tmp_path: Path) -> None:
    place = place_of({"EVEROS_MEMORY__ROOT": str(tmp_path)})
    assert place.file("json") == tmp_path / ".everlore" / "server.json"
    assert place_of({"EVEROS_MEMORY": json.dumps({"root": str(tmp_path)})}) == place
    assert place_of({}).root == Path("~/.everos").expanduser()


def test_a_config_file_may_name_the_vault(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(f"[memory]\nroot = '{(tmp_path / 'there').as_posix()}'\n", encoding="utf-8")
    place = place_of({"EVEROS_CONFIG_FILE": str(tmp_path / "my.toml")})
    assert (place.root, place.name) == (tmp_path / "there", "server")


@pytest.mark.parametrize(
    "environ",
    [
        {"EVEROS_STORE__URL": "postgresql://u@h/one"},
        {"DATABASE_URL": "postgresql://u@h/one"},
        {"EVEROS_STORE__SCHEMA": "mine"},
        {"EVEROS_EMBEDDING__BASE_URL": "http://127.0.0.1:1"},
        {"EVEROS_LLM__MODEL": "m"},
        {"EVEROS_API__THREADS": "4"},
        {"EVEROS_MEMORY__TIMEZONE": "Europe/Berlin"},
        {"EVEROS_AUTH__ENABLED": "true"},
    ],
)
def test_what_would_change_its_answers_makes_it_another_one(tmp_path: Path, environ: dict[str, str]) -> None:
    assert name(tmp_path) == "server"
    other = name(tmp_path, **environ)
    assert other.startswith("server-")
    assert other == name(tmp_path, **{key.lower() if "EVEROS" in key else key: value for key, value in environ.items()})
    changed = {key: f"{value}2" for key, value in environ.items()}
    assert name(tmp_path, **changed) not in ("server", other)
    (tmp_path / "config.toml").write_text("[search]\ndefault_radius = 0.5\n", encoding="utf-8")
    assert name(tmp_path, **environ) != other, "the file counts as well"


@pytest.mark.parametrize(
    "environ",
    [
        {"EVEROS_MCP__USER": "anna"},
        {"EVEROS_MCP": '{"user": "anna"}'},
        {"EVEROS_API__PORT": "9000"},
        {"EVEROS_BACKGROUND__IDLE_MINUTES": "1"},
        {"EVEROS_LOG_LEVEL": "debug"},
        {"DATABASE_URL": "mysql://u@h/shop"},
        {"SEARCH_MAX_LIMIT": "5"},
    ],
)
def test_what_a_client_says_with_its_requests_does_not(tmp_path: Path, environ: dict[str, str]) -> None:
    assert name(tmp_path, **environ) == "server"


def test_variables_of_a_contract_count_where_it_is_served(tmp_path: Path) -> None:
    environ = {"EVEROS_MEMORY__ROOT": str(tmp_path), "SEARCH_MAX_LIMIT": "5"}
    assert place_of(environ, ["SEARCH_MAX_LIMIT"]).name.startswith("server-")
    assert place_of(environ, ["MAX_TAGS_COUNT"]).name == "server"


@pytest.mark.parametrize(("said", "may"), [("false", False), ("0", False), ("off", False), ("true", True), ("", True)])
def test_starting_may_be_forbidden(tmp_path: Path, said: str, may: bool) -> None:
    environ = {"EVEROS_MEMORY__ROOT": str(tmp_path), "EVEROS_BACKGROUND__START": said}
    assert place_of(environ).may_start is may
    (tmp_path / "config.toml").write_text("[background]\nstart = false\n", encoding="utf-8")
    assert place_of({"EVEROS_MEMORY__ROOT": str(tmp_path)}).may_start is False


def test_settings_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[api\n", encoding="utf-8")
    with pytest.raises(Misconfigured, match=r"config\.toml cannot be read"):
        name(tmp_path)


def test_nothing_but_the_standard_library_is_imported() -> None:
    code = "import sys, everlore.background.client, everlore.background.claim; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    tops = {module.partition(".")[0] for module in loaded}
    assert {top for top in tops if top not in sys.stdlib_module_names} <= {"everlore", "__main__", "_distutils_hack"}
    assert {"asyncio", "dataclasses", "inspect"}.isdisjoint(tops)
