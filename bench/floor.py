"""Is nothing shown where nothing fits, and the right memory where one does?

`floor/*.txt` are prompts of ten invented people: `?` with a word of the memory that should be recalled, `!` for those
that should recall nothing. `filler` other memories, sentences of LongMemEval's users, stand beside what they told.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from bench.answers import readable, tell
from bench.data import data_folder, longmemeval, texts
from everlore.config import MemorySection, load
from everlore.engine import open_engine
from everlore.memory import NewMessage
from everlore.search import Query, floor, recall
from everlore.search.passages import asked_for
from everlore.search.recall import ranked
from everlore.search.recipes import CONTEXT, HYBRID
from everlore.types import Owner, Scope

FOLDER = Path(__file__).resolve().parent / "floor"
FILLER = 60
"""Other memories of a person at most: embedding them takes the time."""
EACH, BRIEF, EVERY = 4, 300, 60
START, DAY, BETWEEN_TURNS = 1_760_000_000_000, 86_400_000, 20_000
TOP = 5
OWNER = Owner(Scope(), "user", "me")
_SAID = re.compile(r"(?P<speaker>me|ai): (?P<text>.*)")


@dataclass(frozen=True, slots=True)
class Prompt:
    text: str
    answer: str | None

    def found_in(self, text: str) -> bool:
        return self.answer is not None and self.answer.lower() in text.lower()


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    seen: bool
    filler: int
    talks: tuple[tuple[NewMessage, ...], ...]
    prompts: tuple[Prompt, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """What a prompt finds: each memory as the floor sees it, whether it holds the answer, and what is shown."""

    prompt: Prompt
    given: NDArray[np.float32]
    vector: NDArray[np.float32] | None
    model: str
    holds: list[bool]
    shown: list[str]


@dataclass(slots=True)
class Half:
    none: int = 0
    quiet: int = 0
    some: int = 0
    right: int = 0


@dataclass(slots=True)
class Floor:
    halves: dict[str, Half] = field(default_factory=lambda: {"seen": Half(), "unseen": Half()})


def people() -> list[Person]:
    return [_person(path) for path in sorted(FOLDER.glob("*.txt"))]


def measure(progress: Progress) -> Floor:
    found, told = Floor(), people()
    bar = progress.add_task("floor", total=len(told))
    for person in told:
        half = found.halves["seen" if person.seen else "unseen"]
        for one in answered(person):
            if one.prompt.answer is None:
                half.none += 1
                half.quiet += not one.shown
            else:
                half.some += 1
                half.right += any(map(one.prompt.found_in, one.shown))
        progress.advance(bar)
    return found


def answered(person: Person) -> Iterator[Answered]:
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
        engine = open_engine(load(memory=MemorySection(root=Path(folder))))
        try:
            tell(engine, Scope(), [*person.talks, *_filler(min(person.filler, FILLER))])
            for prompt in person.prompts:
                query = Query(OWNER, prompt.text, TOP)
                [stage] = [one for one in ranked(engine, query, HYBRID) if one.kind == "episode"]
                given = floor.features(asked_for(stage.ask, stage.stats), stage.told, stage.stats)
                holds = [prompt.found_in(str(one.stored.data["episode"])) for one in stage.told]
                shown = [readable(hit) for hit in recall(engine, query, CONTEXT).hits["episode"]]
                yield Answered(prompt, given, stage.ask.vector, engine.embedder.name, holds, shown)
        finally:
            engine.close()


def _filler(count: int) -> Iterator[list[NewMessage]]:
    """Where there is no LongMemEval, none."""
    if not (data_folder() / "longmemeval").is_dir():
        return
    brief = (text for text in texts(longmemeval(data_folder(), EVERY)) if len(text) < BRIEF)
    for number in range(count // EACH):
        start = START + number * DAY
        yield [
            NewMessage("me", "user", start + BETWEEN_TURNS * at, text) for at, text in enumerate(islice(brief, EACH))
        ]


def _person(path: Path) -> Person:
    told: dict[str, str] = {}
    talks: list[tuple[str, str, list[tuple[str, str]]]] = []
    prompts: list[Prompt] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark in ("filler:", "half:"):
            told[mark] = rest
        elif mark == "==":
            day, _, project = rest.partition(" ")
            talks.append((day, project, []))
        elif mark in ("?", "!"):
            text, _, answer = rest.rpartition(" => ") if mark == "?" else (rest, "", "")
            prompts.append(Prompt(text.replace("\\n", "\n"), answer or None))
        elif said := _SAID.fullmatch(line):
            talks[-1][2].append((said["speaker"], said["text"]))
    messages = tuple(tuple(_messages(*talk)) for talk in talks)
    return Person(path.stem, told["half:"] == "seen", int(told["filler:"]), messages, tuple(prompts))


def _messages(day: str, project: str, said: list[tuple[str, str]]) -> Iterator[NewMessage]:
    start = int(datetime.strptime(f"{day} 09:00", "%Y-%m-%d %H:%M").replace(tzinfo=UTC).timestamp() * 1000)
    for at, (speaker, text) in enumerate(said):
        role, sender = ("user", "me") if speaker == "me" else ("assistant", "ai")
        yield NewMessage(sender, role, start + BETWEEN_TURNS * at, text, project=project)  # type: ignore[arg-type]
