"""What a kind of memory is, and the kinds that there are: where one lies, how it reads, renders and indexes, and what
search and surfaces ask of it.

    FACT = register(Kind(name="fact", code="af", track="user", layout=DailyLog("facts/fact-{date}.md"),
                         parse=from_entry, render=to_entry, index=to_row, part_of="episode"))

Each registers itself in its own module; `everlore.kinds` imports them all. Nobody outside a kind's own file asks which
kind a memory is: they ask its spec.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Generic, TypeAlias, TypeVar

from everlore.errors import InvalidInput
from everlore.kinds.base import declared_end, with_end
from everlore.types import IndexRow, Json, Key, LogEntry, MemoryFile, Owner, Track

S = TypeVar("S", LogEntry, MemoryFile)
V = TypeVar("V")
Data: TypeAlias = Mapping[str, Json]
"""`IndexRow.data`."""


@dataclass(frozen=True, slots=True)
class DailyLog:
    """Many entries in one file per UTC day, such as `facts/fact-{date}.md`, below the owner's folder."""

    pattern: str
    per_file: int = 0
    """Entries after which the day goes on in `fact-2026-11-15-2.md`; 0: never."""
    upstream: str = ""
    """The name that EverOS gives to the same file: read, never written."""

    @property
    def patterns(self) -> list[str]:
        return [self.pattern, *filter(None, [self.upstream])]

    def match(self, path: str) -> str | None:
        """The day whose log this is, as it is written in the name."""
        return next((found["date"] for pattern in self.patterns if (found := _dated(pattern).fullmatch(path))), None)


@dataclass(frozen=True, slots=True)
class OwnFile:
    """One memory in one file, such as `skills/*/SKILL.md`; without a `*` the owner has only one."""

    pattern: str

    @property
    def patterns(self) -> list[str]:
        return [self.pattern]

    def match(self, path: str) -> str | None:
        """What stands in the place of the `*`."""
        before, star, after = self.pattern.partition("*")
        fits = path.startswith(before) and path.endswith(after) and len(path) > len(before) + len(after)
        if star:
            return path[len(before) : len(path) - len(after)] if fits else None
        return "" if path == self.pattern else None


@dataclass(frozen=True, slots=True, eq=False)
class Kind(Generic[S, V]):
    """One kind of memory; `S` is the form it has in files, `V` the value that the rest of the program handles."""

    name: str
    code: str
    """How its ids begin: `af` in `af_20261115_00000001`."""
    track: Track
    layout: DailyLog | OwnFile
    parse: Callable[[S, Owner, str], V]
    """The third argument is the file's name, or the day of a log."""
    render: Callable[[V], S]
    index: Callable[[V, int], IndexRow]
    """With the time when its file was written."""
    plural: str = ""
    part_of: str = ""
    """The kind that it speaks for: a fact that came from an episode is found as that episode, and goes with it."""
    found_as: str = ""
    """The kind with which it is searched, on one scale, and under whose name it is returned; "": never by itself."""
    most_found: int = 100
    """How many a search returns that leaves the number to us."""
    made_by_cells: bool = False
    """It is what a stretch of conversation becomes, which may be sent again when it is gone."""
    can_end: bool = True
    """It can be declared invalid."""
    states: bool = True
    """It holds for a time, so that the past can be asked for it."""
    reset: bool = True
    """Forgetting everything in a scope takes it along."""
    linked: bool = True
    """The names in its text lead to it."""
    in_profile: bool = False
    """Its owner's profile is computed from what it says."""
    source_of: str = ""
    """The kind whose memories name it among their sources, as long as it is there: skills name cases."""
    own_names: Callable[[Data], Sequence[str]] | None = None
    """The names of the thing itself, for a kind whose memories are nodes of the graph."""
    edited_section: str = ""
    """The section of its entry that holds its text and may be changed through a surface."""
    quality: str = ""
    """The field of its data that tells, from 0 to 1, how far it can be relied on."""
    memory_type: str = "semantic"
    """Episodic, semantic or procedural, where its data has no `memory_type`."""
    statement: str = "content"
    """The field of its data that says what it states."""
    text: Callable[[Data], str] = lambda data: str(data["content"])
    """All that is shown of it where there is room."""

    @property
    def has_own_file(self) -> bool:
        return isinstance(self.layout, OwnFile)

    @property
    def per_file(self) -> int:
        return self.layout.per_file if isinstance(self.layout, DailyLog) else 0

    def row(self, source: S, owner: Owner, name: str, updated: int) -> IndexRow:
        """What the index keeps of it, its declared end included."""
        row = self.index(self.parse(source, owner, name), updated)
        if not self.can_end or row.validity.end is not None:  # or it knows its end itself
            return row
        return with_end(row, *declared_end(source))


AnyKind: TypeAlias = Kind[Any, Any]


@lru_cache(64)
def _dated(pattern: str) -> re.Pattern[str]:
    before, _, after = pattern.partition("{date}")
    part = r"(?:-(?:[2-9]|[1-9]\d{1,6}))?"
    return re.compile(rf"{re.escape(before)}(?P<date>\d{{4}}-\d\d-\d\d){part}{re.escape(after)}", re.ASCII)


_kinds: dict[str, AnyKind] = {}
_folders: dict[tuple[Track, str], list[AnyKind]] = {}
"""By the first part of their paths."""
_parts: dict[str, tuple[str, ...]] = {}


def register(new: Kind[S, V]) -> Kind[S, V]:
    for one in _kinds.values():
        if new.name == one.name or (new.track, new.code) == (one.track, one.code):
            raise InvalidInput(f"the kind {new.name!r} has a name or a code that the kind {one.name!r} has already")
    _kinds[new.name] = new
    if new.part_of:
        _parts[new.part_of] = (*_parts.get(new.part_of, ()), new.name)
    for pattern in new.layout.patterns:
        _folders.setdefault((new.track, pattern.partition("/")[0]), []).append(new)
    return new


def kind(name: str) -> AnyKind:
    return _kinds[name]


def all_kinds() -> tuple[AnyKind, ...]:
    return tuple(_kinds.values())


def kinds_where(test: Callable[[AnyKind], object]) -> tuple[str, ...]:
    """Names of the kinds for which this is true."""
    return tuple(one.name for one in _kinds.values() if test(one))


def key_of(owner: Owner, public_id: str) -> Key | None:
    """The memory that an id of this owner names, whether it is there or not."""
    own = [one for one in _kinds.values() if one.track == owner.track]
    only = [key for one in own if (key := Key(owner, one.name, one.name)).public_id == public_id]
    entry = public_id.removeprefix(f"{owner.id}_")
    many = [Key(owner, one.name, entry) for one in own if entry != public_id and entry.startswith(f"{one.code}_")]
    return next(iter(only + many), None)


def several(name: str, count: int = 2) -> str:
    """A kind as people name so many of it."""
    known = _kinds.get(name)
    return name if count == 1 else (known.plural if known else "") or f"{name}s"


def parts_of(whole: str) -> tuple[str, ...]:
    """Names of the kinds that speak for this one."""
    return _parts.get(whole, ())


def searched(track: Track) -> dict[str, tuple[str, ...]]:
    """What is looked for together, on one scale, by the name under which it is returned, which comes first."""
    own = [one for one in _kinds.values() if one.track == track]
    together: dict[str, tuple[str, ...]] = {one.name: (one.name,) for one in own if one.found_as == one.name}
    for one in own:
        if one.found_as != one.name and one.found_as in together:
            together[one.found_as] += (one.name,)
    return together


def hidden_folders() -> frozenset[str]:
    """The only folders with a leading dot that hold memories."""
    return frozenset(folder for _, folder in _folders if folder.startswith("."))


def by_path(track: Track, path: str) -> tuple[AnyKind, str, str] | None:
    """The kind of a file below its owner's folder, and what its name says: the part of a `*`, or the day of a log."""
    for one in _folders.get((track, path.partition("/")[0]), ()):
        found = one.layout.match(path)
        if found is None:
            continue
        if not isinstance(one.layout, DailyLog):
            return one, found, ""
        if _is_day(found):
            return one, "", found
    return None


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False
