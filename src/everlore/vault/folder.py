"""The vault's files on disk: read, change under a lock, find.

Invariants: a file is either as it was or as it was meant to be, never half written, also after a crash; a change is
durable when `change` returns; an edit that somebody made in the meantime is never overwritten; nothing is written
through a link or outside the root. Locks and temporary files live in `<root>/.everlore`, never among the notes.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import count
from pathlib import Path, PurePosixPath

from everlore.durable import sync_folder, temporary
from everlore.errors import EverloreError, InvalidInput, Obstructed, Unavailable
from everlore.kinds.paths import locate
from everlore.kinds.registry import hidden_folders
from everlore.lock import FileLock
from everlore.vault.base import LOCK_SECONDS, Change, FileText, Raw, decoded, differing
from everlore.vault.writers import being_written

SYSTEM = ".everlore"
ATTEMPTS = 20
SAVING_SECONDS = 3.0
"""How long a change waits for another program that is writing to the file."""
SCAN_SECONDS = 300.0
"""The watcher may have missed something."""
STALE_SECONDS = 3600
"""A temporary file this old belongs to a process that died."""
TRIED_BYTES = 4096


def relevant(path: str) -> bool:
    """True for the files that hold memories; editors' temporary files and all else are none of our business."""
    return locate(path) is not None


class FolderVault:
    """One folder of markdown, which keeps what `Vault` promises from many threads and processes at once."""

    def __init__(self, root: Path) -> None:
        self.root = root.expanduser().resolve()
        self.folder: Path | None = self.root
        self.where = str(self.root)
        self.scan_seconds = SCAN_SECONDS
        self._held = threading.local()
        self._prepared = False

    def prepare(self) -> None:
        """Create the root and our own folder in it, where they are missing. Done by every first write."""
        if self._prepared and (self.root / SYSTEM / "locks").is_dir():
            return
        with _explained(str(self.root)):
            for folder in (self.root, self.root / SYSTEM / "locks", self.root / SYSTEM / "tmp"):
                _make_folder(folder)
            for left in (self.root / SYSTEM / "tmp").iterdir():
                with contextlib.suppress(OSError):
                    if left.stat().st_mtime < time.time() - STALE_SECONDS:
                        left.unlink()
        self._prepared = True

    def unready(self) -> str:
        return ""

    def listen(self, wake: Callable[[], None], stop: threading.Event) -> None:  # noqa: ARG002
        """Edits are seen by the watcher."""
        stop.wait()

    def read(self, path: str) -> FileText | None:
        with _explained(path):
            found = _load(self._target(path))
        return found and FileText(decoded(found[0], path), found[1].st_mtime_ns, found[1].st_size)

    def stat(self, path: str) -> tuple[int, int] | None:
        with _explained(path):
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
        with _explained(name):
            self.prepare()
            digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
            lock = FileLock(self.root / SYSTEM / "locks" / f"{digest}.lock", timeout)
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

    def change(self, path: str, edit: Callable[[str | None], str | None], timeout: float = LOCK_SECONDS) -> Change:
        with self.lock(path, timeout):
            patience = time.monotonic() + SAVING_SECONDS
            for attempt in count():
                if not self.being_written(path):
                    before = self.read(path)
                    text = edit(before.text if before else None)
                    if text == (before.text if before else None):
                        return Change(before, before)
                    with _explained(path):
                        done, after = self._exchange(self._target(path), before, text)
                    if done:
                        return Change(before, after)
                if time.monotonic() > patience:
                    break
                time.sleep(min(0.05, 0.002 * attempt))
        raise Unavailable(f"{path} is being written by another program all the time; close it there and try again")

    def being_written(self, path: str) -> bool:
        with _explained(path):
            return being_written(self._target(path))

    def remove(self, path: str) -> None:
        with self.lock(path), _explained(path):
            target = self._target(path)
            with contextlib.suppress(FileNotFoundError):
                target.unlink()
                sync_folder(target.parent)

    def walk(self, below: str = "") -> Iterator[tuple[str, int, int]]:
        """(path, mtime_ns, size) of every file that holds memories, in order. Links are not followed."""
        for path, entry in self._markdown(below):
            if relevant(path):
                with contextlib.suppress(FileNotFoundError):
                    stat = entry.stat(follow_symlinks=False)
                    yield path, stat.st_mtime_ns, stat.st_size

    def others(self) -> Iterator[str]:
        """Markdown files that are not read, because of where they are or how they are called."""
        return (path for path, _ in self._markdown("") if not relevant(path))

    def obstacles(self) -> Iterator[str]:
        """Where a file of memories may be written, and a link or a folder is."""
        return (path for path, entry in self._named("") if not entry.is_file(follow_symlinks=False) and relevant(path))

    def try_write(self) -> None:
        """Raise if nothing can be written, as changing a file would."""
        self.prepare()
        with _explained(str(self.root)), self._temporary(b"." * TRIED_BYTES, self.root):
            pass

    def _markdown(self, below: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        return ((path, entry) for path, entry in self._named(below) if entry.is_file(follow_symlinks=False))

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

    def raw(self, path: str) -> Raw | None:
        with _explained(path):
            found = _load(self._target(path))
        return Raw(found[0], found[1].st_mtime_ns) if found else None

    def put(self, path: str, raw: Raw) -> None:
        with self.lock(path), _explained(path):
            target = self._target(path)
            _make_folder(target.parent)
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

    def _exchange(self, target: Path, before: FileText | None, text: str | None) -> tuple[bool, FileText | None]:
        """Put `text` in the place of `before`; False when the file is no longer `before`."""
        if text is None:
            if not _unchanged(target, before) or being_written(target):
                return False, None
            target.unlink()
            sync_folder(target.parent)
            return True, None
        _make_folder(target.parent)
        try:
            content = text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InvalidInput(
                f"{target.name}: half a character at {error.start} cannot be written; remove it"
            ) from None
        with self._temporary(content, target) as temporary:
            try:
                stat = _made_newer(temporary, before.mtime_ns if before else 0)
                if not _unchanged(target, before) or being_written(target):
                    return False, None
                temporary.replace(target)
            except PermissionError:
                if os.name != "nt":
                    raise
                return False, None  # Windows: somebody has it open just now
        sync_folder(target.parent)
        return True, FileText(text, stat.st_mtime_ns, stat.st_size)

    def _temporary(self, content: bytes, target: Path) -> contextlib.AbstractContextManager[Path]:
        """A durable file with this content and the target's rights, to be put in its place."""
        mode = 0o600
        with contextlib.suppress(FileNotFoundError):
            mode = target.stat().st_mode & 0o777
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


def _load(target: Path) -> tuple[bytes, os.stat_result] | None:
    """Content and stamp that belong together, also while an editor is writing."""
    for _ in range(ATTEMPTS):
        try:
            with target.open("rb") as file:
                before = os.fstat(file.fileno())
                content = file.read()
                after = os.fstat(file.fileno())
        except FileNotFoundError:
            return None
        if before.st_mtime_ns == after.st_mtime_ns and after.st_size == len(content):
            return content, after
        time.sleep(0.005)
    raise Unavailable(f"{target.name} is being written by another program; try again")


def _unchanged(target: Path, before: FileText | None) -> bool:
    """Compares content, not times: clocks of file systems are coarser than an editor is quick."""
    found = _load(target)
    return found is None if before is None else found is not None and found[0] == before.text.encode("utf-8")


def _make_folder(folder: Path) -> None:
    """Create the folder durably, for its owner's eyes only."""
    if folder.is_dir():
        return
    _make_folder(folder.parent)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        sync_folder(folder.parent)
    if not folder.is_dir():
        raise Obstructed(f"{folder} is a file where a folder must be; move it away")


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


@contextlib.contextmanager
def _explained(path: str) -> Iterator[None]:
    """Give the operating system's errors a class and a sentence."""
    try:
        yield
    except EverloreError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno in (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ):
            raise InvalidInput(f"{path[:80]} cannot be a path on this disk ({reason}); use a shorter id") from None
        if error.errno in (errno.EXDEV, errno.ELOOP, errno.EISDIR, errno.ENOTDIR):
            raise Obstructed(f"{path}: {reason}; a vault is plain folders on one disk") from None
        raise Unavailable(f"{path} cannot be read or written: {reason}; nothing was lost") from None
