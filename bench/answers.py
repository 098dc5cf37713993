"""Can the answer be read in what a search shows: the sentences of the first hit, and of the first five?

`answers/*.txt` are invented people, each with two talks of about twenty turns (chat, talk with an assistant, coding
runs with tool calls, dictated notes) and natural questions with the words that answer them. Everyone is told to a vault
of their own. Which half somebody belongs to depends on nothing but a hash of the file's name; passages are chosen by
what the seen half and the development conversations teach.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from rich.progress import Progress

from bench.reading_sets import is_seen
from everlore.config import MemorySection, load
from everlore.engine import Engine, open_engine
from everlore.memory import NewMessage, flush, remember
from everlore.search import Hit, Query, recall
from everlore.sync.embedding import embed_pending
from everlore.types import Owner, Scope

FOLDER = Path(__file__).resolve().parent / "answers"
BETWEEN_TURNS = 20_000
TOP = 5
ASSISTANT = "ai"
_SAID = re.compile(r"(?P<speaker>[^\s:]+): (?P<text>.*)")
_CALL = re.compile(r"(?P<name>\w+) (?P<arguments>\{.*\})")


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    answer: str

    def answered(self, text: str) -> bool:
        return re.search(rf"(?<!\w){re.escape(self.answer)}(?!\w)", text, re.IGNORECASE) is not None


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    owner: str
    seen: bool
    talks: tuple[tuple[NewMessage, ...], ...]
    questions: tuple[Question, ...]


@dataclass(slots=True)
class Share:
    """How often the answer can be read, of one half."""

    questions: int = 0
    first: int = 0
    in_five: int = 0
    shown: int = 0
    """Characters of the passages of a first hit, together."""


@dataclass(slots=True)
class Answers:
    halves: dict[str, Share] = field(default_factory=lambda: {"seen": Share(), "unseen": Share()})


def people() -> list[Person]:
    return [_person(path) for path in sorted(FOLDER.glob("*.txt"))]


def measure(progress: Progress) -> Answers:
    found, told = Answers(), people()
    bar = progress.add_task("answers", total=len(told))
    for person in told:
        half = found.halves["seen" if person.seen else "unseen"]
        with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
            engine = open_engine(load(memory=MemorySection(root=Path(folder))))
            try:
                tell(engine, Scope(), person.talks)
                owner = Owner(Scope(), "user", person.owner.lower())
                for question in person.questions:
                    hits = recall(engine, Query(owner, question.text, TOP)).hits["episode"]
                    judge(half, question, [readable(hit) for hit in hits])
            finally:
                engine.close()
        progress.advance(bar)
    return found


def judge(half: Share, question: Question, shown: Sequence[str]) -> None:
    half.questions += 1
    half.first += any(map(question.answered, shown[:1]))
    half.in_five += any(map(question.answered, shown))
    half.shown += sum(map(len, shown[:1]))


def readable(hit: Hit) -> str:
    return "\n".join(passage.text for passage in hit.passages)


def tell(engine: Engine, scope: Scope, talks: Sequence[Sequence[NewMessage]]) -> None:
    engine.embedder.encode(["warm"])
    for number, messages in enumerate(talks):
        remember(engine, scope, f"s{number}", messages)
        flush(engine, scope, f"s{number}")
    while embed_pending(engine, 100):
        pass


def _person(path: Path) -> Person:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    owner = next(line.removeprefix("owner: ") for line in lines if line.startswith("owner: "))
    parts: list[list[str]] = []
    for line in lines[: lines.index("-- asks")]:
        if line.startswith("== "):
            parts.append([])
        if parts:
            parts[-1].append(line)
    asked = [line.removeprefix("? ").split(" => ") for line in lines if line.startswith("? ")]
    talks = tuple(tuple(_messages(part)) for part in parts)
    return Person(path.stem, owner, is_seen(path.stem), talks, tuple(Question(*one) for one in asked))


def _messages(part: Sequence[str]) -> Iterator[NewMessage]:
    start = int(datetime.strptime(part[0], "== %Y-%m-%d %H:%M").replace(tzinfo=UTC).timestamp() * 1000)
    for number, line in enumerate(part[1:]):
        said = _SAID.fullmatch(line)
        if said is None:
            raise ValueError(f"not a line of a talk: {line}")
        moment, text = start + number * BETWEEN_TURNS, said["text"].replace("\\n", "\n")
        match said["speaker"]:
            case "call":
                called = _CALL.fullmatch(said["text"])
                assert called is not None, line
                json.loads(called["arguments"])
                call = {"id": f"c{number}", "type": "function", "function": called.groupdict()}
                yield NewMessage(ASSISTANT, "assistant", moment, "", tool_calls=[call])
            case "tool":
                yield NewMessage(ASSISTANT, "tool", moment, text, tool_call_id=f"c{number - 1}")
            case "ai":
                yield NewMessage(ASSISTANT, "assistant", moment, text)
            case name:
                yield NewMessage(name.lower(), "user", moment, text, sender_name=name)
