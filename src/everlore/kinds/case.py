"""Case: what an agent was asked to do, how it went about it, and what it learned."""

from __future__ import annotations

from dataclasses import dataclass

from everlore.kinds.base import (
    header,
    index_row,
    list_field,
    moment_field,
    number_field,
    section,
    text_field,
)
from everlore.kinds.pieces import split_text
from everlore.kinds.registry import register
from everlore.kinds.spec import DailyLog, Data, Kind
from everlore.types import IndexRow, Key, LogEntry, Owner, Unit, Validity


@dataclass(frozen=True, slots=True)
class Case:
    owner: Owner
    local_id: str
    session_id: str
    timestamp: int
    parent_id: str
    task_intent: str
    approach: str
    quality_score: float
    key_insight: str | None = None
    sender_ids: tuple[str, ...] = ()
    """Who took part; nobody is named in logs of other programs and earlier versions."""


def to_entry(case: Case) -> LogEntry:
    fields = header(case.owner, case.session_id, case.timestamp, case.parent_id, case.sender_ids)
    fields["quality_score"] = f"{case.quality_score:.2f}"
    sections = {"TaskIntent": case.task_intent, "Approach": case.approach}
    if case.key_insight:
        sections["KeyInsight"] = case.key_insight
    return LogEntry(id=case.local_id, fields=fields, sections=sections)


def from_entry(entry: LogEntry, owner: Owner, day: str = "") -> Case:
    return Case(
        owner=owner,
        local_id=entry.id,
        session_id=text_field(entry, "session_id", ""),
        timestamp=moment_field(entry, day),
        parent_id=text_field(entry, "parent_id", ""),
        task_intent=section(entry, "TaskIntent"),
        approach=section(entry, "Approach"),
        quality_score=number_field(entry, "quality_score", 0.5),
        key_insight=entry.sections.get("KeyInsight", "").strip() or None,
        sender_ids=list_field(entry, "sender_ids"),
    )


def to_row(case: Case, updated: int) -> IndexRow:
    data = {
        "task_intent": case.task_intent,
        "approach": case.approach,
        "quality_score": case.quality_score,
        "key_insight": case.key_insight,
    }
    told = [case.task_intent, *split_text(case.approach), *([case.key_insight] if case.key_insight else [])]
    pieces = tuple(Unit(turn=number, dense=text, words=text) for number, text in enumerate(told))
    return index_row(
        Key(case.owner, CASE.name, case.local_id),
        updated,
        data,
        pieces,
        timestamp=case.timestamp,
        session_id=case.session_id,
        parent_id=case.parent_id,
        sender_ids=case.sender_ids or (case.owner.id,),
        validity=Validity(case.timestamp),
    )


def _text(data: Data) -> str:
    return "\n\n".join(str(data[part]) for part in ("task_intent", "approach", "key_insight") if data[part])


CASE = register(
    Kind(
        name="case",
        code="ac",
        track="agent",
        layout=DailyLog("cases/case-{date}.md", upstream=".cases/agent_case-{date}.md"),
        parse=from_entry,
        render=to_entry,
        index=to_row,
        found_as="case",
        most_found=10,
        made_by_cells=True,
        quality="quality_score",
        memory_type="procedural",
        statement="task_intent",
        text=_text,
    )
)
