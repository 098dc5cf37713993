"""Uploads, what was uploaded, and the documents made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple

from everlore.accounts.values import Source, Upload
from everlore.sql import Session, Tables


class Documents:
    _tables: Tables
    _now: Callable[[], int]

    def add_upload(self, account: str, key: str, name: str, size: int, digest: str, expires: int) -> None:
        insert = "INSERT INTO uploads VALUES(?, ?, ?, ?, ?, ?, 0) ON CONFLICT DO NOTHING"
        self._tables.write(lambda db: db.run(insert, (key, account, name, size, digest, expires)))

    def upload(self, key: str) -> Upload | None:
        select = "SELECT key, account, name, size, hash, expires, stored FROM uploads WHERE key = ?"
        found = self._tables.read(lambda db: db.row(select, (key,)))
        if found is None:
            return None
        key, account, name, size, digest, expires, stored = found
        return Upload(key, account, name, size, digest, expires, bool(stored))

    def store_upload(self, key: str, content: bytes) -> bool:
        """False when nothing by that key is expected any more."""

        def work(db: Session) -> bool:
            if not db.run("UPDATE uploads SET stored = 1 WHERE key = ?", (key,)):
                return False
            db.run("DELETE FROM contents WHERE key = ?", (key,))
            db.run("INSERT INTO contents VALUES(?, ?)", (key, content))
            return True

        return self._tables.write(work)

    def content(self, key: str) -> bytes | None:
        found = self._tables.read(lambda db: db.value("SELECT content FROM contents WHERE key = ?", (key,)))
        return None if found is None else bytes(found)

    def drop_upload(self, key: str) -> None:
        self._tables.write(lambda db: _drop(db, "key = ?", key))

    def drop_expired_uploads(self) -> None:
        self._tables.write(lambda db: _drop(db, "expires <= ?", self._now()))

    def add_source(self, source: Source) -> None:
        marks = ", ".join("?" * 13)
        insert = f"INSERT INTO sources VALUES({marks}) ON CONFLICT DO NOTHING"
        self._tables.write(lambda db: db.run(insert, astuple(source)))

    def find_source(self, account: str, *, idempotency_key: str = "", document_key: str = "") -> Source | None:
        """The newest one by either key."""
        column, wanted = ("idempotency_key", idempotency_key) if idempotency_key else ("document_key", document_key)
        if not wanted:
            return None
        select = f"SELECT * FROM sources WHERE account = ? AND {column} = ? ORDER BY created DESC, id DESC LIMIT 1"
        found = self._tables.read(lambda db: db.row(select, (account, wanted)))
        return None if found is None else Source(*found)


def _drop(db: Session, which: str, wanted: str | int) -> None:
    # the row first: an upload that is being stored has it, and is waited for
    for (key,) in db.rows(f"DELETE FROM uploads WHERE {which} RETURNING key", (wanted,)):
        db.run("DELETE FROM contents WHERE key = ?", (key,))
