"""The command line's grammar: global flags, which may stand anywhere, and the commands.

Global flags are read first and by hand, so that the format in which an error is to be shown is known even when the
rest of the line makes no sense. Commands stand in one table; parsing, help and completion are made from it.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, NoReturn

from everlore.surfaces.cli.evercli.events import EVENTS, WORDS
from everlore.surfaces.cli.evercli.failure import Failure, bad_argument

TIMEOUT_SECONDS: Final = 60.0
FORMAT_HINT: Final = "Use --format text|json|yaml|auto"
GLOBAL_FLAGS: Final = {
    "--format": "text|json|yaml|auto: how the result is written [auto: text in a terminal, json elsewhere]",
    "--no-prompt": "never ask anything",
    "-v, --verbose": "say on stderr what is being done",
    "--config": "FILE: another config.yaml",
    "--timeout": "DURATION: how long the server may take to answer, as 30, 30s or 2m [60s]",
    "--version": "show the version",
    "-h, --help": "show help",
}
_WITH_VALUE: Final = ("--format", "--config", "--timeout")
_SWITCHES: Final = {
    word: names.rpartition("--")[2].replace("-", "_")
    for names in GLOBAL_FLAGS.keys() - _WITH_VALUE
    for word in names.split(", ")
}
_NUMBER: Final = r"(\d+(?:\.\d+)?)"
_DURATION: Final = re.compile(rf"\A(?:{_NUMBER}h)?(?:{_NUMBER}m)?(?:{_NUMBER}s)?(?:{_NUMBER}ms)?")


@dataclass(frozen=True)
class Line:
    """A command line with its global flags taken out. `failure` is what was wrong with those."""

    rest: tuple[str, ...] = ()
    format: str = "auto"
    no_prompt: bool = False
    verbose: bool = False
    config: str = ""
    timeout: float | None = None
    version: bool = False
    help: bool = False
    failure: Failure | None = None


def read_line(argv: list[str], env: Mapping[str, str] = os.environ) -> Line:
    line = Line(no_prompt=env.get("EVERCLI_NO_PROMPT", "").lower() in ("1", "true", "yes"))
    for flag in _WITH_VALUE:
        variable = f"EVERCLI_{flag[2:].upper()}"
        line = _set(line, flag, env[variable], variable) if env.get(variable) else line
    rest: list[str] = []
    words = list(argv)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            rest += [word, *words]
            break
        if word in _SWITCHES:
            switched: dict[str, Any] = {_SWITCHES[word]: True}
            line = replace(line, **switched)
        elif name not in _WITH_VALUE:
            rest.append(word)
        elif equals or words:
            line = _set(line, name, value if equals else words.pop(0))
        else:
            line = _refuse(line, f"{name} needs a value", name)
    return replace(line, rest=tuple(rest))


def _set(line: Line, name: str, value: str, source: str = "") -> Line:
    if name == "--config":
        return replace(line, config=value) if value else _refuse(line, "--config needs a file name", name)
    if name == "--timeout":
        seconds = duration(value)
        if seconds is None:
            hint = "Give seconds or a duration: --timeout 30, --timeout 30s, --timeout 2m"
            return _refuse(line, f"invalid value for {source or name}", name, hint)
        return replace(line, timeout=seconds)
    if value not in ("text", "json", "yaml", "auto"):
        return _refuse(line, f"invalid value for {source or name}", name, FORMAT_HINT)
    return replace(line, format=value)


def _refuse(line: Line, message: str, flag: str, hint: str = "") -> Line:
    hint = hint or (FORMAT_HINT if flag == "--format" else "Run `evercli --help` to see the flags")
    return replace(line, failure=line.failure or bad_argument(message, hint, flag=flag.lstrip("-")))


def duration(text: str) -> float | None:
    """Seconds, or a duration such as 1m30s; None when it is neither or not positive."""
    text = text.strip().lower()
    try:
        seconds = float(text)
    except ValueError:
        found = _DURATION.fullmatch(text)
        if not found or not text:
            return None
        units = zip(found.groups(), (3600.0, 60.0, 1.0, 0.001), strict=True)
        seconds = sum(float(part) * unit for part, unit in units if part)
    return seconds if 0 < seconds <= 86400 else None


class Parser(argparse.ArgumentParser):
    """argparse that raises what it finds instead of printing it."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, "add_help": False, **options})

    def error(self, message: str) -> NoReturn:
        hint = f"Run `{self.prog} --help` to see how it is used"
        if unknown := re.match(r"unrecognized arguments: (\S*)", message):
            word = unknown[1]
            if word.startswith("-"):
                raise bad_argument(f"unknown flag {word}", hint, flag=word.lstrip("-").partition("=")[0])
            raise bad_argument(f"unexpected argument {word!r}", hint, argument=word)
        if missing := re.match(r"the following arguments are required: (.*)", message):
            what = f"`{self.prog}` needs a command" if missing[1] == "COMMAND" else f"missing: {missing[1]}"
            raise bad_argument(what, hint, argument=missing[1])
        if named := re.match(r"argument (?P<name>[^:]+): (?P<what>.*)", message, re.DOTALL):
            name = named["name"].split("/")[-1]
            what = re.sub(r"invalid choice: (.*) \(choose from (.*)\)", r"\1 is not one of \2", named["what"])
            if name == "COMMAND":
                raise bad_argument(f"unknown command {what.partition(' is not one of')[0]}", hint, argument=name)
            detail = {"flag": name.lstrip("-")} if name.startswith("-") else {"argument": name}
            raise bad_argument(f"{name}: {what}", hint, **detail)
        raise bad_argument(message, hint)


def number(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"must be from {low} to {high}")
        return value

    return read


class Command(NamedTuple):
    """`target` is the function that runs it, `module:function` in this package; a group of commands has none."""

    about: str
    target: str = ""
    arguments: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = ()


def _argument(*names: str, **options: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    return names, options


def _switch(name: str, about: str) -> tuple[tuple[str, ...], dict[str, Any]]:
    return _argument(name, action="store_true", help=about)


_HOSTS: Final = _argument("platform", nargs="+", help="host, as `evercli plugin list` names it; or all")
_PREVIEW: Final = _switch("--dry-run", "show what would be written, write nothing")
_USER: Final = _argument("--user", metavar="ID", help="another user's memories, as the memory API names them")
_SOURCE: Final = (
    _argument("platform", nargs="?", help="a host, as scan names it; chatgpt, claude or markdown [all found]"),
    _argument("--path", metavar="PATH", help="file or folder, where it is not the usual one"),
    _argument("--exclude", action="append", default=[], metavar="GLOB", help="leave out files like this; repeatable"),
)
HIDDEN: Final = "hook"
"""A command for programs, which help and completion do not show."""
COMMANDS: Final = {
    "": Command("Long-term memory for your agents, from the command line."),
    "auth": Command("Log in to a gateway, and out again."),
    "auth login": Command(
        "Log in with a key, or by approving a code on the server's page.",
        "auth:login",
        (
            _argument("--api-key", metavar="emk_...", help="an account key; - reads it from stdin"),
            _switch("--no-wait", "print the code and return; finish with --device-code"),
            _argument("--device-code", metavar="CODE", help="finish a login that --no-wait began"),
        ),
    ),
    "auth logout": Command("Forget the login on this machine.", "auth:logout"),
    "auth status": Command("Show whether this machine is logged in, and where.", "auth:status"),
    "auth me": Command("Ask the server who this login belongs to.", "auth:me"),
    "plugin": Command("Give memory to the agents on this machine."),
    "plugin list": Command("Show the hosts that are known, detected and connected.", "plugin:listing"),
    "plugin install": Command(
        "Connect hosts to memory.",
        "plugin:install",
        (
            _HOSTS,
            _PREVIEW,
            _switch("--force", "also where no host is detected, or another entry stands"),
            _switch("--curate", "have the host's own model review what was learnt when a session ends"),
        ),
    ),
    "plugin uninstall": Command("Take our entries out of hosts again.", "plugin:uninstall", (_HOSTS, _PREVIEW)),
    "memory": Command("Add, find, read and delete memories."),
    "memory add": Command(
        "Remember something.",
        "memory:add",
        (_argument("text", nargs="*", help="what to remember; without it, or with -, stdin is read"), _USER),
    ),
    "memory search": Command(
        "Find memories.",
        "memory:search",
        (
            _argument("query", nargs="+", help="what to look for"),
            _argument("--top-k", type=number(1, 50), default=5, metavar="N", help="at most so many [5]"),
            _USER,
        ),
    ),
    "memory get": Command(
        "List memories, or show one.",
        "memory:get",
        (
            _argument("id", nargs="?", help="the id of one memory"),
            _argument("--type", choices=("episode", "profile"), default="episode", help="which kind [episode]"),
            _argument("--page", type=number(1, 10**9), default=1, metavar="N", help="which page [1]"),
            _argument("--page-size", type=number(1, 100), default=20, metavar="N", help="memories on a page [20]"),
            _USER,
        ),
    ),
    "memory forget": Command(
        "Delete memories for good, from files and index.",
        "memory:forget",
        (_argument("id", nargs="+", help="ids, as search and get show them"), _USER),
    ),
    "import": Command("Bring in what your hosts have kept on disk."),
    "import scan": Command("Show what could be imported.", "importing:scan", _SOURCE),
    "import run": Command(
        "Import it.",
        "importing:run_import",
        (
            *_SOURCE,
            _switch("--resume", "go on where an import stopped"),
            _switch("--dry-run", "show what would be sent, send nothing"),
            _switch("--force", "send also what was sent before, as to a new vault"),
            _argument("--user", metavar="ID", help="make them memories of another user"),
        ),
    ),
    "doctor": Command("Examine server, login, plugins and files, and say what to do.", "doctor:examine"),
    "completion": Command(
        "Print a completion script for your shell.",
        "completion:script",
        (_argument("shell", choices=("bash", "zsh", "fish"), help="which shell"),),
    ),
    HIDDEN: Command(
        "Answer a host's hook: its JSON on stdin, ours on stdout.",
        "hook_gateway:answer",
        (
            _argument("event", choices=tuple(WORDS), help="which event"),
            _argument("--host", choices=tuple(EVENTS), default="claude-code", help="whose [claude-code]"),
            _argument("--vault", metavar="PATH", help="the vault that is meant [the usual one]"),
            _argument("--curate", metavar="COMMAND", help="reviews what was learnt when the session ends"),
        ),
    ),
}
"""By the words that call them; the first is `evercli` itself."""


def below(path: str) -> dict[str, str]:
    """The commands of a group that are shown: name and path."""
    found = (other.rpartition(" ") for other in COMMANDS if other not in ("", HIDDEN))
    return {name: f"{above} {name}".strip() for above, _, name in found if above == path}


def parsers() -> dict[str, Parser]:
    """A parser for each command. That of `evercli` itself knows the others."""
    root = COMMANDS[""]
    found = {"": Parser(prog="evercli", description=root.about)}
    groups: dict[str, Any] = {}
    for path, command in COMMANDS.items():
        if path:
            above, _, name = path.rpartition(" ")
            found[path] = groups[above].add_parser(name, help=command.about, description=command.about)
            found[path].set_defaults(target=command.target)
        if not command.target:
            options: dict[str, Any] = {"metavar": "COMMAND", "required": True, "parser_class": Parser}
            groups[path] = found[path].add_subparsers(title="commands", **options)
        for names, given in command.arguments:
            found[path].add_argument(*names, **given)
    return found
