"""Upkeep a person can ask for: rebuild, re-embed, sync."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from everlore.cascade.embedding import embed_pending
from everlore.cascade.indexing import read_file, without_repeated
from everlore.cascade.worker import differing, drain, scan
from everlore.engine import Engine
from everlore.errors import Damaged, EverloreError
from everlore.index.base import NOT_YET, Index, Stamp
from everlore.types import Key, Problem, Row
from everlore.vault.paths import locate

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and how much there is."""

EMBED_STEP = 256


def rebuild(engine: Engine, progress: Progress) -> int:
    """Make the index again from the files alone; returns the number of memories in it. A file that cannot be opened is
    a problem, and what the index has of it stays."""
    with suppress(Damaged):
        # an episode that was deleted takes its facts along; that can only be seen while the old index is there
        engine.index.enqueue(engine.index.files().keys() & set(differing(engine)))
        drain(engine)
    paths = [path for path, _, _ in engine.vault.walk()]
    closed = _closed(engine, paths, progress)  # only the old index knows what they hold

    def files() -> Iterator[tuple[str, Stamp, Sequence[Row], Sequence[Problem]]]:
        owner, taken = None, dict[Key, str]()
        for number, path in enumerate(paths):
            progress("reading files", number, len(paths))
            located = locate(path)
            try:
                stamp, parsed = read_file(engine, path, located) if located else (None, None)
            except EverloreError as error:
                yield path, NOT_YET, (), [Problem(path, 0, str(error).removeprefix(f"{path} "))]
                continue
            if not (located and stamp and parsed):
                continue
            if located.owner != owner:  # an owner's files lie together
                owner, taken = located.owner, {}
            apart = without_repeated(path, parsed, taken)
            taken |= {row.key: path for row in apart.rows}
            yield path, stamp if apart is parsed else NOT_YET, apart.rows, apart.problems
        progress("reading files", len(paths), len(paths))

    rows = engine.index.rebuild(files(), closed)
    sync(engine)  # what changed while we were reading
    embed_all(engine, progress)
    return rows


def _closed(engine: Engine, paths: Sequence[str], progress: Progress) -> set[str]:
    """Those that cannot be opened."""
    closed = set()
    for number, path in enumerate(paths):
        progress("opening files", number, len(paths))
        try:
            engine.vault.raw(path)
        except EverloreError:
            closed.add(path)
    progress("opening files", len(paths), len(paths))
    return closed


def reembed(engine: Engine, progress: Progress) -> int:
    """Bring every unit to the current model; text search and what is embedded already go on meanwhile."""
    engine.index.use_model(engine.embedder.name, engine.embedder.dimension)
    return embed_all(engine, progress)


def embed_all(engine: Engine, progress: Progress) -> int:
    total = engine.index.status().unembedded
    done = 0
    progress("embedding", 0, total)
    while step := embed_pending(engine, EMBED_STEP):
        done += step
        progress("embedding", done, max(total, done))
    return done


def sync(engine: Engine) -> int:
    """Index every file that differs from the index, now; returns how many differed."""
    found = scan(engine)
    drain(engine)
    return found


def troubles(index: Index) -> list[str]:
    """Files that could not be read or indexed, in sentences."""
    problems = index.problems()
    told = {problem.path for problem in problems}
    return [*(f"{path}: {error}" for path, error in index.failures() if path not in told), *map(str, problems)]
