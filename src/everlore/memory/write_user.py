"""A cell as a user's memories: episode, facts, what the facts end, and the profile."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from everlore.engine import Engine
from everlore.errors import Damaged
from everlore.extract import slots
from everlore.extract.episode import write_episode
from everlore.extract.facts import as_fact, write_facts
from everlore.extract.llm import CellAnswer, told_facts, told_profile, with_episode
from everlore.extract.profile import evidence
from everlore.extract.prompts import UserCell
from everlore.extract.turns import name_of
from everlore.kinds import episode as episodes
from everlore.kinds import fact as facts
from everlore.kinds.fact import Fact
from everlore.memory.daily_log import NewIds, append_once
from everlore.sync import known_names, say
from everlore.temporal import close
from everlore.types import Cell, IndexedMemory, LogEntry, Owner, Validity
from everlore.vault.markdown import parse_log, replace_entry

COMPARED = 50
"""Facts in one slot that are looked at, the newest."""


def write_user_track(engine: Engine, cell: Cell, owner: Owner, answer: CellAnswer | None = None) -> list[str]:
    """Returns the files that were written or that hold the cell already.

    `answer` is what a language model made of the cell, where one is configured.
    """
    told = answer if isinstance(answer, UserCell) else None
    drafts = write_facts(cell, engine.clock.zone)
    if told is not None:
        drafts = told_facts(told, cell, drafts)

    def episode_entry(new_ids: NewIds) -> list[LogEntry]:
        written = write_episode(cell, owner, new_ids(1)[0], drafts, engine.clock.zone)
        if written is not None and told is not None:
            written = with_episode(written, told.episode)
        return [episodes.to_entry(written)] if written else []

    def fact_entries(new_ids: NewIds) -> list[LogEntry]:
        numbered = zip(drafts, new_ids(len(drafts)), strict=True)
        return [facts.to_entry(as_fact(draft, cell, owner, entry)) for draft, entry in numbered]

    episode_path, _ = append_once(engine, episodes.EPISODE, owner, cell, episode_entry)
    touched = [episode_path]
    infos = told_profile(told, cell, owner.id) if told is not None else []
    if drafts:
        fact_path, entries = append_once(engine, facts.FACT, owner, cell, fact_entries)
        known = [facts.from_entry(entry, owner) for entry in entries]
        ended = _supersede(engine, owner, known)
        standing = [fact for fact in known if fact.valid_until is None and fact.local_id not in ended]
        name = next(name_of(message) for message in cell.messages if message.sender_id == owner.id)
        over = {evidence(str(row.data["content"]), row.timestamp) for row in ended.values()}
        profile_path = say(engine, owner, fact_path, standing, name, infos, over)
        touched += [fact_path, *(row.path for row in ended.values()), *([profile_path] if profile_path else [])]
    return touched


def _supersede(engine: Engine, owner: Owner, new: Sequence[Fact]) -> dict[str, IndexedMemory]:
    """End the older facts that these contradict, and these where later ones were told before; returns them by their
    entry. Each holds until the first that contradicts it, in whatever order they are told. Nothing is deleted."""
    entries = {fact.local_id for fact in new}
    ended: dict[str, IndexedMemory] = {}
    for told_in in slots_together(engine, owner, new):
        rows = sorted(
            ((row, slot) for slot in told_in for row in engine.index.in_slot(owner, facts.FACT.name, slot)),
            key=lambda told: (told[0].timestamp, told[0].key.local_id),
        )
        told = [row for row in rows[:-COMPARED] if row[0].key.local_id in entries] + rows[-COMPARED:]
        for place, (old, slot) in enumerate(told):
            later = [(row, about) for row, about in told[place + 1 :] if _may_end(row, old, entries)]
            ended_by = next((row for row, about in later if _ends(row, about, old, slot)), None)
            if ended_by is not None:
                _close(engine, owner, old, ended_by)
            if ended_by is not None or old.data["superseded_by"] in entries:  # or before a crash
                ended[old.key.local_id] = old
    return ended


def slots_together(engine: Engine, owner: Owner, new: Sequence[Fact]) -> list[list[str]]:
    """For each slot that the facts speak of, all in which the same is told: of the owner also under earlier names,
    and where it is said that something is over."""
    telling = [fact for fact in new if fact.about]  # few are, and only for those the profile is worth reading
    names = sorted(known_names(engine, owner)) if telling else []
    together: dict[str, dict[str, None]] = {}
    for fact in telling:
        own = names if fact.sender_ids == (owner.id,) else []
        for slot in slots.touched(fact.text, fact.about):
            found = together.setdefault(slot, {slot: None})
            found |= dict.fromkeys([fact.about, *(slots.renamed(slot, name) for name in own)])
    return [list(found) for found in together.values()]


def _may_end(new: IndexedMemory, old: IndexedMemory, told_now: Collection[str]) -> bool:
    """Whether it is worth asking: two known facts were compared before, and an end that is earlier, or that a person
    gave, stays."""
    if new.key.local_id not in told_now and old.key.local_id not in told_now:
        return False
    end = old.validity.end
    return end is None or (new.timestamp < end and bool(old.data["superseded_by"]))


def _ends(new: IndexedMemory, about: str, old: IndexedMemory, slot: str) -> bool:
    """Whether a statement ends an older one of the same person; others may have the same name."""
    if new.sender_ids and old.sender_ids and new.sender_ids != old.sender_ids:
        return False
    said, told = str(new.data["content"]), str(old.data["content"])
    return slots.ends(said, told, slot, slots.speaker_of(about), old.timestamp)


def _close(engine: Engine, owner: Owner, old: IndexedMemory, ended_by: IndexedMemory) -> None:
    def edit(text: str | None) -> str | None:
        entry = next((e for e in parse_log(text or "", old.path).entries if e.id == old.key.local_id), None)
        if text is None or entry is None:
            return text
        try:
            known = facts.from_entry(entry, owner)
        except Damaged:  # reported as a problem; it holds until a person has mended it
            return text
        ended = close(Validity(known.timestamp, known.valid_until), ended_by.timestamp)
        return replace_entry(
            text, facts.to_entry(replace(known, valid_until=ended.end, superseded_by=ended_by.key.local_id))
        )

    engine.vault.update(old.path, edit)
