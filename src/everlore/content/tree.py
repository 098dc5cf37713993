"""Where documents stand in the tree, read from `parent`, which every installation has an index for.

Nothing follows more than a bounded number of levels, so a ring of parents is harmless.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import sqlalchemy as sa

from everlore.content.documents import FEW, Asking

LONGEST_PATH: Final = 100
"""Ancestors that are followed at most."""


def below(ask: Asking, root: int, depth: int) -> tuple[sa.ColumnElement[bool], bool]:
    """The condition that a document is 1 to `depth` levels below `root`, and whether that leaves only a few.

    What has no parent is the first level below 0. A few are listed level by level, by the index on `parent`; for
    many, one query that follows the levels by itself is quicker.
    """
    table = ask.document
    if depth == 1:
        return table.c.parent == root, False
    few = _few(ask, root, depth)
    if few is not None:
        return table.c.id.in_(few), True
    upper, deeper = table.alias(), table.alias()
    found = sa.select(upper.c.id, sa.literal(1).label("level")).where(upper.c.parent == root)
    levels = found.cte("below", recursive=True)
    levels = levels.union_all(
        sa.select(deeper.c.id, levels.c.level + 1).where(deeper.c.parent == levels.c.id, levels.c.level < depth)
    )
    return table.c.id.in_(sa.select(levels.c.id)), False


def _few(ask: Asking, root: int, depth: int) -> list[int] | None:
    """The ids of a small subtree; None when there are more."""
    table = ask.document
    found: set[int] = set()
    level = [root]
    for _ in range(depth):
        query = sa.select(table.c.id).where(table.c.parent.in_(level)).limit(FEW + 1 - len(found))
        level = [int(id_) for (id_,) in ask.connection.execute(query) if int(id_) not in found]
        found.update(level)
        if len(found) > FEW:
            return None
        if not level:
            break
    return sorted(found)


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
