"""Documents: which ones (a page of ids), and what is told of each. Two steps, so that no wide row is ever sorted.

`Asking` is what every tool works with: the site, a connection that sees one moment of it, and the conditions that
hide from this caller what is not for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import sqlalchemy as sa

from everlore.content.access import Caller, switched, visible
from everlore.content.connect import Site
from everlore.content.variables import values
from everlore.types import Json

FEW: Final = 1000
FIRST: Final = 300
"""Documents that are looked at one by one, besides those of the page, before the database is asked to find them all;"""
MOST_FIRST: Final = 3000
"""and for a page so far behind that it takes more, the database is asked at once."""

_TITLES = ("id", "parent", "pagetitle", "longtitle", "description", "alias", "published", "deleted", "hidemenu")
_TIMES = ("menuindex", "template", "createdon", "editedon", "pub_date", "unpub_date", "isfolder", "type")
FIELDS: Final = _TITLES + _TIMES
"""What is told of a document, in this order."""


@dataclass(frozen=True, slots=True)
class Asking:
    site: Site
    connection: sa.Connection
    document: sa.TableClause
    """site_content."""
    shown: Sequence[sa.ColumnElement[bool]]
    """Conditions on `document`: the caller may see it."""

    def switch(self, name: str, wanted: bool) -> sa.ColumnElement[bool]:
        """Whether a flag of the document is so. A site without the column has it unset everywhere."""
        if name not in self.document.c:
            return sa.false() if wanted else sa.true()
        return switched(self.document.c[name], wanted)


@contextmanager
def asking(site: Site, caller: Caller) -> Iterator[Asking]:
    document = site.table("site_content")
    with site.reading() as connection:
        yield Asking(site, connection, document, visible(site, connection, caller, document))


def among(ask: Asking, ids: sa.Select[Any]) -> tuple[sa.ColumnElement[bool], bool]:
    """The condition that a document is one of `ids`, and whether that leaves only a few.

    A few are listed, so that whatever else is asked looks at them alone. Many are left to the database, which can
    then stop when the page is full.
    """
    few = numbers(ask, ids.limit(FEW + 1))
    return (ask.document.c.id.in_(ids), False) if len(few) > FEW else (ask.document.c.id.in_(sorted(set(few))), True)


@dataclass(frozen=True, slots=True)
class Costly:
    """A condition that costs much when it is asked of a whole site, in two forms: of one document after the other, and
    of all of them at once."""

    each: sa.ColumnElement[bool]
    all: sa.ColumnElement[bool]


def page(
    ask: Asking,
    where: Sequence[sa.ColumnElement[bool]],
    order: Sequence[sa.ColumnElement[Any]],
    limit: int,
    offset: int | None,
    *,
    deleted: bool = False,
    costly: Sequence[Costly] | None = None,
    leading: Sequence[sa.Select[Any]] = (),
) -> list[int]:
    """The ids of one page, visible ones only.

    With `costly`, even if it is empty, whatever costs much is asked only of those that come first, and of all only
    when these do not fill the page: for orders that make the database look at every document anyway. Queries in
    `leading` give, one after the other, the ids of all documents in this order, when that is quicker than sorting them.
    """
    start, end = offset or 0, (offset or 0) + limit
    table = ask.document
    conditions = [ask.switch("deleted", deleted), *where]
    query = sa.select(table.c.id).where(*conditions).order_by(*order)
    enough = 2 * end + FIRST
    if costly is not None and enough <= MOST_FIRST:
        first = _first(ask, leading or [query], enough)
        each = sa.select(table.c.id).where(table.c.id.in_(first), *ask.shown, *(one.each for one in costly))
        fits = set(numbers(ask, each.where(*conditions) if leading else each)) if first else set()
        if len(fits) >= end or len(first) < enough:
            return [id_ for id_ in first if id_ in fits][start:end]
    everywhere = [*ask.shown, *(one.all for one in costly or ())]
    return numbers(ask, query.where(*everywhere).limit(limit).offset(start))


def _first(ask: Asking, queries: Sequence[sa.Select[Any]], count: int) -> list[int]:
    found: dict[int, None] = {}
    for query in queries:
        if len(found) < count:
            found |= dict.fromkeys(numbers(ask, query.limit(count - len(found))))
    return list(found)


def numbers(ask: Asking, query: sa.Select[Any]) -> list[int]:
    """What a query of one column of ids gives."""
    return [int(id_) for (id_,) in ask.connection.execute(query)]


def items(ask: Asking, ids: Sequence[int], tvs: Mapping[str, bool]) -> list[dict[str, Json]]:
    """What is told of these documents, in the order given."""
    if not ids:
        return []
    columns = [ask.document.c[name] for name in FIELDS if name in ask.document.c]
    rows = ask.connection.execute(sa.select(*columns).where(ask.document.c.id.in_(ids)))
    found = {int(row.id): _told(row._mapping) for row in rows}
    if tvs:
        for id_, own in values(ask.site, ask.connection, list(found), tvs).items():
            found[id_]["tvs"] = own
    return [found[id_] for id_ in ids if id_ in found]


def _told(row: Mapping[Any, Any]) -> dict[str, Json]:
    told = {name: int(value) if isinstance(value, bool) else value for name, value in row.items()}
    if "hidemenu" in told:
        told["hidemenu"] = bool(told["hidemenu"])
    return told
