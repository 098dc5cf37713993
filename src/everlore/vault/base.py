"""What Everlore asks of a vault: texts with paths, changed one at a time and never by halves. It is canonical.

A vault is a folder of markdown files, or a table in PostgreSQL that holds the same texts under the same paths.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from everlore.errors import InvalidInput, Unavailable, Unreadable

LOCK_SECONDS = 30.0
BUSY = "is being written by another program all the time; close it there and try again"
PAUSE_SECONDS = 0.02


class Outdated(Unavailable):
    """A file is not what it was when it was read: read it again."""


@dataclass(frozen=True, slots=True)
class FileText:
    """A file as it was read or written. Equal `mtime_ns` and `size`: nothing to do."""

    text: str
    mtime_ns: int
    size: int


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after an update; None where it did not exist. The same value twice: nothing was written."""

    before: FileText | None
    after: FileText | None


Texts = Mapping[str, tuple[FileText | None, str | None]]
"""Files as they were read, and the text that each shall have: None for no file, the same for no change."""


@dataclass(frozen=True, slots=True)
class Raw:
    """A file as it lies there, whatever it holds."""

    content: bytes
    mtime_ns: int

    def as_text(self, path: str) -> FileText:
        return FileText(decoded(self.content, path), self.mtime_ns, len(self.content))


class Shelf(Protocol):
    """Blobs beside the memories. What stands on it is durable, and nobody reads it as a memory. Names are plain words
    with dots and dashes."""

    def put(self, name: str, content: bytes) -> None:
        """Durable when it returns; it takes the place of what has the name."""

    def get(self, name: str) -> bytes | None: ...

    def names(self) -> list[str]:
        """Of all that is there, in order."""

    def drop(self, names: Collection[str]) -> None:
        """One after the other, in this order; it is well when some are not there."""


class Vault(Protocol):
    where: str
    """For people: the folder, or the database."""
    folder: Path | None
    """The folder in which people may edit the files; None where there is none, and whoever writes queues what they
    wrote."""
    bin: Shelf
    """Where what was forgotten waits to be restored or emptied."""
    patience: float
    """For how many seconds a change is tried again while others change the same file."""

    @property
    def scan_seconds(self) -> float:
        """How often all files are to be compared with the index, because a change may have been missed."""

    def listen(self, wake: Callable[[], None], stop: threading.Event) -> None:
        """Call `wake` when there may be something new, until `stop` is set. Some of it may be missed."""

    def prepare(self) -> None:
        """Make what is missing of the vault itself."""

    def unready(self) -> str:
        """Why it is too early to be asked: an index that all servers share is being built. Empty when it is not."""
        return ""

    def read(self, path: str) -> FileText | None:
        """The file's text, or None when it does not exist."""
        raw = self.raw(path)
        return raw.as_text(path) if raw else None

    def raws(self, paths: Collection[str]) -> dict[str, Raw]:
        """Those of these files that exist, as they are."""

    def raw(self, path: str) -> Raw | None:
        """The file as it is, for another vault to `put`."""
        return self.raws([path]).get(path)

    def stat(self, path: str) -> tuple[int, int] | None:
        """(mtime_ns, size) as `read` would give them, or None when the file does not exist."""

    def lock(self, name: str, timeout: float = LOCK_SECONDS) -> AbstractContextManager[None]:
        """Hold `name`, a path or any other, against every thread and process. A thread may take it again."""

    def guard(self, names: Iterable[str], timeout: float = LOCK_SECONDS) -> AbstractContextManager[None]:
        """Held from reading files until they and their rows are written. Where both are written in one step, which sees
        by itself whether somebody was quicker, nobody waits."""

    def change(self, path: str, edit: Callable[[str | None], str | None], timeout: float = LOCK_SECONDS) -> Change:
        """Change a file: `edit` gets its text (None: it does not exist) and returns the new one (None: delete it).

        `edit` runs again when the file changed meanwhile, so it must depend on nothing but its argument.
        What is written is always newer than what it replaces.
        """
        with self.guard([path], timeout):
            deadline = time.monotonic() + self.patience
            while True:
                if not self.being_written(path):
                    before = self.read(path)
                    text = edit(before.text if before else None)
                    if text == (before.text if before else None):
                        return Change(before, before)
                    with suppress(Outdated):
                        return self.exchange({path: (before, text)})[path]
                if time.monotonic() > deadline:
                    break
                time.sleep(random.uniform(0, PAUSE_SECONDS))
        raise Unavailable(f"{path} {BUSY}")

    def exchange(self, texts: Texts, then: Callable[[Mapping[str, Change]], None] | None = None) -> dict[str, Change]:
        """Give files their new texts if all are as they were read, and do what comes `then`: where files and index are
        one database, all of it is done or nothing, and it may be done again. `Outdated` if one is not."""

    def being_written(self, path: str) -> bool:  # noqa: ARG002 - a document is written at once
        """Whether another program is seen to write to the file just now, so that it does not hold what it will hold."""
        return False

    def remove(self, path: str) -> None:
        """Delete a file, whatever is in it; nothing where there is none."""

    def walk(self, below: str = "") -> Iterator[tuple[str, int, int]]:
        """(path, mtime_ns, size) of every file that holds memories, in order."""

    def differing(self, known: Callable[[], Mapping[str, tuple[int, int]]]) -> list[str]:
        """Files that are not as the index has seen them, those that are gone last. `known` tells what it has seen."""

    def put(self, path: str, raw: Raw) -> None:
        """Make the file exactly this, its time included."""
        self.put_all({path: raw})

    def put_all(self, files: Mapping[str, Raw]) -> None: ...

    def others(self) -> Iterator[str]:
        """Markdown files that are not read, because of where they are or how they are called."""
        return iter(())

    def obstacles(self) -> Iterator[str]:
        """Where a file of memories may be written, and a link or a folder is."""
        return iter(())

    def try_write(self) -> None:
        """Raise if nothing can be written, as changing a file would."""

    def close(self) -> None: ...


def differing(known: dict[str, tuple[int, int]], files: Iterable[tuple[str, int, int]]) -> list[str]:
    changed = [path for path, mtime_ns, size in files if known.pop(path, None) != (mtime_ns, size)]
    return [*changed, *known]  # what is left was seen and is gone


def encoded(text: str, path: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{path}: half a character at {error.start} cannot be written; remove it") from None


def decoded(content: bytes, path: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Unreadable(
            f"{path}, line {line}: this is not UTF-8 text; save the file with the encoding UTF-8"
        ) from None
