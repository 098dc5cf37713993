"""What is in a site, for its owner: how much of it, and its documents as plain texts to be found elsewhere too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from everlore.content.access import VISITOR, Caller
from everlore.content.connect import Site
from everlore.content.documents import asking

PAGE: Final = 500
COUNTED: Final = {
    "documents": "site_content",
    "template variables": "site_tmplvars",
    "values": "site_tmplvar_contentvalues",
    "templates": "site_templates",
    "tags": "tags",
    "protected": "document_groups",
}


def counts(site: Site) -> dict[str, int]:
    site.table("site_content")
    tables = {name: site.find(table) for name, table in COUNTED.items()}
    with site.reading() as connection:
        return {
            name: int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())
            for name, table in tables.items()
            if table is not None
        }


@dataclass(frozen=True, slots=True)
class Document:
    id: int
    title: str
    text: str
    edited: int
    """Seconds since 1970."""


def documents(site: Site, caller: Caller = VISITOR) -> Iterator[Document]:
    """Published documents that the caller may see, by id. Read page by page, so that no transaction lasts long."""
    last = 0
    while True:
        with asking(site, caller) as ask:
            table = ask.document
            columns = [table.c[name] for name in ("id", "pagetitle", "introtext", "content", "editedon")]
            query = sa.select(*columns).where(table.c.id > last, *ask.shown).order_by(table.c.id).limit(PAGE)
            query = query.where(ask.switch("published", True), ask.switch("deleted", False))
            rows = ask.connection.execute(query).all()
        if not rows:
            return
        for id_, title, intro, text, edited in rows:
            told = "\n\n".join(part for part in (intro, text) if part)
            yield Document(int(id_), title or "", told, int(edited or 0))
        last = int(rows[-1].id)
