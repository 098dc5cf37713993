"""Lines of a profile that a person puts there, keeps, or takes out. What is theirs, no fact changes any more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from everlore.clock import day
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.extract.profile_items import evidence
from everlore.extract.rules import CATEGORY
from everlore.kinds.fact import FACT, from_row
from everlore.kinds.paths import sheet_path
from everlore.kinds.profile import PROFILE, Info, Profile, to_sheet
from everlore.memory.notes import without_secrets
from everlore.sync.indexing import index_file
from everlore.sync.projection import facts_of, profile_in, profile_lock, project
from everlore.types import IndexedMemory, Owner, Predicate, Where
from everlore.vault.markdown import render_sheet

PINNED = "pinned"
"""The key that makes a line its owner's."""
LONGEST = 280


def pin(engine: Engine, owner: Owner, description: str) -> None:
    """Keep a line as it is, whatever is said later."""
    _change(
        engine,
        owner,
        lambda infos: [
            replace(info, written={**info.written, PINNED: True}) if info.description == description else info
            for info in _with(infos, description)
        ],
    )


def drop(engine: Engine, owner: Owner, description: str) -> None:
    """Take a line out; one that facts still explain does not come back."""
    _change(
        engine, owner, lambda infos: [info for info in _with(infos, description) if info.description != description]
    )


def add_rule(engine: Engine, owner: Owner, text: str) -> None:
    """What the owner wants of every agent, for good."""
    told = " ".join(without_secrets(engine, text).split())
    if not told or len(told) > LONGEST:
        raise InvalidInput(f"a rule must have 1 to {LONGEST} characters")
    now = engine.clock.now()
    new = Info(CATEGORY, told, f"{day(now)}: {told}", "", now, written={PINNED: True})
    _change(engine, owner, lambda infos: [new, *(info for info in infos if info.description != told)])


def origin(engine: Engine, owner: Owner, info: Info) -> IndexedMemory | None:
    """The fact that a line comes from, where it still stands."""
    where = Where(owner, (FACT.name,), Predicate("timestamp", "eq", info.timestamp))
    rows = engine.index.rows.page(where, limit=50).rows
    return next((row for row in rows if evidence(from_row(row)) == info.evidence), None)


def _with(infos: Sequence[Info], description: str) -> Sequence[Info]:
    if all(info.description != description for info in infos):
        raise NotFound("this line is not in the profile any more; look at it again")
    return infos


def _change(engine: Engine, owner: Owner, edit: Callable[[Sequence[Info]], list[Info]]) -> None:
    path = sheet_path(PROFILE, owner)

    def changed(text: str | None) -> str:
        old = profile_in(engine, owner, text) or Profile(owner, "", (), (), 0, ())
        new = replace(old, explicit_info=tuple(edit(old.explicit_info)), timestamp=engine.clock.now())
        return render_sheet(to_sheet(new), text or "")

    with profile_lock(engine, owner):
        engine.vault.change(path, changed)
        facts = list(facts_of(engine, owner))
        project(engine, owner, facts, facts)  # the summary follows its lines
    index_file(engine, path)
