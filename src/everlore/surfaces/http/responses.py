"""From stored values to the contract's items. Pure.

`app_id` is the client's own word for the app: inside, the space of its account may stand before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from everlore.clock import Clock
from everlore.memory import Outcome
from everlore.models.chat import Usage
from everlore.search import Hit, Recall
from everlore.surfaces.http.models import (
    GetAgentCaseItem,
    GetAgentSkillItem,
    GetEpisodeItem,
    GetProfileItem,
    Pending,
    SearchAgentCaseItem,
    SearchAgentSkillItem,
    SearchAtomicFactItem,
    SearchData,
    SearchEpisodeItem,
    SearchProfileItem,
    Spending,
    UnprocessedMessageDTO,
)
from everlore.types import IndexedMemory, Message

Listed = GetEpisodeItem | GetProfileItem | GetAgentCaseItem | GetAgentSkillItem


def spent(done: Outcome) -> dict[str, Any]:
    pending = Pending(messages=done.waiting, reason=done.reason) if done.waiting else None
    return {"pending": pending, "usage": usage(done.usage)}


def usage(spent: Usage) -> Spending | None:
    return Spending(**asdict(spent)) if spent.requests else None


def placed(row: IndexedMemory, app_id: str) -> dict[str, Any]:
    owner = row.key.owner
    return {
        "id": f"profile_{owner.id}" if row.key.kind == "profile" else row.key.public_id,
        f"{owner.track}_id": owner.id,
        "app_id": app_id,
        "project_id": owner.scope.project,
    }


def _episode(row: IndexedMemory, app_id: str, clock: Clock) -> dict[str, Any]:
    said = _of_note(row.data["content"]) if row.key.kind in ("note", "record") else row.data
    return placed(row, app_id) | {
        "session_id": row.session_id,
        "timestamp": clock.show(row.timestamp),
        "sender_ids": (row.key.owner.id,) if row.key.kind == "record" else row.sender_ids,
        "summary": said["summary"],
        "subject": said["subject"],
        "episode": said["episode"],
    }


def _of_note(content: str) -> dict[str, str]:
    """A note as an episode: its first line is the subject."""
    lines = content.strip().splitlines()
    return {"subject": shortened(lines[0], 100), "summary": shortened(" ".join(lines), 200), "episode": content}


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _case(row: IndexedMemory, app_id: str, clock: Clock) -> dict[str, Any]:
    return placed(row, app_id) | {
        "session_id": row.session_id,
        "timestamp": clock.show(row.timestamp),
        "task_intent": row.data["task_intent"],
        "approach": row.data["approach"],
        "quality_score": row.data["quality_score"],
        "key_insight": row.data["key_insight"],
    }


def _skill(row: IndexedMemory, app_id: str) -> dict[str, Any]:
    names = ("name", "description", "content", "confidence", "maturity_score", "source_case_ids")
    return placed(row, app_id) | {name: row.data[name] for name in names}


def _profile(row: IndexedMemory, app_id: str) -> dict[str, Any]:
    return placed(row, app_id) | {"profile_data": dict(row.data)}


def listed(row: IndexedMemory, app_id: str, clock: Clock) -> Listed:
    match row.key.kind:
        case "episode" | "note" | "record":
            return GetEpisodeItem(**_episode(row, app_id, clock))
        case "profile":
            return GetProfileItem(**_profile(row, app_id))
        case "case":
            return GetAgentCaseItem(**_case(row, app_id, clock))
        case _:
            return GetAgentSkillItem(**_skill(row, app_id))


def _fact_hit(hit: Hit) -> SearchAtomicFactItem:
    return SearchAtomicFactItem(id=hit.stored.key.public_id, content=hit.stored.data["content"], score=hit.score)


def found(
    recall: Recall,
    profile: IndexedMemory | None,
    waiting: Iterable[Message],
    app_id: str,
    clock: Clock,
    *,
    explain: bool,
) -> SearchData:
    hits = recall.hits
    return SearchData(
        episodes=[
            SearchEpisodeItem(
                **_episode(hit.stored, app_id, clock),
                score=hit.score,
                atomic_facts=[_fact_hit(fact) for fact in hit.facts],
            )
            for hit in hits.get("episode", ())
        ],
        profiles=[SearchProfileItem(**_profile(profile, app_id))] if profile else [],
        agent_cases=[
            SearchAgentCaseItem(**_case(hit.stored, app_id, clock), score=hit.score) for hit in hits.get("case", ())
        ],
        agent_skills=[
            SearchAgentSkillItem(**_skill(hit.stored, app_id), score=hit.score) for hit in hits.get("skill", ())
        ],
        unprocessed_messages=[unprocessed(message, app_id, clock) for message in waiting],
        trace=recall.trace if explain else None,
        usage=usage(recall.usage),
    )


def unprocessed(message: Message, app_id: str, clock: Clock) -> UnprocessedMessageDTO:
    return UnprocessedMessageDTO(
        id=message.id,
        app_id=app_id,
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
