"""Our hooks in hosts' files."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from evercli import Evercli

from everlore.surfaces.cli.evercli.events import EVENTS


@pytest.fixture
def bare(evercli: Evercli) -> Evercli:
    """No host's program on the path, so that only folders count."""
    evercli.env["PATH"] = "/usr/bin:/bin"
    return evercli


def read(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        return tomllib.loads(text)
    return yaml.safe_load(text) if path.suffix == ".yaml" else json.loads(text)


@pytest.mark.parametrize("hooks", ['"x"', '{"Stop": 5}', '{"Stop": ["x"]}', '{"Stop": [{"hooks": "abc"}]}'])
def test_odd_hooks_are_left_as_they_are(bare: Evercli, hooks: str) -> None:
    settings = bare.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(f'{{"hooks": {hooks}}}', encoding="utf-8")
    done = bare("plugin", "install", "claude-code")
    assert (done.code, done.error["type"]) == (5, "io")
    assert "left as it is" in done.error["message"]
    assert not (bare.home / ".claude.json").exists()
    assert bare("plugin", "uninstall", "claude-code").code == 0
    assert settings.read_text(encoding="utf-8") == f'{{"hooks": {hooks}}}'


def test_claude_code_gets_hooks_and_instructions(bare: Evercli) -> None:
    folder = bare.home / ".claude"
    folder.mkdir()
    mine = {"matcher": "startup", "hooks": [{"type": "command", "command": "echo hi"}]}
    settings = folder / "settings.json"
    settings.write_text(json.dumps({"model": "opus", "hooks": {"SessionStart": [mine]}}, indent=2), encoding="utf-8")
    (folder / "CLAUDE.md").write_text("# Mine\n\nBe short.\n", encoding="utf-8")
    before = settings.read_bytes(), (folder / "CLAUDE.md").read_bytes()
    bare("plugin", "install", "claude-code")
    hooks = read(settings)["hooks"]
    assert hooks["SessionStart"][0] == mine
    found = {event: groups[-1]["hooks"][0] for event, groups in hooks.items()}
    assert set(found) == {"SessionStart", "UserPromptSubmit", "Stop", "SubagentStop", "PreCompact", "SessionEnd"}
    assert found["UserPromptSubmit"]["command"].endswith(" hook prompt")
    text = (folder / "CLAUDE.md").read_text(encoding="utf-8")
    assert text.startswith("# Mine\n\nBe short.\n")
    assert "mem_search" in text
    assert "mem_save_turn" not in text, "hooks see to it"
    bare("plugin", "uninstall", "claude-code")
    assert (json.loads(settings.read_bytes()), (folder / "CLAUDE.md").read_bytes()) == (
        json.loads(before[0]),
        before[1],
    )


FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/hooks.json",
    "copilot": ".copilot/hooks/everme-memory.json",
    "windsurf": ".codeium/windsurf/hooks.json",
}


@pytest.mark.parametrize("host", FILES)
@pytest.mark.parametrize("mine", [False, True])
def test_hooks_of_a_host_come_and_go_beside_those_of_others(bare: Evercli, host: str, mine: bool) -> None:
    path = bare.home / FILES[host]
    path.parent.mkdir(parents=True)
    event = next(iter(EVENTS[host].of))
    one: dict[str, Any] = {"type": "command", "command": "echo mine"}
    known = {"hooks": {event: [{"hooks": [one]} if EVENTS[host].grouped else one]}}
    if mine:
        path.write_text(json.dumps(known), encoding="utf-8")
    assert bare("plugin", "install", host).code == 0
    hooks = read(path)["hooks"]
    assert set(hooks) == set(EVENTS[host].of)
    assert (json.dumps(known["hooks"][event][0]) in json.dumps(hooks[event])) is mine
    ours = json.dumps(hooks)
    assert all(f"hook {word}" in ours for word in EVENTS[host].of.values())
    again = bare("plugin", "install", host)
    assert {change["action"] for change in again.data["installed"][0]["changes"]} == {"unchanged"}
    assert again.data["installed"][0]["nextSteps"] == []
    assert bare("plugin", "uninstall", host).code == 0
    left = read(path) if path.exists() else {}
    assert left.get("hooks") == (known["hooks"] if mine else None)
