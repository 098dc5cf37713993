"""How true the memories read: changes, corrections, facts, rules, dates, boundaries; `python -m bench --only reading`.

Everything is told as one person would tell it and read back as the vault would have it. The seen half is what the
reader was built on; the unseen half is the figure. Examples of each kind of error, of the seen half only, stand below.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from rich.progress import Progress

from bench.reading_sets import changes, corrections, is_seen, judged_sentences, load
from bench.reading_told import Told
from everlore.config import BoundarySection
from everlore.extract.boundary import Vectors, find_cells
from everlore.extract.rules import CATEGORY
from everlore.extract.sentences import content_words
from everlore.extract.when import with_dates
from everlore.models.offline import OfflineEmbedder
from everlore.types import Message, Scope

SAME = 0.7
"""Share of its words by which a fact is known as that of a sentence."""
EXAMPLES = 4
"""Errors of a kind that are shown."""
TOLD_AT = int(datetime(2024, 5, 15, 12, tzinfo=UTC).timestamp() * 1000)
SCOPE = Scope("bench", "reading")


@dataclass
class Line:
    """One row of the table: how many of how many, for each half."""

    what: str
    hits: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    of: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    errors: list[str] = field(default_factory=list)

    def add(self, hit: bool, *, seen: bool, error: str = "") -> None:
        self.of[seen] += 1
        self.hits[seen] += hit
        if error and seen:
            self.errors.append(error)


@dataclass(frozen=True, slots=True)
class Segmented:
    """How well boundaries are found in one set of dialogues, and what no boundary at all would score."""

    name: str
    pk: float
    window_diff: float
    f1: float
    none: float


@dataclass(frozen=True, slots=True)
class Reading:
    lines: list[Line]
    boundaries: list[Segmented]


def measure(folder: Path, progress: Progress) -> Reading:
    parts: list[Callable[[OfflineEmbedder, Path], list[Line]]] = [
        _changes,
        _corrections,
        _rules,
        _profile,
        _facts,
        _dates,
    ]
    bar = progress.add_task("how it reads", total=len(parts) + 1)
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="everlore-bench-") as cache:
        embedder = OfflineEmbedder(Path(cache), 2)
        for part in parts:
            lines += part(embedder, folder)
            progress.advance(bar)
        found = list(_boundaries(embedder, folder / "dialseg"))
        progress.advance(bar)
        embedder.close()
    return Reading(lines, found)


def _changes(embedder: OfflineEmbedder, _: Path) -> list[Line]:
    lines: dict[str, Line] = {}
    for one in changes():
        told = Told(embedder)
        told.say(one.before)
        told.say(one.after)
        ended = bool(told.ended)
        kind = "changes that end the older statement" if one.ends else "wrong ends (the older one still holds)"
        wrong = ended != one.ends
        for name in (kind, f"– {one.group}") if one.ends else (kind,):
            line = lines.setdefault(name, Line(name))
            line.add(ended, seen=one.seen, error=f"{one.before} / {one.after}" if wrong and name == kind else "")
    return list(lines.values())


def _corrections(embedder: OfflineEmbedder, _: Path) -> list[Line]:
    line = Line("corrections: only the right value stands")
    for one in corrections():
        told = Told(embedder)
        told.say(*one.messages)
        text = " ".join(fact.text for fact in told.facts)
        right = one.right.lower() in text.lower() and one.wrong.lower().strip(".,") not in _without(text, one.right)
        line.add(right, seen=one.seen, error="" if right else f"{' / '.join(one.messages)} -> {text}")
    return [line]


def _without(text: str, right: str) -> str:
    return text.lower().replace(right.lower(), "")


def _rules(embedder: OfflineEmbedder, _: Path) -> list[Line]:
    kept, wrong, back = (
        Line("rules kept, first in the profile"),
        Line("no rules, yet kept as such"),
        Line("rules that end when taken back"),
    )
    table = load("rules")
    for text in table["rules"]:
        told = Told(embedder)
        told.say("I live in Graz. I love jazz.")
        told.say(text)
        listed = told.profile.explicit_info if told.profile else ()
        good = bool(listed) and listed[0].category == CATEGORY
        kept.add(good, seen=is_seen(text), error="" if good else text)
    for text in table["others"]:
        told = Told(embedder)
        told.say(text)
        found = any(fact.category == CATEGORY for fact in told.facts)
        wrong.add(found, seen=is_seen(text), error=text if found else "")
    for text, later in table["taken_back"]:
        told = Told(embedder)
        told.say(text)
        told.say(later)
        over = any(fact.category == CATEGORY for fact in told.ended)
        back.add(over, seen=is_seen(text, later), error="" if over else f"{text} / {later}")
    return [kept, wrong, back]


def _profile(embedder: OfflineEmbedder, _: Path) -> list[Line]:
    listed, noise = Line("profile: what belongs there is there"), Line("profile: noise that is listed")
    table = load("profile")
    for category, texts in table["belongs"].items():
        for text in texts:
            told = Told(embedder)
            told.say(text)
            found = {info.category for info in told.profile.explicit_info} if told.profile else set()
            listed.add(category in found, seen=is_seen(text), error="" if category in found else f"{category}: {text}")
    for text in table["noise"]:
        told = Told(embedder)
        told.say(text)
        found = {info.category for info in told.profile.explicit_info} if told.profile else set()
        noise.add(bool(found), seen=is_seen(text), error=text if found else "")
    return [listed, noise]


def _facts(embedder: OfflineEmbedder, folder: Path) -> list[Line]:
    """Of the judged sentences that become facts, how many are worth it; and of those worth it, how many do."""
    good, kept = Line("facts worth keeping and clear alone"), Line("what is worth keeping is kept")
    for one in judged_sentences(folder):
        friends = ":" in one.place[0] and one.place[0].partition(":")[0].isdigit()
        told = Told(embedder, friends=friends)
        held = set(content_words(one.text))
        said = [set(content_words(draft.text)) for draft in told.draft(one.place[1]) if not draft.tentative]
        drafts = [words for words in said if held and len(words & held) >= SAME * min(len(words), len(held))]
        if drafts:
            good.add(one.keep, seen=is_seen(one.text))
        if one.keep:
            kept.add(bool(drafts), seen=is_seen(one.text))
    return [good, kept]


def _dates(_: OfflineEmbedder, __: Path) -> list[Line]:
    lines = []
    for code, told in load("dates").items():
        line = Line(f"relative dates: {code}")
        for text, meaning in told:
            found = f"({meaning})" in with_dates(text, TOLD_AT)
            line.add(found, seen=is_seen(text), error="" if found else text)
        lines.append(line)
    return lines


def _boundaries(embedder: OfflineEmbedder, folder: Path) -> Iterator[Segmented]:
    sets = {file.stem.split("_")[1]: _dialogues(file) for file in sorted(folder.glob("*.json"))}
    if sets:
        sets["joined (like DialSeg)"] = _joined(max(sets.values(), key=len))
    for name, talks in sets.items():
        scores = []
        for texts, marks in talks[:150]:
            vectors = embedder.encode(texts)
            scores.append((_score(marks, _found(texts, vectors)), _score(marks, [0] * len(marks))[0]))
        true, wrong, missed = (sum(score[place] for score, _ in scores) for place in (2, 3, 4))
        yield Segmented(
            name,
            float(np.mean([score[0] for score, _ in scores])),
            float(np.mean([score[1] for score, _ in scores])),
            2 * true / max(1, 2 * true + wrong + missed),
            float(np.mean([none for _, none in scores])),
        )


def _dialogues(file: Path) -> list[tuple[list[str], list[int]]]:
    read = json.loads(file.read_text(encoding="utf-8"))
    return [([text.partition(": ")[2] or text for text in one["utterances"]], one["boundaries"]) for one in read]


def _joined(talks: list[tuple[list[str], list[int]]]) -> list[tuple[list[str], list[int]]]:
    """Beginnings of several dialogues in one, so that it is known where one ends: how DialSeg711 was made."""
    random = np.random.default_rng(5)
    joined = []
    for _ in range(100):
        texts: list[str] = []
        marks: list[int] = []
        for at in random.integers(0, len(talks), random.integers(3, 7)):
            part = talks[int(at)][0][: int(random.integers(4, 9))]
            texts, marks = texts + part, marks + [0] * (len(part) - 1) + [1]
        joined.append((texts, [*marks[:-1], 0]))
    return joined


def _found(texts: list[str], vectors: Vectors) -> list[int]:
    said = [
        Message(f"m{at}", SCOPE, "s", f"p{at % 2}", None, "user", TOLD_AT + at * 1000, text, text)
        for at, text in enumerate(texts)
    ]
    marks = [0] * len(texts)
    last = 0
    for stretch in find_cells(said, BoundarySection(), vectors)[:-1]:
        last += len(stretch)
        marks[last - 1] = 1
    return marks


def _score(wanted: list[int], found: list[int]) -> tuple[float, float, int, int, int]:
    """Pk, WindowDiff, and boundaries right, wrong and missed."""
    size = len(wanted)
    reach = min(size - 1, max(2, round(size / (2 * (sum(wanted) + 1)))))
    places = range(size - reach)
    pk = np.mean([(not any(wanted[at : at + reach])) != (not any(found[at : at + reach])) for at in places])
    diff = np.mean([sum(wanted[at : at + reach]) != sum(found[at : at + reach]) for at in places])
    right = sum(one and two for one, two in zip(wanted, found, strict=True))
    return float(pk), float(diff), right, sum(found) - right, sum(wanted) - right


def table(found: Reading, heading: str) -> str:
    rows = ["| what | seen | unseen |", "|---|--:|--:|"]
    rows += [f"| {line.what} | {_share(line, seen=True)} | {_share(line, seen=False)} |" for line in found.lines]
    rows += ["", "| boundaries | Pk | WindowDiff | F1 | Pk of no boundary |", "|---|--:|--:|--:|--:|"]
    rows += [
        f"| {one.name} | {one.pk:.3f} | {one.window_diff:.3f} | {one.f1:.3f} | {one.none:.3f} |"
        for one in found.boundaries
    ]
    rows += ["", "Errors of the seen half, the first of each kind:", ""]
    rows += [f"- {line.what}: {error}" for line in found.lines for error in line.errors[:EXAMPLES]]
    return "\n".join(["## How the memories read", "", heading, "", *rows, ""])


def _share(line: Line, *, seen: bool) -> str:
    of = line.of[seen]
    return f"{line.hits[seen]} of {of} ({line.hits[seen] / of:.0%})" if of else "–"
