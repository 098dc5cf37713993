"""A cell as a user's memories: episode, facts, what the facts end, and the profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from everlore.engine import Engine
from everlore.errors import Damaged
from everlore.extract import slots
from everlore.extract.episode import write_episode
from everlore.extract.facts import as_fact, write_facts
from everlore.extract.profile import update_profile
from everlore.extract.prompts import UserCell
from everlore.extract.told import CellAnswer, told_facts, told_profile, with_episode
from everlore.extract.turns import name_of
from everlore.kinds import episode as episodes
from everlore.kinds import fact as facts
from everlore.kinds import profile as profiles
from everlore.kinds.fact import Fact
from everlore.kinds.profile import Info
from everlore.memory.logs import NewIds, append_once
from everlore.temporal import close
from everlore.types import Cell, Entry, Owner, Stored, Validity
from everlore.vault.markdown import parse_log, parse_sheet, render_sheet, replace_entry
from everlore.vault.paths import sheet_path

COMPARED = 50
"""Facts in one slot that are looked at, the newest: what still holds there is never many."""


def write_user_track(engine: Engine, cell: Cell, owner: Owner, answer: CellAnswer | None = None) -> list[str]:
    """Returns the files that were written or that hold the cell already.

    `answer` is what a language model made of the cell, where one is configured.
    """
    told = answer if isinstance(answer, UserCell) else None
    drafts = write_facts(cell, engine.clock.zone)
    if told is not None:
        drafts = told_facts(told, cell, drafts)

    def episode_entry(new_ids: NewIds) -> list[Entry]:
        written = write_episode(cell, owner, new_ids(1)[0], drafts, engine.clock.zone)
        if written is not None and told is not None:
            written = with_episode(written, told.episode)
        return [episodes.to_entry(written)] if written else []

    def fact_entries(new_ids: NewIds) -> list[Entry]:
        numbered = zip(drafts, new_ids(len(drafts)), strict=True)
        return [facts.to_entry(as_fact(draft, cell, owner, entry)) for draft, entry in numbered]

    episode_path, _ = append_once(engine, episodes.PLACE, owner, cell, episode_entry)
    touched = [episode_path]
    infos = told_profile(told, cell, owner.id) if told is not None else []
    if drafts:
        fact_path, entries = append_once(engine, facts.PLACE, owner, cell, fact_entries)
        known = [facts.from_entry(entry, owner) for entry in entries]
        touched += [fact_path, *_supersede(engine, owner, known), *_update_profile(engine, cell, owner, known, infos)]
    return touched


def _supersede(engine: Engine, owner: Owner, new: Sequence[Fact]) -> list[str]:
    """End the older facts that these contradict. Nothing is deleted."""
    entries = {fact.entry for fact in new}
    said_in: dict[str, set[str]] = {}
    for fact in new:
        for slot in slots.touched(fact.text, fact.about):
            said_in.setdefault(slot, {slot}).add(fact.about)
    said_in.pop("", None)
    touched = []
    for slot, abouts in said_in.items():
        found = [(about, row) for about in abouts for row in engine.index.in_slot(owner, facts.PLACE.kind, about)]
        rows = sorted(
            (row for about, row in found if about == slot or row.key.entry in entries),
            key=lambda row: (row.timestamp, row.key.entry),
        )
        fresh = [(place, row) for place, row in enumerate(rows) if row.key.entry in entries]
        for place, old in enumerate(rows[-COMPARED:], max(0, len(rows) - COMPARED)):
            later = rows[place + 1 :] if old.key.entry in entries else [row for at, row in fresh if at > place]
            told = str(old.data["content"])
            ended_by = next((row for row in later if slots.ends(str(row.data["content"]), told, slot)), None)
            if ended_by is not None:
                _close(engine, owner, old, ended_by)
                touched.append(old.path)
    return touched


def _close(engine: Engine, owner: Owner, old: Stored, ended_by: Stored) -> None:
    def edit(text: str | None) -> str | None:
        entry = next((e for e in parse_log(text or "", old.path).entries if e.id == old.key.entry), None)
        if text is None or entry is None:
            return text
        known = facts.from_entry(entry, owner)
        ended = close(Validity(known.timestamp, known.valid_until), ended_by.timestamp)
        return replace_entry(
            text, facts.to_entry(replace(known, valid_until=ended.end, superseded_by=ended_by.key.entry))
        )

    engine.vault.update(old.path, edit)


def _update_profile(engine: Engine, cell: Cell, owner: Owner, new: Sequence[Fact], told: Sequence[Info]) -> list[str]:
    name = next(name_of(message) for message in cell.messages if message.sender_id == owner.id)
    path = sheet_path(profiles.PLACE, owner)

    def edit(text: str | None) -> str | None:
        try:
            old = profiles.from_sheet(parse_sheet(text), owner) if text else None
        except Damaged:
            return text  # a person is working on it; it is reported as a problem and never overwritten
        updated = update_profile(old, new, owner, engine.clock.now(), name, told)
        if updated == old or not (old or updated.explicit_info or updated.implicit_traits):
            return text
        return render_sheet(profiles.to_sheet(updated), text or "")

    return [path] if engine.vault.update(path, edit) else []
