"""The doctor: what is wrong with files, index, buffer and model, and what to do about it. Only `repair` changes
anything.

Each part is asked by itself, so that one that is damaged hides nothing of the others; files are really read, and the
model is really asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from everlore.backends.registry import open_backend
from everlore.clock import Clock, ahead
from everlore.config import Settings
from everlore.errors import Damaged, EverloreError, Misconfigured, Unreadable
from everlore.kinds.paths import locate
from everlore.kinds.registry import kind, parts_of, several
from everlore.models.base import Embedder
from everlore.models.choose import make_embedder, make_llm, make_seer
from everlore.stores.base import NOT_YET, Index, Stamp
from everlore.stores.buffer import Buffer
from everlore.stores.sqlite.canonical import ASIDE, HINT
from everlore.sync.indexing import Parsed, parse_file
from everlore.sync.upkeep import Progress, counted
from everlore.types import IndexRow, Owner, Problem
from everlore.vault.base import FileText, Vault
from everlore.vault.folder import SYSTEM
from everlore.vault.markdown import mentioned, outside

REBUILD = "run: everlore index rebuild"
ENTRY = "correct the file in an editor; its other entries are used"
WHOLE = "correct the file in an editor; until then what was known of it stays"
ANSWER_SECONDS = 20.0
"""How long a language model may take to say a word."""
RIGHTS = "check the disk, and whether the user who runs Everlore may read it"


@dataclass(frozen=True, slots=True)
class Finding:
    level: Literal["ok", "warning", "error"]
    what: str
    hint: str = ""


def doctor(settings: Settings, progress: Progress) -> list[Finding]:
    with ExitStack() as parts:
        return list(_findings(settings, progress, parts))


def repair(settings: Settings) -> list[str]:
    """Save what can be saved of what nothing else could give back, and say what was done."""
    backend = open_backend(settings)
    with closing(backend):
        said = backend.repair()
        with closing(backend.buffer()) as buffer:
            broken = buffer.set_aside()
        if broken:
            kept = settings.memory.root / SYSTEM / ASIDE / "messages.jsonl"
            kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with kept.open("a", encoding="utf-8") as file:
                file.writelines(f"{one}\n" for one in broken)
            said.append(
                f"{len(broken)} messages that were damaged are kept in {kept}, and will not be written as memories"
            )
    return said


def _findings(settings: Settings, progress: Progress, parts: ExitStack) -> Iterator[Finding]:
    backend = open_backend(settings)
    parts.callback(backend.close)
    vault = backend.vault()
    try:
        vault.try_write()
        yield Finding("ok", f"vault: {vault.where} can be written")
    except EverloreError as error:
        hint = "make room, or give the user who runs Everlore the right to write; until then messages are refused"
        yield Finding("error", f"vault: {error}", hint)
    troubles = backend.troubles(thoroughly=True)
    yield from (Finding("error", trouble, HINT) for trouble in troubles)
    try:
        buffer = backend.buffer()
        parts.callback(buffer.close)
        yield from _buffer(buffer)
    except EverloreError as error:
        if not (troubles and isinstance(error, Damaged)):  # which was told
            hint = "memories in files are safe; it holds messages not yet there"
            yield Finding("error", f"message buffer: {error}", hint)
    index: Index | None = None
    if reason := backend.damage("index"):
        hint = f"{REBUILD}; it sets the file aside and makes it again from the memories, as a server does at its start"
        yield Finding("error", f"index: {reason}", hint)
    else:
        try:
            opened = backend.index()
            parts.callback(opened.close)
            of_index = _index(opened)
            index = None if any(finding.level == "error" for finding in of_index) else opened
            yield from of_index
        except EverloreError as error:
            yield Finding("error", f"index: {error}", REBUILD if isinstance(error, Damaged) else RIGHTS)
    if reason := backend.damage("cache"):
        hint = "nothing to do: it is set aside when it is next used, and fills again"
        yield Finding("warning", f"cache of embeddings: {reason}", hint)
    for aside in backend.put_aside():
        hint = f"what it held is made again from the memories; if it is missing, {REBUILD}. Then delete the file"
        yield Finding("warning", f"{aside} was damaged and set aside", hint)
    yield from _files(vault, index, progress)
    try:
        embedder = make_embedder(settings.embedding)
    except Misconfigured as error:
        yield Finding("error", f"embedding model: {error}")
    else:
        parts.callback(embedder.close)
        yield from _model(embedder, index)
    yield from _chat_models(settings)


def _buffer(buffer: Buffer) -> Iterator[Finding]:
    broken = buffer.check()
    for sentence in broken:
        yield Finding("error", f"message buffer: {sentence}", HINT)
    if not broken:
        yield Finding("ok", f"message buffer: sound, {buffer.count()} messages waiting for a flush")
    pending = buffer.pending_cells()
    if pending:
        yield Finding(
            "warning",
            f"{len(pending)} conversation cells were interrupted while being written",
            "start the server, or flush their sessions: they are finished first",
        )


def _index(index: Index) -> list[Finding]:
    """Of one that is broken no more is asked: its answers mean nothing."""
    if broken := index.upkeep.check():
        return [Finding("error", f"index: {sentence}", REBUILD) for sentence in broken]
    status = index.upkeep.status()
    rows = sorted(status.rows.items())
    counts = ", ".join(f"{count} {several(name, count)}" for name, count in rows) or "empty"
    sound = Finding("ok", f"index: sound ({counts})")
    if not status.unembedded:
        return [sound]
    what = f"{status.unembedded} of {status.units} pieces have no vector yet"
    return [sound, Finding("warning", what, "a running server embeds them; or run: everlore index reembed")]


@dataclass(slots=True)
class _Read:
    """What reading all files has brought to light."""

    closed: dict[str, str] = field(default_factory=dict)
    problems: dict[Problem, None] = field(default_factory=dict)
    differing: set[str] = field(default_factory=set)
    """Files that changed since they were indexed."""
    stale: list[str] = field(default_factory=list)
    """Files that say something else than the index although they look as they did when they were indexed."""
    unread: list[Finding] = field(default_factory=list)
    ahead: Counter[str] = field(default_factory=Counter)
    """Memories by file that are dated in the future."""
    orphans: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """File, kind of parts, and kind of the whole that these parts belong to and that is nowhere."""


@dataclass(slots=True)
class _Related:
    """What of one owner belongs together. An owner's files lie together, so that no more is kept in memory."""

    owner: Owner | None = None
    wholes: set[tuple[str, str]] = field(default_factory=set)
    """Kind of memories that others are parts of, such as episodes, with their cells and ids."""
    parts: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)
    """Kind, the kind they are a part of, and their cell: the files they are in."""
    unsure: set[str] = field(default_factory=set)
    """Kinds of which something could not be read."""

    def add(self, path: str, rows: Iterable[IndexRow]) -> None:
        for row in rows:
            spec = kind(row.key.kind)
            if spec.part_of and row.parent_id:
                self.parts.setdefault((spec.name, spec.part_of, row.parent_id), []).append(path)
            elif parts_of(spec.name):
                names = (row.parent_id, row.key.local_id, row.key.public_id)
                self.wholes |= {(spec.name, ident) for ident in names}

    def orphans(self) -> Iterator[tuple[str, str, str]]:
        for (part, whole, cell), paths in self.parts.items():
            if (whole, cell) not in self.wholes and whole not in self.unsure:
                yield from ((path, several(part), whole) for path in paths)


def _files(vault: Vault, index: Index | None, progress: Progress) -> Iterator[Finding]:
    try:
        known = set(index.files.known()) if index else set()
        paths = [path for path, _, _ in vault.walk()]
        obstacles = list(vault.obstacles())
        read = _read(vault, index, paths, obstacles, progress)
        failures = dict(index.queue.failures()) if index else {}
        others = list(_others(vault))
    except EverloreError as error:
        yield Finding("error", f"files: {error}", REBUILD if isinstance(error, Damaged) else RIGHTS)
        return
    for path, reason in read.closed.items():
        yield Finding("error", f"{path} {reason}", RIGHTS)
    for problem in read.problems:
        if problem.path not in read.closed:
            yield Finding("error", str(problem), ENTRY if problem.line else WHOLE)
    for path in obstacles:
        hint = "put a real file there, or move it away; memories that belong there wait until then"
        yield Finding("error", f"{path} is no plain file, though one must be there, and is not read", hint)
    # these are looked at again by themselves
    reported = {*read.closed, *obstacles, *(problem.path for problem in read.problems)}
    for path, reason in failures.items():
        if path not in reported:
            hint = "correct the file; it is tried again by itself"
            yield Finding("error", f"{path} could not be indexed: {reason}", hint)
    for path in read.stale:
        yield Finding("error", f"{path} differs from the index, though not in size and time", REBUILD)
    waiting = read.differing.union(known.difference(paths)).difference(reported)
    if waiting:
        hint = "a running server picks them up within seconds; or run: everlore index sync"
        yield Finding("warning", f"{len(waiting)} files differ from the index", hint)
    elif not (reported or failures or read.stale):
        yield Finding("ok", "files: all read" + (", and the index agrees with them" if index else ""))
    yield from read.unread
    yield from others
    for path, count in sorted(read.ahead.items()):
        hint = "they end nothing that holds; correct the **timestamp** if it is wrong, or the clock of this machine"
        yield Finding("warning", f"{path}: {count} memories are dated in the future", hint)
    for (path, parts, whole), count in sorted(read.orphans.items()):
        hint = "if it was deleted on purpose, delete them too (or their **parent_id**, to keep them); else restore it"
        yield Finding("warning", f"{path}: {count} {parts} belong to an {whole} that is nowhere", hint)


def _read(
    vault: Vault, index: Index | None, paths: Sequence[str], obstacles: Sequence[str], progress: Progress
) -> _Read:
    read, related, now = _Read(), _Related(), Clock().now()
    blocked = [located for path in obstacles if (located := locate(path))]
    for path in counted(progress, "reading files", paths):
        located = locate(path)
        if located and located.owner != related.owner:
            read.orphans.update(related.orphans())
            unsure = {one.kind.name for one in blocked if one.owner == located.owner}
            related = _Related(located.owner, unsure=unsure)
        file, parsed = None, Parsed([], [])
        try:
            file = vault.read(path)
        except Unreadable as error:
            parsed = Parsed([], [Problem(path, 0, str(error).removeprefix(f"{path}, "))])
            read.differing.add(path)  # if it was so before, the index says the same
        except EverloreError as error:
            read.closed[path] = str(error).removeprefix(f"{path} ")
        if located and file:
            parsed = parse_file(path, located, file)
            if index:
                parsed = parsed.given(path, index.files.parents(path))
                _compare(read, vault, index, path, file, parsed)
            if not located.kind.has_own_file and (line := outside(file.text)):
                hint = "to have it found, write it into the text of an entry, for example below its ### Content"
                what = f"{path}:{line}: text outside the entries is kept, but not searched"
                read.unread.append(Finding("warning", what, hint))
        read.problems |= dict.fromkeys(parsed.problems)
        if located and (parsed.problems or path in read.closed):
            related.unsure.add(located.kind.name)
        related.add(path, parsed.rows)
        if count := sum(ahead(row.timestamp, now) for row in parsed.rows):
            read.ahead[path] = count
    read.orphans.update(related.orphans())
    if index:
        told = (problem for problem in index.files.problems() if not _outdated(problem, read, index))
        read.problems |= dict.fromkeys(told)
    return read


def _outdated(problem: Problem, read: _Read, index: Index) -> bool:
    """Whether the file was read here in a state that the index has not seen."""
    return problem.path in read.differing and index.files.stamp(problem.path) != NOT_YET


def _compare(read: _Read, vault: Vault, index: Index, path: str, file: FileText, parsed: Parsed) -> None:
    stamp = Stamp(file.mtime_ns, file.size)
    if index.files.stamp(path) != stamp:
        read.differing.add(path)
        return
    has, says = index.files.digests(path), {row.key.local_id: row.digest for row in parsed.rows}
    if parsed.problems:  # of what cannot be read the index has the last good state
        has = {entry: digest for entry, digest in has.items() if entry in says}
    still = index.files.stamp(path) == stamp and vault.stat(path) == (file.mtime_ns, file.size)
    if has != says and still:
        read.stale.append(path)


def _others(vault: Vault) -> Iterator[Finding]:
    """What people wrote and might take for remembered."""
    for path in vault.others():
        try:
            file = vault.read(path)
        except EverloreError:  # no text, or closed to us: nobody takes it for a log
            continue
        if file and mentioned(file.text):
            hint = "if it is a copy that a sync service made, take what you need from it and delete it"
            yield Finding("warning", f"{path} holds entries and is not read: no log of a day has this name", hint)


def _model(embedder: Embedder, index: Index | None) -> Iterator[Finding]:
    try:
        dimension = len(embedder.query("Everlore"))  # kept nowhere, so that it cannot come from a cache
        current = index.upkeep.model() if index else None
    except Damaged:  # of the index, which was told
        return
    except EverloreError as error:
        yield Finding("error", f"embedding model: {error}", "search goes on with words alone until it works")
        return
    if current is not None and current[0] != embedder.name:
        yield Finding(
            "warning",
            f"the index was embedded with {current[0]}, the model in use is {embedder.name}",
            "run: everlore index reembed",
        )
    elif current is not None and current[1] != dimension:
        yield Finding(
            "error",
            f"embedding model: {embedder.name} answers with {dimension} numbers, and the index has {current[1]} of it",
            "if it is meant to be another model now, run: everlore index reembed; else correct the endpoint",
        )
    else:
        yield Finding("ok", f"embedding model: {embedder.name} answers")


def _chat_models(settings: Settings) -> Iterator[Finding]:
    """Those that are configured; by default none is."""
    waiting = "messages stay in the buffer until it answers; to go on without it, unset EVEROS_LLM__BASE_URL"
    local = "pictures and recordings are read locally meanwhile, where the parts for that are installed"
    for what, make, hint in (
        ("language model", partial(make_llm, settings.llm), waiting),
        ("multimodal model", partial(make_seer, settings.multimodal), local),
    ):
        try:
            model = make()
            if model is not None:
                with closing(model):
                    model.check(ANSWER_SECONDS)
                yield Finding("ok", f"{what}: {model.model} answers")
        except EverloreError as error:
            yield Finding("error", f"{what}: {error}", "" if isinstance(error, Misconfigured) else hint)
