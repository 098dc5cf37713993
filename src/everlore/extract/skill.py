"""Skills: what the similar cases of one agent have in common, as a page that a person can read and edit.

Pure and deterministic: the same cases give the same page. A page that a person has changed stays theirs: the
generated body carries a mark with its own hash, and where the two no longer agree, only the front matter is
brought up to date and new lessons are added under "## Learned since".
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray
from Stemmer import Stemmer

from everlore.clock import day
from everlore.extract.prompts import SkillAnswer
from everlore.extract.trajectory import one_line
from everlore.kinds.case import Case
from everlore.kinds.skill import Skill
from everlore.types import Key

COSINE = 0.80
"""Chosen on 33 pairs of intents with the offline model, on `cluster_text`: it joins 10 of 16 pairs of the same
task and 1 of 17 pairs that only share their objects. Of 10 + 10 pairs written afterwards it joins 7 and 3; the
three are opposites (back up, restore), which intents alone do not tell apart. A missed pair costs less than a
muddled skill."""
JACCARD = 0.33
"""The same pairs by their words alone: 8 of 16 and 3 of 17."""
SUCCESS = 0.2
"""Cases below this quality do not count as successes."""
GOOD = 0.5
"""Cases from this quality on show how to do it; the others show what can go wrong."""
SMALLEST = 2
EXAMPLES = 5
LESSONS = 12
TOLD_STEPS = 12
LEARNED = "## Learned since"

_STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can could do for from had has have how i if in into is it its me my of on or our "
        "please so some that the their them then there this to up us use user was we what when where which who why "
        "will with would you your asked someone something",
    )
)
_SPECIFIC = re.compile(
    r"\S+@\S+|`[^`]+`|\"[^\"]+\"|“[^”]+”|(?<!\S)[/~]\S+|\b[\w.#-]*\d[\w.#:-]*"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:'s)?\b|\b(?:today|tomorrow|tonight|yesterday)(?:'s)?\b",
    re.I,
)
_NAMES = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?:'s)?(?: [A-Z][a-z]+)*")
_ASKED_BY = re.compile(r" \(asked by [^)]*\)$")
_WORD = re.compile(r"[^\W_]+")
_STEP = re.compile(r"^\d+\. (?:\([^)]*\) )?(?P<text>.+)$")
_CALL = re.compile(r"^`(?P<label>(?P<name>[^`(]+)\([^`]*\))`: (?P<outcome>ok|error|no result)")
_MARK = re.compile(r"\n*<!-- written by Everlore ([0-9a-f]{16}) -->\s*$")
_OUR_DESCRIPTION = re.compile(r"How to .+ \(from (\d+) runs\)")
_NOT_IMPERATIVE = re.compile(
    r"(?:what|when|where|which|who|why|how|is|are|was|does|did|do|i|my|we|our|the|a|an|it|there|this|that)\b|\W|.*\?$",
    re.I,
)


def cluster_text(case: Case) -> str:
    """The task without its names, numbers and dates: what to embed when looking for cases of the same task."""
    text = _ASKED_BY.sub("", case.task_intent)
    return " ".join(_NAMES.sub("someone", _SPECIFIC.sub(" ", text)).split())


def public_id(case: Case) -> str:
    return Key(case.owner, "case", case.entry).public_id


def assign(
    new_case: Case, cases: Sequence[Case], vectors: NDArray[np.float32] | None = None, threshold: float | None = None
) -> list[Case]:
    """The cluster of `new_case`: itself and the cases of the same task, oldest first.

    `vectors` has the unit vectors of `cluster_text` for `cases` and, last, for `new_case`; without vectors the
    words are compared. The nearest case to the centroid joins as long as it is near enough. Cases that both
    used tools, but none in common, are different tasks however alike they read.
    """
    everyone = [*cases, new_case]
    if vectors is not None and len(vectors) != len(everyone):
        raise ValueError("assign needs a vector for each case and one for the new case")
    limit = threshold if threshold is not None else JACCARD if vectors is None else COSINE
    words = [_stems(cluster_text(case)) for case in everyone] if vectors is None else []
    tools = [{name for name, _, _ in _calls(case)} for case in everyone]
    members = [len(cases)]
    free = [
        at
        for at, case in enumerate(cases)
        if case.entry != new_case.entry and (not tools[at] or not tools[-1] or tools[at] & tools[-1])
    ]
    while free:
        near = _nearness(free, members, vectors, words)
        best = min(range(len(free)), key=lambda n: (-near[n], everyone[free[n]].timestamp, everyone[free[n]].entry))
        if near[best] < limit:
            break
        members.append(free.pop(best))
    return sorted((everyone[at] for at in members), key=_age)


def _nearness(
    free: Sequence[int], members: Sequence[int], vectors: NDArray[np.float32] | None, words: Sequence[frozenset[str]]
) -> list[float]:
    if vectors is not None:
        centroid = vectors[list(members)].sum(axis=0)
        length = float(np.linalg.norm(centroid)) or 1.0
        # rounded, so that the last bits of a float never decide who joins first
        return [round(float(near), 5) for near in vectors[list(free)] @ centroid / length]
    return [sum(_jaccard(words[at], words[member]) for member in members) / len(members) for at in free]


def gather(
    new_case: Case,
    cases: Sequence[Case],
    skills: Sequence[Skill],
    vectors: NDArray[np.float32] | None = None,
    threshold: float | None = None,
) -> tuple[list[Case], Skill | None]:
    """The cluster of `new_case` and the skill it belongs to, with all cases that the skill was made from."""
    members = assign(new_case, cases, vectors, threshold)
    ids = {public_id(case) for case in members}
    shared = [(len(ids & set(skill.source_case_ids)), skill) for skill in skills]
    most = max((count for count, _ in shared), default=0)
    if not most:
        return members, None
    old = min((skill for count, skill in shared if count == most), key=lambda skill: (skill.timestamp, skill.entry))
    sources = [case for case in cases if public_id(case) in old.source_case_ids and public_id(case) not in ids]
    return sorted([*members, *sources], key=_age), old


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
        key=lambda case: (known.get(public_id(case), len(known)), *_age(case)),
    )
    ids = tuple(public_id(case) for case in ordered)
    confidence, maturity = confidence_of(ordered), maturity_of(ordered, now)
    if old is None:
        name = _free_name(_name(ordered) or entry.replace("_", "-"), taken)
        owner, first, description = ordered[0].owner, now, _description(ordered, told)
    else:
        name, owner, entry, first = old.name, old.owner, old.entry, old.timestamp
        ours = not old.description or _OUR_DESCRIPTION.fullmatch(old.description)
        description = _description(ordered, told) if ours else old.description
    content = _body(ordered, told)
    if old is not None and not _untouched(old.content):
        fresh = [case for case in ordered if public_id(case) not in known]
        ids = (*dict.fromkeys([*old.source_case_ids, *ids]),)
        content, description = _with_lessons(old.content, fresh), _counted(old.description, len(ids))
    return Skill(owner, entry, name, description, content, confidence, maturity, ids, first)


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
    age = max(0, now - max(successes)) / 86_400_000
    recency = math.exp2(-age / 180)
    return round(0.5 * count / (count + 2) + 0.3 * (1 - 1 / days) + 0.2 * recency, 2)


def _age(case: Case) -> tuple[int, str]:
    return case.timestamp, case.entry


def _best_first(cases: Sequence[Case]) -> list[Case]:
    return sorted(cases, key=lambda case: (-case.quality_score, -case.timestamp, case.entry))


def _intent(case: Case) -> str:
    return _ASKED_BY.sub("", one_line(case.task_intent, 200)).rstrip(".")


def _stems(text: str) -> frozenset[str]:
    words = [word.lower() for word in _WORD.findall(text)]
    return frozenset(_stemmed([word for word in words if word not in _STOP]).values())


def _stemmed(words: Sequence[str]) -> dict[str, str]:
    # a stemmer keeps state and is not for several threads; making one is cheap
    return dict(zip(words, Stemmer("english").stemWords(words), strict=True))


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _name(cases: Sequence[Case]) -> str:
    """Up to four words that at least half of the intents share, in the order of the best one."""
    texts = [_WORD.findall(cluster_text(case).lower()) for case in _best_first(cases)]
    forms = Counter(word for words in texts for word in words if word not in _STOP)
    stems = _stemmed(list(forms))
    spread = Counter(stem for words in texts for stem in {stems[word] for word in words if word in stems})
    common = (stems[word] for word in forms if spread[stems[word]] > 1 and spread[stems[word]] * 2 >= len(texts))
    chosen = [
        min((form for form in forms if stems[form] == stem), key=lambda form: (-forms[form], len(form), form))
        for stem in dict.fromkeys(common)
    ]
    words = chosen[:4] or list(forms)[:3]
    return "-".join(words)[:48].strip("-")


def _free_name(name: str, taken: Collection[str]) -> str:
    number = 2
    free = name
    while free in taken:
        free = f"{name}-{number}"
        number += 1
    return free


def _description(cases: Sequence[Case], told: SkillAnswer | None = None) -> str:
    if told is not None and (how_to := one_line(told.how_to.removeprefix("How to "), 140)):
        return f"How to {how_to.rstrip('.')} (from {len(cases)} runs)"
    intent = _intent(_best_first(cases)[0])
    task = f"handle “{intent}”" if _NOT_IMPERATIVE.match(intent) else intent[:1].lower() + intent[1:]
    return f"How to {one_line(task, 140)} (from {len(cases)} runs)"


def _counted(description: str, runs: int) -> str:
    """Our description with the number of runs as it is now; one that a person wrote stays."""
    ours = _OUR_DESCRIPTION.fullmatch(description)
    return f"{description[: ours.start(1)]}{runs} runs)" if ours else description


def _body(cases: Sequence[Case], told: SkillAnswer | None = None) -> str:
    best = _best_first(cases)
    intents = list(dict.fromkeys(_intent(case) for case in best))[:EXAMPLES]
    parts = ["## When to use", "For tasks such as:", "\n".join(f"- {intent}" for intent in intents)]
    steps = [one_line(step, 240) for step in told.steps[:TOLD_STEPS]] if told else []
    if any(steps):
        numbered = [f"{number}. {step}" for number, step in enumerate(filter(None, steps), start=1)]
        parts += ["## Steps", "\n".join(numbered)]
    else:
        parts += _steps(best)
    lessons = _lessons(sorted(cases, key=lambda case: (case.quality_score >= GOOD, *_age(case))))
    if lessons:
        parts += ["## What went wrong before", "\n".join(lessons[:LESSONS])]
    sources = [
        f"- `{public_id(case)}` ({day(case.timestamp)}, quality {case.quality_score:.2f}): {_intent(case)}"
        for case in cases
    ]
    body = "\n\n".join([*parts, "## Sources", "\n".join(sources)])
    return f"{body}\n\n<!-- written by Everlore {_digest(body)} -->"


def _steps(best: Sequence[Case]) -> list[str]:
    """The steps of the best run that most good runs share, with how other runs did them and what they added."""
    good = [case for case in best if case.quality_score >= GOOD] or [c for c in best if c.quality_score >= SUCCESS]
    heading = "## Steps"
    if not good:
        return [heading, "No run has succeeded yet. The best attempt:", "\n".join(_plain_steps(best[0]))]
    runs = [[(name, label) for name, label, ok in _calls(case) if ok] for case in good]
    main = next((run for run in runs if run), None)
    if main is None:
        return [heading, "\n".join(_plain_steps(good[0]))]
    users = Counter(name for run in runs for name in {name for name, _ in run})
    shared = list(dict.fromkeys(step for step in main if users[step[0]] * 2 > len(runs))) or main
    lines: list[str] = []
    told: set[str] = set()
    for number, (name, label) in enumerate(shared, start=1):
        alike = {other: None for run in runs for tool, other in run if tool == name and (tool, other) not in shared}
        others = [] if name in told else list(alike)[:2]
        told.add(name)
        lines.append(f"{number}. `{label}`" + (f" (other runs: {_quoted(others)})" if others else ""))
    extra = list(dict.fromkeys(label for run in runs for name, label in run if name not in told))[:3]
    return [heading, "\n".join(lines), *([f"Some runs also used {_quoted(extra)}."] if extra else [])]


def _quoted(labels: Sequence[str]) -> str:
    return ", ".join(f"`{label}`" for label in labels)


def _plain_steps(case: Case) -> list[str]:
    lines = [line.strip() for line in case.approach.splitlines() if line.strip()]
    numbered = [match["text"] for line in lines if (match := _STEP.match(line))] or lines
    return [f"{number}. {one_line(text, 200)}" for number, text in enumerate(numbered[:12], start=1)]


def _calls(case: Case) -> list[tuple[str, str, bool]]:
    """Name, label and success of each tool call that the approach tells of, in order."""
    found = []
    for line in case.approach.splitlines():
        step = _STEP.match(line.strip())
        call = _CALL.match(step["text"]) if step else None
        if call:
            found.append((call["name"], call["label"], call["outcome"] != "error"))
    return found


def _lessons(cases: Sequence[Case]) -> list[str]:
    lines: dict[str, str] = {}
    for case in cases:
        lesson = case.key_insight or (_first_error(case) if case.quality_score < GOOD else "")
        if lesson:
            text = one_line(lesson, 240)
            lines.setdefault(text.lower(), f"- {text} (`{public_id(case)}`)")
    return list(lines.values())


def _first_error(case: Case) -> str:
    for line in case.approach.splitlines():
        step = _STEP.match(line.strip())
        if step and "`: error" in step["text"]:
            return step["text"].replace("`: error: ", "` failed: ").replace("`: error", "` failed")
    return ""


def _plain(body: str) -> str:
    return "\n".join(line.rstrip() for line in body.strip().splitlines())


def _digest(body: str) -> str:
    return hashlib.blake2b(_plain(body).encode(), digest_size=8).hexdigest()


def _untouched(content: str) -> bool:
    """Whether the body still is what was generated. Blanks at line ends, which editors change, do not count."""
    mark = _MARK.search(content)
    return mark is not None and _digest(content[: mark.start()]) == mark[1]


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
