"""Hosts: listed, found, connected."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from evercli import Evercli

HOSTS = {
    "claude-code": (".claude", ".claude.json", ("mcpServers",)),
    "claude-desktop": (".config/Claude", ".config/Claude/claude_desktop_config.json", ("mcpServers",)),
    "codex": (".codex", ".codex/config.toml", ("mcp_servers",)),
    "cursor": (".cursor", ".cursor/mcp.json", ("mcpServers",)),
    "gemini": (".gemini", ".gemini/settings.json", ("mcpServers",)),
    "opencode": (".config/opencode", ".config/opencode/opencode.json", ("mcp",)),
    "openclaw": (".openclaw", ".openclaw/openclaw.json", ("mcp", "servers")),
    "hermes": (".hermes", ".hermes/config.yaml", ("mcp_servers",)),
    "vscode": (".config/Code/User", ".config/Code/User/mcp.json", ("servers",)),
    "windsurf": (".codeium/windsurf", ".codeium/windsurf/mcp_config.json", ("mcpServers",)),
    "zed": (".config/zed", ".config/zed/settings.json", ("context_servers",)),
    "copilot": (".copilot", ".copilot/mcp-config.json", ("mcpServers",)),
}


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


def entry_in(home: Path, host: str) -> Any:
    _, config, section = HOSTS[host]
    value = read(home / config)
    for step in section:
        value = value[step]
    return value["everme-memory"]


def test_every_host_is_listed_installed_and_uninstalled(bare: Evercli) -> None:
    before = {one["platform"]: one for one in bare("plugin", "list").data["platforms"]}
    assert list(before) == list(HOSTS)
    assert not any(one["installed"] or one["hasEverMeEntry"] for one in before.values())
    for folder, _, _ in HOSTS.values():
        (bare.home / folder).mkdir(parents=True, exist_ok=True)
    done = bare("plugin", "install", "all")
    assert [one["platform"] for one in done.data["installed"]] == list(HOSTS)
    for host in HOSTS:
        entry = entry_in(bare.home, host)
        words = entry["command"] if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]
        assert words[-3:] == ["mcp", "--toolset", "everme"]
        assert Path(words[0]).is_absolute()
        assert not entry.get("env")
        assert not entry.get("environment")
    assert all(one["hasEverMeEntry"] for one in bare("plugin", "list").data["platforms"])
    again = bare("plugin", "install", "all")
    actions = {change["action"] for one in again.data["installed"] for change in one["changes"]}
    assert actions == {"unchanged"}, "installing twice is installing once"
    bare("plugin", "uninstall", "all")
    assert not any(one["hasEverMeEntry"] for one in bare("plugin", "list").data["platforms"])


def test_a_host_that_is_not_there(bare: Evercli) -> None:
    done = bare("plugin", "install", "cursor")
    assert (done.code, done.error["type"]) == (1, "plugin_not_detected")
    assert done.error["detail"]["platform"] == "cursor"
    assert list(bare.home.iterdir()) == [], "nothing was written"
    assert bare("plugin", "install", "all").error["type"] == "plugin_not_detected"
    assert bare("plugin", "install", "cursor", "--force").code == 0
    assert entry_in(bare.home, "cursor")
    text = bare("plugin", "install", "codex", "--format", "text")
    assert (text.code, text.out) == (1, "")
    assert text.err.startswith("error: Codex was not found")


def test_all_may_stand_beside_names(bare: Evercli) -> None:
    (bare.home / ".cursor").mkdir()
    done = bare("plugin", "install", "all", "gemini", "cursor", "--force")
    assert [one["platform"] for one in done.data["installed"]] == ["cursor", "gemini"]
