"""The fourteen tools as functions of a site, a caller and checked arguments. They only read."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

import sqlalchemy as sa

from everlore.content import arguments as a
from everlore.content import models, tree
from everlore.content.access import Caller
from everlore.content.connect import Site
from everlore.content.documents import Asking, Costly, among, asking, items, numbers, page
from everlore.content.variables import Variable, bearers, by_value, holds, look_up, named, ordering, value_of
from everlore.errors import InvalidInput
from everlore.types import Json

TOOLSET_VERSION: Final = "1.0"

Answer: TypeAlias = dict[str, Json]
V = TypeVar("V", a.TvFilter, a.TvOrder)


def search(site: Site, caller: Caller, given: a.Search) -> Answer:
    with asking(site, caller) as ask:
        order, leading = _order(ask, given)
        by_id = len(order) == 1
        where, costly, small = _conditions(ask, given, by_id=by_id)
        found = page(
            ask,
            where,
            order,
            given.limit,
            given.offset,
            deleted=bool(given.deleted),
            costly=None if (by_id or small) and not costly else costly,
            leading=() if small else leading,
        )
        return _listed(ask, found, given, given.tvs)


def get(site: Site, caller: Caller, given: a.Get) -> Answer:
    with asking(site, caller) as ask:
        found = items(ask, _one(ask, given.id), given.tvs)
        return {"item": found[0] if found else None, "meta": {"toolsetVersion": TOOLSET_VERSION}}


def root_tree(site: Site, caller: Caller, given: a.RootTree) -> Answer:
    with asking(site, caller) as ask:
        # the root documents are the first level below the root
        where = [tree.within(ask, 0, (given.depth or 1) + 1)]
        found = page(ask, where, [ask.document.c.id], given.limit, given.offset)
        return _listed(ask, found, given, given.tvs)


def descendants(site: Site, caller: Caller, given: a.DeepNode) -> Answer:
    with asking(site, caller) as ask:
        order = [ask.document.c.parent, ask.document.c.menuindex, ask.document.c.id]
        end = (given.offset or 0) + given.limit
        found: list[int] = []
        for parents in tree.parents_below(ask, given.id, given.depth or 1):
            # by parent is the first order, so each batch of parents goes on where the one before it ended
            found += page(ask, [ask.document.c.parent.in_(parents)], order, end - len(found), 0) if parents else []
            if len(found) == end:
                break
        return _listed(ask, found[given.offset or 0 :], given, given.tvs)


def ancestors(site: Site, caller: Caller, given: a.Ancestors) -> Answer:
    with asking(site, caller) as ask:
        above = tree.ancestors(ask, given.id, given.depth) if _one(ask, given.id) else []
        allowed = set(page(ask, [ask.document.c.id.in_(above)], [], len(above), 0)) if above else set()
        offset = given.offset or 0
        found = [id_ for id_ in above if id_ in allowed][offset : offset + given.limit]
        return _listed(ask, found, given, given.tvs)


def children(site: Site, caller: Caller, given: a.Node) -> Answer:
    with asking(site, caller) as ask:
        where = [ask.document.c.parent == given.id, *(_between(ask, given) if isinstance(given, a.Range) else ())]
        return _listed(ask, page(ask, where, _by_position(ask), given.limit, given.offset), given, given.tvs)


def siblings(site: Site, caller: Caller, given: a.Node) -> Answer:
    return _siblings(site, caller, given, lambda ask, _: _between(ask, given) if isinstance(given, a.Range) else [])


def neighbors(site: Site, caller: Caller, given: a.Node) -> Answer:
    return _siblings(site, caller, given, lambda ask, place: [ask.document.c.menuindex.in_([place - 1, place + 1])])


def prev_siblings(site: Site, caller: Caller, given: a.Node) -> Answer:
    return _siblings(site, caller, given, partial(_beyond, given.id, operator.lt), backwards=True)


def next_siblings(site: Site, caller: Caller, given: a.Node) -> Answer:
    return _siblings(site, caller, given, partial(_beyond, given.id, operator.gt))


def _beyond(id_: int, beyond: Callable[[Any, int], Any], ask: Asking, place: int) -> list[sa.ColumnElement[bool]]:
    """On one side of a document; among equal places the ids decide."""
    columns = ask.document.c
    return [sa.or_(beyond(columns.menuindex, place), sa.and_(columns.menuindex == place, beyond(columns.id, id_)))]


def model_list(site: Site, caller: Caller, given: a.ModelList) -> Answer:
    with asking(site, caller) as ask:
        model = models.find(ask, given.model)
        found = models.records(ask, model, given)
        return {"items": found, "meta": _meta(given, len(found)) | {"model": model.name}}


def model_get(site: Site, caller: Caller, given: a.ModelGet) -> Answer:
    with asking(site, caller) as ask:
        model = models.find(ask, given.model)
        meta = {"toolsetVersion": TOOLSET_VERSION, "model": model.name}
        return {"item": models.record(ask, model, given.id), "meta": meta}


_DOCUMENTS = (
    search, get, root_tree, descendants, ancestors, children, siblings, neighbors, prev_siblings, next_siblings,
)  # fmt: skip
TOOLS: Final[Mapping[str, Callable[[Site, Caller, Any], Answer]]] = {
    **{f"evo.content.{function.__name__}": function for function in _DOCUMENTS},
    "evo.content.children_range": children,
    "evo.content.siblings_range": siblings,
    "evo.model.list": model_list,
    "evo.model.get": model_get,
}


def _conditions(
    ask: Asking, given: a.Search, *, by_id: bool
) -> tuple[list[sa.ColumnElement[bool]], list[Costly], bool]:
    """What a document must meet; what of it costs much; and whether only a few can."""
    costly: list[Costly] = []
    where = [
        ask.switch(name, wanted)
        for name, wanted in (("published", given.published), ("hidemenu", given.hidemenu))
        if wanted is not None
    ]
    if given.template is not None:
        where.append(ask.document.c.template == given.template)
    small = False
    if given.parent is not None:
        depth = given.depth or a.MAX_DEPTH
        if given.parent == 0 and by_id:
            where.append(tree.within(ask, 0, depth))
        else:
            below, small = tree.below(ask, given.parent, depth)
            if isinstance(below, Costly):
                costly.append(below)
            else:
                where.append(below)
    if given.tags_data is not None:
        tagged = _tagged(ask, given.tags_data)
        condition, small = (ask.document.c.id.in_(tagged), True) if small else among(ask, tagged)
        where.append(condition)
    for one, variable, value in _valued(ask, given.tv_filters, "tv_filters"):
        condition = holds(ask.site, value, one)
        matching = bearers(ask.site, variable, one)
        if matching is not None and not small:
            # when many fit and they come by id, asking one document after the other fills the page soonest
            listed, small = among(ask, matching)
            condition = condition if by_id and not small else listed
        where.append(condition)
    return where, costly, small


def _tagged(ask: Asking, wanted: a.TagsData) -> sa.Select[Any]:
    tags, links = ask.site.find("tags"), ask.site.find("site_content_tags")
    if tags is None or links is None:
        raise InvalidInput("tags_data: this site has no tags")
    names = sorted({tag.strip() for tag in wanted.tags})
    ids = numbers(ask, sa.select(tags.c.id).where(tags.c.name.in_(names)))
    return sa.select(links.c.doc_id).where(links.c.tag_id.in_(ids), links.c.tv_id == wanted.tv_id)


def _order(ask: Asking, given: a.Search) -> tuple[list[sa.ColumnElement[Any]], Sequence[sa.Select[Any]]]:
    """How the documents are ordered; and queries that give all of them so, where there are quicker ones."""
    order: list[sa.ColumnElement[Any]] = []
    leading: Sequence[sa.Select[Any]] = ()
    for one, variable, value in _valued(ask, given.tv_order, "tv_order"):
        order.append(ordering(ask.site, value, one))
        leading = by_value(ask.site, ask.document, variable, one)
    columns = ask.document.c
    if given.order_by_date:
        date = sa.case((columns.pub_date != 0, columns.pub_date), else_=columns.createdon)
        order.append(date.desc() if given.order_by_date == "desc" else date.asc())
    elif given.order_by or given.order_dir:
        by = columns[given.order_by or "id"]
        order.append(by.desc() if given.order_dir == "desc" else by.asc())
    # id decides between equals, so that pages never overlap
    return [*order, columns.id], leading if len(order) == 1 else ()


def _valued(ask: Asking, wanted: Sequence[V] | None, place: str) -> Iterator[tuple[V, Variable, sa.ColumnElement[Any]]]:
    """What speaks of a template variable, with the variable and a document's value of it."""
    known = look_up(ask.site, ask.connection, [one.tv for one in wanted or ()])
    for number, one in enumerate(wanted or ()):
        variable = named(known, one.tv, f"{place}.{number}.tv")
        yield one, variable, value_of(ask.site, ask.document, variable, one.cast, use_default=bool(one.use_default))


def _siblings(
    site: Site,
    caller: Caller,
    given: a.Node,
    which: Callable[[Asking, int], Sequence[sa.ColumnElement[bool]]],
    *,
    backwards: bool = False,
) -> Answer:
    """Documents with the same parent, never the document itself; none when it is not there to be seen."""
    with asking(site, caller) as ask:
        table = ask.document
        itself = sa.select(table.c.parent, table.c.menuindex).where(table.c.id == given.id)
        place = ask.connection.execute(itself.where(ask.switch("deleted", False), *ask.shown)).first()
        found: list[int] = []
        if place is not None:
            where = [table.c.parent == place.parent, table.c.id != given.id, *which(ask, int(place.menuindex))]
            order = _by_position(ask, backwards=backwards)
            found = page(ask, where, order, given.limit, given.offset)
        return _listed(ask, found, given, given.tvs)


def _between(ask: Asking, given: a.Range) -> list[sa.ColumnElement[bool]]:
    menuindex = ask.document.c.menuindex
    return [menuindex >= given.from_, *([] if given.to is None else [menuindex <= given.to])]


def _by_position(ask: Asking, *, backwards: bool = False) -> list[sa.ColumnElement[Any]]:
    columns = (ask.document.c.menuindex, ask.document.c.id)
    return [column.desc() if backwards else column.asc() for column in columns]


def _one(ask: Asking, id_: int) -> list[int]:
    return page(ask, [ask.document.c.id == id_], [], 1, 0)


def _listed(ask: Asking, ids: Sequence[int], given: a.Paging, tvs: Mapping[str, bool]) -> Answer:
    found = items(ask, ids, tvs)
    return {"items": found, "meta": _meta(given, len(found))}


def _meta(given: a.Paging, count: int) -> dict[str, Json]:
    return {"limit": given.limit, "offset": given.offset or 0, "count": count, "toolsetVersion": TOOLSET_VERSION}
