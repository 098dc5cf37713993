"""Where documents stand in the tree, read from `parent`, which every installation has an index for.

Nothing follows more than a bounded number of levels, so a ring of parents is harmless.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import sqlalchemy as sa

from everlore.content.access import Asking
from everlore.content.documents import FEW, Costly

LONGEST_PATH: Final = 100
"""Ancestors that are followed at most."""
PARENTS, MOST_PARENTS = 50, 5000
"""Documents with children that are looked at together: at first, since these often suffice, and at most."""


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
