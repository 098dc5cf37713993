"""Uploads and the documents made of them, as the embedded store of accounts keeps them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple
from typing import Any

from everlore.accounts.base import Source, Upload
from everlore.database import Database, row, rows

_UPLOADS = "SELECT key, account, name, size, hash, expires, stored FROM uploads"


class Documents:
    _db: Database
    _now: Callable[[], int]

    def add_upload(self, account: str, key: str, name: str, size: int, digest: str, expires: int) -> None:
        with self._db.write() as db:
            db.execute("INSERT INTO uploads VALUES(?, ?, ?, ?, ?, ?, 0)", (key, account, name, size, digest, expires))

    def upload(self, key: str) -> Upload | None:
        with self._db.read() as db:
            found = row(db, f"{_UPLOADS} WHERE key = ?", (key,))
        return None if found is None else _upload(found)

    def upload_stored(self, key: str) -> None:
        with self._db.write() as db:
            db.execute("UPDATE uploads SET stored = 1 WHERE key = ?", (key,))

    def drop_uploads(self, keys: Sequence[str]) -> None:
        with self._db.write() as db:
            for key in keys:
                db.execute("DELETE FROM uploads WHERE key = ?", (key,))

    def expired_uploads(self) -> list[Upload]:
        with self._db.read() as db:
            found = rows(db, f"{_UPLOADS} WHERE expires <= ?", (self._now(),))
        return [_upload(one) for one in found]

    def add_source(self, source: Source) -> None:
        with self._db.write() as db:
            marks = ", ".join("?" * 13)
            db.execute(f"INSERT INTO sources VALUES({marks})", astuple(source))

    def find_source(self, account: str, *, idempotency_key: str = "", document_key: str = "") -> Source | None:
        column, wanted = ("idempotency_key", idempotency_key) if idempotency_key else ("document_key", document_key)
        if not wanted:
            return None
        with self._db.read() as db:
            found = row(
                db,
                f"SELECT * FROM sources WHERE account = ? AND {column} = ? ORDER BY created DESC, id DESC LIMIT 1",
                (account, wanted),
            )
        return None if found is None else Source(*found)


def _upload(found: tuple[Any, ...]) -> Upload:
    key, account, name, size, digest, expires, stored = found
    return Upload(key, account, name, size, digest, expires, bool(stored))
