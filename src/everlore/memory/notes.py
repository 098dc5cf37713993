"""Notes: memories that are stored as they stand, changed, and declared invalid.

A note is durable in its file and found by its words when `save_note` returns; its vector follows. Declaring a memory
invalid ends its interval and deletes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from everlore.clock import day, entry_id, iso
from everlore.engine import Engine
from everlore.errors import EverloreError, InvalidInput, NotFound
from everlore.kinds import note
from everlore.kinds.base import END_FIELDS, UTC_CLOCK
from everlore.kinds.note import NOTE, Note
from everlore.kinds.paths import log_path, part_path
from everlore.kinds.registry import kind as kind_of
from everlore.logs import get_logger
from everlore.masking import mask_deep
from everlore.memory.daily_log import emptied
from everlore.sync.indexing import index_file
from everlore.sync.writing import index_appended
from everlore.types import IndexedMemory, Json, Key, LogEntry, Owner
from everlore.vault.front_matter import clean
from everlore.vault.markdown import (
    append_entries,
    last_number,
    log_front,
    parse_log,
    parse_sheet,
    render_sheet,
    replace_entry,
)

LONGEST_CONTENT = 100 * 1024
"""Bytes of a note, and of its metadata."""

log = get_logger("everlore.memory")
Value = TypeVar("Value")


def without_secrets(engine: Engine, value: Value) -> Value:
    """A text, or a JSON value with texts in it: secrets are masked before anything is stored, unless the owner asked
    for them to be kept."""
    settings = engine.settings.memory
    masked: Value = mask_deep(value, settings.unmasked) if settings.mask_secrets else value
    return masked


def save_note(
    engine: Engine,
    owner: Owner,
    content: str,
    memory_type: str = "semantic",
    metadata: Mapping[str, Json] | None = None,
) -> Key:
    """Write a note to its owner's log of today and index it."""
    text = without_secrets(engine, checked_content(content))
    kept = without_secrets(engine, checked_metadata(metadata or {}))
    now = engine.clock.now()
    first = log_path(NOTE, owner, now)
    # one writer at a time for the day, so that a number is not given before the one ahead of it is written
    with engine.vault.lock(first):
        number = engine.buffer.next_number(owner, NOTE.code, day(now), 0)
        while True:
            path = part_path(NOTE, owner, now, number)
            found = engine.vault.read(path)
            taken = last_number(found.text if found else None)
            if found and emptied(engine, path, found.text):
                taken = number + -number % NOTE.per_file  # the day goes on beside it, until a person restores it
            if number > taken:
                break
            # or the buffer knows less than the files: it was lost, or the vault was copied without it
            number = engine.buffer.next_number(owner, NOTE.code, day(now), taken)
        entry = entry_id(NOTE.code, now, number)
        written = note.to_entry(Note(owner, entry, now, text, checked_type(memory_type), metadata=kept))
        front = log_front(NOTE, owner, day(now), iso(now))
        change = engine.vault.change(path, lambda text: append_entries(text, [written], front))
        try:
            index_appended(engine, path, change, [written])
        except EverloreError as error:
            # it is durable, and refusing it now would make the client store it twice; the next scan indexes it
            log.warning("a note could not be indexed yet", path=path, error=str(error))
    return Key(owner, NOTE.name, entry)


def edit_memory(
    engine: Engine,
    stored: IndexedMemory,
    content: str | None = None,
    memory_type: str | None = None,
    metadata: Mapping[str, Json] | None = None,
) -> None:
    """Change what is given and leave the rest."""
    kind = stored.key.kind
    section, is_note = kind_of(kind).edited_section, kind == NOTE.name
    if not section or (not is_note and (memory_type is not None or metadata is not None)):
        raise InvalidInput(
            f"this memory is a {kind}: its {'text' if content is not None else 'type and metadata'} cannot be changed"
            " here. Store a new memory, and invalidate this one with superseded_by"
        )
    fields: dict[str, str | tuple[str, ...]] = {}
    sections: dict[str, str] = {}
    drop: list[str] = []
    if content is not None:
        text = without_secrets(engine, checked_content(content))
        sections[section] = text
        exact = note.verbatim(text) if is_note else {}
        fields |= exact
        drop += [] if exact else ["verbatim"]
    if memory_type is not None:
        fields["memory_type"] = checked_type(memory_type)
    if metadata is not None:
        kept = without_secrets(engine, checked_metadata(metadata))
        fields |= {"metadata": note.written_metadata(kept)} if kept else {}
        drop += [] if kept else ["metadata"]
    _write(engine, stored, lambda found: LogEntry(found.id, fields, sections), drop)


def invalidate(
    engine: Engine, stored: IndexedMemory, reason: str = "", superseded_by: IndexedMemory | None = None
) -> None:
    """End the memory now. One that has ended keeps its first end and the reason for it; a successor is recorded."""
    kind = kind_of(stored.key.kind)
    if not kind.can_end:
        raise InvalidInput(f"a {kind.name} has no end: change it, or delete it")
    if superseded_by is not None:
        _check_successor(engine, stored, superseded_by)
    now = engine.clock.now()
    values = (iso(now), clean(without_secrets(engine, reason)), superseded_by.key.global_id if superseded_by else "")
    said = {name: value for name, value in zip(END_FIELDS, values, strict=True) if value}

    def new(known: Mapping[str, Json]) -> dict[str, str]:
        end, why, _ = END_FIELDS
        if not _has_ended(str(known.get(end) or ""), now):
            return said
        return {name: value for name, value in said.items() if name != end and not (name == why and known.get(why))}

    if kind.has_own_file:
        _end_sheet(engine, stored, new)
    else:
        _write(engine, stored, lambda found: LogEntry(found.id, {**new(found.fields)}, {}))


def reopen(engine: Engine, stored: IndexedMemory) -> None:
    """Take back the end of a memory: it holds again, as if nothing had ended it."""
    if not kind_of(stored.key.kind).can_end:
        raise InvalidInput(f"a {stored.key.kind} has no end that could be taken back")
    if kind_of(stored.key.kind).has_own_file:

        def edit(text: str | None) -> str | None:
            return None if text is None else render_sheet(parse_sheet(text), text, drop=END_FIELDS)

        engine.vault.change(stored.path, edit)
        index_file(engine, stored.path)
    else:
        _write(engine, stored, lambda found: LogEntry(found.id, {}, {}), END_FIELDS)


def _has_ended(end: str, now: int) -> bool:
    """A time to come, which a person may have written, is no end yet."""
    try:
        return bool(end) and UTC_CLOCK.parse(end) <= now
    except InvalidInput:
        return False


def successor(stored: IndexedMemory) -> str:
    """The handle of the memory that superseded this one, or ""."""
    key, value = stored.key, str(stored.data.get("superseded_by") or "")
    # what a newer one of its kind ended names it by its entry, as facts do
    entry = value.startswith(f"{kind_of(key.kind).code}_")
    return Key(key.owner, key.kind, value).global_id if entry else value


def _check_successor(engine: Engine, stored: IndexedMemory, named: IndexedMemory) -> None:
    """A chain of successors must lead to a memory that holds, so it may not come back to where it began."""
    if named.key == stored.key:
        raise InvalidInput("a memory cannot supersede itself; name another one in superseded_by")
    seen: set[str] = set()
    handle = successor(named)
    while handle and handle not in seen:
        if handle == stored.key.global_id:
            raise InvalidInput(
                f"{named.key.global_id} was itself superseded by this memory; store what holds now as a new memory and"
                " name that one in superseded_by"
            )
        seen.add(handle)
        following = engine.index.rows.by_global_id([handle]).get(handle)
        handle = successor(following) if following else ""


def checked_content(content: str) -> str:
    text: str = clean(content)
    if not text.strip():
        raise InvalidInput("content must not be empty")
    if len(text.encode()) > LONGEST_CONTENT:
        raise InvalidInput(f"content must not be longer than {LONGEST_CONTENT // 1024} KB; store it in parts")
    return text


def checked_type(memory_type: str) -> str:
    if memory_type not in note.TYPES:
        raise InvalidInput(f"memory_type must be one of {', '.join(note.TYPES)}")
    return memory_type


def checked_metadata(metadata: Mapping[str, Json]) -> Mapping[str, Json]:
    kept: Mapping[str, Json] = clean(metadata)
    if len(note.written_metadata(kept).encode()) > LONGEST_CONTENT:
        raise InvalidInput(f"metadata must not be longer than {LONGEST_CONTENT // 1024} KB as JSON")
    return kept


def _write(
    engine: Engine, stored: IndexedMemory, new: Callable[[LogEntry], LogEntry], drop: Sequence[str] = ()
) -> None:
    """Write fields and sections over those of the entry in the file."""

    def edit(text: str | None) -> str | None:
        found = next((one for one in parse_log(text or "", "").entries if one.id == stored.key.local_id), None)
        if text is None or found is None:
            raise NotFound(f"no entry {stored.key.local_id} in this file")
        entry = new(found)
        return replace_entry(text, entry, drop) if entry.fields or entry.sections or drop else text

    engine.vault.change(stored.path, edit)
    index_file(engine, stored.path)


def _end_sheet(engine: Engine, stored: IndexedMemory, new: Callable[[Mapping[str, Json]], Mapping[str, str]]) -> None:
    def edit(text: str | None) -> str | None:
        if text is None:
            raise NotFound(f"{stored.path} is gone")
        sheet = parse_sheet(text)
        fields = new(sheet.front)
        return render_sheet(replace(sheet, front={**sheet.front, **fields}), text) if fields else text

    engine.vault.change(stored.path, edit)
    index_file(engine, stored.path)
