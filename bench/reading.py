"""How true the memories read: changes, corrections, facts, rules, dates, boundaries; `python -m bench --only reading`.

Everything is told as one person would tell it and read back as the vault would have it. The seen half is what the
reader was built on; the unseen half was looked at before it was rebuilt, the fresh sets never: they are the figure.
Examples of each kind of error, of the seen half only, stand below.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from rich.progress import Progress

from bench.reading_sets import both, changes, corrections, half_of, judged_sentences, load
from bench.reading_told import Told
from everlore.config import BoundarySection
from everlore.extract.boundary import Vectors, find_cells
from everlore.extract.episode import write_episode
from everlore.extract.facts import write_facts
from everlore.extract.rules import CATEGORY
from everlore.extract.sentences import content_words
from everlore.extract.when import with_dates
from everlore.models.offline import OfflineEmbedder
from everlore.types import Cell, Message, Owner, Scope

SAME = 0.7
"""Share of its words by which a fact is known as that of a sentence."""
EXAMPLES = 4
"""Errors of a kind that are shown."""
TOLD_AT = int(datetime(2024, 5, 15, 12, tzinfo=UTC).timestamp() * 1000)
SCOPE = Scope("bench", "reading")
HALVES = ("seen", "unseen", "fresh")


@dataclass
class Line:
    """One row of the table: how many of how many, for each part of the sets."""

    what: str
    hits: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def add(self, hit: bool, half: str, error: str = "") -> None:
        self.of[half] += 1
        self.hits[half] += hit
        if error and half == "seen":
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
        _changes, _corrections, _rules, _profile, _talks, _subjects, _facts, _dates,
    ]  # fmt: skip
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
        error = f"{one.before} / {one.after}" if ended != one.ends else ""
        for name in (kind, f"– {one.group}") if one.ends else (kind,):
            lines.setdefault(name, Line(name)).add(ended, one.half, error if name == kind else "")
    return list(lines.values())


def _corrections(embedder: OfflineEmbedder, _: Path) -> list[Line]:
    line = Line("corrections: only the right value stands")
    for one in corrections():
        told = Told(embedder)
        told.say(*one.messages)
        text = " ".join(fact.text for fact in told.facts)
        right = one.right.lower() in text.lower() and one.wrong.lower().strip(".,") not in _without(text, one.right)
        line.add(right, one.half, "" if right else f"{' / '.join(one.messages)} -> {text}")
    return [line]


def _without(text: str, right: str) -> str:
    return text.lower().replace(right.lower(), "")


def _rules(embedder: OfflineEmbedder, _: Path) -> list[Line]:
    kept, wrong, back = (
        Line("rules kept, first in the profile"),
        Line("no rules, yet kept as such"),
        Line("rules that end when taken back"),
    )
    for table, half in both("rules"):
        for text in table["rules"]:
            told = Told(embedder)
            told.say("I live in Graz. I love jazz.")
            told.say(text)
            listed = told.profile.explicit_info if told.profile else ()
            good = bool(listed) and listed[0].category == CATEGORY
            kept.add(good, half or half_of(text), "" if good else text)
        for text in table["others"]:
            told = Told(embedder)
            told.say(text)
            found = any(fact.category == CATEGORY for fact in told.facts)
            wrong.add(found, half or half_of(text), text if found else "")
        for text, later in table["taken_back"]:
            told = Told(embedder)
            told.say(text)
            told.say(later)
            over = any(fact.category == CATEGORY for fact in told.ended)
            back.add(over, half or half_of(text, later), "" if over else f"{text} / {later}")
    return [kept, wrong, back]


def _profile(embedder: OfflineEmbedder, _: Path) -> list[Line]:
    listed, sorted_right, noise = (
        Line("profile: what belongs there is there"),
        Line("– in the category where it was looked for"),
        Line("profile: noise that is listed"),
    )
    for table, half in both("profile"):
        for category, texts in table["belongs"].items():
            for text in texts:
                found = _categories(embedder, text)
                error = "" if found else f"{category}: {text}"
                listed.add(bool(found), half or half_of(text), error)
                sorted_right.add(category in found, half or half_of(text))
        for text in table["noise"]:
            found = _categories(embedder, text)
            noise.add(bool(found), half or half_of(text), text if found else "")
    return [listed, sorted_right, noise]


def _categories(embedder: OfflineEmbedder, text: str) -> set[str]:
    told = Told(embedder)
    told.say(text)
    return {info.category for info in told.profile.explicit_info} if told.profile else set()


def _talks(embedder: OfflineEmbedder, _: Path) -> list[Line]:
    """Whole talks: what the profile says beside what was to be expected, and what is missing of that."""
    good, missing = (
        Line("profile of whole talks: entries that belong there"),
        Line("– what was to be expected is there"),
    )
    for talks, half in both("talks"):
        for talk in talks:
            told = Told(embedder)
            told.say(*talk["says"])
            entries = [info.description for info in told.profile.explicit_info] if told.profile else []
            fine = [word for words in talk["must"] for word in words] + talk["may"]
            for entry in entries:
                belongs = any(word in entry for word in fine)
                good.add(belongs, half or half_of(*talk["says"]), "" if belongs else entry)
            for words in talk["must"]:
                there = any(word in entry for word in words for entry in entries)
                missing.add(there, half or half_of(*talk["says"]), "" if there else " / ".join(words))
    return [good, missing]


def _subjects(_: OfflineEmbedder, __: Path) -> list[Line]:
    subject, summary = Line("subjects that tell the matter"), Line("summaries that tell matter and outcome")
    for talks, half in both("subjects"):
        for talk in talks:
            said = [_turn(at, text) for at, text in enumerate(talk["turns"])]
            cell = Cell("c", SCOPE, "s", tuple(said))
            episode = write_episode(cell, Owner(SCOPE, "user", "ann"), "", write_facts(cell))
            heading, told = (episode.subject, episode.summary) if episode else ("", "")
            place = half or half_of(*talk["turns"])
            clear = any(word.lower() in heading.lower() for word in talk["matter"])
            subject.add(clear, place, "" if clear else heading)
            full = all(any(word.lower() in told.lower() for word in talk[part]) for part in ("matter", "outcome"))
            summary.add(full, place, "" if full else told)
    return [subject, summary]


def _turn(at: int, text: str) -> Message:
    """What Ann says, or after ">" an assistant."""
    told = text.removeprefix("> ")
    moment = TOLD_AT + at * 60_000
    if told != text:
        return Message(f"m{at}", SCOPE, "s", "bot", None, "assistant", moment, told, told)
    return Message(f"m{at}", SCOPE, "s", "ann", "Ann", "user", moment, told, told)


def _facts(embedder: OfflineEmbedder, folder: Path) -> list[Line]:
    """Of the judged sentences that become facts, how many are worth it; and of those worth it, how many do."""
    good, kept = Line("facts worth keeping and clear alone"), Line("what is worth keeping is kept")
    for one in judged_sentences(folder):
        friends = ":" in one.place[0] and one.place[0].partition(":")[0].isdigit()
        held = set(content_words(one.text))
        said = [set(content_words(draft.text)) for draft in Told(embedder, friends=friends).say(one.place[1])]
        drafts = [words for words in said if held and len(words & held) >= SAME * min(len(words), len(held))]
        if drafts:
            good.add(one.keep, half_of(one.text), "" if one.keep else one.text)
        if one.keep:
            kept.add(bool(drafts), half_of(one.text), "" if drafts else one.text)
    return [good, kept]


def _dates(_: OfflineEmbedder, __: Path) -> list[Line]:
    lines = []
    for code, told in load("dates").items():
        line = Line(f"relative dates: {code}")
        for text, meaning in told:
            found = f"({meaning})" in with_dates(text, TOLD_AT)
            line.add(found, half_of(text), "" if found else text)
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
    rows = [f"| what | {' | '.join(HALVES)} |", "|---|--:|--:|--:|"]
    rows += [f"| {line.what} | {' | '.join(_share(line, half) for half in HALVES)} |" for line in found.lines]
    rows += ["", "| boundaries | Pk | WindowDiff | F1 | Pk of no boundary |", "|---|--:|--:|--:|--:|"]
    rows += [
        f"| {one.name} | {one.pk:.3f} | {one.window_diff:.3f} | {one.f1:.3f} | {one.none:.3f} |"
        for one in found.boundaries
    ]
    rows += ["", "Errors of the seen half, the first of each kind:", ""]
    rows += [f"- {line.what}: {error}" for line in found.lines for error in line.errors[:EXAMPLES]]
    return "\n".join(["## How the memories read", "", heading, "", *rows, ""])


def _share(line: Line, half: str) -> str:
    of = line.of[half]
    return f"{line.hits[half]} of {of} ({line.hits[half] / of:.0%})" if of else "–"
