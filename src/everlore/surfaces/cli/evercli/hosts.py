"""The hosts that can be given memory: where each keeps its configuration and what an entry looks like there.

A host is data. How its file is edited is decided by `format`; what else it reads (hooks, instructions) stands beside.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from everlore.surfaces.cli.evercli.folders import home_folder
from everlore.types import Json

ENTRY: Final = "everme-memory"
"""The name of our entry in every host."""

Env = Mapping[str, str]
Shape = Callable[[str, list[str], dict[str, str]], "dict[str, Json]"]


@dataclass(frozen=True)
class Place:
    """A host's files on this machine. `signs` are what shows that the host is there."""

    config: Path
    signs: tuple[Path, ...]
    instructions: Path | None = None
    hooks: Path | None = None
    """A file with hooks or, of OpenCode, our plugin."""
    skills: Path | None = None


def _shape(command: str, args: list[str], env: dict[str, str]) -> dict[str, Json]:
    return {"command": command, "args": args, **({"env": env} if env else {})}


def _typed(command: str, args: list[str], env: dict[str, str]) -> dict[str, Json]:
    return {"type": "stdio", **_shape(command, args, env)}


def _zed_shape(command: str, args: list[str], env: dict[str, str]) -> dict[str, Json]:
    return {"source": "custom", **_shape(command, args, env), "env": env}


@dataclass(frozen=True)
class Host:
    name: str
    title: str
    format: Literal["json", "toml", "yaml"]
    section: tuple[str, ...]
    place: Callable[[Env, Path], Place]
    programs: tuple[str, ...] = ()
    shape: Shape = _shape
    steps: tuple[str, ...] = ()
    """What is left to do after an installation, besides starting it anew."""
    reviewer: str = ""
    """How it answers a prompt on standard input."""


def _opencode_shape(command: str, args: list[str], env: dict[str, str]) -> dict[str, Json]:
    shown: dict[str, Json] = {"type": "local", "command": [command, *args], "enabled": True}
    return {**shown, **({"environment": env} if env else {})}


def _folder(env: Env, variable: str, default: Path) -> Path:
    return Path(env[variable]).expanduser() if env.get(variable) else default


def _app_support(env: Env, home: Path) -> Path:
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    if sys.platform == "win32":
        return _folder(env, "APPDATA", home / "AppData" / "Roaming")
    return _folder(env, "XDG_CONFIG_HOME", home / ".config")


def _copilot_shape(command: str, args: list[str], env: dict[str, str]) -> dict[str, Json]:
    return {"type": "local", **_shape(command, args, env), "tools": ["*"]}


def _claude_code(env: Env, home: Path) -> Place:
    named = env.get("CLAUDE_CONFIG_DIR")
    folder = Path(named).expanduser() if named else home / ".claude"
    config = (folder if named else home) / ".claude.json"
    return Place(config, (folder, config), folder / "CLAUDE.md", folder / "settings.json", folder / "skills")


def _opencode(env: Env, home: Path) -> Place:
    folder = _folder(env, "XDG_CONFIG_HOME", home / ".config") / "opencode"
    with_comments = folder / "opencode.jsonc"
    config = with_comments if with_comments.exists() else folder / "opencode.json"
    plugin = folder / "plugin" / "everme-memory.js"
    return Place(_folder(env, "OPENCODE_CONFIG", config), (folder,), folder / "AGENTS.md", plugin, folder / "skills")


def _openclaw(env: Env, home: Path) -> Place:
    folder = _folder(env, "OPENCLAW_STATE_DIR", home / ".openclaw")
    return Place(_folder(env, "OPENCLAW_CONFIG_PATH", folder / "openclaw.json"), (folder,))


def _zed(env: Env, home: Path) -> Place:
    on_windows = sys.platform == "win32"
    settings = _app_support(env, home) if on_windows else _folder(env, "XDG_CONFIG_HOME", home / ".config")
    folder = settings / ("Zed" if on_windows else "zed")
    return Place(folder / "settings.json", (folder,))


def _at_home(
    folder: str, config: str, variable: str = "", instructions: str = "", hooks: str = "", *, skills: bool = False
) -> Callable[[Env, Path], Place]:
    """In a folder of the user's home, or where `variable` says."""

    def place(env: Env, home: Path) -> Place:
        found = _folder(env, variable, home / folder)
        told, hooked = (found / name if name else None for name in (instructions, hooks))
        return Place(found / config, (found,), told, hooked, found / "skills" if skills else None)

    return place


def _app(folder: str, config: str) -> Callable[[Env, Path], Place]:
    """Where the system keeps the settings of applications."""

    def place(env: Env, home: Path) -> Place:
        found = _app_support(env, home) / folder
        return Place(found / config, (found,))

    return place


_SERVERS: Final = ("mcpServers",)
_CODEX: Final = _at_home(".codex", "config.toml", "CODEX_HOME", "AGENTS.md", "hooks.json", skills=True)
_GEMINI: Final = _at_home(".gemini", "settings.json", "", "GEMINI.md", "settings.json", skills=True)
_CURSOR: Final = _at_home(".cursor", "mcp.json", hooks="hooks.json", skills=True)
_HERMES: Final = _at_home(".hermes", "config.yaml", "HERMES_HOME")
_WINDSURF: Final = _at_home(".codeium/windsurf", "mcp_config.json", "", "memories/global_rules.md", "hooks.json")
_COPILOT: Final = _at_home(
    ".copilot", "mcp-config.json", "COPILOT_HOME", "copilot-instructions.md", "hooks/everme-memory.json", skills=True
)
_CODEX_STEPS: Final = ("Codex runs hooks that you have trusted: open it, type /hooks, and trust those of evercli",)
_GEMINI_STEPS: Final = ("Gemini CLI starts no MCP server in a folder that it does not trust: type /permissions there",)
_COPILOT_STEPS: Final = ("Copilot CLI asks whether it may trust a folder; say yes, else hooks do not run there",)
_CURSOR_STEPS: Final = ("Cursor asks before the first call of a tool; Settings > Tools & MCP shows the server",)
_CLAUDE_STEPS: Final = ("Claude Code asks whether it may trust a folder; say yes, else hooks do not run there",)
HOSTS: Final[Mapping[str, Host]] = {
    host.name: host
    for host in (
        Host(
            "claude-code",
            "Claude Code",
            "json",
            _SERVERS,
            _claude_code,
            ("claude",),
            _typed,
            _CLAUDE_STEPS,
            "claude -p",
        ),
        Host("claude-desktop", "Claude Desktop", "json", _SERVERS, _app("Claude", "claude_desktop_config.json")),
        Host("codex", "Codex", "toml", ("mcp_servers",), _CODEX, ("codex",), _shape, _CODEX_STEPS, "codex exec -"),
        Host("cursor", "Cursor", "json", _SERVERS, _CURSOR, ("cursor", "cursor-agent"), steps=_CURSOR_STEPS),
        Host("gemini", "Gemini CLI", "json", _SERVERS, _GEMINI, ("gemini",), _shape, _GEMINI_STEPS, "gemini"),
        Host("opencode", "OpenCode", "json", ("mcp",), _opencode, ("opencode",), _opencode_shape),
        Host("openclaw", "OpenClaw", "json", ("mcp", "servers"), _openclaw, ("openclaw",)),
        Host("hermes", "Hermes Agent", "yaml", ("mcp_servers",), _HERMES, ("hermes",)),
        Host("vscode", "VS Code", "json", ("servers",), _app("Code/User", "mcp.json"), ("code",), _typed),
        Host("windsurf", "Windsurf", "json", _SERVERS, _WINDSURF, ("windsurf",)),
        Host("zed", "Zed", "json", ("context_servers",), _zed, ("zed",), _zed_shape),
        Host("copilot", "Copilot CLI", "json", _SERVERS, _COPILOT, ("copilot",), _copilot_shape, _COPILOT_STEPS),
    )
}


def place_of(host: Host, env: Env) -> Place:
    return host.place(env, home_folder(env))


def is_detected(host: Host, place: Place, env: Env) -> bool:
    import shutil

    path = env.get("PATH")
    return any(sign.exists() for sign in place.signs) or any(shutil.which(name, path=path) for name in host.programs)
