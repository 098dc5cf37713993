"""Where the accounts of an installation are: in the database when the store is one, else in the vault's own file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from everlore.accounts.sqlite import SqliteTables
from everlore.accounts.store import Accounts
from everlore.accounts.tables import TABLES, Row, Session, Tables, row
from everlore.errors import EverloreError
from everlore.extras import load

if TYPE_CHECKING:
    from everlore.postgres.server import Server

FILE = "accounts.db"
_AUDIT = "at, account, actor, action, target, address, outcome"


def open_accounts(system: Path, server: Server | None, say: Callable[[str], None]) -> Accounts:
    """`system` is the vault's system folder. What a person should know about the opening is said with `say`."""
    if server is None:
        return Accounts(SqliteTables(system / FILE))
    tables: Tables = load("everlore.accounts.postgres:PostgresTables")(server)
    if (system / FILE).exists():
        with server.lock("accounts"):
            said = _taken_over(system / FILE, tables)
        if said:
            say(said)
    return Accounts(tables)


def _taken_over(path: Path, tables: Tables) -> str:
    """Accounts were kept beside the database once. They go into it as long as it has none of its own; the file stays,
    and whoever works on files again finds in it what it had."""
    try:
        file = SqliteTables(path)
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
    if row(db, "SELECT 1 FROM accounts LIMIT 1"):
        return False
    for table, found in kept.items():
        if found:
            into = f"audit({_AUDIT})" if table == "audit" else table
            marks = ", ".join("?" * len(found[0]))
            db.each(f"INSERT INTO {into} VALUES({marks}) ON CONFLICT DO NOTHING", found)
    return True
