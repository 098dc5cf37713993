"""Fact: one self-contained sentence from an episode, true from when it was said until something ends it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from everlore.clock import spoken_day
from everlore.kinds.base import (
    CellMemory,
    cell_row,
    header,
    list_field,
    moment,
    named,
    of_entry,
    of_row,
    section,
    text_field,
    time_field,
    told,
)
from everlore.kinds.registry import DailyLog, Kind, register
from everlore.types import PERSONAL, IndexedMemory, IndexRow, LogEntry, Owner, Unit

SECTION = "Fact"
TIMES = ("valid_from", "valid_until")
TOLD = ("about", *TIMES, "superseded_by", "invalidation_reason", "category")
"""Fields that an entry has only where they say something."""
YES = ("yes", "true")
PLACE = {"parent_type", "parent_id", "turn", "project"}
"""Fields of a fact that hangs on a conversation."""
_SAID = re.compile(r"session .*?(?: \(turn (?P<turn>\d{1,9}) of (?P<cell>[^()]+)\))?", re.DOTALL)
TURN_DIGITS = 9
"""No episode has so many turns; a longer number is a slip of the hand, and fits no database."""


@dataclass(frozen=True, slots=True)
class Fact(CellMemory):
    """`about` names what the sentence states a single value of ("alice: favorite coffee shop"), so that a
    newer value ends an older one; it is empty for the many sentences that contradict nothing. `category` is its place
    in the profile where a language model gave it one ("home"). `valid_from` is set where it held from another time on
    than when it was said."""

    text: str
    turn: int = -1
    by_user: bool = True
    about: str = ""
    valid_until: int | None = None
    superseded_by: str = ""
    invalidation_reason: str = ""
    category: str = ""
    valid_from: int | None = None
    personal: bool = False
    """Said in a project, but of the user themselves: it is seen in every one."""
    sources: tuple[str, ...] = ()
    """Where else it was said, or who saved it."""


def source(fact: Fact) -> str:
    """The conversation that it hangs on, as another fact that says the same names it."""
    return f"session {fact.session_id} (turn {fact.turn + 1} of {fact.parent_id})"


def elsewhere(fact: Fact, talk_of: Callable[[str], IndexedMemory | None]) -> Fact | None:
    """Where it hangs when its conversation is gone: on another, which `talk_of` finds by its cell, or on none if
    somebody saved it too; None if nobody else says it. It goes on naming the old one, which may come back."""
    for one in fact.sources:
        said = _SAID.fullmatch(one)
        if said is None:
            return replace(fact, session_id="", parent_id="", turn=-1, sources=(source(fact), *fact.sources))
        if said["cell"] and (talk := talk_of(said["cell"])):
            at = talk.timestamp if fact.valid_until is None else fact.timestamp
            sources = tuple(source(fact) if other == one else other for other in fact.sources)
            moved = replace(fact, session_id=talk.session_id, parent_id=talk.parent_id, project=talk.project)
            return replace(moved, timestamp=at, turn=int(said["turn"]) - 1, sources=sources)
    return None


def to_entry(fact: Fact) -> LogEntry:
    turn, role = str(fact.turn + 1) if fact.turn >= 0 else "", "" if fact.by_user else "assistant"
    fields = header(fact) | told(turn=turn, role=role, personal="yes" if fact.personal else "")
    times = {name: moment(value) for name, value in named(fact, TIMES).items()}
    fields |= told(sources=fact.sources, **named(fact, TOLD) | times)
    return LogEntry(fact.local_id, fields, {SECTION: fact.text})


def from_entry(entry: LogEntry, owner: Owner, day: str = "") -> Fact:
    turn = text_field(entry, "turn", "")
    number = int(turn) if turn.isdecimal() and len(turn) <= TURN_DIGITS else 0
    said: dict[str, Any] = {name: text_field(entry, name, "") for name in TOLD}
    return Fact(
        **of_entry(entry, owner, day),
        text=section(entry, SECTION),
        turn=number - 1 if number else 0 if "parent_id" in entry.fields else -1,
        by_user=text_field(entry, "role", "user") == "user",
        personal=text_field(entry, "personal", "no").lower() in YES,
        sources=list_field(entry, "sources"),
        **said | {name: time_field(entry, name) for name in TIMES},
    )


def from_row(row: IndexRow | IndexedMemory) -> Fact:
    data = row.data
    said: dict[str, Any] = {name: str(data.get(name, "")) for name in TOLD}
    start = row.validity.start if row.validity.start != row.timestamp else None
    said |= {"about": row.slot, "valid_from": start, "valid_until": row.validity.end}
    said |= {"personal": "told_in" in data, "sources": tuple(map(str, data.get("sources", ())))}
    where = {"project": str(data.get("told_in", row.project))}
    turn, by_user = int(str(data["turn"])), bool(data["by_user"])
    return Fact(**of_row(row) | where, text=str(data["content"]), turn=turn, by_user=by_user, **said)


def to_row(fact: Fact, updated: int) -> IndexRow:
    data = {"content": fact.text, "superseded_by": fact.superseded_by, "turn": fact.turn, "by_user": fact.by_user}
    data |= told(**named(fact, ("invalidation_reason", "category")), sources=list(fact.sources))
    seen = replace(fact, project=PERSONAL) if fact.personal and fact.project else fact
    data |= {"told_in": fact.project} if seen is not fact else {}
    pieces: tuple[Unit, ...] = ()
    if fact.valid_until is None:  # what has ended is kept and listed, but no longer leads a search anywhere
        # the turn that a fact came from has a vector already, of nearly the same words; one made by hand gets its own
        dense = "" if fact.parent_id and fact.turn >= 0 else fact.text
        pieces = (Unit(turn=fact.turn, dense=dense, words=f"{spoken_day(fact.timestamp)} {fact.text}"),)
    start, end = fact.valid_from, fact.valid_until
    return cell_row(FACT.name, seen, updated, data, pieces, start=start, end=end, slot=fact.about)


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
        in_profile=True,
        edited_section=SECTION,
    )
)
