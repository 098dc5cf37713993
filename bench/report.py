"""Tables in markdown and plots. Nothing here names the machine or its folders."""

from __future__ import annotations

import math
import os
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench import answers, floor, holds, masking, multihop
from bench.code import CodeFigures
from bench.quality import Quality
from bench.timing import Timing

FIGURES = {
    "locomo": ("turn fraction@10", "turn fraction@30", "fact fraction@10", "session any@5"),
    "longmemeval": ("session any@5", "session all@5", "turn any@10", "fact any@10"),
}
TITLES = {"locomo": "LoCoMo", "longmemeval": "LongMemEval-S"}
GOALS = {
    ("locomo", "turn fraction@10"): 0.80,
    ("longmemeval", "session any@5"): 0.99,
    ("longmemeval", "session all@5"): 0.95,
}
JUDGED = "hybrid"
HEAD = "# Newest figures\n\nMade by `make bench`; what they mean stands in `bench/README.md`.\n"
PARTS = (
    "quality",
    "recall",
    "holds",
    "answers",
    "floor",
    "secrets",
    "reading",
    "runs",
    "code",
    "starting",
    "speed",
    "stores",
    "cluster",
    "scale",
    "content",
    "page",
)
ENOUGH = 40
"""Questions below which one more miss would decide about a goal."""
PLOTTED = ("hybrid, an owner of all", "hybrid, one owner of 1,000", "keyword, an owner of all", "message accepted")


def heading() -> str:
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return f"{made}; {system}; load {_load()} when it ended."


def _load() -> str:
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def quality_table(found: Sequence[Quality]) -> str:
    parts = ["## Retrieval quality", "", heading()]
    for one in found:
        names = FIGURES[one.name]
        parts += [
            "",
            f"### {TITLES[one.name]}: {one.questions} questions, {one.turns:,} turns, "
            f"told in {one.ingest_seconds:,.0f} s",
            "",
            f"| method | {' | '.join(names)} | p50 | p95 |",
            f"|---|{'--:|' * (len(names) + 2)}",
        ]
        for method, figures in one.methods.items():
            means = " | ".join(f"{figures.mean(name):.3f}" for name in names)
            times = [figures.percentile("seconds", share) * 1000 for share in (0.5, 0.95)]
            shown = " | ".join(f"{ms:.0f} ms" if ms else "" for ms in times)
            parts.append(f"| {method} | {means} | {shown} |")
        goals = [f"{name} ≥ {goal:g}: {_verdict(one, name, goal)}" for name, goal in _goals(one)]
        parts += ["", f"Goals for {JUDGED}: {'; '.join(goals)}."]
    return "\n".join(parts) + "\n"


def _goals(one: Quality) -> list[tuple[str, float]]:
    return [(name, goal) for (data, name), goal in GOALS.items() if data == one.name]


def _verdict(one: Quality, name: str, goal: float) -> str:
    if one.questions < ENOUGH:
        return "too few questions to tell"
    return "reached" if one.methods[JUDGED].mean(name) >= goal else "**missed**"


def recall_table(found: Sequence[multihop.MultiHop], timings: Sequence[Timing]) -> str:
    parts = ["## Recall over the graph", "", heading()]
    for one in found:
        parts += [
            "",
            f"### {multihop.SETS[one.name]}: {one.questions} questions, {one.passages:,} memories",
            "",
            f"| tool | {' | '.join(multihop.FIGURES)} | p50 |",
            f"|---|{'--:|' * (len(multihop.FIGURES) + 1)}",
        ]
        for way, figures in one.ways.items():
            means = " | ".join(f"{figures.mean(name):.3f}" for name in multihop.FIGURES)
            parts.append(f"| {way} | {means} | {figures.percentile('seconds', 0.5) * 1000:.0f} ms |")
    return "\n".join([*parts, "", *_timing_lines(timings)]) + "\n"


def holds_table(found: holds.Holds) -> str:
    rows = [
        f"| {way} | {' | '.join(f'{first[name]} of {count}' for name, count in found.changes.items())} |"
        for way, first in found.first.items()
    ]
    columns = "| asked by | current value first | of fresh changes |"
    return "\n".join(["## What holds now", "", heading(), "", columns, "|---|--:|--:|", *rows]) + "\n"


def answers_table(found: answers.Answers) -> str:
    rows = [
        f"| {name} | {half.questions} | {half.first / half.questions:.3f} | {half.in_five / half.questions:.3f} |"
        f" {half.shown / half.questions:.0f} |"
        for name, half in found.halves.items()
    ]
    columns = "| half | questions | in the first hit | in the first five | characters of the first hit |"
    return "\n".join(["## The answer can be read", "", heading(), "", columns, "|---|--:|--:|--:|--:|", *rows]) + "\n"


def floor_table(found: floor.Floor) -> str:
    rows = [
        f"| {name} | {half.none} | {half.quiet / half.none:.3f} | {half.some} | {half.right / half.some:.3f} |"
        for name, half in found.halves.items()
    ]
    columns = "| half | prompts that nothing fits | nothing is shown | others | the right memory is shown |"
    return "\n".join(["## The floor", "", heading(), "", columns, "|---|--:|--:|--:|--:|", *rows]) + "\n"


def secrets_table(halves: Mapping[str, masking.Masked]) -> str:
    rows = [
        f"| {name} | {one.secrets} | {one.caught:.1%} | {one.ordinary} | {one.wrong:.1%} |"
        for name, one in halves.items()
    ]
    top = ["| half | kinds of secrets | masked | ordinary texts | touched |", "|---|--:|--:|--:|--:|"]
    return "\n".join(["## Secrets", "", heading(), "", *top, *rows]) + "\n"


def speed_table(found: Sequence[Timing]) -> str:
    return _timings("Speed", found)


def starting_table(found: Sequence[Timing]) -> str:
    return _timings("Starting", found)


def content_table(found: Sequence[Timing]) -> str:
    return _timings("Content tools, 20 template variables for each document", found)


def _timings(title: str, found: Sequence[Timing]) -> str:
    return "\n".join([f"## {title}", "", heading(), "", *_timing_lines(found)]) + "\n"


def _timing_lines(found: Sequence[Timing]) -> list[str]:
    parts = [
        "| what | n | p50 | p95 | cpu p50 | cpu p95 | peer | peer p50 | peer cpu | ratio | budget | holds |",
        "|---|--:|--:|--:|--:|--:|---|--:|--:|--:|---|---|",
    ]
    for one in found:
        holds = "" if one.holds is None else "yes" if one.holds else "by cpu" if one.holds_by_cpu else "**no**"
        size = f"{one.n:,}" if one.n else ""
        numbers = " | ".join(f"{value:.1f} {one.unit}" for value in (one.p50, one.p95))
        spent = f"{_cpu(one.cpu)} | {_cpu(one.cpu_p95)}"
        parts.append(
            f"| {one.name} | {size} | {numbers} | {spent} | {one.peer} | {one.peer_p50:.1f} {one.unit} |"
            f" {_cpu(one.peer_cpu)} | {one.ratio:.2f} | {one.budget} | {holds} |"
        )
    return parts


def _cpu(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.1f} ms"


def code_table(found: CodeFigures) -> str:
    reading = found.reading
    floor = found.findings[0].mrr
    parts = [
        "## Code search",
        "",
        heading(),
        "",
        f"### CoSQA: {found.questions} questions, {found.functions:,} functions",
        "",
        "| method | MRR | recall@10 | p50 | p95 |",
        "|---|--:|--:|--:|--:|",
    ]
    for one in found.findings:
        times = " | ".join(f"{seconds * 1000:.0f} ms" if seconds else "" for seconds in (one.p50, one.p95))
        parts.append(f"| {one.method} | {one.mrr:.3f} | {one.recall:.3f} | {times} |")
    verdict = "reached" if found.findings[-1].mrr > floor else "**missed**"
    parts += [
        "",
        f"Goal: above the floor in the same table: {verdict}.",
        "",
        f"### Reading a source tree: {reading.files:,} files, {reading.megabytes:.0f} MB, {reading.chunks:,} chunks",
        "",
        "| files/s | chunks/s | second pass, nothing changed | peak memory grew by | chunks embedded/s |",
        "|--:|--:|--:|--:|--:|",
        f"| {reading.files / reading.seconds:.0f} | {reading.chunks / reading.seconds:,.0f} | {reading.again:.2f} s"
        f" | {reading.growth:.0f} MB | {reading.embedded:.0f} |",
    ]
    return "\n".join(parts) + "\n"


def plot_quality(found: Sequence[Quality], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6 * len(found), 4), layout="constrained")
    for axes, one in zip(figure.subplots(1, len(found), squeeze=False)[0], found, strict=True):
        names = FIGURES[one.name]
        width = 0.8 / len(one.methods)
        for at, (method, figures) in enumerate(one.methods.items()):
            places = [place + at * width for place in range(len(names))]
            axes.bar(places, [figures.mean(name) for name in names], width, label=method)
        axes.set_xticks([place + 0.4 - width / 2 for place in range(len(names))], names, fontsize=8)
        axes.set_ylim(0, 1)
        axes.set_title(TITLES[one.name])
        axes.legend(fontsize=8, loc="lower right")
    figure.savefig(path, dpi=120)


def plot_speed(found: Sequence[Timing], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for name in PLOTTED:
        points = sorted((one for one in found if one.name == name), key=lambda one: one.n)
        sizes = [one.n for one in points]
        (line,) = axes.plot(sizes, [one.p50 for one in points], marker="o", label=f"{name}, p50")
        axes.plot(sizes, [one.peer_p50 for one in points], linestyle=":", color=line.get_color())
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("memories of one owner")
    axes.set_ylabel("ms (dotted: the peer)")
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=120)


def write(part: str, table: str, results: Path, *, quick: bool) -> None:
    """Keep a dated copy, and put the table into `latest.md`, where other parts stay. A quick run stays apart."""
    results.mkdir(parents=True, exist_ok=True)
    if quick:
        (results / f"quick-{part}.md").write_text(table, encoding="utf-8")
        return
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    (results / f"{part}-{stamp}.md").write_text(table, encoding="utf-8")
    latest = results / "latest.md"
    text = latest.read_text(encoding="utf-8") if latest.exists() else HEAD
    latest.write_text(with_table(text, table), encoding="utf-8")


def with_table(text: str, table: str) -> str:
    """The page with this table in the place of the one that has the same title, or behind all others."""
    head, *sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    titled = {section.partition("\n")[0]: section for section in [*sections, table]}
    return "\n\n".join(part.strip() for part in [head, *titled.values()]) + "\n"
