"""What a SQLite file is to us: how it is made, told from another, and how blocks of statements begin and end."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import apsw

from everlore.births import Birth
from everlore.durable import file_rights, make_folder, sync_folder
from everlore.errors import Unavailable

BUSY_SECONDS = 10.0


def create(path: Path) -> None:
    """An empty file that only its owner can read, durably in its folder."""
    try:
        make_folder(path.parent)
        if path.exists():
            # opening it and closing that handle would drop SQLite's locks in this process
            return
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, file_rights(path.parent))
    except OSError as error:
        if path.exists():
            return  # another process was quicker
        why = error.strerror or error
        raise Unavailable(f"{path} cannot be created ({why}): check its folder (EVEROS_MEMORY__ROOT)") from error
    os.close(handle)
    sync_folder(path.parent)


def identity(path: Path) -> tuple[int, int] | None:
    """Which file is there, whatever it is called."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def use_wal(connection: apsw.Connection) -> None:
    """Several processes that open a new file at once get in each other's way here, and SQLite does not wait."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except (apsw.BusyError, apsw.LockedError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def hexadecimal(_cursor: apsw.Cursor, _number: int, value: Any) -> str:
    if isinstance(value, UUID):
        return value.hex
    raise TypeError(f"{type(value).__name__} cannot be a value of a statement")


def birth(connection: apsw.Connection) -> Birth | None:
    found = connection.execute("SELECT id, commits FROM birth").fetchone()
    return Birth(str(found[0]), int(found[1])) if found else None


def version(connection: apsw.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").get)


@contextlib.contextmanager
def transaction(connection: apsw.Connection, begin: str, *, commit: bool) -> Iterator[None]:
    """Leaves no transaction open, whatever happened; SQLite itself ends it after some errors."""
    connection.execute(begin)
    try:
        yield
        if commit:
            connection.execute("COMMIT")
    finally:
        with contextlib.suppress(apsw.ConnectionClosedError):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
