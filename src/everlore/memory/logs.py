"""Appending a cell's entries to a daily log, once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everlore.clock import day, entry_id, iso
from everlore.engine import Engine
from everlore.kinds.base import Place
from everlore.types import Cell, Entry, Owner
from everlore.vault.markdown import append_entries, last_number, log_front, parse_log
from everlore.vault.paths import log_path

NewId = Callable[[], str]


def append_once(
    engine: Engine, place: Place, owner: Owner, cell: Cell, draft: Callable[[NewId], Sequence[Entry]]
) -> tuple[str, list[Entry]]:
    """Add the entries that `draft` makes, unless the cell has written here before.

    Returns the file and the entries of the cell that are in it, new or not. Nothing drafted, nothing written.
    """
    path = log_path(place, owner, cell.timestamp)
    date = day(cell.timestamp)
    found: list[Entry] = []

    def edit(text: str | None) -> str | None:
        found[:] = _written(text, cell)
        if found:
            return text
        floor = last_number(text)

        def new_id() -> str:
            return entry_id(place.prefix, cell.timestamp, engine.buffer.next_number(owner, place.prefix, date, floor))

        found[:] = draft(new_id)
        if not found:
            return text
        return append_entries(text or "", found, log_front(place, owner, date, iso(engine.clock.now())))

    engine.vault.update(path, edit)
    return path, list(found)


def _written(text: str | None, cell: Cell) -> list[Entry]:
    if text is None or cell.id not in text:
        return []
    return [entry for entry in parse_log(text, "").entries if entry.fields.get("parent_id") == cell.id]
