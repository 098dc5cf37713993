"""People and things: the graph of names, and a page for each with all that was ever said of it, in order of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from everlore import memory
from everlore.graph.links import NAMES
from everlore.graph.names import name_key
from everlore.kinds.entity import IS
from everlore.kinds.registry import kinds_where, parts_of
from everlore.memory.entities import find_entity, outgoing
from everlore.memory.spoken import Names, names_of, spellings
from everlore.stores.tokens import tokens
from everlore.surfaces.page.graph_layout import layout
from everlore.surfaces.page.markup import Html, el, table
from everlore.surfaces.page.views.base import Shown, View
from everlore.surfaces.page.views.parts import (
    chip,
    choice,
    empty,
    link,
    live_form,
    prose,
    statement,
    text_field,
    when,
    whose,
)
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import IndexedMemory, Json, Owner, Where

USUAL, MOST = 150, 2000
SIZES = (50, 150, 500, MOST)
MEMORIES = 200
NEIGHBOURS = 24
LABELS = 40
COLOURS = ("#4c6ef5", "#0c8599", "#7048e8", "#d6336c", "#e8590c", "#2b8a3e")


def controls(visit: Visit, place: Place) -> Html:
    if place.name:
        return el("p", el("a", visit.words("people.all"), href=place.to("people", owner=place.get("owner"))))
    sizes = choice("most", visit.words("people.most"), [(str(one), f"{one:,}") for one in SIZES], str(_most(place)))
    box = text_field("find", visit.words("people.find"), place.get("find"), "search", autocomplete="off")
    return live_form(place, box, whose(visit, visit.owner(place)), sizes, label=visit.words("nav.people"))


def _most(place: Place) -> int:
    return max(1, place.number("most", USUAL, MOST))


def content(visit: Visit, place: Place) -> Shown:
    words, owner = visit.words, visit.owner(place)
    if place.name:
        return _one(visit, place, owner)
    names = names_of(visit.engine, owner, _most(place))
    if not names.nodes:
        return Shown(empty(words("people.empty"), words("people.empty_text")))
    return Shown(_as_table(visit, place, names), _chart(visit, place, names))


def _chart(visit: Visit, place: Place, names: Names) -> dict[str, Json]:
    nodes = names.nodes
    places = layout(len(nodes), names.edges).round(1).tolist()
    most = max(node.memories for node in nodes)
    ink = "#e8ebf0" if visit.dark else "#191d24"
    find = place.get("find").casefold()
    data = []
    for at, (node, (x, y)) in enumerate(zip(nodes, places, strict=True)):
        meant = not find or find in node.name.casefold()
        data.append({
            "id": str(at), "name": node.name, "value": node.memories, "x": 2 * x, "y": y,
            "symbolSize": round(7 + 30 * (node.memories / most) ** 0.5, 1), "address": place.to("people", node.name),
            "itemStyle": {"color": COLOURS[at % len(COLOURS)], "opacity": 1 if meant else 0.15},
            "label": {"show": at < LABELS and meant},
        })  # fmt: skip
    links = [{"source": str(one), "target": str(other)} for one, other, _ in names.edges]
    line = {"color": "#4a5568" if visit.dark else "#c3cad5", "width": 1, "opacity": 0.5}
    series = {
        "type": "graph", "layout": "none", "roam": True, "data": data, "links": links, "lineStyle": line,
        "label": {"position": "right", "color": ink, "fontSize": 12}, "labelLayout": {"hideOverlap": True},
        "emphasis": {"focus": "adjacency", "label": {"show": True}} if len(nodes) <= 500 else {"disabled": True},
        "silent": False, "progressive": 500, "progressiveThreshold": 800, "scaleLimit": {"min": 0.4, "max": 8},
    }  # fmt: skip
    return {
        "animation": False,
        "tooltip": {"renderMode": "richText"},
        "series": [series],
        "textStyle": {"fontFamily": "system-ui, sans-serif"},
    }


def _as_table(visit: Visit, place: Place, names: Names) -> Html:
    words = visit.words
    beside: list[Counter[int]] = [Counter() for _ in names.nodes]
    for one, other, number in names.edges:
        beside[one][other] += number
        beside[other][one] += number
    find = place.get("find").casefold()
    body = [
        [
            el("th", el("a", node.name, href=place.to("people", node.name)), scope="row"),
            el("td.number", f"{node.memories:,}"),
            ", ".join(names.nodes[other].name for other, _ in beside[at].most_common(4)),
        ]
        for at, node in enumerate(names.nodes)
        if not find or find in node.name.casefold()
    ]
    heads = [words("people.name"), words("people.memories"), words("people.together")]
    return table(words("people.caption", count=f"{len(body):,}"), heads, body)


def _one(visit: Visit, place: Place, owner: Owner) -> Shown:
    words, engine, key = visit.words, visit.engine, name_key(place.name)
    linked = kinds_where(lambda one: one.linked and one.track == owner.track)
    found = engine.index.links.to([key], Where(owner, linked), (NAMES, IS))
    sources = list(engine.index.rows.stored(sorted((one.row for one in found), reverse=True)[:MEMORIES]).values())
    if not sources:
        return Shown(empty(words("people.unknown", name=place.name), words("people.unknown_text")), title=place.name)
    told = sorted(_facts(visit, owner, key, sources), key=lambda row: row.timestamp)
    later = memory.successors(engine, told)
    facts = el("ol.lines", [_fact(visit, place, row, later.get(row.key)) for row in told])
    beside = _neighbours(visit, place, key, [row.id for row in sources])
    page = find_entity(engine, owner, place.name)
    talks = sorted((row for row in sources if row.key.kind != "entity"), key=lambda row: -row.timestamp)
    body = [
        el("h1", place.name),
        _page(visit, place, page) if page else None,
        el("h2", words("people.facts", count=len(told))),
        facts if told else el("p.hint", words("people.facts_none")),
        el("h2", words("people.neighbours")),
        beside,
        el("h2", words("people.sources", count=len(talks))),
        el("ul.plain", [el("li", when(visit, row.timestamp), " ", link(visit, place, row)) for row in talks[:50]]),
    ]
    return Shown(el("article", body), title=place.name)


def _facts(visit: Visit, owner: Owner, key: str, sources: Sequence[IndexedMemory]) -> list[IndexedMemory]:
    """What was stated in these talks with the name in it, also what has ended; and what else states it."""
    wanted = set(key.split())
    stated = [row for row in sources if row.key.kind not in ("episode", "entity")]
    parents = [row.parent_id for row in sources if row.parent_id]
    for part in parts_of("episode") if owner.track == "user" else ():
        if part == "fact":
            stated += visit.engine.index.rows.children(owner, part, parents)
    return [row for row in stated if wanted <= set(tokens(statement(row))) or row.key.kind != "fact"]


def _fact(visit: Visit, place: Place, row: IndexedMemory, by: IndexedMemory | None) -> Html:
    past = row.validity.end is not None and row.validity.end <= visit.engine.clock.now()
    instead = el("span.instead", "→ ", link(visit, place, by)) if by else None
    said = el("p.say", el("a", statement(row), href=visit.link(place, row)))
    return el(
        "li.line" + (".past" if past else ""), said, el("p.meta", when(visit, row.timestamp), chip(visit, row), instead)
    )


def _neighbours(visit: Visit, place: Place, key: str, rows: Sequence[int]) -> Html:
    counted: Counter[str] = Counter()
    where: dict[str, int] = {}
    for row, edge in visit.engine.index.links.of(rows):
        if edge.relation in (NAMES, IS) and edge.target != key and any(map(str.isalpha, edge.target)):
            counted[edge.target] += 1
            where[edge.target] = row
    best = dict(counted.most_common(NEIGHBOURS))
    written = spellings(visit.engine, {name: where[name] for name in best})
    items = [
        el("li", el("a", written.get(name, name), href=place.to("people", written.get(name, name))), f" {number}")
        for name, number in best.items()
    ]
    return el("ul.examples.left", items) if items else el("p.hint", visit.words("people.alone"))


def _page(visit: Visit, place: Place, page: IndexedMemory) -> Html:
    """What somebody wrote of it, and the relations that they gave it."""
    relations = [
        el(
            "li",
            f"{one.type} → ",
            el("a", str(one.end.data["name"]), href=place.to("people", str(one.end.data["name"]))),
        )
        for one in outgoing(visit.engine, page)
    ]
    told = str(page.data.get("description") or "")
    return el(
        "section.card",
        el("p.meta", str(page.data.get("entity_type") or ""), link(visit, place, page, visit.words("people.page"))),
        prose(told) if told else None,
        el("ul.plain", relations) if relations else None,
    )


VIEW = View("people", content, controls)
