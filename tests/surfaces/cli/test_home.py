"""`everlore` alone asks nothing, and ends with what is known; what agents have kept is taken in by one word."""

from __future__ import annotations

from pathlib import Path

import pytest
from serving import everlore
from transcripts import claude_line, claude_project


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    return path


def own(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "USERPROFILE": str(home), "PATH": "/usr/bin:/bin"}


def test_the_first_call_of_a_new_user_asks_nothing(home: Path) -> None:
    done = everlore(root=home / ".everos", env=own(home))
    assert (done.returncode, done.stderr) == (0, "")
    assert "Here is what I know of you:\n  Nothing yet." in done.stdout
    assert "everlore add" in done.stdout
    assert "have kept" not in done.stdout


def test_what_agents_have_kept_is_offered_and_taken_in_once(home: Path) -> None:
    claude_project(home, "s", [claude_line("user", "I work as a nurse in Salzburg.", "2026-05-01T10:00:00Z")])
    root, env = home / ".everos", own(home)
    offered = everlore(root=root, env=env).stdout
    assert "claude-code" in offered
    assert "everlore import" in offered
    assert "nurse" not in everlore("import", "--dry-run", root=root, env=env).stdout
    taken = everlore("import", root=root, env=env)
    assert taken.returncode == 0, taken.stderr
    assert taken.stdout.rstrip().endswith("1 talks")
    assert "User works as a nurse in Salzburg." in taken.stdout
    assert "0 messages of 0 conversations" in everlore("import", root=root, env=env).stdout
    again = everlore(root=root, env=env).stdout
    assert "have kept" not in again
    assert "nurse" in again


def test_without_a_server_what_agents_have_kept_is_told_why(home: Path) -> None:
    claude_project(home, "s", [claude_line("user", "I work as a nurse.", "2026-05-01T10:00:00Z")])
    env = own(home) | {"EVEROS_BACKGROUND__START": "false", "EVERCLI_API_BASE_URL": "http://127.0.0.1:9"}
    done = everlore("import", root=home / ".everos", env=env)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "127.0.0.1:9" in done.stderr
