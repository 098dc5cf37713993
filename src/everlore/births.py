"""Birth marks: how a database that nothing else could give back is missed when it is gone.

Beside each such database lies a mark with its name and how often it was committed. The database has the same in a row
of its own, so one that is missing, empty, another or older than it was is told from a new one, and never made anew in
silence. The mark follows each commit without waiting for the disk: it may be behind after a power cut, never ahead.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from everlore.durable import file_rights, make_folder, sync_folder, temporary

MARKS = "births"
_DIGITS = 20


@dataclass(frozen=True, slots=True)
class Birth:
    id: str
    """Hexadecimal; "" of a database that somebody else writes, which has no row."""
    commits: int

    @property
    def text(self) -> bytes:
        return f"{self.commits:0{_DIGITS}d} {self.id}\n".encode()


def mark_of(path: Path) -> Path:
    return path.parent / MARKS / path.name


def read(path: Path) -> Birth | None:
    """The mark of the database at `path`; None where none was born."""
    try:
        commits, _, name = mark_of(path).read_text(encoding="ascii").strip().partition(" ")
        return Birth(name, int(commits))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        return Birth("?", 0)  # a mark that cannot be read is still one


def write(path: Path, birth: Birth) -> None:
    """Durable when it returns."""
    mark = mark_of(path)
    make_folder(mark.parent)
    with temporary(birth.text, mark.parent, file_rights(mark.parent)) as file:
        file.replace(mark)
    sync_folder(mark.parent)


def advance(path: Path, birth: Birth) -> None:
    """After a commit. One that cannot be written is behind, which is no harm."""
    with contextlib.suppress(OSError):
        handle = os.open(mark_of(path), os.O_WRONLY)
        try:
            os.write(handle, birth.text)  # in place and of one length: never half of it
        finally:
            os.close(handle)


def remove(path: Path) -> None:
    """Nothing is missed any more."""
    mark_of(path).unlink(missing_ok=True)


def born(folder: Path) -> list[Path]:
    """The databases of a folder that have a mark, whether they are there or not."""
    with contextlib.suppress(OSError):
        return [folder / mark.name for mark in sorted((folder / MARKS).iterdir()) if not mark.name.startswith(".")]
    return []


def missing(path: Path) -> str:
    """Why a database that was born cannot be opened; "" where it is there, or none was born."""
    return "" if read(path) is None else gone(path)


def gone(path: Path) -> str:
    try:
        return "" if path.stat().st_size else "is empty, and was not"
    except OSError:
        return "was removed or moved: put it back"


def forgiven(path: Path) -> bool:
    """Whether a repair took the mark away, so that the database may be made anew; not, if all else is gone too."""
    return mark_of(path).parent.is_dir() and read(path) is None


def differing(mark: Birth, found: Birth | None) -> str:
    """Why what a database says of itself is not what its mark says; "" where it is."""
    if not mark.id:
        return ""
    if found is None or found.id != mark.id:
        return "is not the one that was made here"
    if found.commits < mark.commits:
        return f"is older than it was: {mark.commits - found.commits} of its changes are not in it"
    return ""
