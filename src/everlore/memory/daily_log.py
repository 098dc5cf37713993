"""Appending entries to a daily log, once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from everlore.clock import day, entry_id, iso
from everlore.engine import Engine
from everlore.errors import Unreadable
from everlore.kinds.paths import log_paths
from everlore.kinds.registry import AnyKind
from everlore.stores.buffer import Wanted
from everlore.sync.writing import Pages
from everlore.types import Cell, LogEntry, Owner
from everlore.vault.entries import as_read
from everlore.vault.markdown import append_entries, last_number, log_front, parse_log

PARTS = 9


@dataclass(frozen=True, slots=True)
class NewEntries:
    """Memories for the log of their day, unless entries are there whose `field` says `mark` and that are `still`
    meant: they were written before a crash."""

    kind: AnyKind
    owner: Owner
    moment: int
    memories: Sequence[Any]
    field: str
    mark: str
    still: Callable[[LogEntry], object] = bool

    @property
    def paths(self) -> tuple[str, ...]:
        """The log of the day first, then others that may hold entries of that day."""
        return log_paths(self.kind, self.owner, self.moment)

    def parts(self) -> Iterator[str]:
        """The log, and where the day goes on when it holds nothing any more."""
        first = self.paths[0]
        yield first
        yield from (f"{first.removesuffix('.md')}-{number}.md" for number in range(2, PARTS + 1))


def of_cell(kind: AnyKind, owner: Owner, cell: Cell, memories: Sequence[Any]) -> NewEntries:
    return NewEntries(kind, owner, cell.timestamp, memories, "parent_id", cell.id)


def append(engine: Engine, pages: Pages, wanted: Sequence[NewEntries]) -> list[tuple[list[LogEntry], bool]]:
    """Give memories ids and write them to the logs of their days.

    Returns, for each, the entries that are in the file, and whether they are new. Of a crash's repetition those are
    returned that are there, as they read.
    """
    pages.read(path for new in wanted if new.memories for path in new.paths)
    places = [_place(engine, pages, new) for new in wanted]
    fresh = [at for at, (path, found) in enumerate(places) if path and not found]
    numbers = engine.buffer.next_numbers([_number(pages, wanted[at], places[at][0]) for at in fresh]) if fresh else []
    for at, first in zip(fresh, numbers, strict=True):
        new, path = wanted[at], places[at][0]
        entries = [
            replace(new.kind.render(memory), id=entry_id(new.kind.code, new.moment, number))
            for number, memory in enumerate(new.memories, first)
        ]
        front = log_front(new.kind, new.owner, day(new.moment), iso(engine.clock.now()))
        pages.change(path, append_entries(pages.text(path), entries, front), as_read(entries))
        places[at] = (path, entries)
    return [(found, at in fresh) for at, (_, found) in enumerate(places)]


def _place(engine: Engine, pages: Pages, new: NewEntries) -> tuple[str, list[LogEntry]]:
    """Which file they belong in, and those that are there. No file where there is nothing to write."""
    if not new.memories:
        return "", []
    for path in new.parts():
        text = pages.text(path)
        known = parse_log(text, "").entries if text and new.mark in text else ()
        if found := [one for one in known if one.fields.get(new.field) == new.mark and new.still(one)]:
            pages.doubt()
            return path, found
        if text is None or not emptied(engine, path, text):
            return path, []  # else the day goes on beside it, until a person restores or deletes it
    first = new.paths[0]
    raise Unreadable(f"{first} and {PARTS - 1} files beside it hold nothing any more: restore or delete them")


def _number(pages: Pages, new: NewEntries, path: str) -> Wanted:
    highest = max((last_number(pages.text(name)) for name in (path, *new.paths[1:])), default=0)
    return Wanted(new.owner, new.kind.code, day(new.moment), highest, len(new.memories))


def emptied(engine: Engine, path: str, text: str) -> bool:
    """Whether a file holds nothing any more, although the index has memories of it: a disk was full, or a program
    died."""
    begun = text.startswith(("---", "\ufeff---"))  # nearly always; else it is worth a closer look
    return not begun and not parse_log(text, path).entries and bool(engine.index.files.parents(path))
