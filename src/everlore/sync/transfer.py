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
from everlore.sync.upkeep import Progress, together
from everlore.vault.base import Raw, Vault
from everlore.vault.folder import FolderVault

TOGETHER = 64
"""Files that are read and written at a time."""


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
    new, equal, differing = _compared(source.vault, target.vault, progress)
    if differing and not force:
        return Moved(new, equal, differing, 0)
    wanted = [*new, *differing]
    if dry_run:
        return Moved(wanted, equal, differing, _new_messages(source, target))
    messages = target.buffer.load(source.buffer.dump()) if source.buffer and target.buffer else 0
    refused: dict[str, str] = {}
    for some in together(progress, "copying files", wanted, TOGETHER):
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


def _compared(source: Vault, target: Vault, progress: Progress) -> tuple[list[str], int, list[str]]:
    """Files that are new to the target, how many are equal, and those that differ."""
    there = {path: size for path, _, size in target.walk()}
    files = list(source.walk())
    new: list[str] = []
    differing: list[str] = []
    for some in together(progress, "comparing files", files, TOGETHER):
        new += [path for path, _, _ in some if path not in there]
        alike = [path for path, _, size in some if there.get(path) == size]
        mine, theirs = _readable(source, alike, {}), _readable(target, alike, {})
        same = {path for path in mine.keys() & theirs if mine[path].content == theirs[path].content}
        differing += [path for path, _, _ in some if path in there and path not in same]
    return new, len(files) - len(new) - len(differing), differing


def _new_messages(source: Side, target: Side) -> int:
    """Those that wait in the source and were never seen in the target."""
    waiting = {record.digest for record in _records(source) if isinstance(record, Kept)}
    waiting.difference_update(record.digest for record in _records(target) if isinstance(record, Kept | Seen))
    return len(waiting)


def _records(side: Side) -> Iterator[Record]:
    return side.buffer.dump() if side.buffer else iter(())
