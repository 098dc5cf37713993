"""From a command line to the function that runs it; help and version are commands like any other."""

from __future__ import annotations

import argparse
import importlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from everlore import __version__
from everlore.surfaces.cli.evercli.arguments import GLOBAL_FLAGS, Line, Parser, tree
from everlore.surfaces.cli.evercli.output import Result, note
from everlore.surfaces.cli.evercli.settings import Settings, load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from everlore.types import Json

PACKAGE = "everlore.surfaces.cli.evercli"


@dataclass(frozen=True)
class Call:
    """What a command gets: its own arguments, the global flags, the environment and the settings."""

    line: Line
    given: argparse.Namespace
    env: Mapping[str, str]
    settings: Settings

    def debug(self, text: str) -> None:
        if self.line.verbose:
            note(f"debug: {text}")


def dispatch(line: Line) -> Result:
    root = tree()
    if line.failure:
        raise line.failure
    if line.help:
        return _help(root, line.rest)
    if line.version:
        return Result({"name": "evercli", "version": __version__}, f"evercli {__version__}")
    parser, rest = _named(root, line.rest)
    if subcommands(parser) and rest and rest[0].startswith("-") and rest[0] != "--":
        parser.error(f"unrecognized arguments: {rest[0]}")
    given, unknown = root.parse_known_args(list(line.rest))
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    env = os.environ
    call = Call(line, given, env, load(env, line.config, line.timeout))
    module, _, name = given.target.partition(":")
    command: Callable[[Call], Result] = getattr(importlib.import_module(f"{PACKAGE}.{module}"), name)
    return command(call)


def _help(root: Parser, words: tuple[str, ...]) -> Result:
    data = describe(_named(root, words)[0])
    return Result(data, _help_text(data))


def _named(root: Parser, words: tuple[str, ...]) -> tuple[Parser, tuple[str, ...]]:
    """The command that these words begin with, and the words after it."""
    below = subcommands(root)
    if words and words[0] in below:
        return _named(below[words[0]], words[1:])
    return root, words


def describe(parser: Parser) -> dict[str, Json]:
    """What a person or a program needs to know to use a command."""
    below = subcommands(parser)
    commands = [{"name": name, "about": inner.description} for name, inner in below.items() if name != "hook"]
    flags = [{"name": _names(action), "about": action.help or ""} for action in _own_actions(parser)]
    usage = parser.format_usage().removeprefix("usage: ").strip()
    usage = " ".join(usage.split())
    return {
        "command": parser.prog,
        "about": parser.description,
        "usage": usage,
        "commands": commands,
        "arguments": flags,
        "globalFlags": [{"name": name, "about": about} for name, about in GLOBAL_FLAGS.items()],
    }


def _help_text(data: dict[str, Json]) -> str:
    lines = [data["about"], "", f"Usage: {data['usage']}"]
    for title, key in (("Commands", "commands"), ("Arguments", "arguments"), ("Global flags", "globalFlags")):
        if data[key]:
            width = max(len(item["name"]) for item in data[key])
            lines += ["", f"{title}:", *(f"  {item['name']:<{width}}  {item['about']}" for item in data[key])]
    return "\n".join(lines)


def _names(action: argparse.Action) -> str:
    return ", ".join(action.option_strings) or str(action.metavar or action.dest)


def _own_actions(parser: Parser) -> list[argparse.Action]:
    return [action for action in parser._actions if not isinstance(action, argparse._SubParsersAction)]


def subcommands(parser: Parser) -> dict[str, Parser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}
