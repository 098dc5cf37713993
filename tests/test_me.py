"""Who "I" am: the settings' user without loading them, and a name from git or from the account."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everlore.me import display_name, user_id


@pytest.fixture(autouse=True)
def _asked_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("GIT_CONFIG_GLOBAL", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("getpass.getuser", lambda: "root")
    monkeypatch.setattr("everlore.me._full_name", lambda: "root")
    display_name.cache_clear()
    yield
    display_name.cache_clear()


def test_git_tells_the_name(tmp_path: Path) -> None:
    (tmp_path / ".gitconfig").write_text("[user]\n\temail = a@b.c\n\tname = Anna Berger\n")
    assert display_name() == "Anna Berger"


def test_the_later_file_of_git_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".config" / "git").mkdir(parents=True)
    (tmp_path / ".config" / "git" / "config").write_text('[user]\nname = "Anna"\n')
    assert display_name() == "Anna"
    display_name.cache_clear()
    (tmp_path / "mine").write_text("[user]\nname = Berta # today\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "mine"))
    assert display_name() == "Berta"


def test_the_account_tells_it_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "anna")
    assert display_name() == "Anna"
    display_name.cache_clear()
    monkeypatch.setattr("everlore.me._full_name", lambda: "Anna Berger")
    assert display_name() == "Anna Berger"


@pytest.mark.parametrize("name", ["root", "", "runner", "1234", "a\x07b", "x" * 100])
def test_what_is_no_name_is_nobody(tmp_path: Path, name: str) -> None:
    (tmp_path / ".gitconfig").write_text(f"[user]\nname = {name}\n")
    assert display_name() == "User"


def test_an_account_that_the_system_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> str:
        raise KeyError("uid not found: 4711")

    monkeypatch.setattr("getpass.getuser", unknown)
    assert display_name() == "User"


def test_the_user_of_the_settings(tmp_path: Path) -> None:
    root = {"EVEROS_MEMORY__ROOT": str(tmp_path)}
    assert user_id(root) == "default"
    (tmp_path / "config.toml").write_text('[mcp]\nuser = "anna"\n')
    assert user_id(root) == "anna"
    assert user_id(root | {"everos_mcp__user": "berta"}) == "berta"
    assert user_id({"EVEROS_CONFIG_FILE": str(tmp_path / "config.toml")}) == "anna"
    (tmp_path / "config.toml").write_text("mcp = 3")
    assert user_id(root) == "default"
    (tmp_path / "config.toml").write_text("broken = ")
    assert user_id(root) == "default"
