"""Memories: all of them in a table with filters, several at once, and the bin."""

from __future__ import annotations

from collections.abc import Mapping

from everlore.kinds.registry import all_kinds, kinds_where, several
from everlore.memory import bin as bins
from everlore.search import METHODS, Query, recall
from everlore.surfaces.page.markup import Html, el, marked, table
from everlore.surfaces.page.views import one_memory
from everlore.surfaces.page.views.base import Did, Shown, View
from everlore.surfaces.page.views.parts import (
    button,
    chip,
    choice,
    clipped,
    dialog,
    empty,
    kept,
    live_form,
    of_kind,
    pages,
    search_field,
    statement,
    text_field,
    when,
)
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import AllOf, Filter, IndexedMemory, Owner, Predicate, Where

PAGE = 25
FOUND = 50
HIDDEN = ("review",)
STATES = ("", "holds", "ended")


def controls(visit: Visit, place: Place) -> Html:
    words = visit.words
    if place.name:
        return el("p", el("a", words("memories.all"), href=place.to("memories")))
    owner = _owner(visit, place)
    kinds = [("", words("memories.every")), *((one, words.named("kinds", one)) for one in _kinds(owner))]
    states = [(one, words(f"memories.state_{one or 'any'}")) for one in STATES]
    owners = [
        (visit.code_of(one), f"{visit.called(one)} · {words(f'memories.{one.track}')}") for one, _ in visit.owners()
    ]
    sessions = visit.engine.index.overview.sessions(Where(owner, _kinds(owner)), 0, 100)
    return live_form(
        place,
        search_field(visit, place, "memories.find"),
        choice("owner", words("common.owner"), owners, visit.code_of(owner)),
        choice("kind", words("memories.kind"), kinds, place.get("kind")),
        choice("state", words("memories.state"), states, place.get("state")),
        text_field(
            "session", words("memories.session"), place.get("session"), placeholder=words("ask.any"), list="sessions"
        ),
        el("datalist", [el("option", value=name) for name, *_ in sessions], id="sessions"),
        text_field("from", words("memories.from"), place.get("from"), "date"),
        text_field("to", words("memories.to"), place.get("to"), "date"),
        kept(place, "sort"),
        label=words("nav.memories"),
    )


def content(visit: Visit, place: Place) -> Shown:
    if place.name:
        return one_memory.content(visit, place)
    words, owner = visit.words, _owner(visit, place)
    page = place.number("page", 1)
    rows, total = _found(visit, place, owner, page)
    if not rows:
        title = "memories.none" if place.asked.keys() - {"owner"} else "memories.empty"
        return Shown(el("div", empty(words(title), words(f"{title}_text")), _bin_button(visit, owner)))
    heads = [
        el("span", "✓", aria_label=words("memories.pick")),
        *(words(f"memories.{one}") for one in ("said", "kind", "when", "state", "session")),
    ]
    body = [_row(visit, place, row) for row in rows]
    listed = el("form", table(words("memories.caption", count=f"{total:,}"), heads, body), id="picked")
    several_at_once = button(
        words("memories.forget_picked"), "forget-form", cls=".danger", owner=visit.code_of(owner), **{"with": "picked"}
    )
    tools = el("div.actions", several_at_once if visit.may_write else None, _bin_button(visit, owner))
    return Shown(el("div", listed, tools, pages(visit, place, page, PAGE, total)))


def _owner(visit: Visit, place: Place) -> Owner:
    return visit.owner_of(place.get("owner")) if place.get("owner") else visit.owner(place)


def _kinds(owner: Owner) -> tuple[str, ...]:
    return kinds_where(lambda one: one.track == owner.track and one.name not in HIDDEN)


def _found(visit: Visit, place: Place, owner: Owner, page: int) -> tuple[list[IndexedMemory], int]:
    named = place.get("kind")
    kinds = (named,) if named in _kinds(owner) else _kinds(owner)
    chosen = _filter(visit, place)
    now = visit.engine.clock.now()
    if question := place.get("q").strip():
        searched = tuple(one.name for one in all_kinds() if one.name in kinds and one.name != "profile")
        hits = recall(
            visit.engine,
            Query(owner, question, top_k=FOUND, filter=chosen, kinds=searched if named else ()),
            METHODS["keyword"],
        )
        rows = [hit.stored for hit in sorted(hits.best, key=lambda hit: -hit.score)]
        rows = [row for row in rows if row.key.kind in kinds and _in_state(row, place.get("state"), now)]
        return rows, len(rows)
    if place.get("state") == "ended":
        rows = visit.engine.index.overview.ended(Where(owner, kinds, chosen), 0, now, page * PAGE)
        total = sum(visit.engine.index.overview.density(Where(owner, kinds, chosen), 1 << 50, ended=True).values())
        return rows[(page - 1) * PAGE :], total
    where = Where(owner, kinds, chosen, valid_at=now if place.get("state") == "holds" else None)
    found = visit.engine.index.rows.page(where, offset=(page - 1) * PAGE, limit=PAGE)
    return found.rows, found.total


def _in_state(row: IndexedMemory, state: str, now: int) -> bool:
    over = row.validity.end is not None and row.validity.end <= now
    return state not in STATES[1:] or (state == "ended") == over


def _filter(visit: Visit, place: Place) -> Filter | None:
    begin, end = visit.moment(place.get("from")), visit.moment(place.get("to"), end=True)
    wanted = [
        Predicate("session_id", "eq", place.get("session")) if place.get("session") else None,
        None if begin is None else Predicate("timestamp", "gte", begin),
        None if end is None else Predicate("timestamp", "lte", end),
    ]
    found = tuple(one for one in wanted if one is not None)
    return AllOf(found) if found else None


def _row(visit: Visit, place: Place, row: IndexedMemory) -> list[object]:
    said = clipped(statement(row), 160) or row.key.public_id
    pick = el(
        "input",
        type="checkbox",
        name=f"pick:{row.key.public_id}",
        aria_label=visit.words("memories.pick_one", what=said[:60]),
    )
    session = el("a", row.session_id, href=place.but(session=row.session_id, page=None)) if row.session_id else ""
    return [
        pick,
        el("a", marked(said, place.get("q")), href=visit.link(place, row)),
        of_kind(visit, row.key.kind),
        when(visit, row.timestamp, age=False),
        chip(visit, row),
        session,
    ]


def _bin_button(visit: Visit, owner: Owner) -> Html:
    return button(visit.words("bin.open"), "bin", owner=visit.code_of(owner))


def show_bin(visit: Visit, given: Mapping[str, str]) -> Did:
    """What was forgotten and can come back."""
    words, owner = visit.words, visit.owner_of(given.get("owner", ""))
    items, code = bins.binned(visit.engine, owner.scope, owner), visit.code_of(owner)
    rows = [
        [
            item.title,
            when(visit, item.at),
            ", ".join(f"{number} {several(name, number)}" for name, number in item.counts.items()),
            button(words("bin.restore"), "restore", cls=".small", of=item.title[:60], items=item.id, owner=code)
            if visit.may_write
            else "",
        ]
        for item in items
    ]
    body = (
        table(words("bin.title"), [words(f"bin.{one}") for one in ("what", "when", "with", "do")], rows)
        if rows
        else el("p", words("bin.empty"))
    )
    return Did(dialog=dialog(visit, words("bin.title"), body), fresh=False)


VIEW = View("memories", content, controls, {"bin": show_bin}, frozenset(("bin",)))
