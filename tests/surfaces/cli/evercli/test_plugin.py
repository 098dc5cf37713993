"""`evercli plugin` as a real process on configuration files as hosts have them."""

from __future__ import annotations

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit
import yaml
from evercli import Evercli


@pytest.fixture
def bare(evercli: Evercli) -> Evercli:
    """No host's program on the path, so that only folders count."""
    evercli.env["PATH"] = "/usr/bin:/bin"
    return evercli


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
}


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


def test_others_entries_comments_and_order_stay(bare: Evercli) -> None:
    config = bare.home / ".cursor" / "mcp.json"
    config.parent.mkdir()
    before = (
        '{\n\t// servers of mine\n\t"mcpServers": {\n\t\t"zeta": {"command": "z", "args": [1,   2]}, // odd spacing\n'
        '\t\t"alpha": {\n\t\t\t"command": "a"\n\t\t}\n\t},\n\t"theme": "dark"\n}\n'
    )
    config.write_text(before, encoding="utf-8")
    config.chmod(0o640)
    assert bare("plugin", "install", "cursor").code == 0
    after = config.read_text(encoding="utf-8")
    assert '"zeta": {"command": "z", "args": [1,   2]}, // odd spacing' in after
    assert (config.parent / "mcp.json-bak").read_text(encoding="utf-8") == before
    assert stat.S_IMODE(config.stat().st_mode) == 0o640
    assert bare("plugin", "uninstall", "cursor").code == 0
    assert config.read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("host", "before", "after"),
    [
        ("cursor", None, "{}\n"),
        ("cursor", "{}\n", "{}\n"),
        ("cursor", '{\n  "a": 1\n}\n', '{\n  "a": 1\n}\n'),
        ("cursor", '{\n  "mcpServers": {}\n}\n', '{\n  "mcpServers": {}\n}\n'),
        ("openclaw", '{\n  "a": 1\n}\n', '{\n  "a": 1\n}\n'),
        ("openclaw", '{\n  "mcp": {}\n}\n', '{\n  "mcp": {}\n}\n'),
    ],
)
def test_a_section_that_was_made_for_our_entry_goes_with_it(
    bare: Evercli, host: str, before: str | None, after: str
) -> None:
    folder, name, _ = HOSTS[host]
    config = bare.home / name
    (bare.home / folder).mkdir(parents=True)
    if before is not None:
        config.write_text(before, encoding="utf-8")
    for _ in range(2):
        assert bare("plugin", "install", host).code == 0
        assert entry_in(bare.home, host)
        assert bare("plugin", "uninstall", host).code == 0
        assert config.read_text(encoding="utf-8") == after


@pytest.mark.parametrize("text", ["{", '{"mcpServers": []}', "[]", "\xff"])
def test_a_file_that_does_not_parse_is_never_overwritten(bare: Evercli, text: str) -> None:
    config = bare.home / ".cursor" / "mcp.json"
    config.parent.mkdir()
    config.write_bytes(text.encode("latin-1"))
    for command in ("install", "uninstall"):
        done = bare("plugin", command, "cursor")
        if command == "install" or text != '{"mcpServers": []}':
            assert (done.code, done.error["type"]) == (5, "io")
            assert str(config) in done.error["message"]
        assert config.read_bytes() == text.encode("latin-1")
    assert [path.name for path in config.parent.iterdir()] == ["mcp.json"]


def test_an_entry_of_that_name_that_is_not_ours_is_a_conflict(bare: Evercli) -> None:
    config = bare.home / ".cursor" / "mcp.json"
    config.parent.mkdir()
    config.write_text('{"mcpServers": {"everme-memory": {"command": "mine"}}}', encoding="utf-8")
    done = bare("plugin", "install", "cursor")
    assert (done.code, done.error["type"]) == (1, "conflict")
    assert entry_in(bare.home, "cursor") == {"command": "mine"}
    done = bare("plugin", "uninstall", "cursor")
    assert done.code == 0
    assert "evercli did not write" in done.err
    assert entry_in(bare.home, "cursor") == {"command": "mine"}
    assert bare("plugin", "install", "cursor", "--force").code == 0
    assert entry_in(bare.home, "cursor")["args"] == ["mcp", "--toolset", "everme"]


def test_an_odd_entry_of_that_name_is_not_ours(bare: Evercli) -> None:
    config = bare.home / ".cursor" / "mcp.json"
    config.parent.mkdir()
    config.write_text('{"mcpServers": {"everme-memory": {"command": "everlore", "args": 5}}}', encoding="utf-8")
    assert bare("plugin", "install", "cursor").error["type"] == "conflict"


@pytest.mark.parametrize("text", ['{"hooks": null}', '{"hooks": {"Stop": null}}'])
def test_null_is_as_good_as_nothing(bare: Evercli, text: str) -> None:
    settings = bare.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(text, encoding="utf-8")
    (bare.home / ".claude.json").write_text('{"mcpServers": null, "z": 1}', encoding="utf-8")
    assert bare("plugin", "install", "claude-code").code == 0
    assert entry_in(bare.home, "claude-code")
    assert len(read(settings)["hooks"]["Stop"]) == 1


@pytest.mark.parametrize("host", ["codex", "cursor", "hermes"])
def test_what_a_user_added_to_our_entry_stays(bare: Evercli, host: str) -> None:
    folder, name, section = HOSTS[host]
    (bare.home / folder).mkdir()
    bare("plugin", "install", host, env={"EVEROS_MEMORY__ROOT": "/old"})
    config = bare.home / name
    value = read(config)
    value[section[0]]["everme-memory"] |= {"startup_timeout_sec": 60, "env": {"EVEROS_MEMORY__ROOT": "/old", "MY": "1"}}
    dump: Any = {".toml": tomlkit.dumps, ".yaml": yaml.safe_dump, ".json": json.dumps}[config.suffix]
    config.write_text(dump(value), encoding="utf-8")
    bare("plugin", "install", host, env={"EVEROS_MEMORY__ROOT": "/new"})
    entry = entry_in(bare.home, host)
    assert entry["startup_timeout_sec"] == 60
    assert entry["env"] == {"EVEROS_MEMORY__ROOT": "/new", "MY": "1"}
    bare("plugin", "install", host)
    assert entry_in(bare.home, host)["env"] == {"MY": "1"}


def test_an_older_entry_of_ours_is_brought_up_to_date(bare: Evercli) -> None:
    config = bare.home / ".gemini" / "settings.json"
    config.parent.mkdir()
    config.write_text(
        '{"mcpServers": {"everme-memory": {"command": "npx", "args": ["-y", "@everme/memory-mcp"]}}}', encoding="utf-8"
    )
    assert bare("plugin", "install", "gemini").code == 0
    assert entry_in(bare.home, "gemini")["args"] == ["mcp", "--toolset", "everme"]


def test_one_failing_host_does_not_keep_the_others_back(bare: Evercli) -> None:
    (bare.home / ".cursor").mkdir()
    (bare.home / ".gemini").mkdir()
    (bare.home / ".gemini" / "settings.json").write_text("{", encoding="utf-8")
    done = bare("plugin", "install", "gemini", "cursor")
    assert (done.code, done.error["type"]) == (5, "io")
    assert [one["platform"] for one in done.error["detail"]["installed"]] == ["cursor"]
    assert [one["platform"] for one in done.error["detail"]["failed"]] == ["gemini"]


def test_a_remote_server_needs_a_login(bare: Evercli) -> None:
    (bare.home / ".cursor").mkdir()
    done = bare("plugin", "install", "cursor", env={"EVERCLI_API_BASE_URL": "https://memory.example"})
    assert (done.code, done.error["type"]) == (3, "not_logged_in")
    assert not (bare.home / ".cursor" / "mcp.json").exists()


def test_a_vault_that_was_named_is_named_to_the_host(bare: Evercli) -> None:
    (bare.home / ".cursor").mkdir()
    bare("plugin", "install", "cursor", env={"EVEROS_MEMORY__ROOT": str(bare.home / "vault")})
    assert entry_in(bare.home, "cursor")["env"] == {"EVEROS_MEMORY__ROOT": str(bare.home / "vault")}
