"""From chunks to rows of the index. Pure.

A chunk's identity is its place in the structure of its file, not its lines: when lines above it come or go, it keeps
its id and its vector.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from everlore.code.chunks import Chunk
from everlore.kinds.base import index_row
from everlore.types import IndexRow, Key, Owner, Scope, Unit

KIND = "chunk"
DENSE_CHARS = 2400
"""More than an embedder reads of code."""
WORDS_CHARS = 16_000
_QUOTES = str.maketrans("'\"`", "   ")
_PARTS = re.compile(r"[/.\-]")


def owner_of(project: str) -> Owner:
    return Owner(Scope("code", project), "agent", project)


def rows_of(project: str, path: str, language: str, chunks: Sequence[Chunk], mtime_ns: int) -> list[IndexRow]:
    owner, updated = owner_of(project), mtime_ns // 1_000_000
    seen: Counter[str] = Counter()
    rows: list[IndexRow] = []
    for chunk in chunks:
        # what has no name is known by what it says
        place = chunk.breadcrumb if chunk.name else f"{chunk.breadcrumb}\0{_hash(chunk.content)}"
        seen[place] += 1
        entry = _hash(project, path, place, str(seen[place]))
        data = {
            "file_path": path,
            "language": language,
            "start_line": chunk.start,
            "end_line": chunk.end,
            "chunk_type": chunk.type,
            "name": chunk.name,
            "breadcrumb": chunk.breadcrumb,
            "content": chunk.content,
        }
        units = (Unit(0, dense_text(path, chunk), words_text(path, chunk)),)
        told: dict[str, Any] = {"session_id": path, "parent_type": language, "slot": slot_of(chunk.name)}
        rows.append(index_row(Key(owner, KIND, entry), updated, data, units, **told))
    return rows


def slot_of(name: str | None) -> str:
    """By what a definition is looked up: the last part of its name, in lower case."""
    return re.split(r"\.|::", name)[-1].casefold() if name else ""


def dense_text(path: str, chunk: Chunk) -> str:
    head = f"{path}\n{chunk.breadcrumb}\n" if chunk.breadcrumb else f"{path}\n"
    return head + chunk.own[:DENSE_CHARS]


def words_text(path: str, chunk: Chunk) -> str:
    """Where it is and how it is called, and then what it says. Quotes are no apostrophes here."""
    head = f"{_PARTS.sub(' ', path)}\n{chunk.breadcrumb}\n{chunk.name or ''}\n"
    return (head + chunk.own[:WORDS_CHARS]).translate(_QUOTES)


def _hash(*parts: str) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()
