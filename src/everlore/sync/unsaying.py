"""What a deleted episode or fact said leaves the profile with it. What a person wrote there stays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from everlore.clock import DAY_MS, day
from everlore.engine import Engine
from everlore.errors import Damaged, Unreadable
from everlore.kinds import episode, fact, profile
from everlore.kinds.paths import sheet_path
from everlore.kinds.profile import Info, Profile
from everlore.sync.owed import owe, owed, settle
from everlore.sync.profile_file import change_profile
from everlore.types import AllOf, IndexedMemory, MemoryFile, Owner, Predicate, Where
from everlore.vault.markdown import parse_sheet, render_sheet

FACTS_OF_DAY = 10_000
"""Facts of one day among which the same statement is looked for, made at another time."""


def unsay(engine: Engine, owner: Owner, gone: Sequence[IndexedMemory]) -> tuple[str | None, list[Info]]:
    """Take from the profile what only these episodes and facts speak for. Returns the file if it changed, and the lines
    that went. When it cannot be read now, they go when it is repaired.

    Done while the index still has them: after a crash they are found and taken back again.
    """
    if owner.track != profile.PROFILE.track or not gone:
        return None, []
    facts = [row for row in gone if row.key.kind == fact.FACT.name]
    said = {_evidence(row) for row in facts} - set(_said_elsewhere(engine, owner, facts))
    episodes = " ".join(
        " ".join(str(row.data["episode"]).split()) for row in gone if row.key.kind == episode.EPISODE.name
    )
    moments = {row.timestamp for row in gone}

    def quoted(info: Info) -> bool:
        """Evidence that is what was said, not a fact made of it."""
        words = info.evidence.partition(": ")[2].rstrip("…").strip()
        return bool(words) and info.timestamp in moments and words in episodes

    def leaving(old: Profile) -> set[str]:
        return said | {info.evidence for info in old.explicit_info if quoted(info)}

    path, went, read = _without(engine, owner, leaving)
    if not read and (last := _last_read(engine, owner, moments)):
        owe(engine, owner, leaving(last) & _rests_on(last))
    return path, went


def unsay_owed(engine: Engine, owner: Owner) -> str | None:
    """Take from the profile what it kept while it could not be read. Returns the file if it changed."""
    noted = owed(engine, owner)
    if not noted:
        return None
    path, _, read = _without(engine, owner, lambda _: set().union(*noted.values()))
    if read:
        settle(noted)
    return path


def _without(
    engine: Engine, owner: Owner, leaving: Callable[[Profile], Collection[str]]
) -> tuple[str | None, list[Info], bool]:
    """Take out what rests on evidence that is `leaving`: the file if it changed, the lines, and if it can be read."""
    from everlore.extract.profile import without  # here, as most who index never need what extraction brings along

    went: list[Info] = []

    def edit(text: str | None, old: Profile | None) -> str | None:
        went.clear()  # it may run again on another text
        if old is None:
            return text
        new = without(old, leaving(old), engine.clock.now())
        if new == old:
            return text
        went.extend(info for info in old.explicit_info if info not in new.explicit_info)
        written = render_sheet(profile.to_sheet(new), text or "")
        empty = not (new.summary or new.explicit_info or new.implicit_traits)
        return None if empty and written == render_sheet(profile.to_sheet(new)) else written

    change, read = change_profile(engine, owner, edit)
    return sheet_path(profile.PROFILE, owner) if change.after != change.before else None, went, read


def _last_read(engine: Engine, owner: Owner, moments: Iterable[int]) -> Profile | None:
    """The profile as it was when it could be read. The index has no times of its lines: those of the days of these
    moments count as from then."""
    rows = engine.index.page(Where(owner, (profile.PROFILE.name,)), limit=1).rows
    if not rows:
        return None
    by_day = {day(moment): moment for moment in moments}
    last = profile.from_sheet(MemoryFile(rows[0].data, ""), owner)
    infos = (replace(info, timestamp=by_day.get(info.evidence.partition(": ")[0], 0)) for info in last.explicit_info)
    return replace(last, explicit_info=tuple(infos))


def _rests_on(known: Profile) -> set[str]:
    traits = (piece for trait in known.implicit_traits for piece in trait.evidence.split(" | "))
    return {info.evidence for info in known.explicit_info}.union(traits)


def spoken_for(infos: Iterable[Info], gone: Sequence[IndexedMemory]) -> list[Info]:
    """Those of these lines that rest on these episodes and facts."""
    said = {_evidence(row) for row in gone if row.key.kind == fact.FACT.name}
    moments = {row.timestamp for row in gone if row.key.kind == episode.EPISODE.name}
    return [info for info in infos if info.evidence in said or info.timestamp in moments]


def require_profile(engine: Engine, owner: Owner) -> None:
    """Raise when the profile is there and cannot be read, so that it could not lose what is to be forgotten."""
    path = sheet_path(profile.PROFILE, owner)
    file = engine.vault.read(path)
    try:
        if file and file.text:
            profile.from_sheet(parse_sheet(file.text), owner)
    except Damaged as error:
        raise Unreadable(f"{path}, {error}") from None


def _evidence(row: IndexedMemory) -> str:
    from everlore.extract.profile import evidence

    return evidence(str(row.data["content"]), row.timestamp)


def _said_elsewhere(engine: Engine, owner: Owner, facts: Sequence[IndexedMemory]) -> Iterator[str]:
    gone = {row.key.local_id for row in facts}
    for start in {row.timestamp - row.timestamp % DAY_MS for row in facts}:
        of_day = AllOf((Predicate("timestamp", "gte", start), Predicate("timestamp", "lt", start + DAY_MS)))
        page = engine.index.page(Where(owner, (fact.FACT.name,), of_day), limit=FACTS_OF_DAY)
        yield from (_evidence(row) for row in page.rows if row.key.local_id not in gone)
