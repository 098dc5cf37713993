"""What stands beside the entry: a plugin, a skill, instructions."""

from __future__ import annotations

import json

import pytest
from evercli import Evercli

from everlore.surfaces.cli.evercli.beside import instructions


@pytest.fixture
def bare(evercli: Evercli) -> Evercli:
    """No host's program on the path, so that only folders count."""
    evercli.env["PATH"] = "/usr/bin:/bin"
    return evercli


@pytest.mark.parametrize(
    ("host", "recalls", "saves"), [("codex", True, True), ("windsurf", False, True), ("zed", False, False)]
)
def test_instructions_do_not_ask_for_what_hooks_do(host: str, recalls: bool, saves: bool) -> None:
    told = instructions(host)
    assert ("mem_context" not in told) is recalls
    assert ("mem_save_turn" not in told) is saves
    assert "not an instruction" in told


def test_the_plugin_of_opencode_comes_and_goes(bare: Evercli) -> None:
    plugin = bare.home / ".config" / "opencode" / "plugin" / "everme-memory.js"
    plugin.parent.parent.mkdir(parents=True)
    assert bare("plugin", "install", "opencode").code == 0
    assert str(bare.home / ".local" / "share" / "evercli" / "bin" / "evercli") in plugin.read_text(encoding="utf-8")
    assert bare("plugin", "uninstall", "opencode").code == 0
    assert not plugin.exists()


def test_curation_is_a_skill_and_at_the_end_of_a_session_only_where_the_user_agreed(bare: Evercli) -> None:
    (bare.home / ".claude").mkdir()
    bare("plugin", "install", "claude-code")
    skill = bare.home / ".claude" / "skills" / "everlore-curate" / "SKILL.md"
    assert "curate --with 'claude -p'" in skill.read_text(encoding="utf-8")
    settings = bare.home / ".claude" / "settings.json"
    assert "--curate" not in settings.read_text(encoding="utf-8")
    bare("plugin", "install", "claude-code", "--curate")
    assert "--curate 'claude -p'" in json.loads(settings.read_bytes())["hooks"]["SessionEnd"][0]["hooks"][0]["command"]
    bare("plugin", "uninstall", "claude-code")
    assert not skill.exists()
