"""Appending a cell's entries to a daily log, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from everlore.clock import day, entry_id, iso
from everlore.engine import Engine
from everlore.errors import Unreadable
from everlore.kinds.paths import log_paths
from everlore.kinds.spec import Kind, V
from everlore.sync.indexing import index_appended
from everlore.types import Cell, LogEntry, Owner
from everlore.vault.markdown import append_entries, last_number, log_front, parse_log

PARTS = 9


def append_once(
    engine: Engine, kind: Kind[LogEntry, V], owner: Owner, cell: Cell, memories: Sequence[V]
) -> tuple[list[LogEntry], bool]:
    """Give memories ids, write them to the log of their day and index them, unless the cell has written here before.

    Returns the entries of the cell that are in the file, and whether they were written now. Of a crash's repetition
    those are returned that are there, as they read.
    """
    if not memories:
        return [], False
    entries = [kind.render(memory) for memory in memories]
    moment = cell.timestamp
    date = day(moment)
    first, *others = log_paths(kind, owner, moment)
    for path in (first, *(f"{first.removesuffix('.md')}-{number}.md" for number in range(2, PARTS + 1))):
        with engine.vault.lock(path):
            file = engine.vault.read(path)
            if file and (found := _written(file.text, cell)):
                return found, False
            if file and emptied(engine, path, file.text):
                continue  # the day goes on beside it, until a person restores or deletes it
            beside = [engine.vault.read(name) for name in others]
            highest = max((last_number(one.text) for one in (file, *beside) if one), default=0)
            number = engine.buffer.next_number(owner, kind.code, date, highest, len(entries))
            new = [replace(entry, id=entry_id(kind.code, moment, number + at)) for at, entry in enumerate(entries)]
            front = log_front(kind, owner, date, iso(engine.clock.now()))
            change = engine.vault.change(path, partial(append_entries, entries=new, front_updates=front))
        index_appended(engine, path, change, new)
        return new, True
    raise Unreadable(f"{first} and {PARTS - 1} files beside it hold nothing any more: restore or delete them")


def emptied(engine: Engine, path: str, text: str) -> bool:
    """Whether a file holds nothing any more, although the index has memories of it: a disk was full, or a program
    died."""
    begun = text.startswith(("---", "\ufeff---"))  # nearly always; else it is worth a closer look
    return not begun and not parse_log(text, path).entries and bool(engine.index.files.parents(path))


def _written(text: str, cell: Cell) -> list[LogEntry]:
    if cell.id not in text:
        return []
    return [entry for entry in parse_log(text, "").entries if entry.fields.get("parent_id") == cell.id]
