"""Live: what is being told, extracted, indexed and recalled, as it happens; what waits; what was slow."""

from __future__ import annotations

from everlore.kinds.registry import kinds_where
from everlore.surfaces.http.feed import SLOW_MS, Event, visible
from everlore.surfaces.page.markup import Html, el, table
from everlore.surfaces.page.views.base import Shown, View
from everlore.surfaces.page.views.parts import clipped, empty, link, of_kind, section, statement
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import IndexedMemory, Where

RECENT_MS = 24 * 3600 * 1000
SHOWN = 25


def content(visit: Visit, place: Place) -> Shown:
    words = visit.words
    learnt, events = recent(visit, SHOWN), seen(visit)
    asked = [event for event in events if event.kind == "recall"][-SHOWN:]
    requests = [event for event in events if event.kind == "request"][-SHOWN:]
    body = [
        _figures(visit),
        el("div.columns", _learnt(visit, place, learnt), _asked(visit, asked)),
        _requests(visit, requests),
    ]
    if not learnt and not events:
        body.append(empty(words("live.empty"), words("live.empty_text")))
    return Shown(el("div", body))


def recent(visit: Visit, most: int) -> list[IndexedMemory]:
    """What was written to the vault last, by whatever process."""
    kinds = kinds_where(lambda one: one.name != "review")
    since = visit.engine.clock.now() - RECENT_MS
    rows = visit.engine.index.overview.changed(Where(None, kinds), since, most if visit.is_owner else most * 20)
    return [row for row in rows if visit.sees(row.key.owner.scope)][:most]


def seen(visit: Visit) -> list[Event]:
    """What of the feed is theirs."""
    return [event for event in visit.state.feed.since(0) if visible(event, visit.who)]


def _figures(visit: Visit) -> Html | None:
    """Of the vault as a whole, so for its owner alone."""
    if not visit.is_owner:
        return None
    words, engine = visit.words, visit.engine
    status = engine.index.upkeep.status()
    embedded = 100 * (status.units - status.unembedded) // status.units if status.units else 100
    figures = [
        ("live.waiting", f"{engine.buffer.count():,}", words("live.messages")),
        ("live.queued", f"{status.queued:,}", words("live.files")),
        ("live.embedded", f"{embedded} %", words("live.pieces", count=f"{status.units:,}")),
        ("live.memories", f"{sum(status.rows.values()):,}", words("live.in_files", count=f"{status.files:,}")),
    ]
    cards = [
        el("li.card", el("span.meta", words(name)), el("span.figure", number), el("span.meta", unit))
        for name, number, unit in figures
    ]
    return el("ul.cards", cards, aria_label=words("live.figures"))


def _time(visit: Visit, ms: int) -> Html:
    return el("time", f"{visit.engine.clock.local(ms):%H:%M:%S}", datetime=visit.engine.clock.show(ms))


def _learnt(visit: Visit, place: Place, rows: list[IndexedMemory]) -> Html:
    items = [
        el(
            "li.line",
            el("p.say", link(visit, place, row, clipped(statement(row), 140))),
            el("p.meta", _time(visit, row.updated), of_kind(visit, row.key.kind), visit.called(row.key.owner)),
        )
        for row in rows
    ]
    told = el("ul.lines", items) if items else el("p.hint", visit.words("live.learnt_none"))
    return section(visit.words("live.learnt"), told)


def _asked(visit: Visit, events: list[Event]) -> Html:
    words = visit.words
    items = []
    for event in reversed(events):
        given = words("live.given", count=len(event.data["memories"]), recipe=event.data["recipe"])
        about = el("p.meta", _time(visit, event.at), given, visit.called(event.owner) if event.owner else None)
        items.append(el("li.line", el("p.say", event.data["question"]), about))
    return section(words("live.asked"), el("ul.lines", items) if items else el("p.hint", words("live.asked_none")))


def _requests(visit: Visit, events: list[Event]) -> Html | None:
    words = visit.words
    rows = []
    for event in reversed(events):
        data = event.data
        slow = el("span.chip.until", words("live.slow")) if data["ms"] >= SLOW_MS else None
        wrong = el("span.chip.bad", str(data["status"])) if data["status"] >= 400 else str(data["status"])
        asked = el("code", f"{data['method']} {data['route']}")
        rows.append([_time(visit, event.at), asked, wrong, el("td.number", f"{data['ms']:,.0f} ms ", slow)])
    heads = [words(f"live.{name}") for name in ("when", "request", "status", "took")]
    return table(words("live.requests"), heads, rows) if rows else None


VIEW = View("live", content, every=1.5)
