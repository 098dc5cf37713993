"""A cell as a user's memories: values first, then their files, what they end, and the profile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from everlore import extract
from everlore.clock import iso
from everlore.engine import Engine
from everlore.errors import Damaged
from everlore.kinds import episode as episodes
from everlore.kinds import fact as facts
from everlore.kinds.episode import Episode
from everlore.kinds.fact import Fact
from everlore.memory.daily_log import append_once
from everlore.sync.indexing import index_file
from everlore.sync.projection import add_to_profile, known_names
from everlore.types import Cell, LogEntry, Owner
from everlore.vault.markdown import parse_log, replace_entry

if TYPE_CHECKING:
    from everlore.extract.llm import CellAnswer


@dataclass(frozen=True, slots=True)
class UserMemories:
    """What a cell means to one of its users; the ids are given when it is written."""

    episode: Episode | None
    facts: tuple[Fact, ...]
    name: str
    """What the facts call the user."""


def user_memories(engine: Engine, cell: Cell, owner: Owner, answer: CellAnswer | None = None) -> UserMemories:
    """`answer` is what a language model made of the cell, where one is configured."""
    zone = engine.clock.zone
    told = answer if isinstance(answer, extract.prompts.UserCell) else None
    drafts = extract.facts.write_facts(cell, zone)
    if told is not None:
        drafts = extract.llm.told_facts(told, cell, drafts)
    episode = extract.episode.write_episode(cell, owner, "", drafts, zone)
    if episode is not None and told is not None:
        episode = extract.llm.with_episode(episode, told.episode)
    if told is not None:
        drafts = extract.llm.with_profile(told, cell, owner.id, drafts)
    name = next(extract.turns.name_of(message) for message in cell.messages if message.sender_id == owner.id)
    return UserMemories(episode, tuple(extract.facts.as_fact(draft, cell, owner, "") for draft in drafts), name)


def write_user_memories(engine: Engine, cell: Cell, owner: Owner, memories: UserMemories) -> bool:
    """Write what is missing of them. True when there was anything to write, now or before a crash."""
    there, _ = append_once(engine, episodes.EPISODE, owner, cell, [memories.episode] if memories.episode else [])
    written, fresh = append_once(engine, facts.FACT, owner, cell, memories.facts)
    if fresh:
        known = [replace(fact, local_id=entry.id) for fact, entry in zip(memories.facts, written, strict=True)]
    else:
        known = [facts.from_entry(entry, owner) for entry in written]
    if known:
        ended = supersede(engine, owner, known)
        over = {fact.local_id for fact in ended}
        standing = [fact for fact in known if fact.valid_until is None and fact.local_id not in over]
        if profile_path := add_to_profile(engine, owner, standing, memories.name, ended):
            index_file(engine, profile_path)
    return bool(there or known)


def supersede(engine: Engine, owner: Owner, new: Sequence[Fact]) -> list[Fact]:
    """End the older facts that these contradict, and these where later ones were told before, in their files and in
    the index. Returns what they ended, also before a crash."""
    if not any(fact.about for fact in new):  # few say anything of which there is only one
        return []
    together = extract.supersede.slots_together(new, owner, known_names(engine, owner))
    slots = dict.fromkeys(slot for group in together for slot in group)
    rows = engine.index.rows.in_slot(owner, facts.FACT.name, *slots)
    known = [facts.from_row(row) for row in rows]
    ended = {fact.local_id: fact for fact in extract.supersede.superseded(known, new, together)}
    for path in dict.fromkeys(row.path for row in rows if row.key.local_id in ended):
        engine.vault.change(path, partial(_with_ends, ended, owner))
        index_file(engine, path, projecting=False)
    told = {fact.local_id for fact in new}
    return [*ended.values(), *(fact for fact in known if fact.superseded_by in told and fact.local_id not in ended)]


def _with_ends(ended: Mapping[str, Fact], owner: Owner, text: str | None) -> str | None:
    for entry in parse_log(text, "").entries if text else ():
        if fact := ended.get(entry.id):
            with suppress(Damaged):  # reported as a problem; it holds until a person has mended it
                facts.from_entry(entry, owner)
                ends = {"valid_until": iso(fact.valid_until or 0), "superseded_by": fact.superseded_by}
                text = replace_entry(text or "", LogEntry(entry.id, ends, {}))
    return text
