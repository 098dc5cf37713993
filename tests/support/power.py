"""What a power cut may leave: a record of all that a program asked of the disk, and the states that follow from it.

Writes to databases are seen by a VFS of SQLite, everything else by the few calls that the file layer makes: fsync,
replace, unlink, mkdir, and the birth marks' write in place. After a cut, what was synced is there. Of what was not, any
part may be: writes of a file in any selection, the last of them torn at a sector, and of the names in a folder the
first so many that were given, changed or taken since the folder was synced.
"""

from __future__ import annotations

import os
import random
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import pytest

from everlore import births
from everlore.births import Birth

SECTOR = 512
BASE = "unix"
"""The VFS that does the work."""


@dataclass(frozen=True)
class Step:
    what: str
    """write, truncate, sync, name, unname, rename, folder or sync folder; or `done`: something was acknowledged."""
    path: str
    at: int = 0
    content: bytes = b""
    to: str = ""


class Recorder:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.steps: list[Step] = []
        self._lock = threading.Lock()
        self._known: set[str] = set()

    def add(self, what: str, path: str | os.PathLike[str], at: int = 0, content: bytes = b"", to: str = "") -> None:
        inside = self._inside(path)
        if inside is not None:
            with self._lock:
                self.steps.append(Step(what, inside, at, content, self._inside(to) or "" if to else ""))

    def done(self, label: str) -> None:
        with self._lock:
            self.steps.append(Step("done", label))

    def name(self, path: str | os.PathLike[str]) -> None:
        inside = self._inside(path)
        if inside is not None and inside not in self._known:
            self._known.add(inside)
            self.add("name", path)

    def forget(self, path: str | os.PathLike[str]) -> None:
        self._known.discard(self._inside(path) or "")

    def _inside(self, path: str | os.PathLike[str]) -> str | None:
        try:
            return Path(path).relative_to(self.root).as_posix()
        except ValueError:
            return None


class _File(apsw.VFSFile):
    def __init__(self, recorder: Recorder, name: Any, flags: list[int]) -> None:
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        self._recorder = recorder
        super().__init__(BASE, name, flags)
        recorder.name(self._path)

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._recorder.add("write", self._path, offset, bytes(data))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._recorder.add("truncate", self._path, newsize)

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._recorder.add("sync", self._path)


class _Disk(apsw.VFS):
    def __init__(self, recorder: Recorder, name: str) -> None:
        self._recorder = recorder
        super().__init__(name, BASE, makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        return _File(self._recorder, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self._recorder.add("unname", filename)
        self._recorder.forget(filename)


@contextmanager
def recorded(root: Path) -> Iterator[Recorder]:
    """Everything that is done below this folder until the end of the block."""
    recorder = Recorder(root)
    fsync, replace, unlink, mkdir, advance = os.fsync, os.replace, os.unlink, os.mkdir, births.advance

    def synced(descriptor: int) -> None:
        fsync(descriptor)
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        if path.is_dir():
            recorder.add("sync folder", path)
            return
        recorder.name(path)
        recorder.add("truncate", path)
        recorder.add("write", path, 0, path.read_bytes())
        recorder.add("sync", path)

    def replaced(source: Any, target: Any, **more: Any) -> None:
        replace(source, target, **more)
        recorder.add("rename", source, to=target)
        recorder.forget(source)
        recorder._known.add(recorder._inside(target) or "")

    def unlinked(path: Any, **more: Any) -> None:
        unlink(path, **more)
        recorder.add("unname", path)
        recorder.forget(path)

    def made(path: Any, mode: int = 0o777, **more: Any) -> None:
        mkdir(path, mode, **more)
        recorder.add("folder", path)

    def advanced(path: Path, birth: Birth) -> None:
        advance(path, birth)
        recorder.add("write", births.mark_of(path), 0, birth.text)

    name = f"recorded-{uuid.uuid4().hex}"
    with pytest.MonkeyPatch.context() as patch:
        disk = _Disk(recorder, name)
        patch.setattr(os, "fsync", synced)
        patch.setattr(os, "replace", replaced)
        patch.setattr(os, "unlink", unlinked)
        patch.setattr(os, "mkdir", made)
        patch.setattr(births, "advance", advanced)
        try:
            yield recorder
        finally:
            disk.unregister()


@dataclass
class _Content:
    """One file, under whatever name."""

    durable: bytearray = field(default_factory=bytearray)
    pending: list[Step] = field(default_factory=list)

    def sync(self) -> None:
        for step in self.pending:
            _apply(self.durable, step, len(step.content))
        self.pending.clear()

    def after_cut(self, rng: random.Random) -> bytes:
        """In order, since the disk keeps it for one place; some never came, and one may be torn."""
        content = bytearray(self.durable)
        how = rng.choice(("all", "none", "first", "some"))
        until = rng.randrange(len(self.pending) + 1)
        for number, step in enumerate(self.pending):
            if how == "none" or (how == "first" and number > until) or (how == "some" and rng.random() < 0.5):
                continue
            torn = how in ("first", "some") and step.what == "write" and rng.random() < 0.2
            length = rng.randrange(0, len(step.content) + 1, SECTOR) if torn else len(step.content)
            _apply(content, step, length)
        return bytes(content)


def _apply(content: bytearray, step: Step, length: int) -> None:
    if step.what == "truncate":
        del content[step.at :]
        content.extend(bytes(step.at - len(content)))
        return
    if len(content) < step.at:
        content.extend(bytes(step.at - len(content)))
    content[step.at : step.at + length] = step.content[:length]


@dataclass(frozen=True)
class Cut:
    """A power cut behind so many steps, and the seed that says what was lost."""

    behind: int
    seed: int


def cuts(recorder: Recorder, number: int, seed: int) -> Iterator[Cut]:
    rng = random.Random(seed)
    for _ in range(number):
        yield Cut(rng.randrange(1, len(recorder.steps) + 1), rng.randrange(2**32))


class _Disks:
    """What programs see, and what is kept of it."""

    def __init__(self) -> None:
        self.acknowledged: list[str] = []
        self.kept: dict[str, _Content] = {}
        self._names: dict[str, _Content] = {}
        self._waiting: dict[str, list[tuple[Step, _Content | None]]] = {}
        """By folder: what was done to its names since it was synced."""

    def take(self, step: Step) -> None:
        content = self._names.get(step.path)
        match step.what:
            case "done":
                self.acknowledged.append(step.path)
            case "name":
                self._names[step.path] = content = _Content()
                self._later(step.path, step, content)
            case "write" | "truncate" if content:
                content.pending.append(step)
            case "sync" if content:
                content.sync()
                if ".db" in step.path:
                    self._settle(_folder(step.path))  # SQLite syncs the folder of a log that it made
            case "unname":
                self._names.pop(step.path, None)
                self._later(step.path, step, None)
            case "rename" if content:
                self._names[step.to] = self._names.pop(step.path)
                self._later(step.to, step, content)
            case "sync folder":
                self._settle("" if step.path == "." else step.path)

    def cut(self, rng: random.Random) -> None:
        for folder in list(self._waiting):
            self._settle(folder, rng.randrange(len(self._waiting[folder]) + 1))

    def _later(self, path: str, step: Step, content: _Content | None) -> None:
        self._waiting.setdefault(_folder(path), []).append((step, content))

    def _settle(self, folder: str, count: int | None = None) -> None:
        for step, content in self._waiting.pop(folder, [])[:count]:
            self.kept.pop(step.path, None)
            if content is not None:
                self.kept[step.to or step.path] = content


def left(recorder: Recorder, cut: Cut, target: Path) -> list[str]:
    """Make the folder as the cut may have left it; returns what had been acknowledged before."""
    rng, disks = random.Random(cut.seed), _Disks()
    for step in recorder.steps[: cut.behind]:
        disks.take(step)
    disks.cut(rng)
    for path, content in disks.kept.items():
        file = target / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.after_cut(rng))
    return disks.acknowledged


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
