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

FIELDS: Final = (
    "id",
    "parent",
    "pagetitle",
    "longtitle",
    "description",
    "alias",
    "published",
    "deleted",
    "hidemenu",
    "menuindex",
    "template",
    "createdon",
    "editedon",
    "pub_date",
    "unpub_date",
    "isfolder",
    "type",
)


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
    few = [int(id_) for (id_,) in ask.connection.execute(ids.limit(FEW + 1))]
    return (ask.document.c.id.in_(ids), False) if len(few) > FEW else (ask.document.c.id.in_(sorted(set(few))), True)


def page(
    ask: Asking,
    where: Sequence[sa.ColumnElement[bool]],
    order: Sequence[sa.ColumnElement[Any]],
    limit: int,
    offset: int | None,
    *,
    deleted: bool = False,
) -> list[int]:
    """The ids of one page, visible ones only."""
    query = (
        sa.select(ask.document.c.id)
        .where(ask.switch("deleted", deleted), *ask.shown, *where)
        .order_by(*order)
        .limit(limit)
        .offset(offset or 0)
    )
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
