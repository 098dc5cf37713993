"""The embedded site: a SQLite file with the tables of a real one, filled from folders of markdown.

An import is one transaction: readers see the site as it was or as it is. Each folder has its own documents; a
document keeps its id for as long as its file is there, and ids are never used twice. A file that cannot be read
keeps the document it had.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from everlore import births
from everlore.content.markdown import Page, Reading, read_folder
from everlore.content.tables import embedded
from everlore.errors import Damaged, Unavailable
from everlore.types import Json

BUSY_SECONDS: Final = 30.0
BLANK: Final[Mapping[str, Json]] = {
    "type": "document",
    "contentType": "text/markdown",
    "longtitle": "",
    "description": "",
    "introtext": None,
    "menutitle": "",
    "link_attributes": "",
    "searchable": 1,
    "hidemenu": 0,
    "deleted": 0,
    "pub_date": 0,
    "unpub_date": 0,
}
"""What a page is when its file says nothing: also after a line of the front matter was taken out."""
IMPORTED: Final = """
CREATE TABLE IF NOT EXISTS everlore_imported(
  source TEXT NOT NULL, path TEXT NOT NULL, document INTEGER NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY(source, path))"""
"""Which file a document came from, and what was in it."""
CLOSURE: Final = """
INSERT INTO site_content_closure(ancestor, descendant, depth)
WITH RECURSIVE above(ancestor, descendant, depth) AS (
  SELECT id, id, 0 FROM site_content
  UNION ALL SELECT d.parent, a.descendant, a.depth + 1 FROM above a JOIN site_content d ON d.id = a.ancestor
  WHERE d.parent <> 0)
SELECT * FROM above"""


@dataclass(frozen=True, slots=True)
class Report:
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    unreadable: Mapping[str, str] = field(default_factory=dict)


def import_folder(database: Path, folder: Path) -> Report:
    folder = folder.expanduser().resolve()
    reading = read_folder(folder)
    with _writing(database) as connection:
        return _imported(connection, str(folder), reading)


def forget_folder(database: Path, folder: Path) -> Report:
    """Remove the documents of a folder, which need not be there any more."""
    if not database.is_file():
        return Report()
    with _writing(database) as connection:
        return _imported(connection, str(folder.expanduser().resolve()), Reading([], {}))


def sources(database: Path) -> dict[str, int]:
    """The folders that were imported, with how many documents each has."""
    if not database.is_file():
        return {}
    with _writing(database) as connection:
        return dict(connection.execute("SELECT source, count(*) FROM everlore_imported GROUP BY source"))


@contextmanager
def _writing(database: Path) -> Iterator[sqlite3.Connection]:
    database.parent.mkdir(parents=True, exist_ok=True)
    if not database.exists():
        os.close(os.open(database, os.O_CREAT | os.O_RDWR, 0o600))
    try:
        with closing(sqlite3.connect(database, timeout=BUSY_SECONDS, isolation_level=None)) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            for statement in (*embedded(), IMPORTED):
                connection.execute(statement)
            yield connection
        if births.read(database) is None:
            births.write(database, births.Birth("", 1))
    except sqlite3.OperationalError as error:
        raise Unavailable(f"{database} cannot be written ({error}): try again") from None
    except sqlite3.DatabaseError as error:
        raise Damaged(f"{database} is damaged ({error}): delete it and import the folders again") from None


def _imported(connection: sqlite3.Connection, source: str, reading: Reading) -> Report:
    """One folder into the site, inside one transaction."""
    select = "SELECT path, document, digest FROM everlore_imported WHERE source = ?"
    known = {path: (document, digest) for path, document, digest in connection.execute(select, (source,))}
    # a file that cannot be read keeps its document, and so do the folders above it
    kept = {page.path for page in reading.pages}.union(reading.unreadable)
    kept |= {f"{above}/" for path in reading.unreadable for above in PurePosixPath(path).parents}.intersection(known)
    removed = [path for path in known if path not in kept]
    for path in removed:
        _clear(connection, known[path][0])
        connection.execute("DELETE FROM site_content WHERE id = ?", (known[path][0],))
        connection.execute("DELETE FROM everlore_imported WHERE source = ? AND path = ?", (source, path))
    ids = {path: known[path][0] for path in kept if path in known}
    counts = {"added": 0, "changed": 0, "unchanged": 0}
    for page in reading.pages:  # folders come before what is in them
        parent = ids.get(page.parent, 0) if page.parent else 0
        digest = _digest(page, parent)
        if page.path in ids and known[page.path][1] == digest:
            counts["unchanged"] += 1
            continue
        counts["changed" if page.path in ids else "added"] += 1
        document = ids[page.path] = _store(connection, page, parent, ids.get(page.path))
        replace = "INSERT OR REPLACE INTO everlore_imported(source, path, document, digest) VALUES(?, ?, ?, ?)"
        connection.execute(replace, (source, page.path, document, digest))
    if removed or counts["added"]:
        connection.execute("DELETE FROM site_content_closure")
        connection.execute(CLOSURE)
    return Report(**counts, removed=len(removed), unreadable=reading.unreadable)


def _store(connection: sqlite3.Connection, page: Page, parent: int, document: int | None) -> int:
    """A page as a document, the one that it was or a new one."""
    template = _id(connection, "site_templates", "templatename", page.template)
    row = {**BLANK, "parent": parent, "template": template, "editedon": page.modified, **page.fields}
    if document is None:
        document = _insert(connection, "site_content", {"createdon": page.modified, **row})
    else:
        assigned = ", ".join(f"{column} = ?" for column in row)
        connection.execute(f"UPDATE site_content SET {assigned} WHERE id = ?", (*row.values(), document))
        _clear(connection, document)
    for name, value in page.variables.items():
        variable = _id(connection, "site_tmplvars", "name", name, type="text", caption=page.captions[name])
        _insert(
            connection, "site_tmplvar_contentvalues", {"tmplvarid": variable, "contentid": document, "value": value}
        )
        link = "INSERT OR IGNORE INTO site_tmplvar_templates(tmplvarid, templateid) VALUES(?, ?)"
        connection.execute(link, (variable, template))
    for tag in page.tags:
        variable = _id(connection, "site_tmplvars", "name", "tags", type="text", caption="tags")
        tagged = {"doc_id": document, "tag_id": _id(connection, "tags", "name", tag), "tv_id": variable}
        _insert(connection, "site_content_tags", tagged)
    return document


def _id(connection: sqlite3.Connection, table: str, column: str, name: str, **more: str) -> int:
    """The id of the row by this name, made if need be."""
    known = connection.execute(f"SELECT id FROM {table} WHERE {column} = ?", (name,)).fetchone()
    return known[0] if known else _insert(connection, table, {column: name, **more})


def _insert(connection: sqlite3.Connection, table: str, row: Mapping[str, Json]) -> int:
    marks = ", ".join("?" * len(row))
    done = connection.execute(f"INSERT INTO {table}({', '.join(row)}) VALUES({marks})", tuple(row.values()))
    return done.lastrowid or 0


def _clear(connection: sqlite3.Connection, document: int) -> None:
    connection.execute("DELETE FROM site_tmplvar_contentvalues WHERE contentid = ?", (document,))
    connection.execute("DELETE FROM site_content_tags WHERE doc_id = ?", (document,))


def _digest(page: Page, parent: int) -> str:
    told = [dict(page.fields), page.template, dict(page.variables), page.tags, parent]
    return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=True).encode()).hexdigest()
