"""Save a fact as an agent knows it: from when it holds, which facts it replaces, and what it rests on.

What is said already is not stored a second time: the fact that stands gets the new source beside its own.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace

from everlore import extract
from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.kinds import fact as facts
from everlore.kinds import profile
from everlore.kinds.fact import FACT, Fact
from everlore.kinds.paths import sheet_path
from everlore.memory.daily_log import NewEntries, append
from everlore.memory.notes import checked_content, without_secrets
from everlore.memory.read import named
from everlore.memory.write_user import add_sources, compared, end_in, equal_fact
from everlore.sync.embedding import embed_soon
from everlore.sync.projection import added_to_profile
from everlore.sync.writing import Pages, write_together
from everlore.types import IndexedMemory, Key, Owner

REPLACED = 20
"""Facts that one may replace at most."""


def save_fact(
    engine: Engine,
    owner: Owner,
    text: str,
    *,
    source: str,
    category: str = "",
    replaces: Sequence[str] = (),
    valid_from: int | None = None,
    evidence: str = "",
) -> tuple[Key, bool]:
    """The fact, and whether it was new. All that it replaces ends when it begins."""
    said = checked_content(" ".join(without_secrets(engine, text).split()))
    over = [_to_replace(engine, owner, one) for one in dict.fromkeys(replaces)]
    if len(over) > REPLACED:
        raise InvalidInput(f"a fact can replace at most {REPLACED} others; {len(over)} were named")
    now = engine.clock.now()
    new = Fact(
        owner, "", "", now, "", (owner.id,), text=said, about=extract.facts.about(said, owner.id), category=category,
        valid_from=valid_from, sources=(source, *([without_secrets(engine, evidence)] if evidence else [])),
    )  # fmt: skip

    def edit(pages: Pages) -> tuple[Key, bool]:
        same = equal_fact(said, [row for row in compared(engine, owner, [new], pages) if row not in over])
        if same is not None:
            add_sources(pages, same, new.sources)
            entry = same.key.local_id
        else:
            [([written], _)] = append(engine, pages, [NewEntries(FACT, owner, now, [new], "", uuid.uuid4().hex)])
            entry = written.id
        ends = {
            row.key.local_id: replace(
                facts.from_row(row), valid_until=max(row.timestamp, valid_from or now), superseded_by=entry
            )
            for row in over
            if row.validity.end is None and row.key.local_id != entry
        }
        end_in(pages, owner, ends, {row.path for row in over})
        path = sheet_path(profile.PROFILE, owner)
        told = [replace(new, local_id=entry)] if same is None else []
        pages.change(path, added_to_profile(engine, owner, pages.text(path), told, owner.id, list(ends.values())))
        return Key(owner, FACT.name, entry), same is None

    with engine.vault.lock(f"facts:{owner.id}"):
        key, fresh = write_together(engine, edit)
    embed_soon(engine, [owner])
    return key, fresh


def _to_replace(engine: Engine, owner: Owner, public_id: str) -> IndexedMemory:
    stored = named(engine, owner, public_id)
    if stored.key.kind != FACT.name:
        raise InvalidInput(f"{public_id} is a {stored.key.kind}; only facts are replaced by a fact")
    return stored
