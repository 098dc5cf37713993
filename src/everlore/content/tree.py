"""Where documents stand in the tree, read from `parent`, which every installation has an index for.

Nothing follows more than a bounded number of levels, so a ring of parents is harmless.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import sqlalchemy as sa

from everlore.content.documents import Asking

LONGEST_PATH: Final = 100
"""Ancestors that are followed at most."""


def below(ask: Asking, root: int, depth: int) -> sa.Select[Any]:
    """The ids of the documents 1 to `depth` levels below `root`. What has no parent is the first level below 0."""
    table = ask.document
    if depth == 1:
        return sa.select(table.c.id).where(table.c.parent == root)
    first = sa.select(table.c.id, sa.literal(1).label("level")).where(table.c.parent == root)
    found = first.cte("below", recursive=True)
    deeper = table.alias()
    found = found.union_all(
        sa.select(deeper.c.id, found.c.level + 1).where(deeper.c.parent == found.c.id, found.c.level < depth)
    )
    return sa.select(found.c.id)


def within(ask: Asking, depth: int) -> sa.ColumnElement[bool]:
    """The document is at most `depth` levels below the site's root.

    Asked of one document after the other, upwards: most documents are, so a page is full long before all were asked.
    """
    table = ask.document
    return sa.or_(table.c.parent == 0, *(_ancestor(ask, level) == 0 for level in range(2, depth + 1)))


def ancestors(ask: Asking, document: int, depth: int | None) -> list[int]:
    """The ids above a document, the root first; the nearest `depth` of them."""
    table = ask.document
    found: list[int] = []
    current: int | None = document
    while current and len(found) < (depth or LONGEST_PATH) + 1 and current not in found:
        found.append(current)
        current = ask.connection.execute(sa.select(table.c.parent).where(table.c.id == current)).scalar()
    return found[:0:-1]


def _ancestor(ask: Asking, level: int) -> sa.ColumnElement[Any]:
    """The parent of the document's parent (level 2), that one's parent (3), and so on."""
    steps = [ask.document.alias() for _ in range(level - 1)]
    query = sa.select(steps[-1].c.parent).where(steps[0].c.id == ask.document.c.parent)
    for lower, upper in pairwise(steps):
        query = query.where(upper.c.id == lower.c.parent)
    return query.correlate(ask.document).scalar_subquery()
