"""The public data sets as haystacks: conversations to remember, and questions whose answers lie in known turns.

A question's gold is what the data set says: sessions by their id, turns by `session:number`.
"""

from __future__ import annotations

import json
import lzma
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TURN_SECONDS = 20
"""Between two turns; the data sets date only whole sessions."""

_EVIDENCE = re.compile(r"D(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Turn:
    id: str
    sender_id: str
    sender_name: str | None
    role: str
    timestamp: int
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    id: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    turns: frozenset[str]
    sessions: frozenset[str]


@dataclass(frozen=True, slots=True)
class Haystack:
    """What one owner remembers, in a project of its own."""

    app: str
    project: str
    owner: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]

    @property
    def turns(self) -> int:
        return sum(len(session.turns) for session in self.sessions)


def data_folder() -> Path:
    named = os.environ.get("BENCH_DATA")
    return Path(named).expanduser() if named else ROOT.parent / "shared" / "bench"


def locomo(folder: Path, limit: int | None = None) -> list[Haystack]:
    samples = json.loads((folder / "locomo" / "locomo-dev.json").read_text(encoding="utf-8"))
    return [_locomo(sample) for sample in samples[:limit]]


def _locomo(sample: dict[str, Any]) -> Haystack:
    talk = sample["conversation"]
    numbers = sorted(int(name.split("_")[1]) for name in talk if re.fullmatch(r"session_\d+", name))
    sessions = []
    for number in numbers:
        start = _moment(talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y")
        turns = [
            Turn(
                id=_place(turn["dia_id"]),
                sender_id=turn["speaker"].lower(),
                sender_name=turn["speaker"],
                role="user",
                timestamp=start + 1000 * TURN_SECONDS * at,
                text=f"{turn['text']} [image: {turn['blip_caption']}]" if turn.get("blip_caption") else turn["text"],
            )
            for at, turn in enumerate(talk[f"session_{number}"])
        ]
        sessions.append(Session(str(number), tuple(turns)))
    known = {turn.id for session in sessions for turn in session.turns}
    questions = []
    for asked in sample["qa"]:
        # category 5 asks for what was never said
        gold = frozenset(_place(text) for text in asked["evidence"]) if asked["category"] != 5 else frozenset()
        found = frozenset(place for one in gold for place in one.split(" ")) & known
        if found:
            questions.append(Question(asked["question"], found, frozenset(turn.split(":")[0] for turn in found)))
    return Haystack("locomo", sample["sample_id"], talk["speaker_a"].lower(), tuple(sessions), tuple(questions))


def _place(dialog_id: str) -> str:
    """`D8:6; D9:17` names two turns, `D30:05` one: as `8:6 9:17` and `30:5`."""
    return " ".join(f"{int(session)}:{int(turn)}" for session, turn in _EVIDENCE.findall(dialog_id))


def longmemeval(folder: Path, every: int, limit: int | None = None) -> list[Haystack]:
    lines = (folder / "longmemeval" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [question for question in map(json.loads, lines) if not question["question_id"].endswith("_abs")]
    asked = asked[::every][:limit]
    wanted = {session for question in asked for session, _ in question["haystack"]}
    with lzma.open(folder / "longmemeval" / "sessions.jsonl.xz", "rt", encoding="utf-8") as lines_of_turns:
        talks = {one["sid"]: one["turns"] for one in map(json.loads, lines_of_turns) if one["sid"] in wanted}
    return [_longmemeval(question, talks) for question in asked]


def _longmemeval(question: dict[str, Any], talks: dict[str, list[dict[str, str]]]) -> Haystack:
    owner = f"user-{question['question_id']}"
    sessions = []
    for session, date in question["haystack"]:
        start = _moment(date, "%Y/%m/%d (%a) %H:%M")
        turns = [
            Turn(
                id=f"{session}:{at}",
                sender_id=owner if turn["role"] == "user" else "assistant",
                sender_name=None,
                role=turn["role"],
                timestamp=start + 1000 * TURN_SECONDS * at,
                text=turn["content"],
            )
            for at, turn in enumerate(talks[session])
        ]
        sessions.append(Session(session, tuple(turns)))
    gold = frozenset(f"{session}:{at}" for session, places in question["gold_turns"].items() for at in places)
    asked = Question(question["question"], gold, frozenset(question["gold_sessions"]))
    return Haystack("longmemeval", question["question_id"], owner, tuple(sessions), (asked,))


def _moment(text: str, form: str) -> int:
    return int(datetime.strptime(text, form).replace(tzinfo=UTC).timestamp() * 1000)


def texts(haystacks: list[Haystack]) -> Iterator[str]:
    for haystack in haystacks:
        for session in haystack.sessions:
            for turn in session.turns:
                yield turn.text
