"""What a tool call does: the program behind a command line, whether it looks, checks or changes something.

Agents do most of their work through one tool that runs commands, so what matters is the program:
`bash(command=cd app && python -m pytest -x)` is a call of `pytest`, which checks.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from everlore.extract.vocabulary import Vocabulary
from everlore.types import Json

Manner: TypeAlias = Literal["looks", "answers", "runs"]
"""How an output came about. A call that looks shows texts of others, whatever they say; one that runs a program
shows what the program reports, line by line; any other gives an answer of its own."""

LONGEST = 2_000
"""Characters of an argument that are looked at."""
COMMAND = ("command", "cmd", "commands", "commandline", "command_line")

_KNOWN = Vocabulary("agent/action")
_WORDS = {
    name: _KNOWN.words(name)
    for name in ("looking", "acting", "running", "wrappers", "preparing", "lookers", "looking_orders", "with_orders",
                 "checkers", "checking", "asking", "interpreters", "fetchers", "keeping")
}  # fmt: skip
_SAME = _KNOWN.table("same")
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CHANGES_DATA = re.compile(r"\s{0,99}(?:insert|update|delete|create|alter|drop|truncate|grant) ", re.I)
"""Queries that do not only look."""


@dataclass(frozen=True, slots=True)
class Action:
    """`kind` is what the call does (`pytest`, `git push`, `book_flight`), `command` its command line, if it has one.

    `checks`: it tells whether something is right, as tests do. `keeps`: it changes nothing that a check is about, as
    `git commit` does.
    """

    kind: str
    manner: Manner = "answers"
    command: str = ""
    checks: bool = False
    keeps: bool = False


def action_of(name: str, arguments: Json) -> Action:
    """What a call of the tool `name` does. `arguments` are as they came: a JSON text, its value, or anything else."""
    value = parsed(arguments)
    words = _name_words(name)
    if isinstance(value, str) and value.strip() and words & _WORDS["running"]:
        return _of_command(value, name)
    if not isinstance(value, Mapping):
        return _of_tool(name, name)
    key = next((key for key in COMMAND if isinstance(value.get(key), str | list) and value[key]), "")
    if key:
        line = command_line(value[key])
        if line.strip().isidentifier() and len(value) > 1 and not words & _WORDS["running"]:
            # one tool with several orders: an editor that can view, create and replace
            return _of_tool(f"{name} {line.strip()}", line)
        return _of_command(line, name)
    if any(isinstance(text, str) and _CHANGES_DATA.match(text) for text in value.values()):
        return Action(name)
    return _of_tool(name, name, documents=any(str(text).endswith((".md", ".rst", ".txt")) for text in value.values()))


def parsed(arguments: Json) -> Json:
    """The value of a JSON text; anything else as it came."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments


def command_line(value: str | Sequence[Json]) -> str:
    """The line of a command that may have come as a list of words."""
    if isinstance(value, str):
        return value
    words = [str(word) for word in value]
    if len(words) > 2 and words[0].rpartition("/")[2].endswith("sh") and re.fullmatch(r"-\w*c", words[1]):
        return words[2]
    return " ".join(words)


def _name_words(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _NAME_WORD.findall(name))


def _of_tool(kind: str, name: str, *, documents: bool = False) -> Action:
    words = _name_words(name)
    first = next((word.lower() for word in _NAME_WORD.findall(name)), "")
    shows = first in ("get", "read", "fetch", "show", "view") and not words & {"or", "and"}
    if shows or (words & _WORDS["looking"] and not words & (_WORDS["acting"] - {"run", "execute", "type"})):
        return Action(kind, "looks")
    checks = bool(words & _WORDS["checking"])
    return Action(kind, "runs" if words & _WORDS["running"] else "answers", checks=checks, keeps=documents)


def _of_command(line: str, tool: str) -> Action:
    line = line.strip()[:LONGEST]
    words = _split(line)
    if len(words) > 2 and words[0].endswith("sh") and re.fullmatch(r"-\w*c", words[1]):
        return _of_command(words[2], tool)
    parts = [found for part in _parts(words) if (found := _program(part, line)) is not None]
    acting = [part for part in parts if part.manner != "looks"]
    return (acting or parts or [Action(tool, "runs", line)])[-1]


def _split(line: str) -> list[str]:
    """The words of a line, signs such as `&&` and `>` apart; what is fed to a program is none of them."""
    head = line.partition("<<")[0] if "<<" in line else line
    reader = shlex.shlex(head.replace("\n", " ; "), posix=True, punctuation_chars="();<>|&")
    reader.whitespace_split, reader.commenters = True, ""
    try:
        return list(reader)
    except ValueError:  # a quotation that is not closed
        return head.split()


def _parts(words: Sequence[str]) -> list[list[str]]:
    """The commands of a line, each as its words after a `>` where it writes; of a pipe the first."""
    found: list[list[str]] = [[""]]
    silent = skip = False
    for word in words:
        if word and set(word) <= set("();|&"):
            silent = word == "|"
            if not silent:
                found.append([""])
        elif word and set(word) <= set("<>&"):
            skip = True
            found[-1][0] = found[-1][0] or (">" if word in (">", ">>") else "")
        elif skip or silent:
            if skip and (word == "/dev/null" or found[-1][-1:] == ["2"]):
                found[-1][0] = ""
            skip = False
        else:
            found[-1].append(word)
    return found


def _program(words: list[str], line: str) -> Action | None:
    """What one command does; None for one that only prepares others."""
    writes, words = words[0] == ">", _unwrapped(words[1:])
    if not words:
        return None
    program, rest = words[0].rpartition("/")[2], words[1:]
    if program in _WORDS["interpreters"] and rest:
        program, rest = _interpreted(program, rest)
    program = _SAME.get(program, program)
    if program in _WORDS["preparing"] and not writes:
        return None
    orders = [word for word in rest if not word.startswith("-")]
    kind = program
    if program in _WORDS["with_orders"] and orders:
        two = orders[0] in ("run", "compose", "rollout", "pr", "issue", "workflow", "system") and len(orders) > 1
        orders = orders[: 2 if two else 1]
        kind = " ".join([kind, *orders])
    else:
        orders = []
    looks = program in _WORDS["lookers"] and not writes and not (program == "sed" and "-i" in rest)
    looks = looks or bool(_WORDS["looking_orders"] & {word.partition("-")[0] for word in orders})
    looks = looks or bool(_WORDS["asking"] & set(rest))
    manner: Manner = "looks" if looks else "answers" if program in _WORDS["fetchers"] else "runs"
    checks = program in _WORDS["checkers"] or any(set(re.split(r"[:_-]", word)) & _WORDS["checking"] for word in orders)
    checks = checks and not looks and program != "docker" and not {"--fix", "format"} & set(rest)
    return Action(kind, manner, line, checks=checks, keeps=kind in _WORDS["keeping"])


def _unwrapped(words: list[str]) -> list[str]:
    """Without what only says how or where it runs: variables, `sudo`, `uv run`, `ssh host`, `docker exec app`."""
    while words:
        first, second = words[0], words[1] if len(words) > 1 else ""
        if second in ("run", "exec") and first in ("uv", "poetry", "pipenv", "bundle", "hatch", "pdm"):
            words = _after_options(words[2:])
        elif re.match(r"\w+=", first) or first in _WORDS["wrappers"]:
            words = _after_options(words[1:])
        elif first == "timeout" or (first == "ssh" and len(_after_options(words[1:])) > 1):
            words = _after_options(words[1:])[1:]
        elif first in ("docker", "kubectl", "podman") and second == "exec":
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
    if not script or {"-c", "-e"} & set(rest[: len(rest) - len(script)]):
        return program, rest
    return script[0].rpartition("/")[2], script[1:]
