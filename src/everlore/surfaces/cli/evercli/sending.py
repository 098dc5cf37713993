"""Sending turns of a conversation to the server, in batches, and remembering what arrived.

The ledger is a small database beside the credentials. A batch is written there after the server acknowledged it, in
one transaction, so a process that is killed at any moment knows afterwards what was sent. A batch that arrived
without being noted is sent once more, and recognised by the server.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from everlore.project import project_of
from everlore.surfaces.cli.evercli.client import Server, memory_api
from everlore.surfaces.cli.evercli.failure import Failure, local_failure, unusable
from everlore.transcripts.turns import Conversation, digests_of, message
from everlore.types import Json

BATCH_MESSAGES: Final = 100
BATCH_CHARACTERS: Final = 200_000
PAUSES: Final = (0.3, 0.6, 1.2, 2.4)
LONGEST_PAUSE: Final = 30.0

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS sent(
  target TEXT NOT NULL, session TEXT NOT NULL, digest BLOB NOT NULL, PRIMARY KEY(target, session, digest)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unflushed(target TEXT NOT NULL, session TEXT NOT NULL, PRIMARY KEY(target, session));
CREATE TABLE IF NOT EXISTS files(
  target TEXT NOT NULL, path TEXT NOT NULL, platform TEXT NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
  PRIMARY KEY(target, path, platform));
CREATE TABLE IF NOT EXISTS runs(target TEXT PRIMARY KEY, arguments TEXT NOT NULL);
"""


class Ledger:
    """What was sent to one target: a server and an account there."""

    def __init__(self, connection: sqlite3.Connection, target: str) -> None:
        self._db = connection
        self._target = target

    def unsent(self, session: str, digests: Sequence[bytes]) -> list[int]:
        rows = self._db.execute("SELECT digest FROM sent WHERE target = ? AND session = ?", (self._target, session))
        known = {row[0] for row in rows}
        return [number for number, digest in enumerate(digests) if digest not in known]

    def _write(self, statement: str, *rows: tuple[Json, ...]) -> None:
        """In one transaction; each row begins with the target."""
        with self._db:
            self._db.executemany(statement, [(self._target, *row) for row in rows])

    def note_intent(self, session: str) -> None:
        """Before the first batch: whatever happens next, this session must be flushed."""
        self._write("INSERT OR IGNORE INTO unflushed VALUES(?, ?)", (session,))

    def note_sent(self, session: str, digests: Iterable[bytes]) -> None:
        self._write("INSERT OR IGNORE INTO sent VALUES(?, ?, ?)", *((session, digest) for digest in digests))

    def is_unflushed(self, session: str) -> bool:
        query = "SELECT 1 FROM unflushed WHERE target = ? AND session = ?"
        return self._db.execute(query, (self._target, session)).fetchone() is not None

    def note_flushed(self, session: str) -> None:
        self._write("DELETE FROM unflushed WHERE target = ? AND session = ?", (session,))

    def is_done(self, path: Path, platform: str) -> bool:
        """Whether the file was imported whole, and has not changed since."""
        state = path.stat()
        query = "SELECT size, modified FROM files WHERE target = ? AND path = ? AND platform = ?"
        found = self._db.execute(query, (self._target, str(path), platform)).fetchone()
        return bool(found == (state.st_size, state.st_mtime_ns))

    def note_done(self, path: Path, platform: str, state: os.stat_result) -> None:
        row = (str(path), platform, state.st_size, state.st_mtime_ns)
        self._write("INSERT OR REPLACE INTO files VALUES(?, ?, ?, ?, ?)", row)

    def forget(self) -> None:
        """Nothing counts as sent any more."""
        with self._db:
            for table in ("sent", "files"):
                self._db.execute(f"DELETE FROM {table} WHERE target = ?", (self._target,))

    def unfinished(self) -> dict[str, Json] | None:
        """The arguments of an import that did not reach its end."""
        found = self._db.execute("SELECT arguments FROM runs WHERE target = ?", (self._target,)).fetchone()
        value: dict[str, Json] | None = json.loads(found[0]) if found else None
        return value

    def note_begun(self, arguments: dict[str, Json]) -> None:
        self._write("INSERT OR REPLACE INTO runs VALUES(?, ?)", (json.dumps(arguments),))

    def note_ended(self) -> None:
        self._write("DELETE FROM runs WHERE target = ?", ())


@contextmanager
def open_ledger(path: Path, target: str, *, writing: bool = True) -> Iterator[Ledger]:
    """Who only looks makes no file: to them, no ledger is an empty one."""
    try:
        if writing and not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        connection = sqlite3.connect(path if writing or path.exists() else ":memory:", timeout=30)
        connection.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; {_SCHEMA}")
    except OSError as error:
        raise local_failure(error, "open the import ledger") from None
    except sqlite3.Error as error:
        raise _damaged(path, error) from None
    with closing(connection):
        try:
            yield Ledger(connection, target)
        except sqlite3.Error as error:
            raise _damaged(path, error) from None


def _damaged(path: Path, error: sqlite3.Error) -> Failure:
    hint = f"Move {path} away and import again; the server recognises what it has"
    return unusable(path, f"the import ledger cannot be used: {error}", hint)


def send(server: Server, user: str, ledger: Ledger, talk: Conversation) -> int:
    """Send what is not there yet, and have it extracted. Returns how many turns went."""
    session = talk.session
    messages = [message(turn, user, talk.platform) for turn in talk.turns]
    digests = digests_of(messages)
    missing = ledger.unsent(session, digests)
    project = project_of(talk.folder) if talk.folder else None
    where = {"project": project.id} if project else {}
    if missing:
        ledger.note_intent(session)
    for batch in batches(messages, missing):
        said = [messages[number] for number in batch]
        patiently(server, "add", {"session_id": session, "messages": said, **where})
        ledger.note_sent(session, [digests[number] for number in batch])
    if ledger.is_unflushed(session):
        patiently(server, "flush", {"session_id": session})
        ledger.note_flushed(session)
    return len(missing)


def unsent_count(ledger: Ledger, user: str, talk: Conversation) -> int:
    messages = [message(turn, user, talk.platform) for turn in talk.turns]
    return len(ledger.unsent(talk.session, digests_of(messages)))


def batches(messages: Sequence[dict[str, Json]], wanted: Sequence[int]) -> Iterator[list[int]]:
    batch: list[int] = []
    size = 0
    for number in wanted:
        length = len(json.dumps(messages[number]))
        if batch and (len(batch) >= BATCH_MESSAGES or size + length > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(number)
        size += length
    if batch:
        yield batch


def patiently(server: Server, route: str, body: dict[str, Json]) -> Json:
    """A request that may be repeated, because the server recognises what it has."""
    for pause in PAUSES[: server.patience]:
        try:
            return memory_api(server, route, body).result
        except Failure as failure:
            if failure.kind not in ("network", "rate_limit") and not (
                failure.kind == "upstream" and failure.detail.get("httpStatus", 0) >= 500
            ):
                raise
            server.say(f"{failure.message}; again in {pause} s")
            time.sleep(min(float(failure.detail.get("retryAfterSec") or pause), LONGEST_PAUSE))
    return memory_api(server, route, body).result
