"""Note: something an agent or a person stored as it stands. Its text is kept to the last character."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from everlore.clock import iso
from everlore.errors import Damaged
from everlore.kinds.base import index_row, moment, moment_field, number_field, section, text_field, time_field, told
from everlore.kinds.pieces import split_text, units_of
from everlore.kinds.registry import DailyLog, Kind, register
from everlore.types import IndexRow, Json, Key, LogEntry, Owner, Validity

TYPES = ("episodic", "semantic", "procedural")
SECTION = "Note"


@dataclass(frozen=True, slots=True)
class Note:
    """`timestamp` is when it was stored, `event_time` when it happened; it holds from `valid_from` on."""

    owner: Owner
    local_id: str
    timestamp: int
    content: str
    memory_type: str = "semantic"
    event_time: int | None = None
    valid_from: int | None = None
    importance: float = 1.0
    metadata: Mapping[str, Json] = field(default_factory=dict)


def to_entry(note: Note) -> LogEntry:
    always = {"owner_id": note.owner.id, "timestamp": iso(note.timestamp), "memory_type": note.memory_type}
    fields = always | told(
        event_time=moment(note.event_time),
        valid_from=moment(note.valid_from),
        importance="" if note.importance == 1.0 else f"{note.importance:g}",
        metadata=written_metadata(note.metadata) if note.metadata else "",
    )
    return LogEntry(note.local_id, {**fields, **verbatim(note.content)}, {SECTION: note.content})


def verbatim(content: str) -> dict[str, str | tuple[str, ...]]:
    """A section loses blanks around it and knows one kind of line end; a text that has others is written once more,
    as one line that keeps everything."""
    return {"verbatim": content} if content != _as_section(content) else {}


def written_metadata(metadata: Mapping[str, Json]) -> str:
    return json.dumps(dict(metadata), ensure_ascii=False, separators=(", ", ": "))


def from_entry(entry: LogEntry, owner: Owner, day: str = "") -> Note:
    shown = section(entry, SECTION)
    exact = text_field(entry, "verbatim", "")
    return Note(
        owner=owner,
        local_id=entry.id,
        timestamp=moment_field(entry, day),
        # when the two differ in more than blanks, a person has edited the one that is easy to edit
        content=exact if _as_section(exact) == shown else shown,
        memory_type=text_field(entry, "memory_type", "semantic"),
        event_time=time_field(entry, "event_time"),
        valid_from=time_field(entry, "valid_from"),
        importance=number_field(entry, "importance", 1.0, most=10.0),
        metadata=_metadata(entry),
    )


def to_row(note: Note, updated: int) -> IndexRow:
    event = note.timestamp if note.event_time is None else note.event_time
    data = {
        "content": note.content,
        "memory_type": note.memory_type,
        "event_time": event,
        "importance": note.importance,
        "metadata": dict(note.metadata),
    }
    key, pieces = Key(note.owner, NOTE.name, note.local_id), units_of(split_text(note.content))
    validity = Validity(event if note.valid_from is None else note.valid_from)
    senders = (note.owner.id,)
    return index_row(key, updated, data, pieces, timestamp=note.timestamp, sender_ids=senders, validity=validity)


def _as_section(content: str) -> str:
    return content.replace("\r\n", "\n").replace("\r", "\n").strip()


def _metadata(entry: LogEntry) -> dict[str, Json]:
    text = text_field(entry, "metadata", "")
    try:
        value = json.loads(text) if text else {}
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Damaged(f"entry {entry.id}: **metadata** must be a JSON object on one line")
    return value


NOTE = register(
    Kind(
        name="note",
        code="nt",
        track="user",
        layout=DailyLog("notes/note-{date}.md", per_file=100),
        parse=from_entry,
        render=to_entry,
        index=to_row,
        found_as="episode",
        edited_section=SECTION,
    )
)
