"""From stored values to the contract's items. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from everlore.clock import Clock
from everlore.memory import Outcome
from everlore.models.chat import Usage
from everlore.search import Hit, Recall
from everlore.surfaces.http.models import (
    CaseHit,
    CaseItem,
    EpisodeHit,
    EpisodeItem,
    FactHit,
    Pending,
    ProfileHit,
    ProfileItem,
    SearchData,
    SkillHit,
    SkillItem,
    Spending,
    UnprocessedMessage,
)
from everlore.types import Message, Stored


def spent(done: Outcome) -> dict[str, Any]:
    pending = Pending(messages=done.waiting, reason=done.reason) if done.waiting else None
    return {"pending": pending, "usage": usage(done.usage)}


def usage(spent: Usage) -> Spending | None:
    return Spending(**asdict(spent)) if spent.requests else None


def _place(row: Stored) -> dict[str, Any]:
    owner = row.key.owner
    return {
        "id": f"profile_{owner.id}" if row.key.kind == "profile" else row.key.public_id,
        f"{owner.track}_id": owner.id,
        "app_id": owner.scope.app,
        "project_id": owner.scope.project,
    }


def _episode(row: Stored, clock: Clock) -> dict[str, Any]:
    return _place(row) | {
        "session_id": row.session_id,
        "timestamp": clock.show(row.timestamp),
        "sender_ids": row.sender_ids,
        "summary": row.data["summary"],
        "subject": row.data["subject"],
        "episode": row.data["episode"],
    }


def _case(row: Stored, clock: Clock) -> dict[str, Any]:
    return _place(row) | {
        "session_id": row.session_id,
        "timestamp": clock.show(row.timestamp),
        "task_intent": row.data["task_intent"],
        "approach": row.data["approach"],
        "quality_score": row.data["quality_score"],
        "key_insight": row.data["key_insight"],
    }


def _skill(row: Stored) -> dict[str, Any]:
    names = ("name", "description", "content", "confidence", "maturity_score", "source_case_ids")
    return _place(row) | {name: row.data[name] for name in names}


def _profile(row: Stored) -> dict[str, Any]:
    return _place(row) | {"profile_data": dict(row.data)}


def listed(row: Stored, clock: Clock) -> EpisodeItem | ProfileItem | CaseItem | SkillItem:
    match row.key.kind:
        case "episode":
            return EpisodeItem(**_episode(row, clock))
        case "profile":
            return ProfileItem(**_profile(row))
        case "case":
            return CaseItem(**_case(row, clock))
        case _:
            return SkillItem(**_skill(row))


def _fact_hit(hit: Hit) -> FactHit:
    return FactHit(id=hit.stored.key.public_id, content=hit.stored.data["content"], score=hit.score)


def found(
    recall: Recall, profile: Stored | None, waiting: Iterable[Message], clock: Clock, *, explain: bool
) -> SearchData:
    hits = recall.hits
    return SearchData(
        episodes=[
            EpisodeHit(
                **_episode(hit.stored, clock),
                score=hit.score,
                atomic_facts=[_fact_hit(fact) for fact in hit.facts],
            )
            for hit in hits.get("episode", ())
        ],
        profiles=[ProfileHit(**_profile(profile))] if profile else [],
        agent_cases=[CaseHit(**_case(hit.stored, clock), score=hit.score) for hit in hits.get("case", ())],
        agent_skills=[SkillHit(**_skill(hit.stored), score=hit.score) for hit in hits.get("skill", ())],
        unprocessed_messages=[unprocessed(message, clock) for message in waiting],
        trace=recall.trace if explain else None,
        usage=usage(recall.usage),
    )


def unprocessed(message: Message, clock: Clock) -> UnprocessedMessage:
    return UnprocessedMessage(
        id=message.id,
        app_id=message.scope.app,
        project_id=message.scope.project,
        session_id=message.session_id,
        sender_id=message.sender_id,
        sender_name=message.sender_name,
        role=message.role,
        content=message.content,
        timestamp=clock.show(message.timestamp),
        tool_calls=None if message.tool_calls is None else [dict(call) for call in message.tool_calls],
        tool_call_id=message.tool_call_id,
    )
