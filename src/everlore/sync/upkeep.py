"""Upkeep a person can ask for: rebuild, re-embed, sync."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar

from everlore.engine import Engine
from everlore.errors import Damaged, EverloreError
from everlore.kinds.paths import locate
from everlore.stores.base import NOT_YET, Index, Stamp
from everlore.sync.embedding import embed_pending
from everlore.sync.indexing import missing, read_file, remembered, without_repeated
from everlore.sync.worker import differing, drain, drained, scan
from everlore.types import IndexRow, Key, Problem

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and how much there is."""

EMBED_STEP = 256
T = TypeVar("T")
ATTEMPTS = 4
"""How often a rebuild begins at most, since something was deleted meanwhile."""
AGAIN_SECONDS = 1.0


def counted(progress: Progress, what: str, items: Sequence[T]) -> Iterator[T]:
    """The items, while it is told how many of them are done."""
    for number, item in enumerate(items):
        progress(what, number, len(items))
        yield item
    progress(what, len(items), len(items))


def rebuild(engine: Engine, progress: Progress) -> int:
    """Make the index again from the files; returns the number of memories in it. What the index has of a file that
    cannot be opened, or of an entry that cannot be read, stays: it may be the last that is left of it."""
    for attempt in range(1, ATTEMPTS + 1):
        with suppress(_DeletedError):
            rows = _remake(engine, progress, at_any_rate=attempt == ATTEMPTS)
            break
        time.sleep(AGAIN_SECONDS)
    index_changes(engine)  # what changed while we were reading
    embed_all(engine, progress)
    return rows


class _DeletedError(Exception):
    """Something that others hang on was deleted, and the index does not know it yet."""


def _remake(engine: Engine, progress: Progress, *, at_any_rate: bool) -> int:
    known: dict[str, Stamp] = {}
    with suppress(Damaged):
        # an episode that was deleted takes its facts along; that can only be seen while the old index is there
        engine.index.queue.enqueue(engine.index.files.known().keys() & set(differing(engine)))
        drain(engine)
        failed = {path for path, _ in engine.index.queue.failures()}  # they would only fail again
        known = {path: stamp for path, stamp in engine.index.files.known().items() if path not in failed}
        # by a worker who is about to see to it, perhaps
        if not at_any_rate and any(missing(engine, path) for path in differing(engine) if path in known):
            raise _DeletedError
    paths = [path for path, _, _ in engine.vault.walk()]
    kept = _kept(engine, paths, progress)

    def files(old: Executor) -> Iterator[tuple[str, Stamp, Sequence[IndexRow], Sequence[Problem]]]:
        owner, taken = None, dict[Key, str]()
        for path in counted(progress, "reading files", paths):
            located = locate(path)
            try:
                stamp, parsed = read_file(engine, path, located) if located else (None, None)
            except EverloreError as error:
                yield path, NOT_YET, (), [Problem(path, 0, str(error).removeprefix(f"{path} "))]
                continue
            if not (located and parsed):
                continue
            parsed = parsed.given(path, kept.get(path, ()))
            changed = path in known and stamp != known[path]
            if changed and not at_any_rate and old.submit(missing, engine, path).result():
                raise _DeletedError
            if stamp is None:
                continue
            if located.owner != owner:  # an owner's files lie together
                owner, taken = located.owner, {}
            apart = without_repeated(path, parsed, taken)
            taken |= {row.key: path for row in apart.rows}
            yield path, stamp if apart is parsed else NOT_YET, apart.rows, apart.problems

    with ThreadPoolExecutor(1) as old:  # another thread sees the old index until the new one is there
        return engine.index.files.rebuild(files(old), kept.keys(), partial(remembered, engine))


def _kept(engine: Engine, paths: Sequence[str], progress: Progress) -> dict[str, Collection[str]]:
    """Files that cannot be opened or read in full, with the entries of which only the old index knows what they say."""
    kept: dict[str, Collection[str]] = {}
    with suppress(Damaged):  # of such an index nothing is kept
        for path in {problem.path for problem in engine.index.files.problems()}.intersection(paths):
            if unread := _unread(engine, path):
                kept[path] = unread
    for path in counted(progress, "opening files", paths):
        try:
            engine.vault.raw(path)
        except EverloreError:
            kept[path] = ()
    return kept


def _unread(engine: Engine, path: str) -> set[str]:
    """Entries that the index has of a file and that are still in it, though they cannot be read."""
    located, mine = locate(path), engine.index.files.parents(path)
    if located is None or not mine:
        return set()
    with suppress(EverloreError):  # closed: found below
        parsed = read_file(engine, path, located)[1].given(path, mine)
        return mine.keys() - {row.key.local_id for row in parsed.rows} - parsed.left(mine).keys()
    return set()


def reembed(engine: Engine, progress: Progress) -> int:
    """Bring every unit to the current model; text search and what is embedded already go on meanwhile."""
    engine.index.upkeep.use_model(engine.embedder.name, engine.embedder.dimension)
    return embed_all(engine, progress)


def embed_all(engine: Engine, progress: Progress) -> int:
    total = engine.index.upkeep.status().unembedded
    done = 0
    progress("embedding", 0, total)
    while step := embed_pending(engine, EMBED_STEP):
        done += step
        progress("embedding", done, max(total, done))
    return done


def index_changes(engine: Engine, progress: Progress = lambda *_: None) -> int:
    """Index every file that differs from the index, now; returns how many differed."""
    found = scan(engine)
    done = 0
    for some in drained(engine):
        done += some
        progress("indexing files", done, max(found, done))
    return found


def troubles(index: Index) -> list[str]:
    """Files that could not be read or indexed, in sentences."""
    problems = index.files.problems()
    told = {problem.path for problem in problems}
    return [
        *(f"{path}: {error.removeprefix(f'{path} ')}" for path, error in index.queue.failures() if path not in told),
        *map(str, problems),
    ]
