"""Record: structured content that an agent saved, one page each, known by what it says.

The page shows the content to people and holds it once more, exactly, as a block of JSON: that block is the record.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256

from everlore.clock import iso
from everlore.errors import Damaged, InvalidInput
from everlore.kinds.base import EPOCH, UTC_CLOCK, index_row, named, share, texts
from everlore.kinds.pieces import split_text
from everlore.kinds.registry import Kind, OwnFile, register
from everlore.types import IndexRow, Json, Key, MemoryFile, Owner, Unit, Validity

NOTICE = "<!-- This JSON is the record; the text above it is made from it. -->"
TITLES = ("title", "summary", "name", "subject", "text")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Record:
    owner: Owner
    local_id: str
    type: str
    content: Json
    source: str
    tags: tuple[str, ...]
    confidence: float
    created: int
    updated: int


def identity(type: str, source: str, content: Json) -> str:  # noqa: A002 - the contract's own word
    """The same type, source and content give the same id, whatever the order of keys or the writing of numbers."""
    told = json.dumps([type, source, _canonical(content)], sort_keys=True, separators=(",", ":"))
    return str(uuid.UUID(bytes=sha256(told.encode()).digest()[:16], version=5))


def _canonical(value: Json) -> Json:
    if isinstance(value, float) and value.is_integer():
        return int(value)  # 1 and 1.0 are one number
    if isinstance(value, dict):
        return {str(key): _canonical(part) for key, part in value.items()}
    return [_canonical(part) for part in value] if isinstance(value, list | tuple) else value


def key(owner: Owner, entry: str) -> Key:
    return Key(owner, RECORD.name, f"{RECORD.code}_{entry}")


def to_sheet(record: Record) -> MemoryFile:
    block = json.dumps(record.content, ensure_ascii=False, indent=2, allow_nan=False)
    return MemoryFile(
        front={
            "id": record.local_id,
            "type": RECORD.name,
            "user_id": record.owner.id,
            "record_type": record.type,
            "source": record.source,
            "tags": list(record.tags),
            "confidence": record.confidence,
            "created_at": iso(record.created),
            "updated_at": iso(record.updated),
        },
        body="\n\n".join(
            (f"# {title(record.content) or record.type}", readable(record.content), NOTICE, f"```json\n{block}\n```")
        ),
    )


def from_sheet(sheet: MemoryFile, owner: Owner, name: str) -> Record:
    front = sheet.front
    entry = str(front.get("id") or "")
    if not _ID.fullmatch(entry):
        raise Damaged(f"record {name!r}: front matter `id` must be the UUID that the file is named after")
    try:
        return Record(
            owner=owner,
            local_id=entry,
            type=str(front.get("record_type") or RECORD.name),
            content=json.loads(_block(sheet.body)),
            source=str(front.get("source") or ""),
            tags=texts(front.get("tags")),
            confidence=share(front.get("confidence", 1.0)),
            created=UTC_CLOCK.parse(str(front.get("created_at") or EPOCH)),
            updated=UTC_CLOCK.parse(str(front.get("updated_at") or front.get("created_at") or EPOCH)),
        )
    except (TypeError, ValueError, OverflowError, InvalidInput) as error:
        raise Damaged(f"record {name!r}: {error}") from None


def _block(body: str) -> str:
    """The last block of JSON: inside JSON no line can begin with its fence, but in the text above it one can."""
    start = body.rfind("\n```json\n")
    end = body.find("\n```", start + 5)
    if start < 0 or end < 0:
        raise InvalidInput("there is no block of JSON")
    return body[start + len("\n```json\n") : end]


def to_row(record: Record) -> IndexRow:
    """What filters ask for stands in the columns that conversations use for the same: the type of where it came from,
    and a list of names."""
    text = readable(record.content)
    data = named(record, ("type", "source", "confidence"))
    data |= {"content": text, "json": record.content, "tags": list(record.tags)}
    pieces = split_text(text) or [record.type]
    told_of = " ".join((record.type, record.source, *record.tags))
    first, *others = (Unit(turn=at, dense=piece, words=piece) for at, piece in enumerate(pieces))
    units = (replace(first, words=f"{told_of} {first.words}"), *others)
    return index_row(
        key(record.owner, record.local_id),
        record.updated,
        data,
        units,
        timestamp=record.created,
        parent_type=record.type,
        sender_ids=record.tags,
        validity=Validity(record.created),
    )


def title(content: Json) -> str:
    """What a person would call it: its title or the like, on one line."""
    if isinstance(content, dict):
        content = next((content[name] for name in TITLES if isinstance(content.get(name), str) and content[name]), "")
    line = " ".join(content.split()) if isinstance(content, str) else ""
    return line if len(line) <= 80 else line[:79].rstrip() + "…"


def readable(content: Json) -> str:
    """The content as lines of text, with the names of its parts."""
    text = "\n".join(_lines(content))
    return text if text.strip() else "(empty)"


def _lines(value: Json, name: str = "") -> Iterator[str]:
    label = f"{name.replace('_', ' ')}: " if name else ""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _lines(part, f"{name} {key}" if name else str(key))
    elif isinstance(value, list):
        if all(not isinstance(part, dict | list) for part in value):
            yield label + ", ".join(_plain(part) for part in value)
        else:
            for part in value:
                yield from _lines(part, name)
    else:
        yield label + _plain(value)


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)


RECORD = register(
    Kind(
        name="record",
        code="rc",
        track="user",
        layout=OwnFile("records/*.md"),
        parse=from_sheet,
        render=to_sheet,
        index=lambda record, _: to_row(record),
        found_as="episode",
        reset=False,
    )
)
