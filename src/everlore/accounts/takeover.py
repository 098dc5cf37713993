"""Accounts that were kept in a file go into the database once."""

from __future__ import annotations

from pathlib import Path

from everlore.accounts.tables import TABLES, open_file
from everlore.errors import EverloreError
from everlore.sql import Row, Session, Tables

_AUDIT = "at, account, actor, action, target, address, outcome"


def taken_over(path: Path, tables: Tables) -> str:
    """Accounts were kept beside the database once. They go into it as long as it has none of its own; the file stays,
    and whoever works on files again finds in it what it had. Returns what a person should know, or \"\"."""
    try:
        file = open_file(path)
        try:
            kept = file.read(lambda db: {table: _all(db, table) for table in TABLES})
        finally:
            file.close()
    except EverloreError as error:
        return f"the accounts in {path} were not taken over into the database: {error}"
    if not kept["keys"]:
        return ""
    if tables.write(lambda db: _copied(db, kept)):
        return f"took over {len(kept['keys'])} keys of {len(kept['accounts'])} accounts from {path} into the database"
    there = {ident for (ident,) in tables.read(lambda db: db.rows("SELECT id FROM keys"))}
    unknown = [key for key in kept["keys"] if key[0] not in there]
    if not unknown:
        return ""
    return (
        f"{len(unknown)} keys in {path} are not known to the database, which has accounts of its own: make new ones"
        " with `everlore keys create`, or move the file away"
    )


def _all(db: Session, table: str) -> list[Row]:
    if table == "audit":  # numbered anew, in the same order
        return db.rows(f"SELECT {_AUDIT} FROM audit ORDER BY id")
    return db.rows(f"SELECT * FROM {table}")


def _copied(db: Session, kept: dict[str, list[Row]]) -> bool:
    if db.row("SELECT 1 FROM accounts LIMIT 1"):
        return False
    for table, found in kept.items():
        if found:
            into = f"audit({_AUDIT})" if table == "audit" else table
            marks = ", ".join("?" * len(found[0]))
            db.each(f"INSERT INTO {into} VALUES({marks}) ON CONFLICT DO NOTHING", found)
    return True
