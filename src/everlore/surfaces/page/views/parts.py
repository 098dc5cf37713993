"""What several views are made of: chips, links, sentences, forms, and how moments and numbers are told."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markdown2 import markdown

from everlore.clock import DAY_MS
from everlore.kinds.registry import kind
from everlore.surfaces.page.markup import Html, el, marked
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import IndexedMemory, Owner

SPANS = ((365, "years"), (30, "months"), (7, "weeks"), (1, "days"))
SHORT = 240
_IMAGE = re.compile(r'<img src="[^"<>]*" alt="([^"<>]*)"[^<>]*>')
"""Nothing is fetched because a memory names it: of a picture its name is shown."""
UNITS = ("B", "kB", "MB", "GB", "TB")


def prose(text: str) -> Html:
    """Markdown of a memory. HTML in it is shown as text; what is left is sanitised once more in the browser."""
    made = markdown(text, safe_mode="escape", extras=["fenced-code-blocks", "tables", "cuddled-lists"])
    return el("div.prose", Html(_IMAGE.sub(r"[\1]", made)))


def statement(stored: IndexedMemory) -> str:
    """What a memory says, in one line."""
    data, spec = stored.data, kind(stored.key.kind)
    text = str(data.get("subject") or data.get("name") or data.get(spec.statement) or "")
    return " ".join(text.split())


def clipped(text: str, most: int = SHORT) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def chip(visit: Visit, stored: IndexedMemory, at: int | None = None) -> Html:
    """Whether it holds, or held at a moment that is asked for."""
    now = visit.engine.clock.now() if at is None else at
    return validity(visit, stored.validity.start, stored.validity.end, now)


def validity(visit: Visit, start: int | None, end: int | None, now: int) -> Html:
    if end is not None and end <= now:
        return el("span.chip.past", visit.words("common.ended", day=visit.day(end)))
    if start is not None and start > now:
        return el("span.chip.coming", visit.words("common.from", day=visit.day(start)))
    if end is not None:
        return el("span.chip.until", visit.words("common.until", day=visit.day(end)))
    return el("span.chip.holds", visit.words("common.holds"))


def of_kind(visit: Visit, name: str) -> Html:
    return el(f"span.kind.{name}", visit.words.named("kinds", name))


def when(visit: Visit, ms: int, *, age: bool = True) -> Html:
    told = visit.day(ms)
    if age:
        told += f" · {ago(visit, visit.engine.clock.now() - ms)}"
    return el("time", told, datetime=visit.engine.clock.show(ms))


def ago(visit: Visit, ms: int) -> str:
    days = ms // DAY_MS
    for size, name in SPANS:
        if days >= size:
            number = days // size
            return visit.words(f"ago.{name}" if number > 1 else f"ago.{name[:-1]}", number=number)
    return visit.words("ago.today" if days == 0 else "ago.coming")


def link(visit: Visit, place: Place, stored: IndexedMemory, text: str = "") -> Html:
    return el("a", text or clipped(statement(stored), 90) or stored.key.public_id, href=visit.link(place, stored))


def line(visit: Visit, place: Place, stored: IndexedMemory, query: str = "", at: int | None = None) -> Html:
    """A memory in a list."""
    past = stored.validity.end is not None and stored.validity.end <= (visit.engine.clock.now() if at is None else at)
    said = el("p.say", el("a", marked(clipped(statement(stored)), query), href=visit.link(place, stored)))
    about = el("p.meta", of_kind(visit, stored.key.kind), when(visit, stored.timestamp), chip(visit, stored, at))
    return el("li.line" + (".past" if past else ""), said, about)


def lines(visit: Visit, place: Place, rows: Iterable[IndexedMemory], query: str = "", at: int | None = None) -> Html:
    return el("ul.lines", [line(visit, place, row, query, at) for row in rows])


def empty(title: str, text: str, *more: object) -> Html:
    """What there would be, and how to come by it: commands stand between backticks."""
    said = [el("code", part) if at % 2 else part for at, part in enumerate(text.split("`"))]
    return el("div.empty", el("p.big", title), el("p", said), *more)


def section(title: str, *body: object, name: str = "section", hint: str = "") -> Html:
    told = el("p.hint", hint) if hint else None
    return el(name, el("h2", title), told, *body, aria_label=title)


def button(text: str, do: str, *, cls: str = "", label: str = "", of: str = "", **data: object) -> Html:
    """`of`: to what it is done, for who does not see what it stands beside."""
    named = {f"data_{name}": value for name, value in data.items()}
    label = f"{text}: {of}" if of else label
    return el(f"button{cls}", text, type="button", data_do=do, aria_label=label or None, **named)


def choice(name: str, label: str, options: Iterable[tuple[str, str]], chosen: str) -> Html:
    made = [el("option", text, value=value, selected=value == chosen) for value, text in options]
    return el("label.field", el("span", label), el("select", made, name=name))


def text_field(name: str, label: str, value: str = "", kind: str = "text", **more: object) -> Html:
    return el("label.field", el("span", label), el("input", type=kind, name=name, value=value, **more))


def area(name: str, label: str, value: str = "", rows: int = 6, **more: object) -> Html:
    return el("label.field.wide", el("span", label), el("textarea", value, name=name, rows=rows, **more))


def kept(place: Place, *names: str) -> list[Html]:
    """What of the address a form sends along unchanged."""
    return [el("input", type="hidden", name=name, value=place.get(name)) for name in names if place.get(name)]


def whose(visit: Visit, owner: Owner) -> Html:
    """The choice of the owner: of the track that this view shows."""
    known = [one for one, _ in visit.owners(owner.track)]
    options = [(visit.code_of(one), visit.called(one)) for one in ([] if owner in known else [owner]) + known]
    label = visit.words("common.owner" if owner.track == "user" else "common.agent")
    return choice("owner", label, options, visit.code_of(owner))


def live_form(place: Place, *fields: object, label: str) -> Html:
    """What is typed or chosen here becomes the address, and the content follows it."""
    path = place.to(place.view, place.name).partition("?")[0]
    return el("form.controls", *fields, data_live=path, role="search", aria_label=label)


def pages(visit: Visit, place: Place, page: int, size: int, total: int) -> Html | None:
    last = max(1, -(-total // size))
    if last == 1:
        return None
    words = visit.words
    back = el("a.button", words("common.newer"), href=place.but(page=page - 1), rel="prev") if page > 1 else None
    on = el("a.button", words("common.older"), href=place.but(page=page + 1), rel="next") if page < last else None
    told = el("span", words("common.page", page=page, last=last, total=f"{total:,}"))
    return el("nav.pages", back, told, on, aria_label=words("common.pages"))


def pairs(items: Iterable[tuple[object, object]]) -> Html:
    return el("dl.pairs", [[el("dt", name), el("dd", value)] for name, value in items if value not in (None, "")])


def search_field(visit: Visit, place: Place, name: str, **more: object) -> Html:
    """Where words are written, with the label `<name>` and the hint `<name>_hint`."""
    hint = visit.words(f"{name}_hint")
    box = el("input", type="search", name="q", value=place.get("q"), autocomplete="off", placeholder=hint, **more)
    return el("label.field.search", el("span", visit.words(name)), box)


def dialog(visit: Visit, title: str, *body: object) -> Html:
    close = button("×", "close", cls=".quiet.close", label=visit.words("common.close"))
    return el("div.dialog", el("header", el("h2", title, id="dialog-title"), close), *body)


def form(do: str, *body: object, **data: object) -> Html:
    named = {f"data_{name}": value for name, value in data.items()}
    return el("form.stack", *body, data_do=do, **named)


def size(count: float) -> str:
    for unit in UNITS:
        if count < 1000 or unit == UNITS[-1]:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1000
    return ""
