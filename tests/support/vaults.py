"""Opening real engines on real vaults, and looking at what is in the files and in the index."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from everlore.backends.postgres import PostgresBackend
from everlore.config import Settings, load
from everlore.engine import Engine, open_engine
from everlore.kinds.paths import locate
from everlore.memory import NewMessage
from everlore.postgres.server import Server
from everlore.sync.indexing import parse_file
from everlore.types import IndexRow, Key, Owner, Problem, Scope

SCOPE = Scope()
ALICE = Owner(SCOPE, "user", "alice")
BOB = Owner(SCOPE, "user", "bob")
HELPER = Owner(SCOPE, "agent", "helper")
MAY_28 = 1_780_000_000_000
"""28 May 2026, 20:26:40 UTC."""
DAY = 86_400_000


def settings_for(root: Path, url: str, *, model: str = "test", dimension: int = 64, **sections: Any) -> Settings:
    """Settings that need no model: a test endpoint gives the vectors. The topic is left out of boundaries."""
    given: dict[str, Any] = {
        "memory": {"root": root},
        "embedding": {"base_url": url, "model": model, "dimension": dimension, "timeout_seconds": 2},
        "boundary_detection": {"topic_shift": False},
        "mcp": {"user_name": "User"},
    }
    return load(**(given | sections))


def open_vault(root: Path, url: str, **sections: Any) -> Engine:
    return open_engine(settings_for(root, url, **sections))


def says(text: str, sender: str = "alice", at: int = MAY_28, **more: Any) -> NewMessage:
    return NewMessage(sender, more.pop("role", "user"), at, text, **more)


@dataclass(frozen=True)
class Seen:
    """One memory and where it is."""

    path: str
    digest: str


def in_files(engine: Engine, below: str = "") -> tuple[dict[Key, Seen], list[IndexRow], list[Problem]]:
    """Every memory of the vault, or of a folder of it, read from the files alone."""
    seen: dict[Key, Seen] = {}
    rows: list[IndexRow] = []
    problems: list[Problem] = []
    for path, _, _ in engine.vault.walk(below):
        located, file = locate(path), engine.vault.read(path)
        assert located is not None
        assert file is not None
        parsed = parse_file(path, located, file)
        problems += parsed.problems
        for row in parsed.rows:
            assert row.key not in seen, f"{row.key} is in two files"
            seen[row.key] = Seen(path, row.digest)
        rows += parsed.rows
    return seen, rows, problems


def in_index(engine: Engine) -> dict[Key, Seen]:
    """Every row of the index, read from its database."""
    found = (
        _rows_of_postgres(engine.backend.server)
        if isinstance(engine.backend, PostgresBackend)
        else _rows_of_sqlite(engine.settings.memory.root)
    )
    return {
        Key(Owner(Scope(app, project), track, name), kind, entry): Seen(path, digest)
        for app, project, track, name, kind, entry, path, digest in found
    }


def _rows_of_sqlite(root: Path) -> list[Any]:
    database = apsw.Connection(str(root / ".everlore" / "index.db"), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return database.execute(
            "SELECT o.app, o.project, o.track, o.name, k.name, r.entry, f.path, r.digest FROM memories r"
            " JOIN owners o ON o.id = r.owner JOIN kinds k ON k.id = r.kind JOIN files f ON f.id = r.file"
        ).fetchall()
    finally:
        database.close()


def _rows_of_postgres(server: Server) -> list[Any]:
    select = (
        "SELECT o.app, o.project, o.track, o.name, r.kind, r.entry, r.path, r.digest FROM memories r"
        " JOIN owners o ON o.tenant = r.tenant AND o.owner = r.owner"
    )
    return server.read(lambda connection: connection.rows(select))


def assert_index_equals_files(engine: Engine) -> list[IndexRow]:
    """Also that every file reads without a problem. Returns the rows of all files."""
    files, rows, problems = in_files(engine)
    assert problems == []
    assert in_index(engine) == files
    assert engine.index.upkeep.check() == []
    stamps = {path: (stamp.mtime_ns, stamp.size) for path, stamp in engine.index.files.known().items()}
    assert stamps == {path: (mtime_ns, size) for path, mtime_ns, size in engine.vault.walk()}
    assert engine.index.files.problems() == []
    assert engine.index.queue.failures() == []
    return rows


def contents(engine: Engine, owner: Owner) -> dict[str, str]:
    """Entry id and text of the owner's episodes, from the files."""
    rows = in_files(engine)[1]
    return {
        row.key.local_id: row.data["episode"] for row in rows if row.key.owner == owner and row.key.kind == "episode"
    }


def facts(engine: Engine, owner: Owner) -> list[Mapping[str, Any]]:
    rows = in_files(engine)[1]
    return [row.data for row in rows if row.key.owner == owner and row.key.kind == "fact"]


def assert_index_comes_to_equal_files(engine: Engine, seconds: float = 2.0) -> list[IndexRow]:
    """The same where a worker does it, which takes a moment."""
    with suppress(AssertionError):  # what differs is told below
        within(seconds, lambda: not engine.index.upkeep.status().queued and in_index(engine) == in_files(engine)[0])
    return assert_index_equals_files(engine)


PATIENCE, LONGEST_SECONDS = 20, 240
"""How many times longer than an idle machine a busy one may need, and after how long a test gives up at any rate."""


def within(seconds: float, holds: Callable[[], bool]) -> None:
    """Wait until it holds, which takes an idle machine so many seconds at most."""
    deadline = time.monotonic() + min(seconds * PATIENCE, LONGEST_SECONDS)
    while not holds():
        assert time.monotonic() < deadline, f"not so in time, which is {seconds} s on an idle machine"
        time.sleep(0.01)
