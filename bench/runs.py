"""What is told of agent runs: is the score what was proven, do the lessons and skills hold, is nobody named in them?

Two sets. `bench/labelled/runs-*.txt` are runs written for this repository, with what should be told of each; they are
split once by the hash of their name into a seen half, which may be looked at while building, and an unseen one. The
public runs (`agent-runs/` of the data sets) have only the true reward of each.

A labelled run:

    === name | score: high, none or low | insight: no, or a part of it | skill: … | agent: whose | hidden: names, ids
    U what the user says         A what the agent says
    $ a command                  > tool {"argument": "value"}          < what came back, line by line

`insight: may: part` allows a lesson without asking for one. A skill is asked for by all runs of one agent together.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.progress import Progress

from everlore.config import MemorySection, load
from everlore.engine import Engine, open_engine
from everlore.kinds.case import Case
from everlore.memory import NewMessage, flush, listing, remember
from everlore.memory.write_agent import cases_of
from everlore.types import Cell, Message, Owner, Scope

HERE = Path(__file__).resolve().parent / "labelled"
START, DAY = 1_770_000_000_000, 86_400_000
END_MARK = "###STOP###"
"""The simulated user's, not something a person says."""
SHOWN = 12


@dataclass(frozen=True, slots=True)
class Run:
    name: str
    labels: dict[str, str]
    messages: tuple[dict[str, Any], ...]

    @property
    def agent(self) -> str:
        return self.labels.get("agent", self.name)

    @property
    def seen(self) -> bool:
        return hashlib.sha256(self.agent.encode()).digest()[0] % 2 == 0


@dataclass(frozen=True, slots=True)
class Half:
    """`wrong` lists what is not as it should be, in words."""

    runs: int
    scores: int
    asked: int
    insights: int
    false: int
    skills: int
    groups: int
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Runs:
    seen: Half
    unseen: Half
    rewarded: int
    area: float
    told: int
    """Public runs whose score is not 0.5."""
    insights: tuple[str, ...]
    skills: int


def labelled(paths: Iterable[Path] | None = None) -> Iterator[Run]:
    for path in sorted(paths or HERE.glob("runs-*.txt")):
        for block in path.read_text(encoding="utf-8").split("\n=== ")[1:]:
            head, *lines = block.splitlines()
            name, *labels = (part.strip() for part in head.split("|"))
            given = dict(label.split(":", 1) for label in labels)
            yield Run(name, {key: value.strip() for key, value in given.items()}, tuple(_messages(lines)))


def _messages(lines: Sequence[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in lines:
        mark, text = line[:1], line[2:]
        if mark in "UA" and mark:
            found.append({"role": "user" if mark == "U" else "assistant", "content": text})
        elif mark in "$>" and mark:
            name, _, arguments = ("bash", "", json.dumps({"command": text})) if mark == "$" else text.partition(" ")
            call = {"id": f"c{len(found)}", "type": "function", "function": {"name": name, "arguments": arguments}}
            found.append({"role": "assistant", "content": "", "tool_calls": [call]})
        elif mark == "<" and found[-1]["role"] == "tool":
            found[-1]["content"] += f"\n{text}"
        elif mark == "<":
            found.append({"role": "tool", "content": text, "tool_call_id": f"c{len(found) - 1}"})
    return found


def rewarded(folder: Path) -> Iterator[tuple[Run, float]]:
    with lzma.open(folder / "agent-runs" / "tau-airline-dev.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            given = json.loads(line)
            said = [(one.get("content") or "").replace(END_MARK, "") for one in given["messages"]]
            messages = tuple(one | {"content": text} for one, text in zip(given["messages"], said, strict=True))
            yield Run(given["run"], {"agent": "clerk"}, messages), float(given["reward"])


def cases(run: Run) -> list[Case]:
    scope = Scope()
    messages = [
        Message("", scope, run.name, _sender(run, one), None, one["role"], START, one["content"], one["content"],
                one.get("tool_calls"), one.get("tool_call_id"))
        for one in run.messages
    ]  # fmt: skip
    return cases_of(Cell("mc_0123456789ab", scope, run.name, tuple(messages)), Owner(scope, "agent", run.agent))


def _sender(run: Run, message: dict[str, Any]) -> str:
    return "sam" if message["role"] == "user" else run.agent


def skills(engine: Engine, runs: Sequence[Run]) -> list[str]:
    """What the skills say that these runs of one agent leave behind."""
    scope = Scope("default_app", runs[0].agent.replace("-", "_"))
    for number, run in enumerate(runs):
        at = START + number * DAY
        batch = [
            NewMessage(_sender(run, one), one["role"], at + 1000 * n, one["content"], None, one.get("tool_calls"),
                       one.get("tool_call_id"))
            for n, one in enumerate(run.messages)
        ]  # fmt: skip
        remember(engine, scope, run.name, batch)
        flush(engine, scope, run.name)
    rows = listing(engine, Owner(scope, "agent", runs[0].agent), "skill").rows
    return [f"{row.data['name']}: {row.data['description']}\n{row.data['content']}" for row in rows]


def measure(folder: Path, progress: Progress) -> Runs:
    found = list(labelled())
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as root:
        engine = open_engine(load(memory=MemorySection(root=Path(root))))
        try:
            seen = _half([run for run in found if run.seen], engine, progress)
            unseen = _half([run for run in found if not run.seen], engine, progress)
            public = list(rewarded(folder)) if (folder / "agent-runs").is_dir() else []
            made = len(skills(engine, [run for run, _ in public])) if public else 0
        finally:
            engine.close()
    told = [(cases(run), reward) for run, reward in public]
    scores = [(sum(case.quality_score for case in of) / len(of) if of else 0.5, reward) for of, reward in told]
    lessons = tuple(case.key_insight for of, _ in told for case in of if case.key_insight)
    return Runs(seen, unseen, len(public), area(scores), sum(score != 0.5 for score, _ in scores), lessons, made)


def area(scores: Sequence[tuple[float, float]]) -> float:
    """How often a good run has the higher score of a good and a bad one; equal scores count half."""
    good = [score for score, reward in scores if reward > 0.5]
    bad = [score for score, reward in scores if reward <= 0.5]
    wins = sum((one > two) + (one == two) / 2 for one in good for two in bad)
    return wins / (len(good) * len(bad)) if good and bad else 0.5


def _half(runs: Sequence[Run], engine: Engine, progress: Progress) -> Half:
    wrong: list[str] = []
    scores = asked = insights = false = 0
    for run in progress.track(runs, description="labelled runs"):
        made = cases(run)
        score = made[0].quality_score if made else 0.5
        band = "high" if score > 0.5 else "low" if score < 0.5 else "none"
        scores += band == run.labels["score"]
        if band != run.labels["score"]:
            wrong.append(f"{run.name}: score {score}, should be {run.labels['score']}")
        lesson = " / ".join(case.key_insight for case in made if case.key_insight)
        want = run.labels["insight"]
        part, must = want.removeprefix("may: "), want != "no" and not want.startswith("may: ")
        asked += must
        insights += must and part in lesson
        bad = bool(lesson) and (want == "no" or part not in lesson or _named(run, lesson))
        false += bool(bad)
        if bad or (must and not lesson):
            wrong.append(f"{run.name}: {'FALSE ' if bad else ''}insight {lesson!r}, should be {want!r}")
    groups: dict[str, list[Run]] = {}
    for run in runs:
        if "skill" in run.labels:
            groups.setdefault(run.agent, []).append(run)
    right = 0
    for agent, members in groups.items():
        told = "\n".join(skills(engine, members))
        want = members[0].labels["skill"]
        named = any(_named(run, told) for run in members)
        good = (not told if want == "no" else want in told) and not named
        right += good
        if not good:
            wrong.append(f"{agent}: skills {told[:400]!r}, should be {want!r}")
    return Half(len(runs), scores, asked, insights, false, right, len(groups), tuple(wrong))


def _named(run: Run, text: str) -> bool:
    """Whether the text names what should be hidden in what others read."""
    return any(one.strip() and one.strip() in text for one in run.labels.get("hidden", "").split(","))


def table(found: Runs, heading: str) -> str:
    rows = [
        "| labelled runs | seen | unseen |",
        "|---|--:|--:|",
        f"| runs | {found.seen.runs} | {found.unseen.runs} |",
        f"| score in its band | {found.seen.scores} | {found.unseen.scores} |",
        *(
            f"| {title} | {one(found.seen)} | {one(found.unseen)} |"
            for title, one in (
                ("insights found", lambda half: f"{half.insights} of {half.asked}"),
                ("false insights", lambda half: half.false),
                ("agents whose skills are right", lambda half: f"{half.skills} of {half.groups}"),
            )
        ),
    ]
    public = (
        f"Public runs: {found.rewarded}, AUC of the score against the reward {found.area:.2f}, a score other than 0.5 "
        f"for {found.told}, an insight for {len(found.insights)}, skills {found.skills}."
    )
    wrong = [f"- {line}" for half in (found.seen, found.unseen) for line in half.wrong]
    sample = [f"- {lesson}" for lesson in found.insights[:SHOWN]]
    return "\n".join(["## Agent runs", "", heading, "", *rows, "", public, "",
                      *(["Not as labelled:", "", *wrong, ""] if wrong else []),
                      *(["Insights of public runs:", "", *sample, ""] if sample else [])])  # fmt: skip
