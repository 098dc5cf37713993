"""The databases that nothing else could give back: whether each is there and sound, and how one is repaired.

A repair never touches what is left of a damaged file: it is moved aside, and what can be read of it is written into a
new one, which takes its place in one step.
"""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw

from everlore import births
from everlore.births import Birth
from everlore.durable import sync_folder
from everlore.errors import Unavailable
from everlore.sqlite_file import BUSY_SECONDS, birth, version

HINT = "restore a backup; or run: everlore doctor --repair"
ASIDE = "damaged"
SHARE = 20
"""One part in so many of the time is spent on reading databases that change all the time."""
LARGEST_GAP = 2**40
"""Rows that are passed over before it is believed that no more can be read."""
_ENDINGS = ("", "-wal", "-shm")


class Canonical:
    """The databases of one folder. Each is read whole when it has changed since, as often as that takes no time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, tuple[object, str]] = {}
        self._rest = 0.0

    def troubles(self, *, thoroughly: bool = False) -> list[str]:
        found: list[str] = []
        for path in births.born(self._folder):
            if why := births.missing(path):
                self._known.pop(path, None)
            else:
                why = self._examined(path, thoroughly=thoroughly)
            if why:
                found.append(f"{path.name} {why}")
        return found

    def _examined(self, path: Path, *, thoroughly: bool) -> str:
        stamp = _stamp(path)
        known = self._known.get(path)
        if not thoroughly and known and (known[0] == stamp or time.monotonic() < self._rest):
            return known[1]
        began = time.monotonic()
        why = examine(path)
        self._known[path] = stamp, why
        self._rest = time.monotonic() + SHARE * (time.monotonic() - began)
        return why

    def repair(self, at: str) -> list[str]:
        """In sentences, what was done; `at` names the folder for what is moved aside."""
        said: list[str] = []
        for path in births.born(self._folder):
            if why := births.missing(path) or examine(path):
                said += [f"{path.name} {why}", *_repair(path, self._folder / ASIDE / at)]
        return said


def examine(path: Path) -> str:
    """Why a database is not as it was, "" if it is; it is read whole."""
    mark = births.read(path)
    try:
        with contextlib.closing(_reading(path)) as db:
            said = [str(line) for (line,) in db.execute("PRAGMA integrity_check(3)")]
            if said != ["ok"]:
                return f"is damaged ({'; '.join(said)[:300]})"
            own = db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'birth'").get
            return births.differing(mark, birth(db) if own else None) if mark else ""
    except (apsw.BusyError, apsw.LockedError):
        return ""
    except (apsw.Error, UnicodeDecodeError) as error:
        return f"cannot be read ({error})"


def _reading(path: Path) -> apsw.Connection:
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    db.set_busy_timeout(int(BUSY_SECONDS * 1000))
    return db


def _stamp(path: Path) -> object:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _repair(path: Path, aside: Path) -> list[str]:
    mark = births.read(path) or Birth("", 0)
    aside.mkdir(parents=True, exist_ok=True, mode=0o700)
    for ending in _ENDINGS:
        with contextlib.suppress(FileNotFoundError):
            shutil.copy2(f"{path}{ending}", aside / f"{path.name}{ending}")
    sync_folder(aside)
    new = aside / f"{path.name}.new"
    said = [f"{path.name} will be made anew: all that it held and was written nowhere else is lost"]
    if not births.missing(path):
        said = [*_salvaged(path, new, mark), f"what is damaged is kept in {aside}"]
    for ending in _ENDINGS[1:]:
        Path(f"{path}{ending}").unlink(missing_ok=True)
    if new.exists():
        new.replace(path)
        births.write(path, Birth(mark.id, mark.commits + 1))
    else:
        births.remove(path)
        path.unlink(missing_ok=True)
    sync_folder(path.parent)
    return said


def _salvaged(path: Path, target: Path, mark: Birth) -> list[str]:
    """Write all that can be read into a new file; no file where not even its tables can be told."""
    try:
        with contextlib.closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as old:
            made = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
            tables = old.execute(made).fetchall()
            then = "SELECT sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL"
            others = [sql for (sql,) in old.execute(then)]
            number = version(old)
            if not tables:
                raise apsw.CorruptError("no tables")
            target.unlink(missing_ok=True)
            with contextlib.closing(apsw.Connection(str(target))) as new, new:
                said = [_copied(old, new, str(name), str(sql)) for name, sql in tables]
                for sql in others:
                    new.execute(sql)
                new.execute(f"PRAGMA user_version={number}")
                new.execute("CREATE TABLE IF NOT EXISTS birth(id TEXT NOT NULL, commits INTEGER NOT NULL)")
                new.execute("DELETE FROM birth")
                new.execute("INSERT INTO birth VALUES(?, ?)", (mark.id, mark.commits + 1))
    except (apsw.BusyError, apsw.LockedError):
        raise Unavailable(f"{path.name} is in use: stop every Everlore process and repair it then") from None
    except (apsw.Error, UnicodeDecodeError) as error:
        target.unlink(missing_ok=True)
        return [f"nothing can be read of {path.name} ({error}): all that it held and was written nowhere else is lost"]
    return [f"{path.name}: {', '.join(said)}"]


def _copied(old: apsw.Connection, new: apsw.Connection, name: str, sql: str) -> str:
    new.execute(sql)
    columns = len(old.execute(f'PRAGMA table_info("{name}")').fetchall())
    insert = f'INSERT OR IGNORE INTO "{name}" VALUES({", ".join("?" * columns)})'
    whole = True

    def broken() -> None:
        nonlocal whole
        whole = False

    by_number = "WITHOUT ROWID" not in sql.upper()
    for row in (_by_number if by_number else _from_both_ends)(old, name, broken):
        with contextlib.suppress(apsw.ConstraintError):
            new.execute(insert, row)
    count = new.execute(f'SELECT count(*) FROM "{name}"').get
    return f"{count} rows of {name}" + ("" if whole else ", and some of it is lost")


def _by_number(old: apsw.Connection, name: str, broken: Callable[[], None]) -> Iterator[tuple[Any, ...]]:
    """Rows that have numbers: what cannot be read is passed over in ever longer steps."""
    last, step = -(2**63), 1
    while step < LARGEST_GAP:
        try:
            for number, *row in old.execute(f'SELECT rowid, * FROM "{name}" WHERE rowid > ? ORDER BY rowid', (last,)):
                last, step = number, 1
                yield tuple(row)
        except (apsw.Error, UnicodeDecodeError):
            broken()
            last, step = max(last, 0) + step, step * 2
        else:
            return


def _from_both_ends(old: apsw.Connection, name: str, broken: Callable[[], None]) -> Iterator[tuple[Any, ...]]:
    described = old.execute(f'PRAGMA table_info("{name}")').fetchall()
    keys = sorted((row[5], number) for number, row in enumerate(described, 1) if row[5])
    for order in ("", " DESC"):
        try:
            by = ", ".join(f"{number}{order}" for _, number in keys)
            yield from old.execute(f'SELECT * FROM "{name}" ORDER BY {by}')
        except (apsw.Error, UnicodeDecodeError):
            broken()
        else:
            return
