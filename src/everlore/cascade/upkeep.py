"""Upkeep a person can ask for: rebuild, re-embed, sync, and the doctor who says what is wrong and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from everlore.cascade.indexing import NOT_YET, embed_pending, read_file, without_repeated
from everlore.cascade.worker import differing, drain, scan
from everlore.engine import Engine
from everlore.errors import Damaged, EverloreError
from everlore.index.base import Index, Stamp
from everlore.types import Key, Problem, Row
from everlore.vault.files import FolderVault
from everlore.vault.markdown import mentioned, outside
from everlore.vault.paths import locate

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and how much there is."""

EMBED_STEP = 256


@dataclass(frozen=True, slots=True)
class Finding:
    level: Literal["ok", "warning", "error"]
    what: str
    hint: str = ""


def rebuild(engine: Engine, progress: Progress) -> int:
    """Make the index again from the files alone; returns the number of memories in it."""
    with suppress(Damaged):
        # an episode that was deleted takes its facts along; that can only be seen while the old index is there
        engine.index.enqueue(engine.index.files().keys() & set(differing(engine)))
        drain(engine)
    paths = [path for path, _, _ in engine.vault.walk()]

    def files() -> Iterator[tuple[str, Stamp, Sequence[Row], Sequence[Problem]]]:
        owner, taken = None, dict[Key, str]()
        for number, path in enumerate(paths):
            progress("reading files", number, len(paths))
            located = locate(path)
            stamp, parsed = read_file(engine, path, located) if located else (None, None)
            if not (located and stamp and parsed):
                continue
            if located.owner != owner:  # an owner's files lie together
                owner, taken = located.owner, {}
            apart = without_repeated(path, parsed, taken)
            taken |= {row.key: path for row in apart.rows}
            yield path, stamp if apart is parsed else NOT_YET, apart.rows, apart.problems
        progress("reading files", len(paths), len(paths))

    rows = engine.index.rebuild(files())
    sync(engine)  # what changed while we were reading
    embed_all(engine, progress)
    return rows


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
    return [*(f"{path}: {error}" for path, error in index.failures()), *map(str, index.problems())]


def doctor(engine: Engine) -> list[Finding]:
    """Look at everything: files, index, buffer, model. Changes nothing."""
    return [*_buffer(engine), *_index(engine), *_files(engine), *_model(engine)]


def _buffer(engine: Engine) -> Iterator[Finding]:
    broken = engine.buffer.check()
    for sentence in broken:
        yield Finding("error", f"message buffer: {sentence}", "stop every Everlore process and restore a backup")
    if not broken:
        yield Finding("ok", f"message buffer: sound, {engine.buffer.count()} messages waiting for a flush")
    pending = engine.buffer.pending_cells()
    if pending:
        yield Finding(
            "warning",
            f"{len(pending)} conversation cells were interrupted while being written",
            "start the server, or flush their sessions: they are finished first",
        )


def _index(engine: Engine) -> Iterator[Finding]:
    broken = engine.index.check()
    for sentence in broken:
        yield Finding("error", f"index: {sentence}", "run: everlore index rebuild")
    status = engine.index.status()
    if not broken:
        counts = ", ".join(f"{count} {kind}s" for kind, count in sorted(status.rows.items())) or "empty"
        yield Finding("ok", f"index: sound ({counts})")
    if status.unembedded:
        yield Finding(
            "warning",
            f"{status.unembedded} of {status.units} pieces have no vector yet",
            "a running server embeds them; or run: everlore index reembed",
        )
    for path, error in engine.index.failures():
        yield Finding("error", f"{path} could not be indexed: {error}", "correct the file; it is tried again by itself")


def _files(engine: Engine) -> Iterator[Finding]:
    problems = engine.index.problems()
    for problem in problems:
        yield Finding("error", str(problem), "correct the file in an editor; its other entries are used")
    reported = {problem.path for problem in problems}  # they are looked at again by themselves
    waiting = len([path for path in differing(engine) if path not in reported])
    if waiting:
        hint = "a running server picks them up within seconds; or run: everlore index sync"
        yield Finding("warning", f"{waiting} files differ from the index", hint)
    elif not problems:
        yield Finding("ok", "files: all read, and the index agrees with them")
    yield from _unread(engine)


def _unread(engine: Engine) -> Iterator[Finding]:
    """What people wrote and might take for remembered."""
    for path, _, _ in engine.vault.walk():
        located = locate(path)
        line = outside(_text(engine, path)) if located and located.place.layout == "log" else 0
        if line:
            hint = "to have it found, write it into the text of an entry, for example below its ### Content"
            yield Finding("warning", f"{path}:{line}: text outside the entries is kept, but not searched", hint)
    for path in engine.vault.others() if isinstance(engine.vault, FolderVault) else ():
        if mentioned(_text(engine, path)):
            hint = "if it is a copy that a sync service made, take what you need from it and delete it"
            yield Finding("warning", f"{path} holds entries and is not read: no log of a day has this name", hint)


def _text(engine: Engine, path: str) -> str:
    with suppress(EverloreError):  # no text, or a link: none of ours, or reported already
        file = engine.vault.read(path)
        return file.text if file else ""
    return ""


def _model(engine: Engine) -> Iterator[Finding]:
    try:
        engine.embedder.encode(["Everlore"])
    except EverloreError as error:
        yield Finding("error", f"embedding model: {error}", "search goes on with words alone until it works")
        return
    current = engine.index.model()
    if current is not None and current[0] != engine.embedder.name:
        yield Finding(
            "warning",
            f"the index was embedded with {current[0]}, the model in use is {engine.embedder.name}",
            "run: everlore index reembed",
        )
    else:
        yield Finding("ok", f"embedding model: {engine.embedder.name} answers")
