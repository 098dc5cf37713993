"""The embedded site: a SQLite file with the tables of a real one, filled from folders of markdown.

An import is one transaction: readers see the site as it was or as it is. Each folder has its own documents; a
document keeps its id for as long as its file is there, and ids are never used twice. A file that cannot be read
keeps the document it had.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import event, exc

from everlore import births
from everlore.content.markdown import Page, Reading, read_folder
from everlore.content.tables import describe
from everlore.errors import Damaged, Unavailable
from everlore.types import Json

BUSY_SECONDS: Final = 30.0
TAGS_VARIABLE: Final = "tags"

BLANK: Final[Mapping[str, Json]] = {
    "type": "document",
    "contentType": "text/markdown",
    "longtitle": "",
    "description": "",
    "introtext": None,
    "menutitle": "",
    "link_attributes": "",
    "searchable": 1,
    "hidemenu": False,
    "deleted": 0,
    "pub_date": 0,
    "unpub_date": 0,
}
"""What a page is when its file says nothing: also after a line of the front matter was taken out."""

METADATA: Final = describe(more_indexes=True)
IMPORTED: Final = sa.Table(
    "everlore_imported",
    METADATA,
    sa.Column("source", sa.Text, primary_key=True),
    sa.Column("path", sa.Text, primary_key=True),
    sa.Column("document", sa.Integer, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
)
"""Which file a document came from, and what was in it."""


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
        return _Import(connection, str(folder)).run(reading)


def forget_folder(database: Path, folder: Path) -> Report:
    """Remove the documents of a folder, which need not be there any more."""
    if not database.is_file():
        return Report()
    with _writing(database) as connection:
        return _Import(connection, str(folder.expanduser().resolve())).run(Reading([], {}))


def sources(database: Path) -> dict[str, int]:
    """The folders that were imported, with how many documents each has."""
    if not database.is_file():
        return {}
    with _writing(database) as connection:
        rows = connection.execute(sa.select(IMPORTED.c.source, sa.func.count()).group_by(IMPORTED.c.source))
        return {source: int(count) for source, count in rows}


@contextmanager
def _writing(database: Path) -> Iterator[sa.Connection]:
    database.parent.mkdir(parents=True, exist_ok=True)
    if not database.exists():
        os.close(os.open(database, os.O_CREAT | os.O_RDWR, 0o600))
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=str(database)),
        connect_args={"timeout": BUSY_SECONDS, "isolation_level": None},
        hide_parameters=True,
        poolclass=sa.NullPool,
    )

    @event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    try:
        with engine.begin() as connection:
            METADATA.create_all(connection)
            yield connection
        if births.read(database) is None:
            births.write(database, births.Birth("", 1))
    except exc.OperationalError as error:
        raise Unavailable(f"{database} cannot be written ({error.orig}): try again") from None
    except exc.DatabaseError as error:
        raise Damaged(f"{database} is damaged ({error.orig}): delete it and import the folders again") from None
    finally:
        engine.dispose()


class _Import:
    """One folder into the site, inside one transaction."""

    def __init__(self, connection: sa.Connection, source: str) -> None:
        self._connection = connection
        self._source = source
        self._tables = METADATA.tables
        self._names: dict[tuple[str, str], int] = {}

    def run(self, reading: Reading) -> Report:
        known = {
            path: (int(document), digest)
            for path, document, digest in self._connection.execute(
                sa.select(IMPORTED.c.path, IMPORTED.c.document, IMPORTED.c.digest).where(
                    IMPORTED.c.source == self._source
                )
            )
        }
        kept = self._kept(known, reading)
        removed = [(path, document) for path, (document, _) in known.items() if path not in kept]
        for path, document in removed:
            self._remove(path, document)
        ids = {path: known[path][0] for path in kept if path in known}
        counts = {"added": 0, "changed": 0, "unchanged": 0}
        for page in reading.pages:  # folders come before what is in them
            counts[self._store(page, ids, known.get(page.path, (0, ""))[1])] += 1
        if removed or counts["added"]:
            self._rebuild_closure()
        return Report(**counts, removed=len(removed), unreadable=reading.unreadable)

    def _kept(self, known: Mapping[str, Any], reading: Reading) -> set[str]:
        """Paths that stay. A file that cannot be read keeps its document, and so do the folders above it."""
        kept = {page.path for page in reading.pages} | set(reading.unreadable)
        for path in reading.unreadable:
            parts = path.rstrip("/").split("/")[:-1]
            kept |= {"/".join(parts[: n + 1]) + "/" for n in range(len(parts))} & set(known)
        return kept

    def _store(self, page: Page, ids: dict[str, int], digest_before: str) -> str:
        parent = ids.get(page.parent, 0) if page.parent else 0
        digest = _digest(page, parent)
        if page.path in ids and digest == digest_before:
            return "unchanged"
        content = self._tables["site_content"]
        template = self._id("site_templates", "templatename", page.template)
        row = {**BLANK, "parent": parent, "template": template, "editedon": page.modified, **page.fields}
        row["hidemenu"] = bool(row["hidemenu"])
        document = ids.get(page.path)
        if document is None:
            inserted = self._connection.execute(content.insert().values({"createdon": page.modified, **row}))
            document = ids[page.path] = _key(inserted)
            values = {"source": self._source, "path": page.path, "document": document, "digest": digest}
            self._connection.execute(IMPORTED.insert().values(values))
            outcome = "added"
        else:
            self._connection.execute(content.update().where(content.c.id == document).values(row))
            where = (IMPORTED.c.source == self._source, IMPORTED.c.path == page.path)
            self._connection.execute(IMPORTED.update().where(*where).values(digest=digest))
            outcome = "changed"
        self._set_variables(document, page, template)
        return outcome

    def _set_variables(self, document: int, page: Page, template: int) -> None:
        self._clear(document)
        values, links = self._tables["site_tmplvar_contentvalues"], self._tables["site_tmplvar_templates"]
        for name, value in page.variables.items():
            variable = self._id("site_tmplvars", "name", name, page.captions[name])
            row = {"tmplvarid": variable, "contentid": document, "value": value}
            self._connection.execute(values.insert().values(row))
            link = {"tmplvarid": variable, "templateid": template}
            self._connection.execute(links.insert().prefix_with("OR IGNORE").values(link))
        if page.tags:
            variable = self._id("site_tmplvars", "name", TAGS_VARIABLE)
            tagged = self._tables["site_content_tags"]
            rows = [
                {"doc_id": document, "tag_id": self._id("tags", "name", tag), "tv_id": variable} for tag in page.tags
            ]
            self._connection.execute(tagged.insert(), rows)

    def _id(self, table_name: str, column: str, name: str, caption: str = "") -> int:
        """The id of the row by this name, made if need be."""
        found = self._names.get((table_name, name))
        if found is None:
            table = self._tables[table_name]
            known = self._connection.execute(sa.select(table.c.id).where(table.c[column] == name)).scalar()
            if known is None:
                extra: dict[str, Json] = (
                    {"type": "text", "caption": caption or name} if table_name == "site_tmplvars" else {}
                )
                known = _key(self._connection.execute(table.insert().values({column: name, **extra})))
            found = self._names[table_name, name] = int(known)
        return found

    def _remove(self, path: str, document: int) -> None:
        self._clear(document)
        content = self._tables["site_content"]
        self._connection.execute(content.delete().where(content.c.id == document))
        self._connection.execute(IMPORTED.delete().where(IMPORTED.c.source == self._source, IMPORTED.c.path == path))

    def _clear(self, document: int) -> None:
        values, tagged = self._tables["site_tmplvar_contentvalues"], self._tables["site_content_tags"]
        self._connection.execute(values.delete().where(values.c.contentid == document))
        self._connection.execute(tagged.delete().where(tagged.c.doc_id == document))

    def _rebuild_closure(self) -> None:
        closure, content = self._tables["site_content_closure"], self._tables["site_content"]
        parents = {
            int(id_): int(above) for id_, above in self._connection.execute(sa.select(content.c.id, content.c.parent))
        }
        rows = []
        for document in parents:
            ancestor, depth = document, 0
            while ancestor:
                rows.append({"ancestor": ancestor, "descendant": document, "depth": depth})
                ancestor, depth = parents.get(ancestor, 0), depth + 1
        self._connection.execute(closure.delete())
        if rows:
            self._connection.execute(closure.insert(), rows)


def _key(inserted: sa.CursorResult[Any]) -> int:
    assert inserted.inserted_primary_key is not None
    return int(inserted.inserted_primary_key[0])


def _digest(page: Page, parent: int) -> str:
    told = [dict(page.fields), page.template, dict(page.variables), page.tags, parent]
    return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=True).encode()).hexdigest()
