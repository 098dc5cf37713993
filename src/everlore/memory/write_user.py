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
from everlore.errors import Damaged, Misconfigured, Unavailable
from everlore.kinds import episode as episodes
from everlore.kinds import fact as facts
from everlore.kinds.episode import Episode
from everlore.kinds.fact import Fact
from everlore.memory.daily_log import append_once
from everlore.models.base import Vectors
from everlore.stores.base import Asked
from everlore.stores.tokens import query_terms
from everlore.sync.indexing import index_file
from everlore.sync.projection import add_to_profile, known_names
from everlore.types import Cell, IndexedMemory, Key, LogEntry, Owner, Where
from everlore.vault.markdown import parse_log, replace_entry

if TYPE_CHECKING:
    from everlore.extract.facts import FactDraft
    from everlore.extract.llm import CellAnswer

NEW = "new-"
"""How the ids of facts begin that have none yet."""
ALIKE, NEWEST = 60, 60
"""Facts with words in common, and facts of late, that new ones are compared with."""


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
    if episode is not None and told is not None and engine.llm is not None:
        episode = replace(extract.llm.with_episode(episode, told.episode), reviewed_by=engine.llm.model)
    if told is not None:
        drafts = extract.llm.with_profile(told, cell, owner.id, drafts)
    name = next(extract.turns.name_of(message) for message in cell.messages if message.sender_id == owner.id)
    return UserMemories(episode, _kept(engine, cell, owner, drafts), name)


def _kept(engine: Engine, cell: Cell, owner: Owner, drafts: Sequence[FactDraft]) -> tuple[Fact, ...]:
    """The facts of a cell; of those that are worth it only if they end something, the ones that do."""
    told = [extract.facts.as_fact(draft, cell, owner, f"{NEW}{at}") for at, draft in enumerate(drafts)]
    doubtful = [fact for fact, draft in zip(told, drafts, strict=True) if draft.tentative]
    used: set[str] = set()
    if doubtful and any(map(extract.supersede.may_end, doubtful)):
        known = [facts.from_row(row) for row in compared(engine, owner, doubtful)]
        sure = [fact for fact in told if fact not in doubtful]
        vectors = _vectors(engine, (*known, *sure), doubtful)
        used = {fact.superseded_by for fact in extract.supersede.superseded((*known, *sure), doubtful, vectors)}
    kept = [fact for fact in told if fact not in doubtful or fact.local_id in used]
    return tuple(replace(fact, local_id="") for fact in kept)


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
    rows = compared(engine, owner, new)
    known = [facts.from_row(row) for row in rows]
    ended = {fact.local_id: fact for fact in extract.supersede.superseded(known, new, _vectors(engine, known, new))}
    paths = {row.key.local_id: row.path for row in (*rows, *_own_rows(engine, owner, new, ended))}
    for path in dict.fromkeys(paths[one] for one in ended if one in paths):
        engine.vault.change(path, partial(_with_ends, ended, owner))
        index_file(engine, path, projecting=False)
    told = {fact.local_id for fact in new}
    return [*ended.values(), *(fact for fact in known if fact.superseded_by in told and fact.local_id not in ended)]


def compared(engine: Engine, owner: Owner, new: Sequence[Fact]) -> list[IndexedMemory]:
    """The known facts with which it is worth comparing new ones: of the same slots, with words in common, of late."""
    able = [fact for fact in new if extract.supersede.may_end(fact)]
    if not able:
        return []
    where = Where(owner, (facts.FACT.name,))
    slots = extract.supersede.slots_of(able, known_names(engine, owner))
    found = {row.key: row for row in engine.index.rows.in_slot(owner, facts.FACT.name, *slots)} if slots else {}
    terms = query_terms(" ".join(extract.supersede.words_of(fact) for fact in able))
    pieces = engine.index.search.candidates(Asked(where, terms, limit=ALIKE)).pieces if terms else []
    found |= {row.key: row for row in engine.index.rows.stored({piece.row for piece in pieces}).values()}
    found |= {row.key: row for row in engine.index.rows.page(where, limit=NEWEST).rows}
    told = {fact.local_id for fact in new}
    return [row for row in found.values() if row.key.local_id not in told]


def _own_rows(engine: Engine, owner: Owner, new: Sequence[Fact], ended: Mapping[str, Fact]) -> list[IndexedMemory]:
    """Where the new facts lie that have ended already."""
    keys = [Key(owner, facts.FACT.name, fact.local_id) for fact in new if fact.local_id in ended]
    return list(engine.index.rows.find(keys).values()) if keys else []


def _vectors(engine: Engine, known: Sequence[Fact], new: Sequence[Fact]) -> dict[str, Vectors] | None:
    """What the statements mean, for those that are compared; None where the embedder cannot tell now, or is another
    than the one that the judgement was learned with."""
    if engine.embedder.name != extract.change.weights().model:
        return None
    able = [fact for fact in new if extract.supersede.may_end(fact)]
    texts: dict[str, None] = {}
    for fact in able:
        near = extract.supersede.likely(fact, (*known, *new))
        texts |= dict.fromkeys(map(extract.supersede.words_of, (fact, *near) if near else ()))
    if not texts:
        return {}
    try:
        return dict(zip(texts, engine.embedder.encode(list(texts), patient=False), strict=True))
    except (Unavailable, Misconfigured):
        return None


def _with_ends(ended: Mapping[str, Fact], owner: Owner, text: str | None) -> str | None:
    for entry in parse_log(text, "").entries if text else ():
        if fact := ended.get(entry.id):
            with suppress(Damaged):  # reported as a problem; it holds until a person has mended it
                facts.from_entry(entry, owner)
                ends = {"valid_until": iso(fact.valid_until or 0), "superseded_by": fact.superseded_by}
                text = replace_entry(text or "", LogEntry(entry.id, ends, {}))
    return text
