"""Files that belong together, written in one step with their rows and vectors.

They are read at once, changed in memory, and written if they are still as they were read. In a database, all of it is
done or nothing. In a folder file follows file, and what a crash leaves undone is seen by whoever looks next.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeVar

from everlore.engine import Engine
from everlore.errors import Damaged, Unavailable
from everlore.graph.links import with_links
from everlore.kinds.paths import locate
from everlore.stores.base import Source, Stamp, Vector
from everlore.sync.embedding import embedded
from everlore.sync.indexing import index_file
from everlore.tenants import numbered, owner_uuid, tenant_of
from everlore.types import IndexRow, LogEntry
from everlore.vault.base import BUSY, PAUSE_SECONDS, Change, FileText, Outdated, Raw
from everlore.vault.entries import as_read
from everlore.vault.markdown import parse_sheet

T = TypeVar("T")


class Pages:
    """Some files: as they were read, and as they shall be."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._raws: dict[str, Raw | None] = {}
        self._before: dict[str, FileText | None] = {}
        self._after: dict[str, str | None] = {}
        self._entries: dict[str, dict[str, LogEntry]] = {}
        self._doubted = False

    def read(self, paths: Iterable[str]) -> None:
        """Those that were not read yet, at once."""
        wanted = [path for path in dict.fromkeys(paths) if path not in self._raws]
        found = self._engine.vault.raws(wanted) if wanted else {}
        self._raws |= {path: found.get(path) for path in wanted}

    def text(self, path: str) -> str | None:
        """As it shall be; None where there is no file. Raises Unreadable."""
        if path not in self._before:
            self.read([path])
            raw = self._raws[path]
            self._before[path] = raw.as_text(path) if raw else None
        before = self._before[path]
        return self._after.get(path, before.text if before else None)

    def change(self, path: str, text: str | None, entries: Iterable[LogEntry] = ()) -> None:
        """Give a file that was looked at its new text. Of a log, `entries` are those that say something else now."""
        self._after[path] = text
        self._entries.setdefault(path, {}).update({entry.id: entry for entry in entries})

    def doubt(self) -> None:
        """What is found in these files may be unknown to the index: it was written just before a crash."""
        self._doubted = True

    def write(self) -> None:
        before = {path: one.text if one else None for path, one in self._before.items()}
        texts = {path: (self._before[path], text) for path, text in self._after.items() if text != before[path]}
        now = self._engine.clock.now()
        said = {path: entries.values() for path, entries in self._entries.items()}
        new = [row for path, (_, text) in texts.items() for row in _rows(path, text, said[path], now) or ()]
        owners = {unit.dense: row.key.owner for row in new for unit in row.units if unit.dense}
        vectors = embedded(self._engine, owners)
        homes = {text: numbered(tenant_of(owner_uuid(owners[text])), 0) for text in vectors}
        behind: list[str] = []

        def index(changes: Mapping[str, Change]) -> None:
            behind[:] = _applied(self._engine, changes, said, vectors)
            self._engine.index.queue.enqueue(behind)
            if homes:
                self._engine.cache.keep(self._engine.embedder.name, homes)

        if texts:
            self._engine.vault.exchange(texts, index)
        for path in self._before if self._doubted else behind:
            index_file(self._engine, path)


def index_appended(engine: Engine, path: str, change: Change, entries: Sequence[LogEntry]) -> None:
    """Index the entries that `change` appended, without reading the rest of the file where the index allows it."""
    for behind in _applied(engine, {path: change}, {path: as_read(entries)}, {}):
        index_file(engine, behind)


def _applied(
    engine: Engine,
    changes: Mapping[str, Change],
    entries: Mapping[str, Collection[LogEntry]],
    vectors: Mapping[str, Vector],
) -> list[str]:
    """Index what was changed. Returns the files at all of which one has to look."""
    sources = [source for path, change in changes.items() if (source := _source(path, change, entries[path]))]
    done = engine.index.files.apply(sources, vectors) if sources else []
    fitting = {one.path for one, applied in zip(sources, done, strict=True) if applied is not None}
    return [path for path in changes if path not in fitting]


def _source(path: str, change: Change, entries: Collection[LogEntry]) -> Source | None:
    """Of a file whose other memories are as they were."""
    before, after, located = change.before, change.after, locate(path)
    rows = _rows(path, after.text, entries, after.mtime_ns // 1_000_000) if after else None
    if located is None or after is None or rows is None:
        return None
    stamp = Stamp(before.mtime_ns, before.size) if before else None
    rows = [with_links(located.kind, row) for row in rows]
    return Source(path, Stamp(after.mtime_ns, after.size), rows, appended=True, before=stamp)


def _rows(path: str, text: str | None, entries: Collection[LogEntry], updated: int) -> list[IndexRow] | None:
    """Those of a page, or of these entries of a log, as a rebuild finds them; None where they cannot be told."""
    located = locate(path)
    if located is None or text is None:
        return None
    kind, owner = located.kind, located.owner
    with suppress(Damaged):
        if kind.has_own_file:
            return [kind.row(parse_sheet(text), owner, located.name, updated)]
        return [kind.row(entry, owner, located.day, updated) for entry in entries]
    return None


def write_together(engine: Engine, edit: Callable[[Pages], T]) -> T:
    """Write what `edit` changes; again where a file was changed meanwhile, and then none of our own may change it."""
    deadline = time.monotonic() + engine.vault.patience
    held: set[str] = set()
    while True:
        with engine.vault.guard(held):
            pages = Pages(engine)
            result = edit(pages)
            try:
                pages.write()
            except Outdated as error:
                if held.issuperset(pages._after) and time.monotonic() > deadline:
                    raise Unavailable(f"{error} {BUSY}") from None
            else:
                return result
        held.update(pages._after)
        time.sleep(random.uniform(0, PAUSE_SECONDS))
