"""Backups: a copy of everything that cannot be made again, whole at one moment, while servers run.

    <backup>/objects/ab/abcdef...     contents, by their SHA-256: what is there already is not copied again
    <backup>/snapshots/<time>.json    one backup: every file with its hash, and a hash of the list itself

A message leaves the buffer when its memory is written. So that none is in neither and none in both, everything is
copied while work goes on, and then, while nobody extracts, the databases and what changed since. The index is left out:
it is made again from the files. Restoring checks every hash first, and writes into an empty folder only.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

import apsw

from everlore import births
from everlore.births import Birth
from everlore.clock import iso
from everlore.durable import make_folder, sync_folder, temporary
from everlore.engine import Engine
from everlore.errors import Damaged, InvalidInput, Misconfigured, NotFound, Unavailable
from everlore.memory.extraction import session_locks
from everlore.sqlite_file import birth
from everlore.vault.disk import BIN
from everlore.vault.folder import SYSTEM

PIECE = 2**20
WAIT_SECONDS = 300.0
"""How long a backup waits for what is being extracted just now; a language model takes its time."""
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Entry:
    hash: str
    size: int
    mtime_ns: int
    mode: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    name: str
    files: Mapping[str, Entry]
    """By their path in the vault."""
    databases: Mapping[str, str]
    """The hashes of the databases, by their name."""
    refused: tuple[str, ...] = ()
    """What is no plain file, or could not be read."""
    new: int = 0
    """Contents that were not in the backup before."""


def back_up(engine: Engine, target: Path) -> Snapshot:
    root = engine.vault.folder
    if root is None:
        raise Misconfigured(
            "everything is in PostgreSQL: back it up with its own means, such as pg_dump; `everlore export FOLDER`"
            " writes the memories into a folder, which can be backed up"
        )
    if root == target.resolve() or root in target.resolve().parents:
        raise InvalidInput(f"{target} is inside the vault; name a folder elsewhere, best on another disk")
    store = _Objects(target)
    known: dict[str, Entry] = {}
    refused: dict[str, str] = {}
    _copy_changed(root, store, known, refused)
    with session_locks(engine, WAIT_SECONDS):
        _copy_changed(root, store, known, refused)
        copies = {path.name: _copied(path, store) for path in births.born(root / SYSTEM)}
    databases = {name: copied for name, copied in copies.items() if copied}
    lost = dict.fromkeys(copies.keys() - databases.keys(), "is missing or damaged; run: everlore doctor")
    now = iso(engine.clock.now()).replace(":", "").replace("-", "").replace(".", "")
    told = tuple(f"{path}: {why}" for path, why in sorted((refused | lost).items()))
    snapshot = Snapshot(now, known, databases, told, store.new)
    said = {"format": FORMAT, "files": {path: asdict(one) for path, one in known.items()}, "databases": databases}
    body = json.dumps(said, sort_keys=True)
    store.put(target / "snapshots" / f"{now}.json", json.dumps({"hash": _digest(body.encode()), "body": body}).encode())
    return snapshot


def restore_backup(source: Path, folder: Path, name: str = "") -> Snapshot:
    """The newest snapshot, or the one named, into an empty folder. Nothing is written unless all of it is sound."""
    if folder.exists() and any(folder.iterdir()):
        raise InvalidInput(f"{folder} is not empty; name a new folder, and move it where the vault belongs afterwards")
    snapshot = check_backup(source, name)
    store = _Objects(source)
    make_folder(folder)
    folder.chmod(0o700)
    for path, one in snapshot.files.items():
        file = folder.joinpath(*PurePosixPath(path).parts)
        make_folder(file.parent)
        store.give(one.hash, file, one.mode)
        os.utime(file, ns=(one.mtime_ns, one.mtime_ns))
    for database, digest in snapshot.databases.items():
        file = folder / SYSTEM / database
        make_folder(file.parent)
        store.give(digest, file, 0o600)
        births.write(file, _born(file))
    return snapshot


def check_backup(source: Path, name: str = "") -> Snapshot:
    """Every content that a snapshot names is there and is what it was."""
    found = sorted((source / "snapshots").glob("*.json")) if source.is_dir() else []
    wanted = [one for one in found if one.stem == name] if name else found[-1:]
    if not wanted:
        raise NotFound(f"no {f'snapshot {name}' if name else 'backup'} in {source}")
    try:
        said = json.loads(wanted[0].read_bytes())
        body = said["body"]
        if _digest(body.encode()) != said["hash"]:
            raise ValueError("its hash is another")
        listed = json.loads(body)
        files = {path: Entry(**one) for path, one in listed["files"].items()}
        databases: dict[str, str] = listed["databases"]
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"{wanted[0]} is damaged ({error}); restore an older snapshot with --snapshot") from None
    unsafe = [path for path in [*files, *databases] if PurePosixPath(path).is_absolute() or ".." in path.split("/")]
    if unsafe:
        raise Damaged(f"{wanted[0]} names {unsafe[0]!r}, which is outside of a vault")
    store = _Objects(source)
    broken = [path for path, one in files.items() if not store.sound(one.hash)]
    broken += [one for one, digest in databases.items() if not store.sound(digest)]
    if broken:
        named = ", ".join(broken[:5])
        raise Damaged(
            f"{named}{' and others' if len(broken) > 5 else ''} are damaged in {source}; nothing was restored"
        )
    return Snapshot(wanted[0].stem, files, databases)


class _Objects:
    """Contents by their hash."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.new = 0

    def keep(self, file: Path) -> Entry:
        """Streamed, since a file may be of any size; `Unavailable` if it changes all the time."""
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))
        with open(descriptor, "rb") as opened:  # noqa: PTH123 - a descriptor has no path
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise Unavailable("is no plain file")
            digest = sha256()
            while piece := opened.read(PIECE):
                digest.update(piece)
            name = digest.hexdigest()
            if not self.path(name).exists():
                opened.seek(0)
                self._store(name, iter(lambda: opened.read(PIECE), b""))
            if os.fstat(descriptor).st_mtime_ns != found.st_mtime_ns:
                raise Unavailable("is being written")
        return Entry(name, found.st_size, found.st_mtime_ns, found.st_mode & 0o777)

    def _store(self, name: str, pieces: Iterator[bytes]) -> None:
        target = self.path(name)
        make_folder(target.parent)
        digest = sha256()
        with temporary(b"", target.parent) as fresh:
            with fresh.open("wb") as written:
                for piece in pieces:
                    digest.update(piece)
                    written.write(piece)
                written.flush()
                os.fsync(written.fileno())
            if digest.hexdigest() != name:
                raise Unavailable("is being written")
            fresh.replace(target)
        sync_folder(target.parent)
        self.new += 1

    def put(self, target: Path, content: bytes) -> None:
        make_folder(target.parent)
        with temporary(content, target.parent) as fresh:
            fresh.replace(target)
        sync_folder(target.parent)

    def path(self, name: str) -> Path:
        return self._folder / "objects" / name[:2] / name

    def sound(self, name: str) -> bool:
        digest = sha256()
        try:
            with self.path(name).open("rb") as file:
                while piece := file.read(PIECE):
                    digest.update(piece)
        except OSError:
            return False
        return digest.hexdigest() == name

    def give(self, name: str, target: Path, mode: int) -> None:
        with temporary(b"", target.parent, mode) as fresh:
            with fresh.open("wb") as written, self.path(name).open("rb") as file:
                while piece := file.read(PIECE):
                    written.write(piece)
                written.flush()
                os.fsync(written.fileno())
            fresh.replace(target)
        sync_folder(target.parent)


def _copy_changed(root: Path, store: _Objects, known: dict[str, Entry], refused: dict[str, str]) -> None:
    """Bring what is known up to what is there."""
    there: set[str] = set()
    for path, file in _files(root):
        there.add(path)
        try:
            found = file.lstat()
            old = known.get(path)
            if old is None or (old.mtime_ns, old.size) != (found.st_mtime_ns, found.st_size):
                known[path] = store.keep(file)
            refused.pop(path, None)
        except FileNotFoundError:
            there.discard(path)
        except (OSError, Unavailable) as error:
            refused[path] = getattr(error, "strerror", None) or str(error)
    for path in known.keys() - there:
        del known[path]


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    """Everything of people's, and the bin; our own folder holds what is derived, and databases."""
    for folder, names, files in os.walk(root):
        here = Path(folder)
        if here == root / SYSTEM:
            names[:] = [BIN] if BIN in names else []
            continue
        names.sort()
        for name in sorted(files):
            yield (here / name).relative_to(root).as_posix(), here / name


def _copied(path: Path, store: _Objects) -> str:
    """The hash of a consistent copy of a database that is in use; "" where there is none to copy."""
    if births.missing(path):
        return ""
    make_folder(store.path("00").parent)
    with temporary(b"", store.path("00").parent) as fresh:
        try:
            with (
                contextlib.closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as old,
                contextlib.closing(apsw.Connection(str(fresh))) as new,
            ):
                with new.backup("main", old, "main") as copying:
                    copying.step(-1)
                new.execute("PRAGMA journal_mode=DELETE")  # one file, whatever the other was
                if [str(line) for (line,) in new.execute("PRAGMA integrity_check(1)")] != ["ok"]:
                    return ""
        except apsw.Error:
            return ""
        return store.keep(fresh).hash


def _born(path: Path) -> Birth:
    with contextlib.closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        own = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'birth'").get
        return (birth(db) if own else None) or Birth("", 0)


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()
