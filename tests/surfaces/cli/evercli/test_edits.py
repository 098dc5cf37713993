"""Changes of files: shown, or written whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from evercli import Evercli

from everlore.surfaces.cli.evercli.edits import Change, apply, plan


@pytest.fixture
def bare(evercli: Evercli) -> Evercli:
    """No host's program on the path, so that only folders count."""
    evercli.env["PATH"] = "/usr/bin:/bin"
    return evercli


def test_two_changes_of_a_file_are_one_and_a_file_that_was_ours_alone_goes(tmp_path: Path) -> None:
    both, ours = tmp_path / "settings.json", tmp_path / "SKILL.md"
    ours.write_text("ours", encoding="utf-8")
    changes = [
        Change(both, "entry", lambda text: text + "a"),
        Change(ours, "skill", lambda _: ""),
        Change(both, "hooks", lambda text: text + "b"),
    ]
    edits = plan(changes)
    assert [(edit.what, edit.action) for edit in edits] == [("entry, hooks", "create"), ("skill", "remove")]
    apply(edits)
    assert both.read_text(encoding="utf-8") == "ab"
    assert not ours.exists()


def test_dry_run_writes_nothing_and_shows_what_it_would(bare: Evercli) -> None:
    config = bare.home / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text('model = "x"  # keep\n', encoding="utf-8")
    done = bare("plugin", "install", "codex", "--dry-run")
    assert done.data["dryRun"] is True
    (entry, hooks, instructions, skill) = done.data["installed"][0]["changes"]
    assert (hooks["action"], skill["action"]) == ("create", "create")
    assert entry["action"] == "update"
    assert "+[mcp_servers.everme-memory]" in entry["diff"]
    assert instructions["action"] == "create"
    assert config.read_text(encoding="utf-8") == 'model = "x"  # keep\n'
    assert [path.name for path in config.parent.iterdir()] == ["config.toml"]


def test_half_an_install_is_said(bare: Evercli) -> None:
    (bare.home / ".claude" / "CLAUDE.md-bak").mkdir(parents=True)
    (bare.home / ".claude" / "CLAUDE.md").write_text("mine\n", encoding="utf-8")
    error = bare("plugin", "install", "claude-code").error
    written = [str(bare.home / ".claude.json"), str(bare.home / ".claude" / "settings.json")]
    assert (error["type"], error["detail"]["written"]) == ("io", written)
    assert written[0] in error["message"]
