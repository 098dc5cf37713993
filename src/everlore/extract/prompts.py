"""Everything a language model is asked: for each task one instruction (`data/prompts.toml`) and one reply schema.

The instruction goes into the system message; what it is about goes beside it as data (`models.chat`). One question is
asked for a whole cell: the tasks that it needs are put together. What the local extractor does well is not asked for:
an episode keeps the speakers' own words, a case keeps its steps as they were.
"""

from __future__ import annotations

import tomllib
from contextlib import suppress
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from everlore.models.chat import Answer, Task

Score = Annotated[float, Field(ge=0, le=1)]
Line = Annotated[str, Field(min_length=1)]
Category = Literal[
    "identity", "contact", "home", "work", "family", "health", "preference", "habit", "goal", "possession"
]


def _readable(value: object, check: ValidatorFunctionWrapHandler) -> object:
    """A list without the items that are not as asked for: one slip must not cost the whole answer."""
    if not isinstance(value, list):
        return check(value)
    kept: list[object] = []
    for item in value:
        with suppress(ValidationError):
            kept += check([item])
    return kept


class EpisodeAnswer(Answer):
    subject: Line
    summary: Line


class FactAnswer(Answer):
    turn: int
    fact: Line


class ProfileAnswer(Answer):
    person: Line
    category: Category
    description: Line
    turn: int


class CaseAnswer(Answer):
    turn: int
    task_intent: Line
    key_insight: str
    quality_score: Score


class UserCell(Answer):
    episode: EpisodeAnswer
    facts: Annotated[list[FactAnswer], WrapValidator(_readable)]
    profile: Annotated[list[ProfileAnswer], WrapValidator(_readable)]


class WorkCell(UserCell):
    cases: list[CaseAnswer]


class AgentCell(Answer):
    cases: list[CaseAnswer]


class BoundaryAnswer(Answer):
    boundaries: list[int]


class SkillAnswer(Answer):
    how_to: Line
    steps: Annotated[list[Line], WrapValidator(_readable)]


class RankAnswer(Answer):
    ranking: list[int]


class EnoughAnswer(Answer):
    sufficient: bool
    queries: Annotated[list[Line], WrapValidator(_readable)]


_TEXTS = tomllib.loads((files("everlore.extract") / "data" / "prompts.toml").read_text(encoding="utf-8"))


def _instructions(*names: str) -> str:
    text = "\n\n".join(" ".join(_TEXTS[name].split()) for name in names)
    return text.replace("{talk}", " ".join(_TEXTS["talk"].split()))


USER_CELL = Task("cell", _instructions("user", "episode", "facts", "profile"), UserCell)
WORK_CELL = Task("cell", _instructions("user_and_agent", "episode", "facts", "profile", "cases"), WorkCell)
AGENT_CELL = Task("cell", _instructions("agent", "cases"), AgentCell)
BOUNDARY = Task("boundary", _instructions("boundary"), BoundaryAnswer)
SKILL = Task("skill", _instructions("skill"), SkillAnswer)
RERANK = Task("rerank", _instructions("rerank"), RankAnswer)
ENOUGH = Task("sufficient", _instructions("sufficient"), EnoughAnswer)
