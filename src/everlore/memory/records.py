"""Records: saved once however often they are sent. A record is durable and indexed when `save_record` returns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from everlore.engine import Engine
from everlore.errors import Damaged
from everlore.kinds import record
from everlore.kinds.base import END_FIELDS
from everlore.kinds.paths import page_path
from everlore.kinds.record import RECORD, Record
from everlore.memory.forget import remove
from everlore.memory.notes import without_secrets
from everlore.sync.embedding import embed_soon
from everlore.sync.indexing import index_file
from everlore.types import IndexedMemory, Json, Owner, Predicate, Where
from everlore.vault.markdown import parse_sheet, render_sheet


@dataclass(frozen=True, slots=True)
class Document:
    """Something whose home is elsewhere; `source` names it there, for good."""

    source: str
    content: Json
    edited: int
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mirrored:
    written: int
    removed: int


def save_record(
    engine: Engine,
    owner: Owner,
    type: str,  # noqa: A002 - the contract's own word
    content: Json,
    source: str,
    tags: Sequence[str],
    confidence: float,
) -> Record:
    """A new record, or the known one with the tags of both and the higher confidence. Its content stays.

    One that was declared invalid is valid again.
    """
    source, content = without_secrets(engine, source), without_secrets(engine, content)
    entry = record.identity(type, source, content)
    path = page_path(RECORD, owner, entry)
    now = engine.clock.now()

    def saved(text: str | None) -> Record:
        if text is None:
            return Record(owner, entry, type, content, source, tuple(tags), confidence, now, now)
        known = record.from_sheet(parse_sheet(text), owner, entry)
        both = tuple(dict.fromkeys((*known.tags, *tags)))
        surer = max(known.confidence, confidence)
        return replace(known, local_id=entry, tags=both, confidence=surer, updated=now)

    written = engine.vault.change(path, lambda text: _shown(saved(text), text)).after
    if written is None:
        raise Damaged(f"{path} was removed while it was written: save the record again")
    index_file(engine, path)
    embed_soon(engine, [owner])
    return record.from_sheet(parse_sheet(written.text), owner, entry)


def mirror(engine: Engine, owner: Owner, type: str, documents: Iterable[Document]) -> Mirrored:  # noqa: A002
    """Make the owner's records of a type equal to documents that are kept elsewhere, each known by its source.

    What is as it was is not written again, and records of documents that are gone leave.
    """
    known = {str(row.data["source"]): row for row in _of_type(engine, owner, type)}
    written = 0
    for document in documents:
        row = known.pop(document.source, None)
        content = without_secrets(engine, document.content)
        if row is None or row.data["json"] != content:
            entry = record.identity(type, document.source, None)
            made = row.timestamp if row else document.edited
            page = Record(owner, entry, type, content, document.source, document.tags, 1.0, made, document.edited)
            path = page_path(RECORD, owner, entry)
            engine.vault.change(path, partial(_shown, page))
            index_file(engine, path)
            written += 1
    for row in known.values():
        remove(engine, row)
    return Mirrored(written, len(known))


def _shown(page: Record, text: str | None) -> str:
    return render_sheet(record.to_sheet(page), text or "", drop=END_FIELDS)


def _of_type(engine: Engine, owner: Owner, type: str) -> list[IndexedMemory]:  # noqa: A002
    where = Where(owner, (RECORD.name,), Predicate("parent_type", "eq", type))
    rows: list[IndexedMemory] = []
    while True:
        page = engine.index.rows.page(where, offset=len(rows), limit=1000)
        rows += page.rows
        if not page.rows or len(rows) >= page.total:
            return rows
