"""Records: saved once however often they are sent. A record is durable and indexed when `save_record` returns."""

from __future__ import annotations

from collections.abc import Sequence

from everlore.cascade import embed_soon, index_file
from everlore.engine import Engine
from everlore.errors import Damaged
from everlore.kinds import record
from everlore.kinds.record import PLACE, Record
from everlore.memory.masking import without_secrets
from everlore.types import Json, Owner
from everlore.vault.markdown import parse_sheet, render_sheet
from everlore.vault.paths import page_path


def save_record(
    engine: Engine,
    owner: Owner,
    type: str,  # noqa: A002 - the contract's own word
    content: Json,
    source: str,
    tags: Sequence[str],
    confidence: float,
) -> Record:
    """A new record, or the known one with the tags of both and the higher confidence. Its content stays."""
    source, content = without_secrets(engine, source), without_secrets(engine, content)
    entry = record.identity(type, source, content)
    path = page_path(PLACE, owner, entry)
    now = engine.clock.now()

    def edit(text: str | None) -> str | None:
        return render_sheet(record.to_sheet(saved(text)), text or "")

    def saved(text: str | None) -> Record:
        if text is None:
            return Record(owner, entry, type, content, source, tuple(tags), confidence, now, now)
        known = record.from_sheet(parse_sheet(text), owner, entry)
        return Record(
            owner=owner,
            entry=entry,
            type=known.type,
            content=known.content,
            source=known.source,
            tags=tuple(dict.fromkeys((*known.tags, *tags))),
            confidence=max(known.confidence, confidence),
            created=known.created,
            updated=now,
        )

    written = engine.vault.update(path, edit)
    if written is None:
        raise Damaged(f"{path} was removed while it was written: save the record again")
    index_file(engine, path)
    embed_soon(engine)
    return record.from_sheet(parse_sheet(written.text), owner, entry)
