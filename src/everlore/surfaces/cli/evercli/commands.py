"""From a command line to one result or one failure and its exit code; help and version are commands like any other.

Whatever happens, the caller gets an envelope (or a sentence) and a code; a traceback is shown only with -v, on
stderr, and redacted like everything else.
"""

from __future__ import annotations

import argparse
import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from everlore import __version__
from everlore.surfaces.cli.evercli.arguments import COMMANDS, GLOBAL_FLAGS, Line, below, parsers, read_line
from everlore.surfaces.cli.evercli.failure import Failure, local_failure
from everlore.surfaces.cli.evercli.output import Result, finish, note
from everlore.surfaces.cli.evercli.settings import Settings, load
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


def main(argv: list[str]) -> int:
    line = read_line(argv)
    outcome: Result | Failure
    try:
        outcome = dispatch(line)
    except Failure as failure:
        outcome = failure
    except OSError as error:
        outcome = local_failure(error, "finish")
    except Exception as error:
        if line.verbose:
            import traceback

            note("".join(traceback.format_exception(error)))
        message = f"unexpected {type(error).__name__}: {error}"
        outcome = Failure("internal", message, "Run it again with -v to see where")
    return finish(outcome, line.format)


def cancelled(argv: list[str]) -> int:
    hint = "Run the command again; what was finished stays finished"
    return finish(Failure("cancelled", "interrupted", hint), read_line(argv).format)


def dispatch(line: Line) -> Result:
    if line.failure:
        raise line.failure
    path, rest = _named(line.rest)
    if line.help:
        data = describe(path)
        return Result(data, _help_text(data))
    if line.version:
        return Result({"name": "evercli", "version": __version__}, f"evercli {__version__}")
    known = parsers()
    if below(path) and rest and rest[0].startswith("-") and rest[0] != "--":
        known[path].error(f"unrecognized arguments: {rest[0]}")
    given, unknown = known[""].parse_known_args(list(line.rest))
    if unknown:
        known[path].error(f"unrecognized arguments: {' '.join(unknown)}")
    module, _, name = given.target.partition(":")
    command: Callable[[Call], Result] = getattr(importlib.import_module(f"{PACKAGE}.{module}"), name)
    return command(Call(line, given, os.environ, load(os.environ, line.config, line.timeout)))


def _named(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The command that these words begin with, and the words after it."""
    path = ""
    while words and (longer := f"{path} {words[0]}".strip()) in COMMANDS and longer:
        path, words = longer, words[1:]
    return path, words


def describe(path: str) -> dict[str, Json]:
    """What a person or a program needs to know to use a command."""
    command = COMMANDS[path]
    usage = parsers()[path].format_usage().removeprefix("usage: ")
    return {
        "command": f"evercli {path}".strip(),
        "about": command.about,
        "usage": " ".join(usage.split()),
        "commands": [{"name": name, "about": COMMANDS[inner].about} for name, inner in below(path).items()],
        "arguments": [
            {"name": ", ".join(names), "about": options.get("help", "")} for names, options in command.arguments
        ],
        "globalFlags": [{"name": name, "about": about} for name, about in GLOBAL_FLAGS.items()],
    }


def _help_text(data: dict[str, Json]) -> str:
    lines = [data["about"], "", f"Usage: {data['usage']}"]
    for title, key in (("Commands", "commands"), ("Arguments", "arguments"), ("Global flags", "globalFlags")):
        if data[key]:
            width = max(len(item["name"]) for item in data[key])
            lines += ["", f"{title}:", *(f"  {item['name']:<{width}}  {item['about']}" for item in data[key])]
    return "\n".join(lines)
