"""The command line's grammar: global flags, which may stand anywhere, and the tree of commands.

Global flags are read first and by hand, so that the format in which an error is to be shown is known even when the
rest of the line makes no sense. The tree is declared once; parsing, help and completion are made from it.
"""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn

from everlore.surfaces.cli.evercli.failure import Failure, bad_argument

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
    "--no-prompt": "no_prompt",
    "-v": "verbose",
    "--verbose": "verbose",
    "--version": "version",
    "-h": "help",
    "--help": "help",
}
_DURATION: Final = re.compile(r"(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")


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
    line = _set(line, "--format", env["EVERCLI_FORMAT"], "EVERCLI_FORMAT") if env.get("EVERCLI_FORMAT") else line
    line = _set(line, "--timeout", env["EVERCLI_TIMEOUT"], "EVERCLI_TIMEOUT") if env.get("EVERCLI_TIMEOUT") else line
    line = replace(line, config=env.get("EVERCLI_CONFIG", ""))
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
        elif name in _WITH_VALUE and equals:
            line = _set(line, name, value)
        elif name in _WITH_VALUE:
            line = _set(line, name, words.pop(0)) if words else _refuse(line, f"{name} needs a value", name)
        else:
            rest.append(word)
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
        command = self.prog
        hint = f"Run `{command} --help` to see how it is used"
        unknown = re.match(r"unrecognized arguments: (.*)", message)
        if unknown:
            word = unknown[1].split(" ")[0]
            if word.startswith("-"):
                raise bad_argument(f"unknown flag {word}", hint, flag=word.lstrip("-").partition("=")[0])
            raise bad_argument(f"unexpected argument {word!r}", hint, argument=word)
        named = re.match(r"argument (?P<name>[^:]+): (?P<what>.*)", message, re.DOTALL)
        if named:
            name = named["name"].split("/")[-1]
            what = re.sub(r"invalid choice: (.*) \(choose from (.*)\)", r"\1 is not one of \2", named["what"])
            if name == "COMMAND":
                word = re.match(r"'([^']*)' is not", what)
                raise bad_argument(f"unknown command {word[1] if word else ''!r}", hint, argument=name)
            if name.startswith("-"):
                raise bad_argument(f"{name}: {what}", hint, flag=name.lstrip("-"))
            raise bad_argument(f"{name}: {what}", hint, argument=name)
        missing = re.match(r"the following arguments are required: (.*)", message)
        if missing and missing[1] == "COMMAND":
            raise bad_argument(f"`{command}` needs a command", hint, argument="COMMAND")
        if missing:
            raise bad_argument(f"missing: {missing[1]}", hint, argument=missing[1])
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


def tree() -> Parser:
    """The commands. Each leaf names the function that runs it: `module:function` in this package."""
    root = Parser(prog="evercli", description="Long-term memory for your agents, from the command line.")
    groups = _group(root)
    _auth(groups)
    _plugin(groups)
    _memory(groups)
    _import(groups)
    _leaf(groups, "doctor", "doctor:examine", "Examine server, login, plugins and files, and say what to do.")
    completion = _leaf(groups, "completion", "completion:script", "Print a completion script for your shell.")
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help="which shell")
    hook = _leaf(groups, "hook", "hook:answer", "Answer a host's hook: its JSON on stdin, ours on stdout.")
    hook.add_argument("event", choices=("session-start", "prompt", "stop"), help="which event")
    hook.add_argument("--vault", metavar="PATH", help="the vault to ask where no server runs [the usual one]")
    return root


def _auth(groups: Any) -> None:
    auth = _group(_branch(groups, "auth", "Log in to a gateway, and out again."))
    login = _leaf(auth, "login", "auth:login", "Log in with a key, or by approving a code on the server's page.")
    login.add_argument("--api-key", metavar="emk_...", help="an account key; - reads it from stdin")
    login.add_argument("--no-wait", action="store_true", help="print the code and return; finish with --device-code")
    login.add_argument("--device-code", metavar="CODE", help="finish a login that --no-wait began")
    _leaf(auth, "logout", "auth:logout", "Forget the login on this machine.")
    _leaf(auth, "status", "auth:status", "Show whether this machine is logged in, and where.")
    _leaf(auth, "me", "auth:me", "Ask the server who this login belongs to.")


def _plugin(groups: Any) -> None:
    plugin = _group(_branch(groups, "plugin", "Give memory to the agents on this machine."))
    _leaf(plugin, "list", "plugin:listing", "Show the hosts that are known, detected and connected.")
    install = _leaf(plugin, "install", "plugin:install", "Connect hosts to memory.")
    uninstall = _leaf(plugin, "uninstall", "plugin:uninstall", "Take our entries out of hosts again.")
    for command in (install, uninstall):
        command.add_argument("platform", nargs="+", help="host, as `evercli plugin list` names it; or all")
        command.add_argument("--dry-run", action="store_true", help="show what would be written, write nothing")
    install.add_argument("--force", action="store_true", help="also where no host is detected, or another entry stands")


def _memory(groups: Any) -> None:
    memory = _group(_branch(groups, "memory", "Add, find, read and delete memories."))
    add = _leaf(memory, "add", "memory:add", "Remember something.")
    add.add_argument("text", nargs="*", help="what to remember; without it, or with -, stdin is read")
    search = _leaf(memory, "search", "memory:search", "Find memories.")
    search.add_argument("query", nargs="+", help="what to look for")
    search.add_argument("--top-k", type=number(1, 50), default=5, metavar="N", help="at most so many [5]")
    get = _leaf(memory, "get", "memory:get", "List memories, or show one.")
    get.add_argument("id", nargs="?", help="the id of one memory")
    get.add_argument("--type", choices=("episode", "profile"), default="episode", help="which kind [episode]")
    get.add_argument("--page", type=number(1, 10**9), default=1, metavar="N", help="which page [1]")
    get.add_argument("--page-size", type=number(1, 100), default=20, metavar="N", help="memories on a page [20]")
    forget = _leaf(memory, "forget", "memory:forget", "Delete memories for good, from files and index.")
    forget.add_argument("id", nargs="+", help="ids, as search and get show them")
    for command in (add, search, get, forget):
        command.add_argument("--user", metavar="ID", help="another user's memories, as the memory API names them")


def _import(groups: Any) -> None:
    imports = _group(_branch(groups, "import", "Bring in what your hosts have kept on disk."))
    scan = _leaf(imports, "scan", "importing:scan", "Show what could be imported.")
    run = _leaf(imports, "run", "importing:run_import", "Import it.")
    for command in (scan, run):
        command.add_argument("platform", nargs="?", help="claude-code, codex, chatgpt, claude, markdown [all found]")
        command.add_argument("--path", metavar="PATH", help="file or folder, where it is not the usual one")
        command.add_argument(
            "--exclude", action="append", default=[], metavar="GLOB", help="leave out files like this; repeatable"
        )
    run.add_argument("--resume", action="store_true", help="go on where an import stopped")
    run.add_argument("--dry-run", action="store_true", help="show what would be sent, send nothing")
    run.add_argument("--force", action="store_true", help="send also what was sent before, as to a new vault")
    run.add_argument("--user", metavar="ID", help="make them memories of another user")


def _group(parser: Parser) -> Any:
    return parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser, title="commands")


def _branch(groups: Any, name: str, about: str) -> Parser:
    parser: Parser = groups.add_parser(name, help=about, description=about)
    return parser


def _leaf(groups: Any, name: str, target: str, about: str) -> Parser:
    parser = _branch(groups, name, about)
    parser.set_defaults(target=target)
    return parser
