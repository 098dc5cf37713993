"""Changing a memory by hand, through a surface: the text of its entry or file, as an editor would show it.

Whoever changes it says which version they saw. Where the vault says something else by then, nothing is written; where
what they wrote could not be read back, neither.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from everlore.engine import Engine
from everlore.errors import Conflict, InvalidInput, NotFound
from everlore.kinds.paths import Located, locate
from everlore.memory.notes import without_secrets
from everlore.memory.read import named
from everlore.sync.indexing import index_file, parse_file
from everlore.types import Owner
from everlore.vault.base import FileText
from everlore.vault.front_matter import clean, newline_of
from everlore.vault.markdown import entry_text, with_entry_text

EMPTY = "nothing would be left of it: forget it instead"


@dataclass(frozen=True, slots=True)
class Source:
    """A memory as it stands in the vault: markdown, with the fields that are kept beside what it says."""

    id: str
    path: str
    text: str

    @property
    def version(self) -> str:
        """Another one as soon as anybody changes the text."""
        return hashlib.blake2b(self.text.encode(), digest_size=8).hexdigest()


def source(engine: Engine, owner: Owner, public_id: str) -> Source:
    """What can be changed of a memory: its entry in a log, or its whole file."""
    stored = named(engine, owner, public_id)
    file = engine.vault.read(stored.path)
    return Source(public_id, stored.path, _own_text(stored.path, stored.key.local_id, file.text if file else None))


def edit(engine: Engine, owner: Owner, public_id: str, version: str, text: str) -> Source:
    """Put this text in the place of the version that was seen. Raises Conflict where another stands there by now."""
    text = _lines(clean(without_secrets(engine, text)))
    if not text.strip():
        raise InvalidInput(EMPTY)
    stored = named(engine, owner, public_id)
    path, entry, located = stored.path, stored.key.local_id, locate(stored.path)

    def change(file: str | None) -> str | None:
        seen = Source(public_id, path, _own_text(path, entry, file))
        if seen.version != version:
            raise Conflict(f"{public_id} was changed meanwhile: read it again in {path}, and change what it says now")
        if file is None or located is None or text == seen.text:
            return file
        new = text.replace("\n", newline_of(file))
        if not located.kind.has_own_file:
            new = with_entry_text(file, entry, new)
        _check(path, located, file, new)
        return new

    engine.vault.change(path, change)
    index_file(engine, path)
    return Source(public_id, path, text)


def _own_text(path: str, entry: str, file: str | None) -> str:
    located = locate(path)
    if file is None or located is None:
        raise NotFound(f"{path} is gone")
    return _lines(file if located.kind.has_own_file else entry_text(file, entry))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip() + "\n"


def _check(path: str, located: Located, before: str, after: str) -> None:
    """Refuse what could not be read back, or would be read as something else than the memories that are there."""
    old, new = (parse_file(path, located, FileText(text, 0, 0)) for text in (before, after))
    known = [problem.reason for problem in old.problems]
    wrong = [problem.reason for problem in new.problems if problem.reason not in known]
    if wrong or [row.key for row in new.rows] != [row.key for row in old.rows]:
        why = "; ".join(wrong) or "a line in it would begin or end another memory"
        raise InvalidInput(f"it could not be read any more: {why}")
