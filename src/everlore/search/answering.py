"""Which sentence of a talk answers: a small learned judgement over what a question and its turns show.

An answer often shares no word with its question: it follows a turn that asks the same, stands beside one that tells
what the talk is about, or is of the sort that was asked for (a name for "who", a number for "how many"). What the sorts
are lies in `extract/languages/<code>/answers.toml`; the weights in `answering.json`, made by
`python -m bench.train_answers`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from everlore.extract.language import language, language_of, phrases
from everlore.search.score import Floats
from everlore.stores.tokens import tokens

SORTS = ("who", "where", "when", "number", "why")
NAMES = (
    "held", "held before", "held earlier", "held behind", "meaning", "meaning before", "less meant", "replies",
    "replies, less meant before", "replies, held before", "asked of", "another asked of", "assistant", "own", "asks",
    "asks, meaning", "short", *SORTS,
)  # fmt: skip
SHORT = 4
"""Words of a sentence that hardly says anything."""
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<=[\w,;:)\"'(] )[^\W\d_a-z][\w'’\-]+")
"""A word with a capital that does not begin a sentence."""


class Said(NamedTuple):
    """A turn: who said it, in sentences, and what the index knows of it."""

    number: int
    speaker: str
    clock: str
    """When it was said, as the account shows it."""
    sentences: list[str]
    held: NDArray[np.bool_]
    """Which of the question's terms stand in it."""
    meaning: float
    by_assistant: bool


class Line(NamedTuple):
    """A sentence of a turn, by its place among those that were given."""

    turn: int
    place: int


@dataclass(frozen=True, slots=True)
class _Sort:
    asks: re.Pattern[str]
    shows: re.Pattern[str]
    names: bool
    numbers: bool


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for: its terms, how telling each is, and the sorts of answer it asks for."""

    text: str
    share: Mapping[str, float]
    """Of each term: how telling it is; 1 together."""
    words: frozenset[str]
    sorts: Mapping[str, _Sort]


def question(text: str, idf: Mapping[str, float]) -> Question:
    whole = sum(idf.values()) or 1.0
    share = {term: weight / whole for term, weight in idf.items()}
    low = text.lower()
    sorts = {name: sort for name, sort in _sorts(language_of(text).code).items() if sort.asks.search(low)}
    return Question(text, share, frozenset(tokens(text)), sorts)


@cache
def _sorts(code: str) -> dict[str, _Sort]:
    known = language(code)
    told = known.data.get("answers", {})
    return {
        name: _Sort(
            phrases(sort.get("asks", ()), spaced=known.spaced),
            phrases(sort.get("shows", ()), spaced=known.spaced),
            bool(sort.get("names")),
            bool(sort.get("numbers")),
        )
        for name, sort in told.items()
    }


def about_oneself(text: str) -> bool:
    """Whether it speaks of who says it: "Where do we keep our keys?"."""
    known, low = language_of(text), text.lower()
    return known.has("self", low) or known.has("we", low)


def leaves_open(sentence: str) -> bool:
    """Whether it tells what is still to be done."""
    sort = _sorts(language_of(sentence).code).get("open")
    return sort is not None and bool(sort.shows.search(sentence.lower()))


def worths(asked: Question, turns: Sequence[Said]) -> tuple[list[Line], Floats]:
    """Each sentence of a talk, in order, and how well it answers: of two, the one with 1 more is e times as likely."""
    lines, shown = features(asked, turns)
    return lines, (shown @ _weights()).astype(np.float32)


@cache
def _weights() -> Floats:
    kept = json.loads(Path(__file__).with_name("answering.json").read_text(encoding="utf-8"))
    return np.array([kept[name] for name in NAMES], np.float32)


def features(asked: Question, turns: Sequence[Said]) -> tuple[list[Line], Floats]:
    """Each sentence as numbers, in the order of `NAMES`."""
    of_turn = _turns(asked, turns)
    lines: list[Line] = []
    rows: list[list[float]] = []
    for at, turn in enumerate(turns):
        for place, sentence in enumerate(turn.sentences):
            said = tokens(sentence)
            own = sum(share for term, share in asked.share.items() if term in said)
            asks = float(sentence.rstrip().endswith("?"))
            sorts = [float(name in asked.sorts and _is(asked.sorts[name], asked, sentence)) for name in SORTS]
            rows.append([*of_turn[at], own, asks, asks * turn.meaning, float(len(said) < SHORT), *sorts])
            lines.append(Line(at, place))
    return lines, np.array(rows, np.float32).reshape(len(rows), len(NAMES))


def _turns(asked: Question, turns: Sequence[Said]) -> list[list[float]]:
    """What is the same for all sentences of a turn."""
    share = np.array(list(asked.share.values()), np.float64)
    held = [turn.held for turn in turns]
    nothing = np.zeros(len(share), np.bool_)
    best = max((turn.meaning for turn in turns), default=0.0)
    spoken = {turn.speaker: not asked.words.isdisjoint(tokens(turn.speaker)) for turn in turns}
    beside = {turn.number: at for at, turn in enumerate(turns)}
    found = []
    for turn in turns:
        before, earlier, behind = (beside.get(turn.number + step, -1) for step in (-1, -2, 1))
        own = float(share @ turn.held)
        last = held[before] if before >= 0 else nothing
        both = turn.held | last
        three = both | held[earlier] if earlier >= 0 else both
        meant = turns[before].meaning if before >= 0 else 0.0
        replies = before >= 0 and turns[before].speaker != turn.speaker and _asks(turns[before])
        named = spoken[turn.speaker]
        found.append([
            own, float(share @ both) - own, float(share @ three) - float(share @ both),
            float(share @ held[behind]) if behind >= 0 else 0.0, turn.meaning, meant, best - turn.meaning,
            float(replies), replies * (best - meant), replies * float(share @ last), float(named),
            float(not named and any(spoken.values())), float(turn.by_assistant),
        ])  # fmt: skip
    return found


def _asks(turn: Said) -> bool:
    return bool(turn.sentences) and turn.sentences[-1].rstrip().endswith("?")


def _is(sort: _Sort, asked: Question, sentence: str) -> bool:
    """Whether a sentence shows what an answer of this sort would."""
    if sort.numbers and _NUMBER.search(sentence):
        return True
    if sort.names and any(asked.words.isdisjoint(tokens(name)) for name in _NAME.findall(sentence)):
        return True
    return bool(sort.shows.search(sentence.lower()))
