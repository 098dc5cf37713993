"""Fact: one self-contained sentence from an episode, true from when it was said until something ends it."""

from __future__ import annotations

from dataclasses import dataclass

from everlore.clock import iso, spoken_day
from everlore.kinds.base import (
    header,
    index_row,
    list_field,
    moment_field,
    section,
    text_field,
    time_field,
)
from everlore.kinds.registry import register
from everlore.kinds.spec import DailyLog, Kind
from everlore.types import IndexedMemory, IndexRow, Key, LogEntry, Owner, Unit, Validity

SECTION = "Fact"
TURN_DIGITS = 9
"""No episode has so many turns; a longer number is a slip of the hand, and fits no database."""


@dataclass(frozen=True, slots=True)
class Fact:
    """`about` names what the sentence states a single value of ("alice: favorite coffee shop"), so that a
    newer value ends an older one; it is empty for the many sentences that contradict nothing. `category` is its place
    in the profile where a language model gave it one ("home")."""

    owner: Owner
    local_id: str
    session_id: str
    timestamp: int
    parent_id: str
    sender_ids: tuple[str, ...]
    text: str
    turn: int = -1
    by_user: bool = True
    about: str = ""
    valid_until: int | None = None
    superseded_by: str = ""
    invalidation_reason: str = ""
    category: str = ""


def to_entry(fact: Fact) -> LogEntry:
    fields = header(fact.owner, fact.session_id, fact.timestamp, fact.parent_id, fact.sender_ids)
    if fact.turn >= 0:
        fields["turn"] = str(fact.turn + 1)
    if not fact.by_user:
        fields["role"] = "assistant"
    if fact.about:
        fields["about"] = fact.about
    if fact.valid_until is not None:
        fields["valid_until"] = iso(fact.valid_until)
    if fact.superseded_by:
        fields["superseded_by"] = fact.superseded_by
    if fact.invalidation_reason:
        fields["invalidation_reason"] = fact.invalidation_reason
    if fact.category:
        fields["category"] = fact.category
    return LogEntry(id=fact.local_id, fields=fields, sections={SECTION: fact.text})


def from_entry(entry: LogEntry, owner: Owner, day: str = "") -> Fact:
    turn = text_field(entry, "turn", "")
    number = int(turn) if turn.isdecimal() and len(turn) <= TURN_DIGITS else 0
    return Fact(
        owner=owner,
        local_id=entry.id,
        session_id=text_field(entry, "session_id", ""),
        timestamp=moment_field(entry, day),
        parent_id=text_field(entry, "parent_id", ""),
        sender_ids=list_field(entry, "sender_ids"),
        text=section(entry, SECTION),
        turn=number - 1 if number else 0 if "parent_id" in entry.fields else -1,
        by_user=text_field(entry, "role", "user") == "user",
        about=text_field(entry, "about", ""),
        valid_until=time_field(entry, "valid_until"),
        superseded_by=text_field(entry, "superseded_by", ""),
        invalidation_reason=text_field(entry, "invalidation_reason", ""),
        category=text_field(entry, "category", ""),
    )


def from_row(row: IndexRow | IndexedMemory) -> Fact:
    return Fact(
        owner=row.key.owner,
        local_id=row.key.local_id,
        session_id=row.session_id,
        timestamp=row.timestamp,
        parent_id=row.parent_id,
        sender_ids=row.sender_ids,
        text=str(row.data["content"]),
        turn=int(str(row.data["turn"])),
        by_user=bool(row.data["by_user"]),
        about=row.slot,
        valid_until=row.validity.end,
        superseded_by=str(row.data["superseded_by"]),
        invalidation_reason=str(row.data.get("invalidation_reason", "")),
        category=str(row.data.get("category", "")),
    )


def to_row(fact: Fact, updated: int) -> IndexRow:
    data = {"content": fact.text, "superseded_by": fact.superseded_by, "turn": fact.turn, "by_user": fact.by_user}
    if fact.invalidation_reason:
        data["invalidation_reason"] = fact.invalidation_reason
    if fact.category:
        data["category"] = fact.category
    pieces: tuple[Unit, ...] = ()
    if fact.valid_until is None:  # what has ended is kept and listed, but no longer leads a search anywhere
        # the turn that a fact came from has a vector already, of nearly the same words; one made by hand gets its own
        dense = "" if fact.parent_id and fact.turn >= 0 else fact.text
        pieces = (Unit(turn=fact.turn, dense=dense, words=f"{spoken_day(fact.timestamp)} {fact.text}"),)
    return index_row(
        Key(fact.owner, FACT.name, fact.local_id),
        updated,
        data,
        pieces,
        timestamp=fact.timestamp,
        session_id=fact.session_id,
        parent_id=fact.parent_id,
        sender_ids=fact.sender_ids,
        validity=Validity(fact.timestamp, fact.valid_until),
        slot=fact.about,
    )


FACT = register(
    Kind(
        name="fact",
        code="af",
        track="user",
        layout=DailyLog("facts/fact-{date}.md", upstream=".atomic_facts/atomic_fact-{date}.md"),
        parse=from_entry,
        render=to_entry,
        index=to_row,
        part_of="episode",
        edited_section=SECTION,
    )
)
