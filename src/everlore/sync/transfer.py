"""Moving memories between a store and a folder: the same files, byte for byte, and the messages that wait.

What is equal on both sides is passed over, so a move that was interrupted is simply done again. What differs is
never overwritten unless the caller insists, and then only after all of it was named. Messages go first: one
that is written as a memory while we are moving is then on the other side twice at worst, and never not at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from everlore.backends.files import FilesBackend
from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.stores.buffer import Buffer, Kept, Record, Seen
from everlore.sync.upkeep import Progress, counted
from everlore.vault.base import Vault
from everlore.vault.folder import FolderVault


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
    new, equal, differing = _compared(source.vault, target.vault, progress)
    if differing and not force:
        return Moved(new, equal, differing, 0)
    wanted = [*new, *differing]
    if dry_run:
        return Moved(wanted, equal, differing, _new_messages(source, target))
    messages = target.buffer.load(source.buffer.dump()) if source.buffer and target.buffer else 0
    for path in counted(progress, "copying files", wanted):
        raw = source.vault.raw(path)
        if raw is not None:  # else it was deleted since
            target.vault.put(path, raw)
    return Moved(wanted, equal, differing, messages)


def _compared(source: Vault, target: Vault, progress: Progress) -> tuple[list[str], int, list[str]]:
    """Files that are new to the target, how many are equal, and those that differ."""
    there = {path: size for path, _, size in target.walk()}
    files = list(source.walk())
    new: list[str] = []
    differing: list[str] = []
    for path, _, size in counted(progress, "comparing files", files):
        if path not in there:
            new.append(path)
        elif size != there[path] or not _same(source, target, path):
            differing.append(path)
    return new, len(files) - len(new) - len(differing), differing


def _same(source: Vault, target: Vault, path: str) -> bool:
    one, other = source.raw(path), target.raw(path)
    return one is not None and other is not None and one.content == other.content


def _new_messages(source: Side, target: Side) -> int:
    """Those that wait in the source and were never seen in the target."""
    waiting = {record.digest for record in _records(source) if isinstance(record, Kept)}
    waiting.difference_update(record.digest for record in _records(target) if isinstance(record, Kept | Seen))
    return len(waiting)


def _records(side: Side) -> Iterator[Record]:
    return side.buffer.dump() if side.buffer else iter(())
