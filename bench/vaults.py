"""A folder with very many owners: what reading all of it takes, and how the memory of that grows with the folder.

Each owner has five files of two days. They are copies of what one owner was told, under another name, so that nearly
all embeddings come from the cache: what is measured is reading, indexing and comparing. Every command is a process.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.progress import Progress

from bench.clients import family_cpu
from bench.server import Server, running
from everlore.config import MemorySection, load
from everlore.engine import open_engine
from everlore.memory import flush, remember
from everlore.memory.remember import NewMessage
from everlore.sync.upkeep import embed_all
from everlore.types import Scope

FIRST = "somebody"
FILES = 5
START = 1_780_000_000_000
DAY_MS = 86_400_000
TOLD = ("I live in Lisbon and I keep bees. My sister Ada works at Acme.", "Yesterday we sailed to Cascais.")
MORE_MB = 100
"""What ten times the files may take in memory beyond what they took before: their names and times."""


@dataclass(frozen=True, slots=True)
class Took:
    seconds: float
    """Of processor time."""
    mebibytes: float
    """The most memory it held."""


@dataclass(frozen=True, slots=True)
class Vaults:
    owners: int
    commands: dict[str, Took]
    read: float
    """The share of the files that a server had read when the first of them were found by their meaning."""


def measure(owners: Sequence[int], work: Path, progress: Progress) -> list[Vaults]:
    return [_at_size(count, work / "vaults", progress) for count in owners]


def _at_size(owners: int, work: Path, progress: Progress) -> Vaults:
    bar = progress.add_task(f"scale: {owners * FILES:,} files of {owners:,} owners", total=5)
    shutil.rmtree(work, ignore_errors=True)
    root = work / "vault"
    _fill(root, owners)
    progress.advance(bar)
    commands = {}
    for name, words in {
        "index rebuild": ["index", "rebuild"],
        "doctor": ["doctor"],
        "export": ["export", str(work / "exported")],
    }.items():
        commands[name] = _command(root, words)
        progress.advance(bar)
    for file in (root / ".everlore").glob("index.db*"):
        file.unlink()
    with running(root) as server:
        read = _until_meaning(server)
        while (index := server.health()["index"])["queued"] or index["unembedded"]:
            time.sleep(1)
        pid = server.process.pid
        commands["server, until all is indexed"] = Took(family_cpu(pid), _peak(pid))
    progress.advance(bar)
    shutil.rmtree(work)
    return Vaults(owners, commands, read)


def table(found: Sequence[Vaults]) -> str:
    columns = " | ".join(f"{one.owners * FILES:,} files of {one.owners:,} owners" for one in found)
    lines = [f"| reading all | {columns} | budget |", f"|---|{'--:|' * (len(found) + 1)}"]
    for name in found[0].commands:
        took = [one.commands[name] for one in found]
        lines.append(f"| {name}, processor time | {' | '.join(f'{one.seconds:,.1f} s' for one in took)} | |")
        most = f"< {took[0].mebibytes + MORE_MB:,.0f} MB"
        lines.append(f"| {name}, memory | {' | '.join(f'{one.mebibytes:,.0f} MB' for one in took)} | {most} |")
    shares = " | ".join(f"{one.read:.1%}" for one in found)
    lines.append(f"| files that a server has read when the first are found by meaning | {shares} | < 50% |")
    return "\n".join(lines) + "\n"


def _fill(root: Path, owners: int) -> None:
    engine = open_engine(load(memory=MemorySection(root=root)))
    for day, text in enumerate(TOLD):
        remember(engine, Scope(), f"s{day}", [NewMessage(FIRST, "user", START + day * DAY_MS, text)])
        flush(engine, Scope(), f"s{day}")
    embed_all(engine, lambda *_: None)  # so that no command has to load the model for it
    first = next(root.rglob(f"users/{FIRST}"))
    files = {path.relative_to(first): path.read_text(encoding="utf-8") for path in first.rglob("*.md")}
    engine.close()
    if len(files) != FILES:
        raise RuntimeError(f"an owner has {len(files)} files instead of {FILES}: {', '.join(map(str, files))}")
    for number in range(1, owners):
        name = f"owner{number:05}"
        for path, text in files.items():
            target = first.parent / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text.replace(FIRST, name), encoding="utf-8")


def _command(root: Path, words: Sequence[str]) -> Took:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EVEROS_")}
    command = [sys.executable, "-m", "everlore", *words]
    with subprocess.Popen(command, env=kept | {"EVEROS_MEMORY__ROOT": str(root)}, stdout=subprocess.DEVNULL) as process:
        most = 0.0
        while process.poll() is None:
            most = max(most, _peak(process.pid))
            seconds = family_cpu(process.pid)
            time.sleep(0.05)
    if process.returncode:
        raise RuntimeError(f"everlore {' '.join(words)} failed")
    return Took(seconds, most)


def _until_meaning(server: Server) -> float:
    """The share of the files that were read when the first memories had vectors."""
    while True:
        index = server.health()["index"]
        if index["units"] > index["unembedded"]:
            return float(index["files"] / (index["files"] + index["queued"]))
        time.sleep(0.05)


def _peak(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), 0.0)
