"""Skills: what several proven runs of one agent did alike, as a page that a person can read and edit.

Pure and deterministic: the same cases give the same page. Runs belong together that ask for alike things and share a
sequence of tools. The page names nobody: what differs between the runs is left out, and the rest is masked. A page that
a person has changed stays theirs: the generated body carries a mark with its own hash, and where the two no longer
agree, only the front matter is brought up to date and new lessons are added under "## Learned since".
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache, reduce

import numpy as np
from numpy.typing import NDArray

from everlore.clock import DAY_MS, day
from everlore.extract.agent.action import COMMAND, action_of
from everlore.extract.agent.mask import is_personal, mask
from everlore.extract.agent.outcome import one_line
from everlore.extract.agent.task import things
from everlore.extract.prompts import SkillAnswer
from everlore.kinds.case import Case
from everlore.kinds.skill import Skill
from everlore.types import Key

PROVEN = 0.5
"""Only cases of a higher quality show how to do it."""
SMALLEST, SEQUENCE = 2, 2
"""Runs that make a skill at least, and steps that they share at least."""
COSINE, WORDS, WORK = 0.80, 0.33, 0.25
"""How near two intents are, by vectors or by their words alone, and the part of it that is not asked for where the
same was done: chosen on pairs of intents with the offline model."""
LESSONS, SOURCES, TOLD_STEPS = 12, 10, 12
DESCRIBED, NAME, NAME_WORDS = 140, 48, 4
LEARNED = "## Learned since"

_MARK = re.compile(r"\n{0,9}<!-- written by Everlore ([0-9a-f]{16}) -->\s{0,99}$")
_OUR_DESCRIPTION = re.compile(r"How to .{1,1000} \(from (\d{1,9}) runs\)")
_CALL = re.compile(r"^\d+\. (?:\([^)]*\) )?`(?P<name>[^`(]+)\((?P<arguments>[^`]*)\)`: (?P<outcome>ok|error|no result)")
_DANGLING = re.compile(r"(?:\s{1,9}(?:to|in|for|of|on|at|from|with|by|the|an?|and|is|until)){1,20}$", re.I)
_EDITING = {"edit", "write", "replace", "patch"}
_NEXT_ARGUMENT = re.compile(r", (?=[\w-]+=)")


@dataclass(frozen=True, slots=True)
class Told:
    """A call that an approach tells of. `kind` is what it does, as `Action.kind` says it; `acts`: it neither looks, nor
    checks, nor edits a text, as every run does."""

    tool: str
    kind: str
    arguments: tuple[tuple[str, str], ...]
    acts: bool


def public_id(case: Case) -> str:
    return Key(case.owner, "case", case.local_id).public_id


def cluster_text(case: Case) -> str:
    """The task without names and numbers: what to embed when looking for cases of the same task."""
    return re.sub(r"<\w+>|\S*\d\S*|`[^`]*`|\"[^\"]*\"", " ", mask(case.task_intent))


@lru_cache(maxsize=512)  # a new case is compared with many
def _calls(approach: str) -> tuple[Told, ...]:
    """The calls that went well, in order; a repeated one once."""
    found: list[Told] = []
    for line in approach.splitlines():
        call = _CALL.match(line.strip())
        if call is None or call["outcome"] == "error":
            continue
        parts = [part.partition("=") for part in _NEXT_ARGUMENT.split(call["arguments"]) if part]
        arguments = tuple((name, value) if equals else ("", name) for name, equals, value in parts)
        action = action_of(call["name"], dict(arguments) | {"": None})
        edits = bool(_EDITING & set(re.split(r"[_\W]", call["name"].lower())))
        acts = action.manner != "looks" and not action.checks and not edits
        told = Told(call["name"], action.kind, arguments, acts)
        if not found or found[-1].kind != told.kind:
            found.append(told)
    return tuple(found)


def shared_steps(cases: Sequence[Case]) -> list[Told]:
    """The sequence of kinds that all these runs have, as calls of the first; empty where it tells nothing."""
    found = reduce(_common, [_calls(case.approach) for case in cases])
    return list(found) if len(found) >= SEQUENCE and any(call.acts for call in found) else []


def _common(one: tuple[Told, ...], two: tuple[Told, ...]) -> tuple[Told, ...]:
    kinds, others = ([(call.tool, call.kind) for call in calls] for calls in (one, two))
    blocks = SequenceMatcher(None, kinds, others, autojunk=False).get_matching_blocks()
    return tuple(call for at, _, size in blocks for call in one[at : at + size])


def enough(cases: Sequence[Case]) -> bool:
    """Whether a skill can be made: several proven runs that share a sequence of tools."""
    proven = [case for case in cases if case.quality_score > PROVEN]
    return len(proven) >= SMALLEST and bool(shared_steps(proven))


def gather(
    new: Case, cases: Sequence[Case], skills: Sequence[Skill], vectors: NDArray[np.float32] | None = None
) -> tuple[list[Case], Skill | None]:
    """The proven cases of the same task as `new`, oldest first, and the skill that was made of some of them.

    `vectors` has the unit vectors of `cluster_text` for `cases` and, last, for `new`; without vectors the words are
    compared. The nearest joins first, as long as all still share their steps.
    """
    if new.quality_score <= PROVEN or not _calls(new.approach):
        return [new], None
    cosines = [None] * len(cases) if vectors is None else list(vectors[:-1] @ vectors[-1])
    near = [_nearness(case, new, cosine) for case, cosine in zip(cases, cosines, strict=True)]
    members = [new]
    for at in sorted(range(len(cases)), key=lambda at: (-near[at], *_age(cases[at]))):
        case = cases[at]
        fits = near[at] >= 1 and case.quality_score > PROVEN and case.local_id != new.local_id
        if fits and shared_steps([case, *members]):
            members.append(case)
    ids = {public_id(case) for case in members}
    shared = [(len(ids & set(skill.source_case_ids)), skill) for skill in skills]
    most = max((count for count, _ in shared), default=0)
    if not most:
        return sorted(members, key=_age), None
    old = min((skill for count, skill in shared if count == most), key=lambda skill: (skill.timestamp, skill.local_id))
    members += [case for case in cases if public_id(case) in old.source_case_ids and public_id(case) not in ids]
    return sorted(members, key=_age), old


def _nearness(one: Case, two: Case, cosine: float | None) -> float:
    """From 1 on two cases are of one task."""
    kinds, others = ({call.kind for call in _calls(case.approach)} for case in (one, two))
    work = len(kinds & others) / len(kinds | others) if kinds | others else 0.0
    if cosine is None:
        words, other_words = things(cluster_text(one)), things(cluster_text(two))
        shared = len(words & other_words) / len(words | other_words) if words | other_words else 0.0
        return shared / (WORDS * (1 - WORK * work))
    return round(float(cosine), 5) / (COSINE * (1 - WORK * work))


def _age(case: Case) -> tuple[int, str]:
    return case.timestamp, case.local_id


def write_skill(
    cases: Sequence[Case],
    old: Skill | None,
    entry: str,
    now: int,
    taken: Collection[str] = (),
    told: SkillAnswer | None = None,
) -> Skill:
    """The skill of these cases. `entry` and `taken` (names of the agent's other skills) matter only for a new one.

    `cases` are all that belong to it, those of `old` included as far as they still exist. `told` is how a language
    model puts it, if one was asked.
    """
    if not cases or (old is None and not enough(cases)):
        raise ValueError("a skill needs several proven cases that share their steps")
    known = {source: at for at, source in enumerate(old.source_case_ids)} if old else {}
    ordered = sorted(
        {public_id(case): case for case in cases}.values(),
        key=lambda case: (known.get(public_id(case), len(known)), *_age(case)),
    )
    ids = tuple(public_id(case) for case in ordered)
    task = _task(ordered, told)
    description = f"How to {one_line(task, DESCRIBED)} (from {len(ids)} runs)"
    if old is None:
        name, owner, first = _free_name(_slug(task) or entry.replace("_", "-"), taken), ordered[0].owner, now
    else:
        name, owner, entry, first = old.name, old.owner, old.local_id, old.timestamp
        if old.description and not _OUR_DESCRIPTION.fullmatch(old.description):
            description = old.description
    content = _body(ordered, task, told)
    if old is not None and not untouched(old.content):
        fresh = [case for case in ordered if public_id(case) not in known]
        ids = (*dict.fromkeys([*old.source_case_ids, *ids]),)
        content, description = _with_lessons(old.content, fresh), _counted(old.description, len(ids))
    confidence, maturity = confidence_of(ordered), maturity_of(ordered, now)
    return Skill(owner, entry, name, description, content, confidence, maturity, ids, first)


def without_cases(skill: Skill, gone: Collection[str], left: Sequence[Case], now: int) -> Skill | None:
    """The skill after these of its cases were forgotten, made anew of those that are left; None if nothing is left to
    say. A page that a person changed keeps their words, and loses only the sources."""
    sources = tuple(source for source in skill.source_case_ids if source not in gone)
    if not untouched(skill.content):
        description = _counted(skill.description, len(sources)) if sources else skill.description
        return replace(skill, source_case_ids=sources, description=description)
    return write_skill(left, skill, skill.local_id, now) if enough(left) else None


def marked(body: str) -> str:
    return f"{body}\n\n<!-- written by Everlore {_digest(body)} -->"


def untouched(content: str) -> bool:
    """Whether the text still is what was generated. Blanks at line ends, which editors change, do not count."""
    mark = _MARK.search(content)
    return mark is not None and _digest(content[: mark.start()]) == mark[1]


def _digest(body: str) -> str:
    plain = "\n".join(line.rstrip() for line in body.strip().splitlines())
    return hashlib.blake2b(plain.encode(), digest_size=8).hexdigest()


def confidence_of(cases: Sequence[Case]) -> float:
    """W / (W + 1 + F / 2): W is the summed quality of the successes, F the number of failures.

    It rises with each success and with its quality, falls with each failure, and never reaches 1.
    """
    gained = sum(case.quality_score for case in cases if case.quality_score > PROVEN)
    failures = sum(case.quality_score < PROVEN for case in cases)
    return round(gained / (gained + 1 + failures / 2), 2)


def maturity_of(cases: Sequence[Case], now: int) -> float:
    """0.5 x s / (s + 2) + 0.3 x (1 - 1 / d) + 0.2 x r, and 0 without a success.

    s: number of successes; d: number of days with one; r: halves with every 180 days since the last.
    """
    successes = [case.timestamp for case in cases if case.quality_score > PROVEN]
    if not successes:
        return 0.0
    count, days = len(successes), len({day(moment) for moment in successes})
    recency = math.exp2(-max(0, now - max(successes)) / DAY_MS / 180)
    return round(0.5 * count / (count + 2) + 0.3 * (1 - 1 / days) + 0.2 * recency, 2)


def _task(cases: Sequence[Case], told: SkillAnswer | None) -> str:
    """What all these ask for, as it goes on from "How to": their common words, an ellipsis for the rest."""
    if told is not None and told.how_to.strip():
        return told.how_to.strip().removeprefix("How to ").rstrip(".")
    intents = [mask(case.task_intent).rstrip(".!?") for case in cases]
    text = reduce(_pattern, intents)
    head = _DANGLING.sub("", text.partition("…")[0].rstrip(" ,;:-"))
    text = head if len(_slug(head).split("-")) > 1 else _DANGLING.sub("", text.strip(" ,;:…-"))
    if not things(text):
        text = f"use {', '.join(dict.fromkeys(call.kind for call in shared_steps(cases)))}"
    return text[:1].lower() + text[1:]


def _pattern(line: str, other: str) -> str:
    """A line with an ellipsis for the words in which another differs."""
    words, others = line.split(), other.split()
    matcher = SequenceMatcher(None, [w.lower() for w in words], [w.lower() for w in others], autojunk=False)
    common = {at for one, _, size in matcher.get_matching_blocks() for at in range(one, one + size)}
    told = [word if at in common else "…" for at, word in enumerate(words)]
    return " ".join(word for at, word in enumerate(told) if word != "…" or told[at - 1] != "…")


def _slug(task: str) -> str:
    words = [word for word in re.findall(r"[^\W_]+", task.lower()) if things(word) or word in ("book", "fix")]
    return "-".join(list(dict.fromkeys(words))[:NAME_WORDS])[:NAME].strip("-")


def _free_name(name: str, taken: Collection[str]) -> str:
    number, free = 2, name
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


def _counted(description: str, runs: int) -> str:
    """Our description with the number of runs as it is now; one that a person wrote stays."""
    ours = _OUR_DESCRIPTION.fullmatch(description)
    return f"{description[: ours.start(1)]}{runs} runs)" if ours else description


def _body(cases: Sequence[Case], task: str, told: SkillAnswer | None = None) -> str:
    best = sorted(cases, key=lambda case: (-case.quality_score, -case.timestamp, case.local_id))
    steps = [one_line(step, 240) for step in told.steps[:TOLD_STEPS]] if told else []
    steps = list(filter(None, steps)) or _steps(best)
    numbered = [f"{number}. {step}" for number, step in enumerate(steps, start=1)]
    parts = ["## When to use", f"To {task}.", "## Steps", "\n".join(numbered)]
    if lessons := _lessons(sorted(cases, key=_age)):
        parts += ["## Lessons", "\n".join(lessons[:LESSONS])]
    sources = [
        f"- `{public_id(case)}` ({day(case.timestamp)}, quality {case.quality_score:.2f})" for case in cases[-SOURCES:]
    ]
    if len(cases) > SOURCES:
        sources.insert(0, "- … and earlier ones")
    return marked("\n\n".join([*parts, "## Sources", "\n".join(sources)]))


def _steps(cases: Sequence[Case]) -> list[str]:
    """The shared steps: what every run did alike as it was, what differed by its name."""
    proven = [case for case in cases if case.quality_score > PROVEN] or list(cases)
    runs = [_calls(case.approach) for case in proven]
    return [f"`{_step(call, runs).replace('`', chr(39))}`" for call in shared_steps(proven) or runs[0]]


def _step(call: Told, runs: Sequence[Sequence[Told]]) -> str:
    same = [dict(told.arguments) for run in runs for told in run if (told.kind, told.tool) == (call.kind, call.tool)]
    told: list[str] = []
    for name, value in call.arguments:
        values = [arguments[name] for arguments in same if name in arguments]
        if name in COMMAND:
            return mask(reduce(_pattern, values))
        alike = all(one == value for one in values) and not is_personal(name)
        told.append(f"{name}={mask(value)}" if alike and name else name or "…")
    return f"{call.tool}({', '.join(told)})"


def _lessons(cases: Sequence[Case]) -> list[str]:
    lines: dict[str, str] = {}
    for case in cases:
        if case.key_insight:
            text = mask(one_line(case.key_insight, 240))
            lines.setdefault(text.lower(), f"- {text} (`{public_id(case)}`)")
    return list(lines.values())


def _with_lessons(content: str, fresh: Sequence[Case]) -> str:
    """New lessons at the end of their section, all other text as it was."""
    lessons = [line for line in _lessons(fresh) if line not in content]
    if not lessons:
        return content
    lines = content.rstrip().split("\n")
    headings = [at for at, line in enumerate(lines) if line.rstrip() == LEARNED]
    if not headings:
        return "\n".join([*lines, "", LEARNED, "", *lessons])
    start = headings[0] + 1
    end = next((at for at in range(start, len(lines)) if lines[at].startswith(("# ", "## "))), len(lines))
    while end > start and not lines[end - 1].strip():
        end -= 1
    return "\n".join([*lines[:end], *([""] if end == start else []), *lessons, *lines[end:]])
