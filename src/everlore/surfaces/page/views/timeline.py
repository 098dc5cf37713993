"""Timeline: what was believed on a day, what was learnt and what ended around it, and what two days differ by."""

from __future__ import annotations

import time
from collections.abc import Mapping
from threading import Lock

from everlore import memory
from everlore.clock import DAY_MS
from everlore.kinds.registry import kinds_where
from everlore.surfaces.page.markup import Html, el, table
from everlore.surfaces.page.views.base import Shown, View
from everlore.surfaces.page.views.parts import empty, lines, link, live_form, pages, statement, text_field, when, whose
from everlore.surfaces.page.views.review import alone
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import AllOf, IndexedMemory, Json, Owner, Predicate, Where

WEEK = 7 * DAY_MS
"""Counted from the epoch, so weeks begin on Thursdays."""
PAGE = 20
AROUND = 12
MOST_ERAS = 40
REMEMBERED_SECONDS = 3.0

Density = tuple[dict[int, int], dict[int, int]]
_density: dict[Owner, tuple[float, Density]] = {}
_lock = Lock()


def controls(visit: Visit, place: Place) -> Html:
    words, owner = visit.words, visit.owner(place)
    first, last = _span(visit, owner)
    chosen = min(max((_at(visit, place) // DAY_MS), first), last)
    day = visit.day(chosen * DAY_MS)
    days = {"min": 0, "max": max(1, last - first), "value": chosen - first, "data_first": first}
    slider = el(
        "label.field.wide",
        el("span", words("timeline.as_of"), " ", el("output", day, for_="as-of")),
        el("input", type="range", id="as-of", name="at", aria_label=words("timeline.slider"), **days),
    )
    differ = [
        text_field("from", words("timeline.from"), place.get("from"), "date"),
        text_field("to", words("timeline.to"), place.get("to"), "date"),
    ]
    return live_form(place, slider, whose(visit, owner), *differ, label=words("nav.timeline"))


def content(visit: Visit, place: Place) -> Shown:
    words, owner = visit.words, visit.owner(place)
    told, ended = _weeks(visit, owner)
    if not told:
        return Shown(empty(words("timeline.empty"), words("timeline.empty_text")))
    begin, end = visit.moment(place.get("from")), visit.moment(place.get("to"), end=True)
    at = _at(visit, place)
    parts: list[object] = []
    if begin is not None and end is not None and begin < end:
        parts.append(_difference(visit, place, owner, begin, end))
    parts += [_held(visit, place, owner, at), _eras(visit, place, owner), _as_table(visit, told, ended)]
    return Shown(el("div", parts), _chart(visit, told, ended, at))


def _at(visit: Visit, place: Place) -> int:
    """The end of the day that is looked at; today's, if the address says nothing else."""
    moment = visit.moment(place.get("at"), end=True)
    return visit.engine.clock.now() if moment is None else moment


def _span(visit: Visit, owner: Owner) -> tuple[int, int]:
    """The first and the last day, in days since the epoch."""
    told, _ = _weeks(visit, owner)
    today = visit.engine.clock.now() // DAY_MS
    return (min(told) * WEEK // DAY_MS if told else today - 1), today


def _weeks(visit: Visit, owner: Owner) -> Density:
    """How much was learnt and how much ended in each week. Remembered for a moment: a slider asks at each step."""
    now = time.monotonic()
    with _lock:
        for one in [one for one, (made, _) in _density.items() if now - made > REMEMBERED_SECONDS]:
            del _density[one]
        if owner in _density:
            return _density[owner][1]
    where = Where(owner, _stating(owner))
    overview = visit.engine.index.overview
    found = overview.density(where, WEEK), overview.density(where, WEEK, ended=True)
    with _lock:
        _density[owner] = (now, found)
    return found


def _stating(owner: Owner) -> tuple[str, ...]:
    return kinds_where(lambda one: one.states and one.track == owner.track)


def _held(visit: Visit, place: Place, owner: Owner, at: int) -> Html:
    words, engine = visit.words, visit.engine
    page = place.number("page", 1)
    found = memory.held(engine, owner, at, page=page, page_size=PAGE)
    begin = at - WEEK
    week = AllOf((Predicate("timestamp", "gt", begin), Predicate("timestamp", "lte", at)))
    learnt = engine.index.rows.page(Where(owner, _stating(owner), week), limit=AROUND)
    ended = engine.index.overview.ended(Where(owner, _stating(owner)), begin, at, AROUND)
    day = visit.day(at)
    held = [
        el("h2", words("timeline.held", day=day, count=f"{found.total:,}")),
        lines(visit, place, found.rows, at=at) if found.rows else el("p.hint", words("timeline.held_none")),
        pages(visit, place, page, PAGE, found.total),
    ]
    beside = [
        el("h2", words("timeline.learnt", count=f"{learnt.total:,}")),
        lines(visit, place, learnt.rows, at=at) if learnt.rows else el("p.hint", words("timeline.learnt_none")),
        el("h2", words("timeline.ended", count=len(ended))),
        lines(visit, place, ended, at=at) if ended else el("p.hint", words("timeline.ended_none")),
    ]
    return el(
        "div.columns",
        el("section", held, aria_label=words("timeline.held_label")),
        el("section", beside, aria_label=words("timeline.around")),
    )


def _difference(visit: Visit, place: Place, owner: Owner, begin: int, end: int) -> Html:
    words, engine = visit.words, visit.engine
    span = AllOf((Predicate("timestamp", "gt", begin), Predicate("timestamp", "lte", end)))
    new = engine.index.rows.page(Where(owner, _stating(owner), span, valid_at=end), limit=100)
    gone = engine.index.overview.ended(
        Where(owner, _stating(owner), Predicate("timestamp", "lte", begin)), begin, end, 100
    )
    later = memory.successors(engine, gone)

    def ended(row: IndexedMemory) -> Html:
        by = later.get(row.key)
        return el("li", el("del", "− ", statement(row)), [" → ", link(visit, place, by)] if by else None)

    body = [ended(row) for row in gone] + [
        el("li", el("ins", "+ ", statement(row)), " ", link(visit, place, row, "↗")) for row in new.rows
    ]
    title = words("timeline.difference", begin=visit.day(begin), end=visit.day(end))
    told = words("timeline.difference_count", new=f"{new.total:,}", gone=len(gone))
    return el("section.card", el("h2", title), el("p.meta", told), el("ul.diff", body), aria_label=title)


def _eras(visit: Visit, place: Place, owner: Owner) -> Html | None:
    """What one thing was one after the other: where somebody lived, what they worked as."""
    rows, now = visit.engine.index.rows, visit.engine.clock.now()
    over = (
        visit.engine.index.overview.ended(Where(owner, ("fact",)), 0, now, MOST_ERAS) if owner.track == "user" else []
    )
    slots = list(dict.fromkeys(row.slot for row in over if row.slot))
    told = rows.in_slot(owner, "fact", *slots) if slots else []
    body = [
        [
            el("th", row.slot.partition(": ")[2] or row.slot, scope="row"),
            link(visit, place, row),
            when(visit, row.validity.start or row.timestamp, age=False),
            when(visit, row.validity.end, age=False) if row.validity.end else visit.words("timeline.today"),
        ]
        for slot in slots
        if len(eras := [row for row in told if row.slot == slot and alone(row)]) > 1
        for row in eras
    ]
    heads = [visit.words(f"timeline.era_{name}") for name in ("what", "said", "from", "until")]
    return table(visit.words("timeline.eras"), heads, body) if body else None


def _chart(visit: Visit, told: Mapping[int, int], ended: Mapping[int, int], at: int) -> dict[str, Json]:
    weeks = range(min(told), max(*told, *ended, visit.engine.clock.now() // WEEK) + 1)
    ink, grid = ("#a3adbb", "#2d3440") if visit.dark else ("#566070", "#dfe3e9")
    here = visit.day(min(max(at // WEEK, weeks[0]), weeks[-1]) * WEEK)
    label, line = {"color": ink}, {"color": "#e8590c", "width": 2}
    mark = {"symbol": "none", "silent": True, "lineStyle": line, "label": {"show": False}, "data": [{"xAxis": here}]}
    bars = {"type": "bar", "barGap": "0%", "barMaxWidth": 28}
    learnt = {**bars, "name": visit.words("timeline.told"), "data": [told.get(week, 0) for week in weeks]}
    over = {**bars, "name": visit.words("timeline.over"), "data": [ended.get(week, 0) for week in weeks]}
    return {
        "animation": False,
        "textStyle": {"fontFamily": "system-ui, sans-serif"},
        "color": ["#4c6ef5", "#c08497"],
        "legend": {"top": 0, "textStyle": label},
        "grid": {"left": 40, "right": 12, "top": 30, "bottom": 56},
        "tooltip": {"trigger": "axis", "renderMode": "richText"},
        "dataZoom": [{"type": "slider", "height": 18, "bottom": 6}, {"type": "inside"}],
        "xAxis": {"type": "category", "data": [visit.day(week * WEEK) for week in weeks], "axisLabel": label},
        "yAxis": {"minInterval": 1, "axisLabel": label, "splitLine": {"lineStyle": {"color": grid}}},
        "series": [{**learnt, "markLine": mark}, over],
    }


def _as_table(visit: Visit, told: Mapping[int, int], ended: Mapping[int, int]) -> Html:
    words = visit.words
    weeks = sorted({*told, *ended}, reverse=True)
    body = [
        [
            el("th", visit.day(week * WEEK), scope="row"),
            el("td.number", f"{told.get(week, 0):,}"),
            el("td.number", f"{ended.get(week, 0):,}"),
        ]
        for week in weeks
    ]
    heads = [words("timeline.week"), words("timeline.told"), words("timeline.over")]
    return el("details", el("summary", words("timeline.table")), table(words("timeline.table"), heads, body))


VIEW = View("timeline", content, controls)
