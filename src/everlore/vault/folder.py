"""The vault's files on disk: read, change under a lock, find.

Invariants: a file is either as it was or as it was meant to be, never half written, also after a crash; a change is
durable when `change` returns; an edit that somebody made in the meantime is never overwritten; nothing is written
through a link or outside the root. Locks and temporary files live in `<root>/.everlore`, never among the notes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath

from everlore.durable import file_rights, make_folder, sync_folder, temporary
from everlore.errors import InvalidInput, Obstructed, Unavailable
from everlore.kinds.paths import locate
from everlore.kinds.registry import hidden_folders
from everlore.lock import FileLock
from everlore.vault.base import LOCK_SECONDS, Change, FileText, Outdated, Raw, Shelf, Texts, Vault, differing, encoded
from everlore.vault.disk import BIN, LARGEST, FolderShelf, being_written, load, translated

SYSTEM = ".everlore"
OWN_RIGHTS, SHARED_RIGHTS = 0o700, 0o770
SCAN_SECONDS = 300.0
"""The watcher may have missed something."""
STALE_SECONDS = 3600
"""A temporary file this old belongs to a process that died."""
TRIED_BYTES = 4096


def relevant(path: str) -> bool:
    """True for the files that hold memories; editors' temporary files and all else are none of our business."""
    return locate(path) is not None


class FolderVault(Vault):
    """One folder of markdown, which keeps what `Vault` promises from many threads and processes at once."""

    patience = 3.0
    """So long a change waits for another program that is writing to the file."""
    scan_seconds = SCAN_SECONDS

    def __init__(self, root: Path, largest: int = LARGEST, *, shared: bool = False) -> None:
        """`largest`: bytes of a file that is read or written. What is `shared` keeps the rights that its folders have;
        else nobody but its owner gets in."""
        self._largest = largest
        self._shared = shared
        self.root = root.expanduser().resolve()
        self.folder: Path | None = self.root
        self.where = str(self.root)
        self.bin: Shelf = FolderShelf(self.root / SYSTEM / BIN)
        self._held = threading.local()
        self._prepared = False

    def prepare(self) -> None:
        """Create the root and our own folder in it, where they are missing. Done by every first write."""
        if self._prepared and (self.root / SYSTEM / "locks").is_dir():
            return
        with translated(str(self.root)):
            make_folder(self.root, SHARED_RIGHTS if self._shared else OWN_RIGHTS)
            for folder in (self.root, self.root / SYSTEM):
                make_folder(folder)
                if not self._shared and os.name != "nt" and folder.stat().st_mode & 0o077:
                    folder.chmod(OWN_RIGHTS)
            for name in ("locks", "tmp"):
                make_folder(self.root / SYSTEM / name)
            self._sweep()
        self._prepared = True

    def _sweep(self) -> None:
        """What processes left that died."""
        for left in (self.root / SYSTEM / "tmp").iterdir():
            with contextlib.suppress(OSError):
                if left.stat().st_mtime < time.time() - STALE_SECONDS:
                    left.unlink()
        for left in (self.root / SYSTEM / "locks").iterdir():
            with contextlib.suppress(OSError):  # held by somebody, or gone
                FileLock(left, 0.0, fleeting=True).take_away()

    def listen(self, wake: Callable[[], None], stop: threading.Event) -> None:  # noqa: ARG002
        """Edits are seen by the watcher."""
        stop.wait()

    def raws(self, paths: Collection[str]) -> dict[str, Raw]:
        found: dict[str, Raw] = {}
        for path in paths:
            with translated(path):
                if loaded := load(self._target(path), path, self._largest):
                    found[path] = Raw(loaded[0], loaded[1].st_mtime_ns)
        return found

    def stat(self, path: str) -> tuple[int, int] | None:
        with translated(path):
            try:
                found = self._target(path).stat()
            except FileNotFoundError:
                return None
        return found.st_mtime_ns, found.st_size

    @contextlib.contextmanager
    def lock(self, name: str, timeout: float = LOCK_SECONDS) -> Iterator[None]:
        held: set[str] = self._held.__dict__.setdefault("names", set())
        if name in held:
            yield
            return
        with translated(name):
            self.prepare()
            digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
            lock = FileLock(self.root / SYSTEM / "locks" / f"{digest}.lock", timeout, fleeting=True)
            try:
                lock.acquire()
            except TimeoutError:
                raise Unavailable(f"{name} is in use by another process; try again") from None
        held.add(name)
        try:
            yield
        finally:
            held.discard(name)
            lock.release()

    @contextlib.contextmanager
    def guard(self, names: Iterable[str], timeout: float = LOCK_SECONDS) -> Iterator[None]:
        with contextlib.ExitStack() as held:
            for name in sorted(set(names)):  # in one order, so that no two wait for each other
                held.enter_context(self.lock(name, timeout))
            yield

    def exchange(self, texts: Texts, then: Callable[[Mapping[str, Change]], None] | None = None) -> dict[str, Change]:
        """File after file; what a crash leaves undone is seen by whoever looks next."""
        done: dict[str, Change] = {}
        for path, (before, text) in texts.items():
            if text == (before.text if before else None):
                done[path] = Change(before, before)
                continue
            with self.lock(path), translated(path):
                done[path] = Change(before, self._exchange(path, before, text))
        if then is not None:
            then(done)
        return done

    def being_written(self, path: str) -> bool:
        with translated(path):
            return being_written(self._target(path))

    def remove(self, path: str) -> None:
        with self.lock(path), translated(path):
            target = self._target(path)
            with contextlib.suppress(FileNotFoundError):
                target.unlink()
                sync_folder(target.parent)

    def walk(self, below: str = "") -> Iterator[tuple[str, int, int]]:
        """Links are not followed."""
        for path, entry in self._named(below):
            if entry.is_file(follow_symlinks=False) and relevant(path):
                with contextlib.suppress(FileNotFoundError):
                    stat = entry.stat(follow_symlinks=False)
                    yield path, stat.st_mtime_ns, stat.st_size

    def others(self) -> Iterator[str]:
        named = self._named("")
        return (path for path, entry in named if entry.is_file(follow_symlinks=False) and not relevant(path))

    def obstacles(self) -> Iterator[str]:
        return (path for path, entry in self._named("") if not entry.is_file(follow_symlinks=False) and relevant(path))

    def try_write(self) -> None:
        self.prepare()
        with translated(str(self.root)), self._temporary(b"." * TRIED_BYTES, self.root):
            pass

    def _named(self, below: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Everything that is called as markdown files are."""
        try:
            with os.scandir(self.root / below) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            # not "empty": whoever compares this with an index would take the files for deleted
            raise Unavailable(f"the folder {below or self.root} cannot be read: {error.strerror}") from None
        for entry in entries:
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.name.endswith(".md"):
                yield path, entry
            seen = not entry.name.startswith(".") or entry.name in hidden_folders()
            if seen and entry.is_dir(follow_symlinks=False):
                yield from self._named(path)

    def differing(self, known: Callable[[], Mapping[str, tuple[int, int]]]) -> list[str]:
        return differing(dict(known()), self.walk())

    def put_all(self, files: Mapping[str, Raw]) -> None:
        for path, raw in files.items():
            with self.lock(path), translated(path):
                target = self._target(path)
                make_folder(target.parent)
                with self._temporary(raw.content, target) as temporary:
                    os.utime(temporary, ns=(raw.mtime_ns, raw.mtime_ns))
                    temporary.replace(target)
                sync_folder(target.parent)

    def close(self) -> None:
        """Nothing is held open."""

    def _target(self, path: str) -> Path:
        target = self.root.joinpath(*PurePosixPath(path).parts)
        if self.root not in target.parents or os.path.normcase(target.resolve()) != os.path.normcase(target):
            raise Obstructed(
                f"{path} leads through a link or out of the vault; links inside a vault are not followed: "
                "put the real file or folder there, or make the whole vault a link"
            )
        _check_spelling(self.root, target)
        return target

    def _exchange(self, path: str, before: FileText | None, text: str | None) -> FileText | None:
        """Put `text` in the place of `before`."""
        target = self._target(path)
        if text is None:
            if not _unchanged(target, before) or being_written(target):
                raise Outdated(path)
            target.unlink()
            sync_folder(target.parent)
            return None
        make_folder(target.parent)
        content = encoded(text, path)
        if len(content) > self._largest:
            raise Unavailable(
                f"{path} would become larger than {self._largest} bytes; raise EVEROS_MEMORY__MAX_FILE_BYTES, or move"
                " some of it into another file. What was to be written waits"
            )
        with self._temporary(content, target) as temporary:
            try:
                stat = _made_newer(temporary, before.mtime_ns if before else 0)
                if not _unchanged(target, before) or being_written(target):
                    raise Outdated(path)
                temporary.replace(target)
            except PermissionError:
                if os.name != "nt":
                    raise
                raise Outdated(path) from None  # Windows: somebody has it open just now
        sync_folder(target.parent)
        return FileText(text, stat.st_mtime_ns, stat.st_size)

    def _temporary(self, content: bytes, target: Path) -> contextlib.AbstractContextManager[Path]:
        """A durable file with this content and the target's rights, to be put in its place."""
        try:
            mode = target.stat().st_mode & 0o777
        except FileNotFoundError:
            mode = file_rights(target.parent)
        return temporary(content, self.root / SYSTEM / "tmp", mode)


def _made_newer(file: Path, than: int) -> os.stat_result:
    """Equal stamps mean equal content, so two writes within one tick of the clock must not share theirs."""
    stat = file.stat()
    for step in (1, 1_000_000, 2_000_000_000):  # disks count in nanoseconds, in milliseconds, in two seconds
        if stat.st_mtime_ns > than:
            break
        os.utime(file, ns=(stat.st_atime_ns, than + step))
        stat = file.stat()
    return stat


def _unchanged(target: Path, before: FileText | None) -> bool:
    """Compares content, not times: clocks of file systems are coarser than an editor is quick."""
    found = load(target, target.name, sys.maxsize)
    return found is None if before is None else found is not None and found[0] == before.text.encode("utf-8")


def _check_spelling(root: Path, target: Path) -> None:
    """On a disk that ignores case, `Alice` and `alice` would share a folder: refuse the second."""
    if not (root / SYSTEM.upper()).exists():
        return
    folder = root
    for part in target.relative_to(root).parts:
        try:
            taken = _names(folder, folder.stat().st_mtime_ns).get(part.lower(), part)
        except (FileNotFoundError, NotADirectoryError):
            return
        if taken != part:
            raise InvalidInput(f"this disk cannot tell {part!r} from {taken!r}; use an id that differs in a letter")
        folder /= part


@lru_cache(maxsize=256)
def _names(folder: Path, mtime_ns: int) -> dict[str, str]:  # noqa: ARG001 - another time, other names
    """What is in the folder, by names in small letters. A folder of records is long, and asked for at every step."""
    return {name.lower(): name for name in os.listdir(folder)}  # noqa: PTH208 - names only
