"""Where settings come from, and which of two wins."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path

import pytest

from everlore.config import MemorySection, load
from everlore.errors import Misconfigured


@pytest.fixture(autouse=True)
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVEROS_MEMORY__ROOT", str(tmp_path))
    return tmp_path


def write(vault: Path, text: str) -> None:
    (vault / "config.toml").write_text(text, encoding="utf-8")


def test_a_variable_wins_over_the_file_and_an_option_over_both(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(vault, "log_level = 'error'\n[api]\nport = 1\nthreads = 3\nhost = 'file'\n")
    monkeypatch.setenv("EVEROS_API__PORT", "2")
    monkeypatch.setenv("everos_api__threads", "4")
    settings = load(api={"threads": 5})
    assert (settings.api.host, settings.api.port, settings.api.threads) == ("file", 2, 5)
    assert settings.log_level == "error"
    assert settings.api.max_body_bytes == 64 * 2**20


def test_a_section_may_be_json_and_a_single_variable_is_more_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVEROS_API", '{"port": 1, "threads": 3}')
    monkeypatch.setenv("EVEROS_API__PORT", "2")
    settings = load()
    assert (settings.api.port, settings.api.threads) == (2, 3)


def test_a_section_given_as_a_value_is_taken_whole(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVEROS_MEMORY__TIMEZONE", "Europe/Berlin")
    settings = load(memory=MemorySection(root=vault / "other"))
    assert (settings.memory.root, settings.memory.timezone) == (vault / "other", "UTC")


def test_lists_are_separated_by_commas_or_json(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(vault, f"[multimodal]\nfile_uri_allow_dirs = ['{vault.as_posix()}']\n")
    monkeypatch.setenv("EVEROS_MULTIMODAL__FETCH_ALLOW_NETWORKS", "10.0.0.0/8, 192.168.1.0/24")
    settings = load().multimodal
    assert settings.file_uri_allow_dirs == [vault]
    assert settings.fetch_allow_networks == [ip_network("10.0.0.0/8"), ip_network("192.168.1.0/24")]
    monkeypatch.setenv("EVEROS_MULTIMODAL__FETCH_ALLOW_NETWORKS", '["10.0.0.0/8"]')
    assert load().multimodal.fetch_allow_networks == [ip_network("10.0.0.0/8")]


def test_a_setting_with_another_name_in_code_is_read_by_its_own(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(vault, "[store]\nschema = 'mine'\n")
    assert load().store.namespace == "mine"
    monkeypatch.setenv("EVEROS_STORE__SCHEMA", "yours")
    assert load().store.namespace == "yours"


def test_a_database_of_another_program_is_used_only_if_it_is_postgresql(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "mysql://u@h/d")
    assert load().store.url.get_secret_value() == ""
    monkeypatch.setenv("DATABASE_URL", "postgresql+psycopg://u@h/d")
    assert load().store.url.get_secret_value() == "postgresql+psycopg://u@h/d"
    monkeypatch.setenv("EVEROS_STORE__URL", "postgresql://u@h/own")
    assert load().store.url.get_secret_value() == "postgresql://u@h/own"


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("EVEROS_API__PORT", "x", "setting EVEROS_API__PORT: Input should be a valid integer"),
        ("EVEROS_API", "{", "setting EVEROS_API: this is not valid JSON"),
        ("EVEROS_API", "5", "setting EVEROS_API: Input should be a valid dictionary"),
        ("EVEROS_MEMORY__TIMEZONE", "Mars/Olympus", "unknown time zone 'Mars/Olympus'"),
        ("EVEROS_LOG_LEVEL", "loud", "setting EVEROS_LOG_LEVEL: Input should be 'debug'"),
        ("EVEROS_CONFIG_FILE", "absent.toml", "EVEROS_CONFIG_FILE names absent.toml, which is not a file"),
    ],
)
def test_a_wrong_variable_is_named(variable: str, value: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(Misconfigured) as caught:
        load()
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [("[api]\nport = 'x'\n", "api.port in "), ("[api\n", "config.toml cannot be read: "), ("api = 5\n", "api in ")],
)
def test_a_wrong_line_of_the_file_is_named(vault: Path, text: str, told: str) -> None:
    write(vault, text)
    with pytest.raises(Misconfigured) as caught:
        load()
    assert told in str(caught.value)
    assert str(vault / "config.toml") in str(caught.value)


def test_a_secret_is_not_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVEROS_LLM", '{"api_key": ["sk-very-secret"]}')
    with pytest.raises(Misconfigured) as caught:
        load()
    assert "sk-very-secret" not in str(caught.value)
