"""Documents: which ones (ids), and what is told of each. Two steps, so that no wide row is ever sorted.

Where they stand in the tree is read from `parent`, which every installation has an index for. Nothing follows more
than a bounded number of levels, so a ring of parents is harmless.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import sqlalchemy as sa

from everlore.content.access import VISITOR, Asking, asking
from everlore.content.connect import Site
from everlore.content.variables import values
from everlore.types import Json

FEW: Final = 1000
FIRST: Final = 300
"""Documents that are looked at one by one, besides those of the page, before the database is asked to find them all;"""
MOST_FIRST: Final = 3000
"""and for a page so far behind that it takes more, the database is asked at once."""
LONGEST_PATH: Final = 100
"""Ancestors that are followed at most."""
PARENTS, MOST_PARENTS = 50, 5000
"""Documents with children that are looked at together: at first, since these often suffice, and at most."""
BATCH: Final = 500
FIELDS: Final = (
    "id", "parent", "pagetitle", "longtitle", "description", "alias", "published", "deleted", "hidemenu", "menuindex",
    "template", "createdon", "editedon", "pub_date", "unpub_date", "isfolder", "type",
)  # fmt: skip
"""What is told of a document, in this order."""
COUNTED: Final = {
    "documents": "site_content",
    "template variables": "site_tmplvars",
    "values": "site_tmplvar_contentvalues",
    "templates": "site_templates",
    "tags": "tags",
    "protected": "document_groups",
}


def among(ask: Asking, ids: sa.Select[Any]) -> tuple[sa.ColumnElement[bool], bool]:
    """The condition that a document is one of `ids`, and whether that leaves only a few.

    A few are listed, so that whatever else is asked looks at them alone. Many are left to the database, which can
    then stop when the page is full.
    """
    few = ask.numbers(ids.limit(FEW + 1))
    return (ask.document.c.id.in_(ids), False) if len(few) > FEW else (ask.document.c.id.in_(sorted(set(few))), True)


@dataclass(frozen=True, slots=True)
class Costly:
    """A condition that costs much when it is asked of a whole site, in two forms: of one document after the other, and
    of all of them at once."""

    each: sa.ColumnElement[bool]
    all: sa.ColumnElement[bool]


def first_fitting(
    ask: Asking, orders: Sequence[sa.Select[Any]], fits: sa.Select[Any], costly: Sequence[Costly], start: int, end: int
) -> list[int] | None:
    """A page of the documents that are in `fits` and fulfil what is `costly`, which is asked only of those that come
    first; None when these do not fill the page. For orders that make the database look at every document anyway.

    The queries of `orders` give, one after the other, the ids of all documents in their order.
    """
    enough = 2 * end + FIRST
    if enough > MOST_FIRST:
        return None
    first: dict[int, None] = {}
    for order in orders:
        if len(first) < enough:
            first |= dict.fromkeys(ask.numbers(order.limit(enough - len(first))))
    each = fits.where(ask.document.c.id.in_(list(first)), *ask.shown, *(one.each for one in costly))
    found = set(ask.numbers(each)) if first else set()
    filled = len(found) >= end or len(first) < enough
    return [id_ for id_ in first if id_ in found][start:end] if filled else None


def below(ask: Asking, root: int, depth: int) -> tuple[sa.ColumnElement[bool] | Costly, bool]:
    """The condition that a document is 1 to `depth` levels below `root`, and whether that leaves only a few.

    What has no parent is the first level below 0. A few are listed level by level, by the index on `parent`.
    """
    table = ask.document
    if depth == 1:
        return table.c.parent == root, False
    few: set[int] = set()
    level = [root]
    for _ in range(depth):
        query = sa.select(table.c.id).where(table.c.parent.in_(level)).limit(FEW + 1 - len(few))
        level = [id_ for id_ in ask.numbers(query) if id_ not in few]
        few.update(level)
        if not level or len(few) > FEW:
            break
    if len(few) <= FEW:
        return table.c.id.in_(sorted(few)), True
    upper, deeper = table.alias(), table.alias()
    found = sa.select(upper.c.id, sa.literal(1).label("level")).where(upper.c.parent == root)
    levels = found.cte("below", recursive=True)
    levels = levels.union_all(
        sa.select(deeper.c.id, levels.c.level + 1).where(deeper.c.parent == levels.c.id, levels.c.level < depth)
    )
    return Costly(each=within(ask, root, depth), all=table.c.id.in_(sa.select(levels.c.id))), False


def parents_below(ask: Asking, root: int, depth: int) -> Iterator[list[int]]:
    """Batches of the documents that have children, by id: `root`, and those fewer than `depth` levels below it.

    Documents with children are few on most sites, so asking each whether it is there costs less than following all.
    """
    parent = ask.document.c.parent
    last, size = -1, PARENTS
    while True:
        found = ask.numbers(sa.select(parent).where(parent > last).distinct().order_by(parent).limit(size))
        inside = {root}
        if depth > 1 and found:
            deeper = sa.select(ask.document.c.id).where(ask.document.c.id.in_(found), within(ask, root, depth - 1))
            inside.update(ask.numbers(deeper))
        yield [id_ for id_ in found if id_ in inside]
        if len(found) < size:
            return
        last, size = found[-1], min(4 * size, MOST_PARENTS)


def within(ask: Asking, root: int, depth: int) -> sa.ColumnElement[bool]:
    """The document is at most `depth` levels below `root`. Asked of one document after the other, upwards."""
    table = ask.document
    if depth == 1:
        return table.c.parent == root
    above = [table.alias() for _ in range(depth - 1)]
    path: sa.FromClause = above[0]
    for lower, upper in pairwise(above):
        path = path.outerjoin(upper, upper.c.id == lower.c.parent)
    reached = sa.or_(*(step.c.parent == root for step in above))
    climbed = sa.select(sa.literal(1)).select_from(path).where(above[0].c.id == table.c.parent, reached)
    return sa.or_(table.c.parent == root, climbed.correlate(table).exists())


def ancestors(ask: Asking, document: int, depth: int | None) -> list[int]:
    """The ids above a document, the root first; the nearest `depth` of them."""
    table = ask.document
    found: list[int] = []
    current: int | None = document
    while current and len(found) < (depth or LONGEST_PATH) + 1 and current not in found:
        found.append(current)
        current = ask.connection.execute(sa.select(table.c.parent).where(table.c.id == current)).scalar()
    return found[:0:-1]


def items(ask: Asking, ids: Sequence[int], tvs: Mapping[str, bool]) -> list[dict[str, Json]]:
    """What is told of these documents, in the order given."""
    if not ids:
        return []
    columns = [ask.document.c[name] for name in FIELDS if name in ask.document.c]
    rows = ask.connection.execute(sa.select(*columns).where(ask.document.c.id.in_(ids)))
    found: dict[int, dict[str, Json]] = {}
    for row in rows:
        told = {name: int(value) if isinstance(value, bool) else value for name, value in row._mapping.items()}
        found[told["id"]] = told | {name: bool(told[name]) for name in ("hidemenu",) if name in told}
    if tvs:
        for id_, own in values(ask, list(found), tvs).items():
            found[id_]["tvs"] = own
    return [found[id_] for id_ in ids if id_ in found]


def counts(site: Site) -> dict[str, int]:
    """How much is in a site, for its owner."""
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
    """As plain text, to be found elsewhere too."""

    id: int
    title: str
    text: str
    edited: int
    """Seconds since 1970."""


def documents(site: Site) -> Iterator[Document]:
    """Published documents that everybody may see, by id. Read in batches, so that no transaction lasts long."""
    last = 0
    while True:
        with asking(site, VISITOR) as ask:
            table = ask.document
            columns = [table.c[name] for name in ("id", "pagetitle", "introtext", "content", "editedon")]
            query = ask.there(table.c.id > last, *ask.shown, ask.switch("published", True)).order_by(table.c.id)
            rows = ask.connection.execute(query.with_only_columns(*columns).limit(BATCH)).all()
        for id_, title, intro, text, edited in rows:
            told = "\n\n".join(part for part in (intro, text) if part)
            yield Document(int(id_), title or "", told, int(edited or 0))
        if not rows:
            return
        last = int(rows[-1].id)
