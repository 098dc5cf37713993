"""Skills: what the similar cases of one agent have in common, as a page that a person can read and edit.

Pure and deterministic: the same cases give the same page. A page that a person has changed stays theirs: the
generated body carries a mark with its own hash, and where the two no longer agree, only the front matter is
brought up to date and new lessons are added under "## Learned since".
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from everlore.clock import DAY_MS, day
from everlore.extract.phrases import one_line
from everlore.extract.prompts import SkillAnswer
from everlore.extract.skill_cluster import age, public_id
from everlore.extract.skill_steps import STEP, plain_steps, shared_steps
from everlore.extract.skill_words import DESCRIBED, free_name, how_to, plain, skill_name
from everlore.kinds.case import Case
from everlore.kinds.skill import Skill

_MARK = re.compile(r"\n*<!-- written by Everlore ([0-9a-f]{16}) -->\s*$")


def marked(body: str) -> str:
    return f"{body}\n\n<!-- written by Everlore {_digest(body)} -->"


def untouched(content: str) -> bool:
    """Whether the text still is what was generated. Blanks at line ends, which editors change, do not count."""
    mark = _MARK.search(content)
    return mark is not None and _digest(content[: mark.start()]) == mark[1]


def without_lines(content: str, cited: Collection[str]) -> str:
    """The text without the lines that cite these ids, and without sections that hold nothing else. A person's stays."""
    if not untouched(content):
        return content
    parts: list[str] = []
    for part in _MARK.sub("", content).split("\n\n"):
        lines = [line for line in part.split("\n") if not any(f"`{one}`" in line for one in cited)]
        if lines:
            parts.append("\n".join(lines))
        elif parts and parts[-1].startswith("## "):
            parts.pop()
    return marked("\n\n".join(parts))


def _digest(body: str) -> str:
    plain = "\n".join(line.rstrip() for line in body.strip().splitlines())
    return hashlib.blake2b(plain.encode(), digest_size=8).hexdigest()


SUCCESS = 0.5
"""Cases from this quality on show how to do it; the others show what can go wrong."""
SMALLEST = 2
EXAMPLES = 5
LESSONS = 12
SOURCES = 10
"""Cases that the page names; all are named in its front matter."""
TOLD_STEPS = 12
LEARNED = "## Learned since"

_OUR_DESCRIPTION = re.compile(r"How to .+ \(from (\d+) runs\)")


def enough(cases: Sequence[Case]) -> bool:
    """Whether a skill can be made: two cases at least, and one of them a success."""
    return len(cases) >= SMALLEST and any(case.quality_score >= SUCCESS for case in cases)


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
        raise ValueError("a skill needs at least two cases and one success")
    known = {source: at for at, source in enumerate(old.source_case_ids)} if old else {}
    ordered = sorted(
        {public_id(case): case for case in cases}.values(),
        key=lambda case: (known.get(public_id(case), len(known)), *age(case)),
    )
    ids = tuple(public_id(case) for case in ordered)
    confidence, maturity = confidence_of(ordered), maturity_of(ordered, now)
    if old is None:
        name = free_name(skill_name(_intents(ordered)) or entry.replace("_", "-"), taken)
        owner, first, description = ordered[0].owner, now, _description(ordered, told)
    else:
        name, owner, entry, first = old.name, old.owner, old.local_id, old.timestamp
        ours = not old.description or _OUR_DESCRIPTION.fullmatch(old.description)
        description = _description(ordered, told) if ours else old.description
    content = _body(ordered, told)
    if old is not None and not untouched(old.content):
        fresh = [case for case in ordered if public_id(case) not in known]
        ids = (*dict.fromkeys([*old.source_case_ids, *ids]),)
        content, description = _with_lessons(old.content, fresh), _counted(old.description, len(ids))
    return Skill(owner, entry, name, description, content, confidence, maturity, ids, first)


def without_cases(skill: Skill, gone: Collection[str]) -> Skill:
    """The skill after these of its cases were deleted. What they taught stays, but for the lines that cite them."""
    left = tuple(source for source in skill.source_case_ids if source not in gone)
    description = _counted(skill.description, len(left)) if left else skill.description
    return replace(skill, source_case_ids=left, description=description, content=without_lines(skill.content, gone))


def confidence_of(cases: Sequence[Case]) -> float:
    """W / (W + 1 + F / 2): W is the summed quality of the successes, F the number of failures.

    It rises with each success and with its quality, falls with each failure, and never reaches 1.
    """
    gained = sum(case.quality_score for case in cases if case.quality_score >= SUCCESS)
    failures = sum(case.quality_score < SUCCESS for case in cases)
    return round(gained / (gained + 1 + failures / 2), 2)


def maturity_of(cases: Sequence[Case], now: int) -> float:
    """0.5 x s / (s + 2) + 0.3 x (1 - 1 / d) + 0.2 x r, and 0 without a success.

    s: number of successes; d: number of days with one; r: halves with every 180 days since the last.
    """
    successes = [case.timestamp for case in cases if case.quality_score >= SUCCESS]
    if not successes:
        return 0.0
    count, days = len(successes), len({day(moment) for moment in successes})
    age = max(0, now - max(successes)) / DAY_MS
    recency = math.exp2(-age / 180)
    return round(0.5 * count / (count + 2) + 0.3 * (1 - 1 / days) + 0.2 * recency, 2)


def _best_first(cases: Sequence[Case]) -> list[Case]:
    return sorted(cases, key=lambda case: (-case.quality_score, -case.timestamp, case.local_id))


def _intents(cases: Sequence[Case]) -> list[str]:
    return [plain(case.task_intent) for case in _best_first(cases)]


def _description(cases: Sequence[Case], told: SkillAnswer | None = None) -> str:
    if told is not None and (task := one_line(told.how_to.removeprefix("How to "), DESCRIBED)):
        return f"How to {task.rstrip('.')} (from {len(cases)} runs)"
    return f"How to {how_to(_intents(cases))} (from {len(cases)} runs)"


def _counted(description: str, runs: int) -> str:
    """Our description with the number of runs as it is now; one that a person wrote stays."""
    ours = _OUR_DESCRIPTION.fullmatch(description)
    return f"{description[: ours.start(1)]}{runs} runs)" if ours else description


def _body(cases: Sequence[Case], told: SkillAnswer | None = None) -> str:
    best = _best_first(cases)
    intents = list(dict.fromkeys(plain(case.task_intent) for case in best))[:EXAMPLES]
    parts = ["## When to use", "For tasks such as:", "\n".join(f"- {intent}" for intent in intents)]
    steps = [one_line(step, 240) for step in told.steps[:TOLD_STEPS]] if told else []
    if any(steps):
        numbered = [f"{number}. {step}" for number, step in enumerate(filter(None, steps), start=1)]
        parts += ["## Steps", "\n".join(numbered)]
    else:
        parts += _steps(best)
    lessons = _lessons(sorted(cases, key=lambda case: (case.quality_score >= SUCCESS, *age(case))))
    if lessons:
        parts += ["## Lessons", "\n".join(lessons[:LESSONS])]
    sources = [
        f"- `{public_id(case)}` ({day(case.timestamp)}, quality {case.quality_score:.2f}): {plain(case.task_intent)}"
        for case in cases[-SOURCES:]
    ]
    if len(cases) > SOURCES:
        sources.insert(0, "- … and earlier ones")
    return marked("\n\n".join([*parts, "## Sources", "\n".join(sources)]))


def _steps(best: Sequence[Case]) -> list[str]:
    """The steps that good runs share; of the best attempt where there is none."""
    good = [case for case in best if case.quality_score >= SUCCESS]
    if not good:
        return ["## Steps", "No run has succeeded yet. The best attempt:", "\n".join(plain_steps(best[0]))]
    return ["## Steps", *shared_steps(good)]


def _lessons(cases: Sequence[Case]) -> list[str]:
    lines: dict[str, str] = {}
    for case in cases:
        lesson = case.key_insight or (_first_error(case) if case.quality_score < SUCCESS else "")
        if lesson:
            text = one_line(lesson, 240)
            lines.setdefault(text.lower(), f"- {text} (`{public_id(case)}`)")
    return list(lines.values())


def _first_error(case: Case) -> str:
    for line in case.approach.splitlines():
        step = STEP.match(line.strip())
        if step and "`: error" in step["text"]:
            return step["text"].replace("`: error: ", "` failed: ").replace("`: error", "` failed")
    return ""


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
