"""Where documents stand in the tree, read from `parent`, which every installation has an index for.

Downwards for small subtrees: level by level, few ids. Upwards for large ones: whether one of a document's next few
ancestors is the wanted one, asked document by document in the order of the page, so that the query ends as soon as
the page is full. Neither reads more than a bounded number of levels, so a ring of parents is harmless.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from everlore.content.documents import Asking

SMALL: Final = 1000
"""Subtrees up to this size are listed."""
LONGEST_PATH: Final = 100
"""Ancestors that are followed at most."""


def below(ask: Asking, root: int, depth: int, *, descending: bool = True) -> sa.ColumnElement[bool]:
    """Documents 1 to `depth` levels below `root`. 0 is the site's root: what has no parent is its first level.

    `descending` False: the subtree is known to be large.
    """
    if depth == 1:
        return ask.document.c.parent == root
    listed = _listed(ask, root, depth) if descending else None
    if listed is not None:
        return ask.document.c.id.in_(listed)
    return sa.or_(ask.document.c.parent == root, *(_ancestor(ask, level) == root for level in range(2, depth + 1)))


def ancestors(ask: Asking, document: int, depth: int | None) -> list[int]:
    """The ids above a document, the root first; the nearest `depth` of them."""
    table = ask.document
    found: list[int] = []
    current: int | None = document
    while current and len(found) < (depth or LONGEST_PATH) + 1 and current not in found:
        found.append(current)
        current = ask.connection.execute(sa.select(table.c.parent).where(table.c.id == current)).scalar()
    return found[:0:-1]


def _listed(ask: Asking, root: int, depth: int) -> list[int] | None:
    """The ids of a subtree; None when there are too many."""
    table = ask.document
    found: set[int] = set()
    level: Sequence[int] = [root]
    for _ in range(depth):
        query = sa.select(table.c.id).where(table.c.parent.in_(level)).limit(SMALL + 1 - len(found))
        level = [int(id_) for (id_,) in ask.connection.execute(query) if int(id_) not in found]
        found.update(level)
        if len(found) > SMALL:
            return None
        if not level:
            break
    return sorted(found)


def _ancestor(ask: Asking, level: int) -> sa.ColumnElement[Any]:
    """The parent of the document's parent (level 2), that one's parent (3), and so on."""
    steps = [ask.document.alias() for _ in range(level - 1)]
    query = sa.select(steps[-1].c.parent).where(steps[0].c.id == ask.document.c.parent)
    for lower, upper in zip(steps, steps[1:], strict=False):
        query = query.where(upper.c.id == lower.c.parent)
    return query.correlate(ask.document).scalar_subquery()
