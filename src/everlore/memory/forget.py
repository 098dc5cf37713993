"""Forget: remove a memory from its file. Sync takes it from the index, an episode's facts and cases with it, and
computes profile and skills without them. All of it goes to the bin; what it had ended stays ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from everlore import extract
from everlore.engine import Engine
from everlore.kinds import case, profile
from everlore.kinds.paths import sheet_path
from everlore.kinds.registry import kind, parts_of
from everlore.memory.bin import Binning, binning
from everlore.memory.history import ended_by
from everlore.memory.read import named
from everlore.stores.buffer import Accepted
from everlore.sync.dependents import hanging_on, learnt_from, take_out
from everlore.sync.indexing import index_file
from everlore.sync.projection import facts_of, read_profile
from everlore.types import IndexedMemory, IndexRow, Owner


@dataclass(frozen=True)
class Going:
    """What forgetting a memory takes, and what it leaves."""

    rows: tuple[IndexedMemory, ...]
    """The memory, and what was made of the same conversation: facts, cases."""
    skills: tuple[IndexedMemory, ...]
    """Those that say something because of these cases. They lose it, or go."""
    lines: tuple[str, ...]
    """What the profile says because of it, and will no longer say."""
    ended: tuple[IndexedMemory, ...]
    """What it had ended, which stays ended; `reopen` takes that back."""

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(row.key.kind for row in self.rows)

    @property
    def files(self) -> Mapping[str, list[str] | None]:
        taken: dict[str, list[str] | None] = {}
        for row in self.rows:
            entries = taken.setdefault(row.path, None if kind(row.key.kind).has_own_file else [])
            if entries is not None:
                entries.append(row.key.local_id)
        return taken

    @property
    def followers(self) -> set[str]:
        """Files that change because of it."""
        users = {row.key.owner for row in self.rows if kind(row.key.kind).in_profile}
        return {row.path for row in self.skills} | {sheet_path(profile.PROFILE, owner) for owner in users}


@dataclass(frozen=True, slots=True)
class Forgotten:
    count: int
    """The memory that was named, and the facts and cases of an episode."""
    bin: str
    """What to restore; "" where no bin is kept."""
    ended: tuple[IndexedMemory, ...]


def preview(engine: Engine, owner: Owner, public_id: str) -> Going:
    """All that would go; nothing does."""
    return going(engine, named(engine, owner, public_id))


def going(engine: Engine, stored: IndexedMemory) -> Going:
    owner = stored.key.owner
    rows = (stored, *hanging_on(engine, owner, stored.key.kind, [stored.parent_id]))
    skills = [row for agent, ids in _cases(rows).items() for row in learnt_from(engine, agent, ids)]
    facts = {row.key.local_id: row.key.global_id for row in rows if kind(row.key.kind).in_profile}
    lines: list[str] = []
    if facts and (old := read_profile(engine, owner)):
        known = list(facts_of(engine, owner))
        left = [one for one in known if one.local_id not in facts]
        new = extract.profile.project(old, left, owner, engine.clock.now(), known)
        kept = {info.description for info in new.explicit_info}
        lines = [info.description for info in old.explicit_info if info.description not in kept]
    past = ended_by(engine, owner) if owner.track == "user" else {}
    ended = [row for gone in rows for row in past.get(gone.key.global_id, ()) if row.key.local_id not in facts]
    return Going(rows, tuple(skills), tuple(lines), tuple(ended))


def forget(engine: Engine, owner: Owner, public_id: str) -> Forgotten:
    return remove(engine, named(engine, owner, public_id))


def remove(engine: Engine, stored: IndexedMemory) -> Forgotten:
    """Forget a memory that the index has; it is well when somebody was quicker. Copies with the same id go too."""
    key = stored.key
    if any(kind(name).in_profile for name in (key.kind, *parts_of(key.kind))):
        read_profile(engine, key.owner)  # refused before anything is gone: a broken profile would go on telling it
    with binning(engine, "forget", key.owner.scope, key.owner, title(stored)) as item:
        gone = _remove(engine, stored, item)
        item.done(gone.counts)
    return Forgotten(len(gone.rows), item.id, gone.ended)


def _remove(engine: Engine, stored: IndexedMemory, item: Binning) -> Going:
    key, path = stored.key, ""
    first = going(engine, stored)
    while stored.path != path:
        path = stored.path
        found = going(engine, stored) if path != first.rows[0].path else first
        item.keep(
            found.files,
            found.followers,
            accepted(engine, [row for row in found.rows if kind(row.key.kind).made_by_cells]),
        )
        if kind(key.kind).has_own_file:  # one memory, which goes as a whole, whatever the file holds by now
            item.remove(path)
        else:
            take_out(engine, path, [key.local_id])
        index_file(engine, path, gone=[stored.parent_id], deleted=[key.local_id])
        stored = engine.index.rows.find([key]).get(key, stored)  # a copy in another file, which was not read until now
    return first


def accepted(engine: Engine, rows: Iterable[IndexRow | IndexedMemory]) -> list[Accepted]:
    """What the buffer knows of the messages that these were made of, which may be sent again once they are gone."""
    cells = {Accepted(row.key.owner.scope, row.session_id, row.parent_id): None for row in rows if row.parent_id}
    return [engine.buffer.accepted_in(cell) for cell in cells]


def title(row: IndexedMemory) -> str:
    """One line that tells people which memory it was."""
    said = row.data.get("subject") or row.data.get(kind(row.key.kind).statement) or row.key.public_id
    return " ".join(str(said).split())[:200]


def _cases(rows: Sequence[IndexedMemory]) -> dict[Owner, set[str]]:
    by_agent: dict[Owner, set[str]] = {}
    for row in rows:
        if row.key.kind == case.CASE.name:
            by_agent.setdefault(row.key.owner, set()).add(row.key.public_id)
    return by_agent
