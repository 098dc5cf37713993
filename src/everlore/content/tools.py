"""The fourteen tools, each as a choice of documents or records. They only read."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import sqlalchemy as sa

from everlore.content import arguments as a
from everlore.content import models
from everlore.content.access import Asking, asking
from everlore.content.connect import Site
from everlore.content.documents import Costly, among, ancestors, below, first_fitting, items, parents_below, within
from everlore.content.variables import variables
from everlore.errors import InvalidInput
from everlore.types import Json

TOOLSET_VERSION: Final = "1.0"


def answer(site: Site, user_id: int, name: str, given: Any) -> dict[str, Json]:
    """What a tool tells a user of the site (0: a visitor) who asks with checked arguments."""
    meta: dict[str, Json] = {"toolsetVersion": TOOLSET_VERSION}
    with asking(site, user_id) as ask:
        if isinstance(given, a.ModelList | a.ModelGet):
            model = models.find(ask, given.model)
            meta["model"] = model.name
            found = models.records(ask, model, given if isinstance(given, a.ModelList) else given.listing)
        else:
            found = items(ask, DOCUMENTS[name](ask, given), given.tvs)
    if not isinstance(given, a.Paging):
        return {"item": found[0] if found else None, "meta": meta}
    return {"items": found, "meta": {"limit": given.limit, "offset": given.offset or 0, "count": len(found), **meta}}


def _page(ask: Asking, query: sa.Select[Any], given: a.Paging) -> list[int]:
    return ask.numbers(query.where(*ask.shown).limit(given.limit).offset(given.offset or 0))


def _one(ask: Asking, given: a.Get | a.Node) -> list[int]:
    return ask.numbers(ask.there(ask.document.c.id == given.id, *ask.shown))


def _search(ask: Asking, given: a.Search) -> list[int]:
    columns = ask.document.c
    order, leading = _order(ask, given)
    by_id = not order
    where = [
        ask.switch(name, wanted)
        for name, wanted in (("published", given.published), ("hidemenu", given.hidemenu))
        if wanted is not None
    ]
    if given.template is not None:
        where.append(columns.template == given.template)
    costly: list[Costly] = []
    few = False
    """Whether what was asked so far leaves only a few."""
    if given.parent is not None:
        depth = given.depth or a.MAX_DEPTH
        if by_id and not given.parent:
            where.append(within(ask, 0, depth))
        else:
            lower, few = below(ask, given.parent, depth)
            where += [lower] if not isinstance(lower, Costly) else []
            costly += [lower] if isinstance(lower, Costly) else []
    if given.tags_data is not None:
        tagged = _tagged(ask, given.tags_data)
        condition, few = (columns.id.in_(tagged), True) if few else among(ask, tagged)
        where.append(condition)
    for one, variable in variables(ask, given.tv_filters, "tv_filters"):
        condition = variable.fitting(one)
        matching = variable.bearers(one)
        if matching is not None and not few:
            # when many fit and they come by id, asking one document after the other fills the page soonest
            listed, few = among(ask, matching)
            condition = condition if by_id and not few else listed
        where.append(condition)
    # id decides between equals, so that pages never overlap
    every = ask.there(*where, deleted=bool(given.deleted)).order_by(*order, columns.id)
    if costly or not (by_id or few):
        start = given.offset or 0
        orders = leading if leading and not few else [every]
        found = first_fitting(ask, orders, every.order_by(None), costly, start, start + given.limit)
        if found is not None:
            return found
    return _page(ask, every.where(*(one.all for one in costly)), given)


def _tagged(ask: Asking, wanted: a.TagsData) -> sa.Select[Any]:
    tags, links = ask.site.find("tags"), ask.site.find("site_content_tags")
    if tags is None or links is None:
        raise InvalidInput("tags_data: this site has no tags")
    names = sorted({tag.strip() for tag in wanted.tags})
    ids = ask.numbers(sa.select(tags.c.id).where(tags.c.name.in_(names)))
    return sa.select(links.c.doc_id).where(links.c.tag_id.in_(ids), links.c.tv_id == wanted.tv_id)


def _order(ask: Asking, given: a.Search) -> tuple[list[sa.ColumnElement[Any]], Sequence[sa.Select[Any]]]:
    """How the documents are ordered, by id if nothing is said; and quicker queries that give all of them so."""
    order: list[sa.ColumnElement[Any]] = []
    leading: Sequence[sa.Select[Any]] = ()
    for one, variable in variables(ask, given.tv_order, "tv_order"):
        order.append(variable.ordering(down=one.dir == "desc"))
        leading = variable.in_order(down=one.dir == "desc")
    columns = ask.document.c
    if given.order_by_date:
        date = sa.case((columns.pub_date != 0, columns.pub_date), else_=columns.createdon)
        order.append(date.desc() if given.order_by_date == "desc" else date.asc())
    elif given.order_by or given.order_dir:
        by = columns[given.order_by or "id"]
        order.append(by.desc() if given.order_dir == "desc" else by.asc())
    return order, leading if len(order) == 1 else ()


def _root_tree(ask: Asking, given: a.RootTree) -> list[int]:
    # the root documents are the first level below the root
    upper = within(ask, 0, (given.depth or 1) + 1)
    return _page(ask, ask.there(upper).order_by(ask.document.c.id), given)


def _descendants(ask: Asking, given: a.DeepNode) -> list[int]:
    columns = ask.document.c
    start = given.offset or 0
    found: list[int] = []
    for parents in parents_below(ask, given.id, given.depth or 1):
        # by parent is the first order, so each batch of parents goes on where the one before it ended
        order = ask.there(columns.parent.in_(parents), *ask.shown).order_by(columns.parent, *_position(ask))
        found += ask.numbers(order.limit(start + given.limit - len(found))) if parents else []
        if len(found) == start + given.limit:
            break
    return found[start:]


def _ancestors(ask: Asking, given: a.Ancestors) -> list[int]:
    above = ancestors(ask, given.id, given.depth) if _one(ask, given) else []
    allowed = set(ask.numbers(ask.there(ask.document.c.id.in_(above), *ask.shown)))
    start = given.offset or 0
    return [id_ for id_ in above if id_ in allowed][start : start + given.limit]


def _children(ask: Asking, given: a.Node) -> list[int]:
    of_parent = ask.there(ask.document.c.parent == given.id, *_between(ask, given)).order_by(*_position(ask))
    return _page(ask, of_parent, given)


def _siblings(
    which: Callable[[Asking, a.Node, int], Sequence[sa.ColumnElement[bool]]], ask: Asking, given: a.Node
) -> list[int]:
    """Documents with the same parent, never the document itself; none when it is not there to be seen."""
    table = ask.document
    itself = ask.there(table.c.id == given.id, *ask.shown).with_only_columns(table.c.parent, table.c.menuindex)
    place = ask.connection.execute(itself).first()
    if place is None:
        return []
    same = ask.there(table.c.parent == place.parent, table.c.id != given.id, *which(ask, given, int(place.menuindex)))
    return _page(ask, same.order_by(*_position(ask, backwards=which is _before)), given)


def _beyond(beyond: Callable[[Any, int], Any], ask: Asking, given: a.Node, place: int) -> list[sa.ColumnElement[bool]]:
    """On one side of a document; among equal places the ids decide."""
    columns = ask.document.c
    return [sa.or_(beyond(columns.menuindex, place), sa.and_(columns.menuindex == place, beyond(columns.id, given.id)))]


_before, _after = partial(_beyond, operator.lt), partial(_beyond, operator.gt)


def _between(ask: Asking, given: a.Node, _: int = 0) -> list[sa.ColumnElement[bool]]:
    if not isinstance(given, a.Range):
        return []
    menuindex = ask.document.c.menuindex
    return [menuindex >= given.from_, *([] if given.to is None else [menuindex <= given.to])]


def _position(ask: Asking, *, backwards: bool = False) -> list[sa.ColumnElement[Any]]:
    columns = (ask.document.c.menuindex, ask.document.c.id)
    return [column.desc() if backwards else column.asc() for column in columns]


DOCUMENTS: Final[Mapping[str, Callable[[Asking, Any], list[int]]]] = {
    "evo.content.search": _search,
    "evo.content.get": _one,
    "evo.content.root_tree": _root_tree,
    "evo.content.descendants": _descendants,
    "evo.content.ancestors": _ancestors,
    "evo.content.children": _children,
    "evo.content.siblings": partial(_siblings, _between),
    "evo.content.neighbors": partial(
        _siblings, lambda ask, _, place: [ask.document.c.menuindex.in_([place - 1, place + 1])]
    ),
    "evo.content.prev_siblings": partial(_siblings, _before),
    "evo.content.next_siblings": partial(_siblings, _after),
    "evo.content.children_range": _children,
    "evo.content.siblings_range": partial(_siblings, _between),
}
"""How each tool finds the ids of the documents that it tells of."""
