"""The steps that runs of one task share, told once: what every run did alike as it was, what differed by its name.

`book_hotel(hotel_id=h1, guests=1)` and `book_hotel(hotel_id=v7, guests=1)` are `book_hotel(hotel_id, guests=1)`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from everlore.extract.action import COMMAND, action_of
from everlore.extract.phrases import one_line
from everlore.kinds.case import Case

EXTRA = 3
"""Steps of few runs that are named."""
PLAIN = 12
"""Lines of an approach without calls that are taken as steps."""

STEP = re.compile(r"^\d+\. (?:\([^)]*\) )?(?P<text>.+)$")
_CALL = re.compile(r"^`(?P<label>(?P<name>[^`(]+)\((?P<arguments>[^`]*)\))`: (?P<outcome>ok|error|no result)")
_REMARKS = frozenset({"description", "explanation", "thought", "timeout"})
"""Arguments of a command that change nothing about what it does."""
_NEXT_ARGUMENT = re.compile(r", (?=[\w-]+=)")
_NAMED = re.compile(r"(?P<name>[\w-]+)=(?P<value>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Told:
    """A call that an approach tells of. `kind` is what it does, as `Action.kind` says it."""

    tool: str
    kind: str
    arguments: tuple[tuple[str, str], ...]
    """By name; a nameless one has none."""
    ok: bool

    @property
    def shown(self) -> str:
        """As it was; a command without the tool that ran it."""
        command = next((value for name, value in self.arguments if name in COMMAND), "")
        if command and all(name in COMMAND or name in _REMARKS for name, _ in self.arguments):
            return command
        return f"{self.tool}({', '.join(f'{name}={value}' if name else value for name, value in self.arguments)})"


def calls_of(case: Case) -> tuple[Told, ...]:
    """The tool calls that the approach tells of, in order."""
    return _calls(case.approach)


@lru_cache(maxsize=512)  # a new case is compared with many, and each of them for several reasons
def _calls(approach: str) -> tuple[Told, ...]:
    found = []
    for line in approach.splitlines():
        step = STEP.match(line.strip())
        if step and (call := _CALL.match(step["text"])):
            parts = [(part, _NAMED.fullmatch(part)) for part in _NEXT_ARGUMENT.split(call["arguments"]) if part]
            arguments = tuple((named["name"], named["value"]) if named else ("", part) for part, named in parts)
            command = next((value for name, value in arguments if name in COMMAND), "")
            kind = action_of(call["name"], {"command": command}).kind if command else call["name"]
            found.append(Told(call["name"], kind, arguments, call["outcome"] != "error"))
    return tuple(found)


def shared_steps(good: Sequence[Case]) -> list[str]:
    """The steps of the first run that most of these share, and what some of them did besides, as text."""
    runs = [[call for call in calls_of(case) if call.ok] for case in good]
    main = next((run for run in runs if run), None)
    if main is None:
        return ["\n".join(plain_steps(good[0]))]
    others = [run for run in runs if run is not main and run]
    users = Counter(kind for run in runs for kind in {call.kind for call in run})
    shared = [call for call in main if users[call.kind] * 2 > len(runs)] or main
    steps = list(dict.fromkeys(_alike(call, others) for call in shared))
    told = {call.kind for call in shared}
    rare = [call for run in runs for call in run if call.kind not in told]
    extra = list(dict.fromkeys(_alike(call, others) for call in rare))[:EXTRA]
    lines = "\n".join(f"{number}. {_quoted(step)}" for number, step in enumerate(steps, start=1))
    return [lines, *([f"Some runs also used {', '.join(map(_quoted, extra))}."] if extra else [])]


def plain_steps(case: Case) -> list[str]:
    lines = [line.strip() for line in case.approach.splitlines() if line.strip()]
    numbered = [match["text"] for line in lines if (match := STEP.match(line))] or lines
    return [f"{number}. {one_line(text, 200)}" for number, text in enumerate(numbered[:PLAIN], start=1)]


def _quoted(step: str) -> str:
    return f"`{step.replace('`', chr(39))}`"


def _alike(call: Told, runs: Sequence[Sequence[Told]]) -> str:
    """The call as these runs have it, too: in each of them the one that is most like it."""
    partners = [
        max(same, key=lambda other: len(set(other.arguments) & set(call.arguments)))
        for run in runs
        if (same := [other for other in run if other.kind == call.kind and other.tool == call.tool])
    ]
    if all(partner.arguments == call.arguments for partner in partners):
        return call.shown
    kept: list[tuple[str, str]] = []
    for name, value in call.arguments:
        values = [given[name] for partner in partners if name in (given := dict(partner.arguments))]
        if len(values) * 2 < len(partners):
            continue
        if name in COMMAND:
            kept.append((name, _pattern(value, values)))
        elif all(value == other for other in values):
            kept.append((name, value))
        else:
            kept.append((name if name in _REMARKS else "", name or "…"))
    return Told(call.tool, call.kind, tuple(kept), call.ok).shown


def _pattern(line: str, others: Sequence[str]) -> str:
    """A command with an ellipsis for the words in which other runs differ; as it was if little would be left."""
    words = line.split()
    common = set(range(len(words)))
    for other in others:
        matcher = SequenceMatcher(None, words, other.split(), autojunk=False)
        common &= {at for one, _, size in matcher.get_matching_blocks() for at in range(one, one + size)}
    if 0 not in common or len(common) * 3 < len(words):
        return line
    told = [word if at in common else "…" for at, word in enumerate(words)]
    return " ".join(word for at, word in enumerate(told) if word != "…" or told[at - 1] != "…")
