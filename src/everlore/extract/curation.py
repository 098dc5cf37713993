"""Curation: what a model is shown of a drafted stretch of talk, and the reply it may give. Pure.

Every statement of a reply cites the turns it rests on; what of it is believed is decided in `grounding`.

    {"title": "Anna moves to Graz", "facts": [{"text": "Anna lives in Graz.", "turns": [2]}],
     "ends": [{"id": "anna_af_20260101_00000007", "turns": [2], "replaced_by": 1}]}
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import UTC, tzinfo
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from everlore.clock import iso
from everlore.models.chat import Answer, Task
from everlore.types import Json

TITLE, SUMMARY, LINE, LESSON = 100, 400, 300, 300
"""Characters of a title, a summary, a statement and a lesson."""
MOST_LINES = 60
MOST_REFUSED = 40
"""Reasons that are told; a reply that is wrong in more ways is wrong as a whole."""
RULE = "rule"
"""The category of what a person ordered: it holds until it is taken back."""
Category = Literal[
    "identity", "contact", "home", "work", "family", "health", "preference", "habit", "goal", "possession"
]
_KNOWN = tomllib.loads((files("everlore.extract") / "data" / "curation.toml").read_text(encoding="utf-8"))
INSTRUCTIONS = " ".join(_KNOWN["instructions"].split())
OPENERS = frozenset(word for words in _KNOWN["openers"].values() for word in words.split())
"""Words that open a sentence with a capital and name nothing."""


@dataclass(frozen=True, slots=True)
class TurnShown:
    """A turn as the model sees it, counted from 1."""

    number: int
    moment: int
    speaker: str
    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Offered:
    """A statement that stood before this talk, which the talk may have ended."""

    id: str
    text: str
    since: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """What is reviewed: the turns, what was drafted of them, and what they may have ended."""

    turns: tuple[TurnShown, ...]
    title: str
    summary: str
    facts: tuple[tuple[str, int], ...]
    """Each with the number of its turn, 0 where it has none."""
    older: tuple[Offered, ...] = ()
    has_run: bool = False
    """An agent worked in it, so that something may have been learnt."""
    zone: tzinfo = UTC


@dataclass(frozen=True, slots=True)
class Line:
    """A statement that is believed. `category` is its place in the profile, "" for none."""

    text: str
    turns: tuple[int, ...]
    category: str = ""
    valid_from: int | None = None


@dataclass(frozen=True, slots=True)
class End:
    id: str
    turns: tuple[int, ...]
    replaced_by: int | None = None
    """The line that holds instead, by its place in `Accepted.lines`."""


@dataclass(frozen=True, slots=True)
class Accepted:
    title: str = ""
    summary: str = ""
    lines: tuple[Line, ...] = ()
    ends: tuple[End, ...] = ()
    lesson: str = ""

    @property
    def any(self) -> bool:
        return bool(self.title or self.summary or self.lines or self.ends or self.lesson)


@dataclass(frozen=True, slots=True)
class Refusal:
    where: str
    """`facts[2]`, as in the reply."""
    reason: str


class Part(Answer):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Turns = Annotated[list[int], Field(min_length=1, max_length=50, description="Numbers of the turns that say so.")]


class Cited(Part):
    text: Annotated[str, Field(min_length=1, max_length=LINE)]
    turns: Turns


class FactReply(Cited):
    valid_from: Annotated[
        str, Field(description="The day from which it holds, such as 2026-05-03, if not from the turn on.")
    ] = ""


class ProfileReply(Cited):
    category: Category


class EndReply(Part):
    id: Annotated[str, Field(description="One of the ids under `older`.")]
    turns: Turns
    replaced_by: Annotated[int | None, Field(ge=1, description="The fact, counted from 1, that holds instead.")] = None


class Reply(Part):
    """The schema that models see; a reply itself is read part by part, so that a slip costs no more than its part."""

    title: Annotated[str, Field(max_length=TITLE)] = ""
    summary: Annotated[str, Field(max_length=SUMMARY)] = ""
    facts: Annotated[list[FactReply], Field(default_factory=list, max_length=MOST_LINES)]
    ends: Annotated[list[EndReply], Field(default_factory=list, max_length=MOST_LINES)]
    rules: Annotated[list[Cited], Field(default_factory=list, max_length=MOST_LINES)]
    profile: Annotated[list[ProfileReply], Field(default_factory=list, max_length=MOST_LINES)]
    learnt: Annotated[Cited | None, Field(description="What the assistant should know next time.")] = None


LISTS: dict[str, type[Part]] = {"facts": FactReply, "rules": Cited, "profile": ProfileReply, "ends": EndReply}


REVIEW = Task("review", INSTRUCTIONS, Reply)


def shown(stretch: Stretch) -> dict[str, Json]:
    """A stretch as data for a model."""
    return {
        "turns": [
            {
                "turn": turn.number,
                "time": iso(turn.moment),
                "speaker": turn.speaker,
                "role": turn.role,
                "text": turn.text,
            }
            for turn in stretch.turns
        ],
        "draft": {
            "title": stretch.title,
            "summary": stretch.summary,
            "facts": [{"text": text, "turns": [turn] if turn else []} for text, turn in stretch.facts],
        },
        "older": [{"id": one.id, "text": one.text, "since": iso(one.since)} for one in stretch.older],
    }


def reply_schema() -> dict[str, Json]:
    return Reply.model_json_schema()
