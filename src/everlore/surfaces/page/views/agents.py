"""Agents: what they learnt, as cases and skills with the runs behind them, and what they were given to read."""

from __future__ import annotations

from everlore import memory
from everlore.surfaces.page.markup import Html, el, table
from everlore.surfaces.page.views.base import Shown, View
from everlore.surfaces.page.views.live import seen
from everlore.surfaces.page.views.parts import clipped, empty, link, live_form, pages, prose, when, whose
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import IndexedMemory, Key, Owner

PAGE = 20
SKILLS = 50
GIVEN = 40


def controls(visit: Visit, place: Place) -> Html:
    return live_form(place, whose(visit, visit.owner(place, "agent")), label=visit.words("nav.agents"))


def content(visit: Visit, place: Place) -> Shown:
    words, engine, owner = visit.words, visit.engine, visit.owner(place, "agent")
    page = place.number("page", 1)
    skills = memory.listing(engine, owner, "skill", sort_by="updated", page_size=SKILLS).rows
    cases = memory.listing(engine, owner, "case", page=page, page_size=PAGE)
    given = _given(visit, place)
    if not skills and not cases.total:
        return Shown(el("div", empty(words("agents.empty"), words("agents.empty_text")), given))
    body = [
        el("h2", words("agents.skills", count=len(skills))) if skills else None,
        el("ul.plain", [_skill(visit, place, owner, one) for one in skills]),
        el("h2", words("agents.cases", count=f"{cases.total:,}")),
        _cases(visit, place, cases.rows),
        pages(visit, place, page, PAGE, cases.total),
        given,
    ]
    return Shown(el("div", body))


def _skill(visit: Visit, place: Place, owner: Owner, row: IndexedMemory) -> Html:
    """With the runs that it was learnt from."""
    words, data = visit.words, row.data
    entries = [str(one).removeprefix(f"{owner.id}_") for one in data["source_case_ids"]]
    known = visit.engine.index.rows.find([Key(owner, "case", entry) for entry in entries])
    runs = [el("li", link(visit, place, one), " ", when(visit, one.timestamp)) for one in known.values()]
    sure = words("agents.sure", share=f"{float(data['confidence']):.0%}", ripe=f"{float(data['maturity_score']):.0%}")
    return el(
        "li.card",
        el("h3", link(visit, place, row, str(data["name"]))),
        el("p", clipped(str(data["description"]), 300)),
        el("p.meta", sure),
        el("details", el("summary", words("agents.how")), prose(str(data["content"]))),
        el("details", el("summary", words("agents.runs", count=len(runs))), el("ul", runs)) if runs else None,
    )


def _cases(visit: Visit, place: Place, rows: list[IndexedMemory]) -> Html:
    words = visit.words
    body = []
    for row in rows:
        told = place.to("memories", owner=visit.code_of(row.key.owner), session=row.session_id)
        session = el("a", row.session_id, href=told) if row.session_id else ""
        task, lesson = clipped(str(row.data["task_intent"]), 120), clipped(str(row.data["key_insight"] or ""), 160)
        went = el("td.number", f"{float(row.data['quality_score']):.0%}")
        body.append([link(visit, place, row, task), went, lesson, session, when(visit, row.timestamp, age=False)])
    heads = [words(f"agents.{name}") for name in ("task", "went", "lesson", "session", "when")]
    return table(words("agents.cases_caption"), heads, body)


def _given(visit: Visit, place: Place) -> Html | None:
    """Which memories went into whose context since this server began."""
    words = visit.words
    events = [event for event in seen(visit) if event.kind == "recall" and event.data["memories"]][-GIVEN:]
    if not events:
        return el("section", el("h2", words("agents.given")), el("p.hint", words("agents.given_none")))
    rows = []
    for event in reversed(events):
        owner = event.owner
        linked = [
            [el("a", one, href=place.to("memories", one, owner=visit.code_of(owner))) if owner else one, " "]
            for one in event.data["memories"][:5]
        ]
        how = event.data.get("session") or event.data["recipe"]
        rows.append([when(visit, event.at, age=False), event.data["question"], how, el("td", linked)])
    heads = [words(f"agents.given_{name}") for name in ("when", "question", "how", "what")]
    return el("section", el("h2", words("agents.given")), table(words("agents.given_caption"), heads, rows))


VIEW = View("agents", content, controls)
