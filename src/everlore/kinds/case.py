"""Case: what an agent was asked to do, how it went about it, and what it learned."""

from __future__ import annotations

from dataclasses import dataclass, replace

from everlore.kinds.base import CellMemory, cell_row, header, named, number_field, of_entry, of_row, section, told
from everlore.kinds.pieces import split_text, units_of
from everlore.kinds.registry import DailyLog, Kind, register
from everlore.types import IndexedMemory, IndexRow, LogEntry, Owner

DATA = ("task_intent", "approach", "quality_score", "key_insight")
TEXT = ("task_intent", "approach", "key_insight")


@dataclass(frozen=True, slots=True)
class Case(CellMemory):
    task_intent: str
    approach: str
    quality_score: float
    key_insight: str | None = None


def to_entry(case: Case) -> LogEntry:
    fields = {**header(case), "quality_score": f"{case.quality_score:.2f}"}
    sections = {"TaskIntent": case.task_intent, "Approach": case.approach, **told(KeyInsight=case.key_insight)}
    return LogEntry(case.local_id, fields, sections)


def from_entry(entry: LogEntry, owner: Owner, day: str = "") -> Case:
    return Case(
        **of_entry(entry, owner, day),
        task_intent=section(entry, "TaskIntent"),
        approach=section(entry, "Approach"),
        quality_score=number_field(entry, "quality_score", 0.5),
        key_insight=entry.sections.get("KeyInsight", "").strip() or None,
    )


def from_row(row: IndexRow | IndexedMemory) -> Case:
    return Case(**of_row(row), **{name: row.data[name] for name in DATA})


def to_row(case: Case, updated: int) -> IndexRow:
    told = [case.task_intent, *split_text(case.approach), *([case.key_insight] if case.key_insight else [])]
    seen = replace(case, sender_ids=case.sender_ids or (case.owner.id,))
    return cell_row(CASE.name, seen, updated, named(case, DATA), units_of(told))


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
        source_of="skill",
        quality="quality_score",
        memory_type="procedural",
        statement="task_intent",
        text=lambda data: "\n\n".join(str(data[part]) for part in TEXT if data[part]),
    )
)
