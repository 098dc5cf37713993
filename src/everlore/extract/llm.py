"""From talk to the data a model is asked about, and from its answer to values. Pure.

A model's word is taken where it can be checked: a fact or a line of the profile must name a turn that is there and
share words with it. For turns of which the model tells nothing, the local facts stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from everlore.extract.agent.outcome import one_line
from everlore.extract.agent.run import Step
from everlore.extract.facts import LONGEST, FactDraft, about
from everlore.extract.prompts import (
    AGENT_CELL,
    USER_CELL,
    WORK_CELL,
    AgentCell,
    CaseAnswer,
    EpisodeAnswer,
    FactAnswer,
    UserCell,
)
from everlore.extract.salience import salience
from everlore.extract.sentences import clip
from everlore.extract.turns import Spoken, name_of, spoken
from everlore.kinds.case import Case
from everlore.kinds.episode import Episode
from everlore.models.chat import Task, clipped
from everlore.types import Cell, Json, Message

CellAnswer = UserCell | AgentCell
CHARACTERS_PER_TOKEN = 3
"""Fewer than English has, so that other languages fit as well."""
TOOL_OUTPUT = 1_000
OVERHEAD = 80
"""Characters of a turn beside its text."""
SUBJECT, SUMMARY, INTENT, INSIGHT, DESCRIPTION = 100, 400, 200, 200, 200

_WORD = re.compile(r"\w+")
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3]")


def cell_task(cell: Cell, *, trajectory: bool) -> Task[UserCell | AgentCell]:
    """What to ask about a cell: of its users' memories, of its agents', or of both."""
    if not any(message.role == "user" and not message.blank for message in cell.messages):
        return AGENT_CELL
    return WORK_CELL if trajectory else USER_CELL


def talk(turns: Sequence[Spoken], tokens: int) -> dict[str, Json]:
    """The turns as data, together at most about so many tokens."""
    texts = [
        clip(turn.message.text.strip(), TOOL_OUTPUT) if turn.message.role == "tool" else turn.message.text.strip()
        for turn in turns
    ]
    room = max(0, tokens * CHARACTERS_PER_TOKEN - OVERHEAD * len(turns))
    return {
        "turns": [
            {
                "turn": turn.number + 1,
                "time": f"{datetime.fromtimestamp(turn.message.timestamp / 1000, UTC):%A %Y-%m-%d %H:%M} UTC",
                "speaker": turn.name,
                "role": turn.message.role,
                "text": text,
                **({"calls": [_call(call) for call in turn.message.tool_calls]} if turn.message.tool_calls else {}),
            }
            for turn, text in zip(turns, clipped(texts, room), strict=True)
        ]
    }


def told_facts(answer: UserCell, cell: Cell, local: Sequence[FactDraft]) -> list[FactDraft]:
    """The model's facts, and the local ones of turns for which it has none; in the order of the talk."""
    turns = spoken(cell)
    people = _people(turns)
    found: dict[str, FactDraft] = {}
    for item in answer.facts:
        draft = _fact(item, turns, people)
        if draft is not None:
            found.setdefault(draft.text.casefold(), draft)
    covered = {draft.turn for draft in found.values()}
    for draft in local:
        if draft.turn not in covered:
            found.setdefault(draft.text.casefold(), draft)
    return sorted(found.values(), key=lambda draft: draft.turn)


def _fact(item: FactAnswer, turns: Sequence[Spoken], people: frozenset[str]) -> FactDraft | None:
    turn = turns[item.turn - 1] if 1 <= item.turn <= len(turns) else None
    text = clip(" ".join(item.fact.split()), LONGEST)
    if turn is None or turn.message.role == "tool" or not _grounded(text, turn, people):
        return None
    message = turn.message
    by_user = message.role == "user"
    return FactDraft(
        text=text,
        turn=turn.number,
        about=about(text, turn.name) if by_user else "",
        sender_id=message.sender_id,
        timestamp=message.timestamp,
        by_user=by_user,
        weight=salience(text),
    )


def with_profile(answer: UserCell, cell: Cell, owner_id: str, drafts: Sequence[FactDraft]) -> list[FactDraft]:
    """The facts, with what the model found that the user says of themselves: facts that have a place in the profile."""
    turns = spoken(cell)
    people = _people(turns)
    found = {(draft.turn, draft.text.casefold()): draft for draft in drafts}
    for item in answer.profile:
        said = FactAnswer(turn=item.turn, fact=clip(" ".join(item.description.split()), DESCRIPTION))
        draft = _fact(said, turns, people)
        if draft is not None and draft.by_user and draft.sender_id == owner_id:
            found[draft.turn, draft.text.casefold()] = replace(draft, category=item.category)
    return sorted(found.values(), key=lambda draft: draft.turn)


def with_episode(episode: Episode, answer: EpisodeAnswer) -> Episode:
    """The account stays as it is; title and summary are the model's."""
    return replace(
        episode,
        subject=clip(" ".join(answer.subject.split()), SUBJECT),
        summary=clip(" ".join(answer.summary.split()), SUMMARY),
    )


def with_case(case: Case, task: Sequence[Step], answers: Sequence[CaseAnswer]) -> Case:
    """The steps stay as they are; what they were for and what they taught is the model's, if it tells of this task."""
    turns = {step.turn for step in task}
    answer = next((answer for answer in answers if min(turns) <= answer.turn <= max(turns)), None)
    if answer is None:
        return case
    return replace(
        case,
        task_intent=one_line(answer.task_intent, INTENT) or case.task_intent,
        key_insight=one_line(answer.key_insight, INSIGHT) or case.key_insight,
        quality_score=round(answer.quality_score, 2),
    )


def cases_data(cases: Sequence[Case], tokens: int) -> dict[str, Json]:
    approaches = clipped([case.approach for case in cases], tokens * CHARACTERS_PER_TOKEN)
    return {
        "cases": [
            {
                "task_intent": case.task_intent,
                "approach": approach,
                "key_insight": case.key_insight or "",
                "quality_score": case.quality_score,
            }
            for case, approach in zip(cases, approaches, strict=True)
        ]
    }


def topics(messages: Sequence[Message]) -> list[Spoken]:
    """All messages, numbered as the buffer has them, for the question where topics change."""
    return [Spoken(number, name_of(message), message) for number, message in enumerate(messages)]


def _people(turns: Sequence[Spoken]) -> frozenset[str]:
    return frozenset(word.lower() for turn in turns for word in _WORD.findall(turn.name))


def _grounded(text: str, turn: Spoken, people: frozenset[str]) -> bool:
    """Whether the text shares words with the turn, names of the people in it aside."""
    said, source = _words(text) - people, _words(turn.message.text)
    return bool(said & source) or len(set(_WIDE.findall(text)) & set(_WIDE.findall(turn.message.text))) >= 2


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.lower()) if len(word) > 2 or word.isdigit()}


def _call(call: Mapping[str, Json]) -> str:
    inner = call.get("function")
    body = inner if isinstance(inner, Mapping) else call
    return clip(f"{body.get('name') or 'a tool'}({body.get('arguments', body.get('input', ''))})", 300)
