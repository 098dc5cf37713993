"""Review: what somebody with understanding changed in a drafted episode and its facts, entry by entry.

It goes with its episode, is found by no search, and is what an undo puts back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from everlore.clock import iso
from everlore.errors import Damaged
from everlore.kinds.base import CellMemory, cell_row, header, moment, of_entry, section, text_field, time_field, told
from everlore.kinds.registry import DailyLog, Kind, register
from everlore.types import IndexRow, LogEntry, Owner

CHANGES, EDITS = "Changes", "Edits"


@dataclass(frozen=True, slots=True)
class Edit:
    """One entry of a file before a review and after it, None where it is not there: of one that is there before and
    after, what differs."""

    path: str
    before: LogEntry | None
    after: LogEntry | None

    @property
    def id(self) -> str:
        entry = self.after or self.before
        return entry.id if entry else ""


@dataclass(frozen=True, slots=True)
class Review(CellMemory):
    episode: str
    """The episode's local id."""
    reviewer: str
    reviewed: int
    changes: str
    """For people."""
    edits: tuple[Edit, ...]
    digest: str
    """Of the reply as it came, so that the same one twice changes nothing."""
    undone: int | None = None


def to_entry(review: Review) -> LogEntry:
    by = {"episode": review.episode, "reviewed_by": review.reviewer, "reviewed": iso(review.reviewed)}
    fields = {**header(review), **by, "digest": review.digest, **told(undone=moment(review.undone))}
    written = "\n".join(json.dumps(asdict(_difference(edit)), ensure_ascii=False) for edit in review.edits)
    return LogEntry(review.local_id, fields, {CHANGES: review.changes, EDITS: f"```json\n{written}\n```"})


def _difference(edit: Edit) -> Edit:
    if edit.before is None or edit.after is None:
        return edit
    before, after = edit.before, edit.after
    return Edit(edit.path, _without(before, after), _without(after, before))


def _without(entry: LogEntry, other: LogEntry) -> LogEntry:
    return LogEntry(
        entry.id,
        {name: value for name, value in entry.fields.items() if other.fields.get(name) != value},
        {name: text for name, text in entry.sections.items() if other.sections.get(name) != text},
    )


def from_entry(entry: LogEntry, owner: Owner, day: str = "") -> Review:
    try:
        lines = section(entry, EDITS).removeprefix("```json").removesuffix("```").strip().splitlines()
        read = [json.loads(line) for line in lines]
        edits = tuple(Edit(one["path"], _entry(one["before"]), _entry(one["after"])) for one in read)
    except (ValueError, LookupError, TypeError, AttributeError):
        raise Damaged(f"entry {entry.id}: ### {EDITS} is not the JSON that was written there") from None
    return Review(
        **of_entry(entry, owner, day),
        episode=text_field(entry, "episode"),
        reviewer=text_field(entry, "reviewed_by"),
        reviewed=time_field(entry, "reviewed") or 0,
        changes=section(entry, CHANGES),
        edits=edits,
        digest=text_field(entry, "digest"),
        undone=time_field(entry, "undone"),
    )


def _entry(written: Mapping[str, Any] | None) -> LogEntry | None:
    if written is None:
        return None
    fields = {name: tuple(value) if isinstance(value, list) else value for name, value in written["fields"].items()}
    return LogEntry(written["id"], fields, written["sections"])


def to_row(review: Review, updated: int) -> IndexRow:
    data = {"content": review.changes, "reviewed_by": review.reviewer, "episode": review.episode}
    return cell_row(REVIEW.name, review, updated, data, (), start=review.reviewed, end=review.undone)


REVIEW = register(
    Kind(
        name="review",
        code="rv",
        track="user",
        layout=DailyLog("reviews/review-{date}.md"),
        parse=from_entry,
        render=to_entry,
        index=to_row,
        part_of="episode",
        can_end=False,
        states=False,
        linked=False,
    )
)
