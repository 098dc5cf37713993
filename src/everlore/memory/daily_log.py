"""Appending a cell's entries to a daily log, once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from everlore.clock import day, entry_id, iso
from everlore.engine import Engine
from everlore.errors import Unreadable
from everlore.kinds.paths import log_paths
from everlore.kinds.spec import AnyKind
from everlore.sync import index_appended
from everlore.types import Cell, LogEntry, Owner
from everlore.vault.markdown import append_drafts, last_number, log_front, parse_log

PARTS = 9

NewIds = Callable[[int], list[str]]
"""So many ids that were never given before."""


def append_once(
    engine: Engine, kind: AnyKind, owner: Owner, cell: Cell, draft: Callable[[NewIds], Sequence[LogEntry]]
) -> tuple[str, list[LogEntry]]:
    """Add the entries that `draft` makes, unless the cell has written here before, and index them.

    Returns the file and the entries of the cell that are in it, new or not. Nothing drafted, nothing written.
    """
    path, *others = log_paths(kind, owner, cell.timestamp)
    parts = [path, *(f"{path.removesuffix('.md')}-{number}.md" for number in range(2, PARTS + 1))]
    date = day(cell.timestamp)
    found: list[LogEntry] = []

    def numbered(floor: int) -> list[LogEntry]:
        def new_ids(count: int) -> list[str]:
            least = max([floor, *(last_number(file.text) for other in others if (file := engine.vault.read(other)))])
            first = engine.buffer.next_number(owner, kind.code, date, least, count)
            return [entry_id(kind.code, cell.timestamp, first + at) for at in range(count)]

        found[:] = draft(new_ids)
        return found

    def edit(text: str | None) -> str | None:
        found[:] = _written(text, cell)
        if found:
            return text
        if text is not None and emptied(engine, path, text):
            raise _EmptiedError
        front = log_front(kind, owner, date, iso(engine.clock.now()))
        appended = append_drafts(text or "", numbered, front)
        return appended if found else text

    for path in parts:  # the day goes on beside a file that was emptied, until a person restores or deletes it
        with suppress(_EmptiedError):
            change = engine.vault.change(path, edit)
            break
    else:
        raise Unreadable(f"{parts[0]} and {PARTS - 1} files beside it hold nothing any more: restore or delete them")
    if found:
        index_appended(engine, path, change, found)
    return path, list(found)


class _EmptiedError(Exception):
    """The file holds nothing, although the index has memories of it: a disk was full, or a program died."""


def emptied(engine: Engine, path: str, text: str) -> bool:
    """Whether a file holds nothing any more, although the index has memories of it."""
    begun = text.startswith(("---", "\ufeff---"))  # nearly always; else it is worth a closer look
    return not begun and not parse_log(text, path).entries and bool(engine.index.parents(path))


def _written(text: str | None, cell: Cell) -> list[LogEntry]:
    if text is None or cell.id not in text:
        return []
    return [entry for entry in parse_log(text, "").entries if entry.fields.get("parent_id") == cell.id]
