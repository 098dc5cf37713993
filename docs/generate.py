"""Write `docs/reference/` from the code, so that it cannot be out of date. `make docs` runs it; a test compares."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo
from typer.core import TyperGroup, TyperOption

from everlore.config import Settings
from everlore.surfaces.cli.evercli.arguments import COMMANDS, GLOBAL_FLAGS, HIDDEN
from everlore.surfaces.cli.evercli.commands import describe
from everlore.surfaces.cli.main import app

REFERENCE = Path(__file__).parent / "reference"


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


PAGES = {"settings.md": settings_page, "commands.md": commands_page, "evercli.md": evercli_page}


def main() -> None:
    REFERENCE.mkdir(exist_ok=True)
    for name, page in PAGES.items():
        (REFERENCE / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
