"""What a tool call does: the program behind a command line, what it works on, and how its output is to be read.

Agents do most of their work through one tool that runs commands. Two calls of that tool have as much in common as two
sentences: what matters is the program. So `bash(command=cd app && python -m pytest -x)` is a call of `pytest`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from everlore.extract.vocabulary import Vocabulary
from everlore.types import Json

Manner: TypeAlias = Literal["looks", "answers", "runs"]
"""How an output came about. A call that looks shows texts of others, whatever they say; one that runs a program
shows what the program reports, line by line; any other gives an answer of its own."""

OBJECT = 2_000
"""Characters of an argument that are looked at."""


@dataclass(frozen=True, slots=True)
class Action:
    """`kind` is what the call does (`pytest`, `git push`, `book_flight`), `objects` what it does it to.

    `command` is the command line, where there is one.
    """

    kind: str
    objects: frozenset[str] = frozenset()
    manner: Manner = "answers"
    command: str = ""

    def again(self, other: Action) -> bool:
        """Whether the other call tries the same: it is of the same kind, and not about something else."""
        if self.kind != other.kind:
            return False
        if not self.objects or not other.objects:
            return True
        return any(_same(one, two) for one in self.objects for two in other.objects)


def _same(one: str, two: str) -> bool:
    """Equal, one within the other, or long texts (a query, a piece of code) with most words in common."""
    if one == two or (min(len(one), len(two)) > 3 and (one in two or two in one)):
        return True
    if not _IS_TEXT.search(one) or not _IS_TEXT.search(two):
        return False
    words, others = set(_WORD.findall(one)), set(_WORD.findall(two))
    return min(len(words), len(others)) > 2 and len(words & others) * 2 > min(len(words), len(others))


_KNOWN = Vocabulary("action")
_LOOKING = _KNOWN.words("looking")
_ACTING = _KNOWN.words("acting")
_RUNNING = _KNOWN.words("running")
_SHOWS = re.compile(r"(?:get|read|fetch|show|describe|view|inspect|retrieve)(?=_|-|[A-Z])")
_CHANGES_DATA = re.compile(r"\s*(?:insert|update|delete|create|alter|drop|truncate|grant) ", re.I)
"""Queries that do not only look."""
COMMAND = ("command", "cmd", "commands", "commandline", "command_line")
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_INTERPRETERS = frozenset({"python", "python3", "node", "ruby", "perl", "php", "deno", "bun", "java", *_SHELLS})
_WRAPPERS = _KNOWN.words("wrappers")
_RUNNERS = {("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("bundle", "exec"), ("hatch", "run"), ("pdm", "run")}
_PREPARING = _KNOWN.words("preparing")
_LOOKERS = _KNOWN.words("lookers")
_LOOKING_ORDERS = _KNOWN.words("looking_orders")
_WITH_ORDERS = _KNOWN.words("with_orders")
_SAME_PROGRAM = {"pip3": "pip", "python3": "python", "apt-get": "apt", "docker-compose": "docker"}
_FETCHERS = frozenset({"curl", "wget", "http", "psql", "mysql", "sqlite3", "mongosh", "redis-cli", "ssh"})
"""They print what others wrote; what they say themselves stands at the beginning or at the end."""

_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"")
_NEXT = re.compile(r"&&|\|\||[;\n]")
_WRITES = re.compile(r"(?<![\d&])>>?(?!\s*(?:&|/dev/null))")
_WORD = re.compile(r"\w+")
_IS_TEXT = re.compile(r"[\s(]")
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SHELL_COMMAND = re.compile(r"^\s*(?:ba|z|da)?sh\s+-\w*c\s+(?P<quote>['\"])(?P<inner>.*)(?P=quote)\s*$", re.DOTALL)


def action_of(name: str, arguments: Json) -> Action:
    """What a call of the tool `name` does. `arguments` are as they came: a JSON text, its value, or anything else."""
    value = parsed(arguments)
    words = _name_words(name)
    if isinstance(value, str) and value.strip() and words & _RUNNING:
        return _of_command(value, name)
    if not isinstance(value, Mapping):
        items = value if isinstance(value, list) else [value] if value not in (None, "") else []
        return Action(name, _objects(items), _manner(name))
    key = next((key for key in COMMAND if isinstance(value.get(key), str | list) and value[key]), "")
    others = [item for other, item in value.items() if other != key]
    if key:
        line = command_line(value[key])
        if re.fullmatch(r"\w+", line.strip()) and others and not words & _RUNNING:
            # one tool with several orders: an editor that can view, create and replace
            return Action(f"{name} {line.strip()}", _objects(others), _manner(line))
        return _of_command(line, name)
    objects = _objects(others)
    changes = any(_CHANGES_DATA.match(text) for text in objects)
    return Action(name, objects, "answers" if changes else _manner(name))


def changes_things(tool: str) -> bool:
    """Whether the name of a tool says that it does something: `book_hotel`, not `free_slots` or `bash`."""
    return bool(_name_words(tool) & _ACTING)


def parsed(arguments: Json) -> Json:
    """The value of a JSON text; anything else as it came."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def _name_words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _NAME_WORD.findall(name))


def _manner(name: str) -> Manner:
    words = _name_words(name)
    shows = _SHOWS.match(name) and not words & {"or", "and"}  # a build log is read, whatever builds do
    if shows or (words & _LOOKING and not words & (_ACTING - {"run", "execute", "type"})):
        return "looks"
    return "runs" if words & _RUNNING else "answers"


def _objects(items: Sequence[Json]) -> frozenset[str]:
    texts = (item if isinstance(item, str) else str(item) for item in items if not isinstance(item, bool | None))
    return frozenset(text.strip()[:OBJECT] for text in texts if text.strip())


def command_line(value: str | list[Json]) -> str:
    """The line of a command that may have come as a list of words."""
    if isinstance(value, str):
        return value
    words = [str(word) for word in value]
    if len(words) > 2 and words[0].rpartition("/")[2] in _SHELLS and re.fullmatch(r"-\w*c", words[1]):
        return words[2]
    return " ".join(words)


def _of_command(line: str, tool: str) -> Action:
    line = line.strip()[:OBJECT]
    inner = _SHELL_COMMAND.match(line)
    if inner:
        line = inner["inner"]
    parts = [part for part in map(_program, _parts(line)) if part is not None]
    if not parts:
        return Action(tool, frozenset({line}) if line else frozenset(), "runs", line)
    acting = [part for part in parts if part.manner != "looks"]
    chosen = (acting or parts)[-1]
    return Action(chosen.kind, chosen.objects, chosen.manner, line)


def _parts(line: str) -> list[list[str]]:
    """The commands of a line, each as its words; of a pipe the first, what is fed to a program not at all."""
    head, fed, _ = line.partition("<<")
    quoted: list[str] = []

    def hide(match: re.Match[str]) -> str:
        quoted.append(match[0][1:-1])
        return f"\x00{len(quoted) - 1}\x00"

    hidden = _QUOTED.sub(hide, head if fed else line)
    found = []
    for part in _NEXT.split(hidden):
        first = part.partition("|")[0]
        words = [">" if _WRITES.search(first) else "", *re.sub(r"\d?>>?\s*\S*|&\d?|<", " ", first).split()]
        found.append([re.sub(r"\x00(\d+)\x00", lambda m: quoted[int(m[1])], word) for word in words])
    return found


def _program(words: list[str]) -> Action | None:
    """What one command does; None for one that only prepares others."""
    writes, words = words[0] == ">", _unwrapped(words[1:])
    if not words:
        return None
    program, rest = words[0].rpartition("/")[2], words[1:]
    if program in _INTERPRETERS and rest:
        program, rest = _interpreted(program, rest)
    program = _SAME_PROGRAM.get(program, program)
    if program in _PREPARING and not writes:
        return None
    orders = [word for word in rest if not word.startswith("-")]
    kind, taken = program, 0
    if program in _WITH_ORDERS and orders:
        taken = (
            2
            if orders[0] in ("run", "compose", "rollout", "pr", "issue", "workflow", "system") and len(orders) > 1
            else 1
        )
        kind = " ".join([kind, *orders[:taken]])
    looks = program in _LOOKERS and not writes and not (program == "sed" and "-i" in rest)
    first = {word.partition("-")[0] for word in orders[: taken + 1]} if taken else set()
    looks = looks or bool(_LOOKING_ORDERS & first)
    manner: Manner = "looks" if looks else "answers" if program in _FETCHERS else "runs"
    return Action(kind, frozenset(orders[taken:]), manner)


def _unwrapped(words: list[str]) -> list[str]:
    """Without what only says how or where a command runs: variables, `sudo`, `uv run`, `ssh host`,
    `docker exec app`."""
    while words:
        first = words[0]
        if tuple(words[:2]) in _RUNNERS:
            words = _after_options(words[2:])
        elif re.match(r"\w+=", first) or first in _WRAPPERS:
            words = _after_options(words[1:])
        elif first == "timeout" or (first == "ssh" and len(_after_options(words[1:])) > 1):
            words = _after_options(words[1:])[1:]
        elif first in ("docker", "kubectl", "podman") and words[1:2] == ["exec"]:
            words = [word for word in _after_options(words[2:])[1:] if word != "--"]
        else:
            break
    return words


def _after_options(words: list[str]) -> list[str]:
    return words[next((at for at, word in enumerate(words) if not word.startswith("-")), len(words)) :]


def _interpreted(program: str, rest: list[str]) -> tuple[str, list[str]]:
    """The script or module that an interpreter runs."""
    if "-m" in rest[:-1]:
        module = rest.index("-m") + 1
        return rest[module], rest[module + 1 :]
    script = _after_options(rest)
    options = rest[: len(rest) - len(script)]
    if not script or "-c" in options or "-e" in options:
        return program, rest
    return script[0].rpartition("/")[2], script[1:]
