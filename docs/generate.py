"""Write what is made from the code, so that it cannot be out of date: `docs/reference/`, `packaging/`, and what MCP
processes tell hosts before anything is loaded. `make docs` runs it; a test compares."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from typer.core import TyperGroup, TyperOption

from everlore import __version__
from everlore.config import Settings
from everlore.surfaces.cli.evercli.arguments import COMMANDS, GLOBAL_FLAGS, HIDDEN
from everlore.surfaces.cli.evercli.commands import describe
from everlore.surfaces.cli.main import app
from everlore.surfaces.mcp import toolsets
from everlore.surfaces.mcp.answer import offered
from everlore.surfaces.mcp.protocol import STATELESS

REFERENCE = Path(__file__).parent / "reference"
PACKAGING = Path(__file__).parents[1] / "packaging"
NAME = "io.github.everlore/everlore"
"""The README says it too, in a comment: the registry looks there for the proof."""
ABOUT = "Long-term memory for AI agents that its owner can read: local markdown, no cloud, no key."
TOOLSETS = "everme,knowledge"
ARGUMENTS = ("mcp", "--toolset", TOOLSETS)
VAULT = "Folder in which memories are kept as markdown."


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "Defaults are overridden by the config file (`$EVEROS_CONFIG_FILE`, else `config.toml` in the vault's root),",
        "and that by the environment. In the file, `EVEROS_MEMORY__ROOT` is `root` in the section `[memory]`.",
        "",
        "| Environment | Default | Meaning |",
        "|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            fields = section.model_fields.items()
            lines += [_row(f"EVEROS_{name}__{inner.alias or key}".upper(), inner) for key, inner in fields]
        else:
            lines.append(_row(f"EVEROS_{name}".upper(), field))
    return "\n".join(lines) + "\n"


def _row(name: str, field: FieldInfo) -> str:
    default = field.get_default(call_default_factory=True)
    shown = "" if isinstance(default, SecretStr) or default in ("", []) else f"`{default}`"
    return f"| `{name}` | {shown} | {field.description} |"


def commands_page() -> str:
    lines = ["# Commands", "", "`everlore` and `everos` are the same program."]
    for words, command in _commands(typer.main.get_command(app), ["everlore"]):
        lines += ["", f"## `{' '.join(words)}`", "", *(command.help or "").replace("\b", "").strip().splitlines()]
        options = [option for option in command.params if isinstance(option, TyperOption) and not option.hidden]
        if options:
            lines += ["", *(f"- `{', '.join(option.opts)}`: {option.help or ''}" for option in options)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _commands(command: Any, words: list[str]) -> Iterator[tuple[list[str], Any]]:
    yield words, command
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            yield from _commands(inner, [*words, name])


def evercli_page() -> str:
    lines = ["# evercli", "", "Flags that every command takes:", ""]
    lines += [f"- `{name}`: {about}" for name, about in GLOBAL_FLAGS.items()]
    for path in COMMANDS:
        if path in ("", HIDDEN):
            continue
        about = describe(path)
        lines += ["", f"## `{about['command']}`", "", about["about"]]
        if about["arguments"]:
            lines += ["", *(f"- `{one['name']}`: {one['about']}" for one in about["arguments"])]
    return "\n".join(lines) + "\n"


FIRST = {"handshake": ("properties", "required", "type"), STATELESS: ("type",)}
"""By era, what a schema begins with, as hosts have always been told it: they keep it, and models read it as it is."""


def offer_data(name: str) -> str:
    """What is offered by a toolset, as data."""
    offer = json.loads(json.dumps(offered(toolsets.load(name))))  # nothing is shared between the eras
    for era, first in FIRST.items():
        for tool in offer[era]["tools/list"]["tools"]:
            for key in ("inputSchema", "outputSchema"):
                if key in tool:
                    tool[key] = {part: tool[key][part] for part in first if part in tool[key]} | tool[key]
    return json.dumps(offer, ensure_ascii=False, indent=1) + "\n"


def server_json() -> str:
    """For the MCP registry."""
    return _written(
        {
            "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
            "name": NAME,
            "title": "Everlore",
            "description": ABOUT,
            "version": __version__,
            "packages": [
                {
                    "registryType": "pypi",
                    "identifier": "everlore",
                    "version": __version__,
                    "runtimeHint": "uvx",
                    "transport": {"type": "stdio"},
                    "packageArguments": [{"type": "positional", "value": word} for word in ARGUMENTS],
                    "environmentVariables": [
                        {
                            "name": "EVEROS_MEMORY__ROOT",
                            "description": VAULT,
                            "default": "~/.everos",
                            "format": "filepath",
                        }
                    ],
                }
            ],
        }
    )


def manifest_json() -> str:
    """For a bundle (.mcpb) that Claude Desktop and others install with a click; uv gets Python and Everlore itself."""
    command = ["run", "--directory", "${__dirname}", "everlore", *ARGUMENTS]
    lists = toolsets.offer(toolsets.named(TOOLSETS), {}).lists["handshake"]
    tools = lists["tools/list"]["tools"]
    return _written(
        {
            "manifest_version": "0.4",
            "name": "everlore",
            "display_name": "Everlore",
            "version": __version__,
            "description": ABOUT,
            "author": {"name": "The Everlore maintainers"},
            "license": "Apache-2.0",
            "keywords": ["memory", "local-first", "markdown"],
            "server": {
                "type": "uv",
                "entry_point": "server.py",
                "mcp_config": {
                    "command": "uv",
                    "args": command,
                    "env": {"EVEROS_MEMORY__ROOT": "${user_config.vault}"},
                },
            },
            "tools": [{"name": one["name"], "description": one["description"]} for one in tools],
            "user_config": {
                "vault": {
                    "type": "directory",
                    "title": "Vault",
                    "description": VAULT,
                    "default": "${HOME}/.everos",
                    "required": False,
                }
            },
            "compatibility": {"platforms": ["darwin", "linux", "win32"], "runtimes": {"python": ">=3.11"}},
        }
    )


def bundle_project() -> str:
    """What uv installs for the bundle."""
    return (
        f'[project]\nname = "everlore-bundle"\nversion = "{__version__}"\nrequires-python = ">=3.11"\n'
        f'dependencies = ["everlore=={__version__}"]\n'
    )


def bundle_server() -> str:
    lines = [
        '"""For hosts that start the entry point itself."""',
        "",
        "import sys",
        "",
        "from everlore.__main__ import run",
        "",
    ]
    return "\n".join([*lines, f"sys.argv[1:] = {json.dumps(ARGUMENTS)}", "run()", ""])


def _written(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


_PAGES = {"settings.md": settings_page, "commands.md": commands_page, "evercli.md": evercli_page}
_PACKAGED = {
    "server.json": server_json,
    "mcpb/manifest.json": manifest_json,
    "mcpb/pyproject.toml": bundle_project,
    "mcpb/server.py": bundle_server,
}
WRITTEN = (
    {REFERENCE / name: page for name, page in _PAGES.items()}
    | {toolsets.OFFERS / f"{name}.json": partial(offer_data, name) for name in toolsets.NAMES}
    | {PACKAGING / name: text for name, text in _PACKAGED.items()}
)
"""By file, what makes its text."""


def main() -> None:
    for path, text in WRITTEN.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
