"""Moving memories between a store and a folder: the same files, byte for byte, and the messages that wait.

What is equal on both sides is passed over, so a move that was interrupted is simply done again. What differs is
never overwritten unless the caller insists, and then only after all of it was named. Messages go first: one
that is written as a memory while we are moving is then on the other side twice at worst, and never not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from everlore.backends.files import FilesBackend
from everlore.engine import Engine
from everlore.errors import InvalidInput, Unreadable
from everlore.stores.buffer import Buffer, Kept, Record, Seen
from everlore.sync.upkeep import Progress
from everlore.vault.base import Raw, Vault
from everlore.vault.folder import FolderVault

TOGETHER, BYTES = 64, 256_000
"""Files that are read and written at a time, and what they may hold together where it is more than one."""


@dataclass(frozen=True, slots=True)
class Side:
    """A store as moving sees it. A folder that has no messages has no buffer."""

    vault: Vault
    buffer: Buffer | None


@dataclass(frozen=True, slots=True)
class Moved:
    written: list[str]
    """Files that were not there; and, if the caller insisted, those that differed."""
    equal: int
    differing: list[str]
    """Files that are there with another content."""
    messages: int
    refused: tuple[str, ...] = ()
    """Files that cannot be read, and why; all others are there."""


@contextmanager
def folder_side(folder: Path, *, writing: bool) -> Iterator[Side]:
    """A folder of markdown files, as an engine would use it. It is changed only when it is to be written to."""
    if folder.exists() and not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder")
    side = FilesBackend(folder)
    vault = side.vault()
    if writing:
        vault.prepare()
    buffer = side.buffer() if writing or side.has_buffer() else None
    try:
        yield Side(vault, buffer)
    finally:
        if buffer is not None:
            buffer.close()


def refuse_itself(engine: Engine, folder: Path) -> None:
    if FolderVault(folder).root == engine.vault.folder:
        raise InvalidInput(f"{folder} is the vault itself; name another folder")


def move(source: Side, target: Side, progress: Progress, *, force: bool = False, dry_run: bool = False) -> Moved:
    """Copy what the target lacks. With differences and without `force`, nothing at all is written. A dry run returns
    what would come of it."""
    sizes = {path: size for path, _, size in source.vault.walk()}
    new, equal, differing = _compared(source.vault, target.vault, sizes, progress)
    if differing and not force:
        return Moved(new, equal, differing, 0)
    wanted = [*new, *differing]
    if dry_run:
        return Moved(wanted, equal, differing, _new_messages(source, target))
    messages = target.buffer.load(source.buffer.dump()) if source.buffer and target.buffer else 0
    refused: dict[str, str] = {}
    for some in _together(progress, "copying files", wanted, sizes):
        target.vault.put_all(_readable(source.vault, some, refused))
    written = [path for path in wanted if path not in refused]
    return Moved(written, equal, differing, messages, tuple(refused.values()))


def _readable(vault: Vault, paths: Sequence[str], refused: dict[str, str]) -> Mapping[str, Raw]:
    """Those of these files that can be read; what cannot is refused by its name, and holds up no other."""
    try:
        return vault.raws(paths)
    except Unreadable as error:
        if len(paths) == 1:
            refused[paths[0]] = str(error)
            return {}
    middle = len(paths) // 2
    return {**_readable(vault, paths[:middle], refused), **_readable(vault, paths[middle:], refused)}


def _together(progress: Progress, what: str, paths: Sequence[str], sizes: Mapping[str, int]) -> Iterator[Sequence[str]]:
    """The files, as many at a time as are held at once, while it is told how many of them are done."""
    start = held = 0
    for at, path in enumerate(paths):
        held += sizes[path]
        if at > start and (at - start == TOGETHER or held > BYTES):
            progress(what, start, len(paths))
            yield paths[start:at]
            start, held = at, sizes[path]
    if paths:
        progress(what, start, len(paths))
        yield paths[start:]
    progress(what, len(paths), len(paths))


def _compared(
    source: Vault, target: Vault, sizes: Mapping[str, int], progress: Progress
) -> tuple[list[str], int, list[str]]:
    """Files that are new to the target, how many are equal, and those that differ."""
    there = {path: size for path, _, size in target.walk()}
    new: list[str] = []
    differing: list[str] = []
    for some in _together(progress, "comparing files", list(sizes), sizes):
        new += [path for path in some if path not in there]
        alike = [path for path in some if there.get(path) == sizes[path]]
        mine, theirs = _readable(source, alike, {}), _readable(target, alike, {})
        same = {path for path in mine.keys() & theirs if mine[path].content == theirs[path].content}
        differing += [path for path in some if path in there and path not in same]
    return new, len(sizes) - len(new) - len(differing), differing


def _new_messages(source: Side, target: Side) -> int:
    """Those that wait in the source and were never seen in the target."""
    waiting = {record.digest for record in _records(source) if isinstance(record, Kept)}
    waiting.difference_update(record.digest for record in _records(target) if isinstance(record, Kept | Seen))
    return len(waiting)


def _records(side: Side) -> Iterator[Record]:
    return side.buffer.dump() if side.buffer else iter(())
