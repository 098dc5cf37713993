"""Ask: the sentences that answer, why in this order, two recipes side by side, and what an agent would get."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from everlore.search import METHODS, Hit, Passage, Query, recall
from everlore.search.query import Recall
from everlore.search.recipes import Method
from everlore.surfaces.contracts.everme import markdown, reading
from everlore.surfaces.contracts.everme.reading import Person
from everlore.surfaces.page.markup import Html, el, join, marked, table
from everlore.surfaces.page.views.base import Shown, View
from everlore.surfaces.page.views.parts import (
    choice,
    clipped,
    empty,
    kept,
    link,
    live_form,
    of_kind,
    search_field,
    statement,
    text_field,
    validity,
    when,
    whose,
)
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import Owner, Predicate

HITS = 10
SHOWN = ("answers", "why", "agent")
CONTEXT_TOKENS = 800
STEPS = (
    ("graph", "graph"),
    ("name", "graph"),
    ("ended", "supersession"),
    ("holds now", "supersession"),
    ("time", "time"),
)
"""What a step of the trace belongs to, by words of its reason."""


def controls(visit: Visit, place: Place) -> Html:
    words = visit.words
    methods = [(name, words(f"ask.{name}")) for name in get_args(Method)]
    return live_form(
        place,
        search_field(visit, place, "ask.label", aria_keyshortcuts="/", maxlength=500),
        whose(visit, visit.owner(place)),
        choice("how", words("ask.how"), methods, place.get("how", "hybrid")),
        choice("beside", words("ask.beside"), [("", words("ask.nothing_beside")), *methods], place.get("beside")),
        text_field("project", words("ask.project"), place.get("project"), placeholder=words("ask.any")),
        text_field("at", words("ask.at"), place.get("at"), "date"),
        kept(place, "show"),
        label=words("nav.ask"),
    )


def content(visit: Visit, place: Place) -> Shown:
    question, words, owner = place.get("q").strip(), visit.words, visit.owner(place)
    if not question:
        examples = [el("li", el("a", one, href=place.but(q=one))) for one in words("ask.examples").split("|")]
        known = visit.engine.index.rows.owners(owner.scope)
        title = "ask.empty" if known else "ask.nothing_known"
        return Shown(empty(words(title), words(f"{title}_text"), el("ul.examples", examples)))
    shown = _show(place)
    links = [
        el("a", words(f"ask.{name}"), href=place.but(show=name), aria_current="true" if shown == name else None)
        for name in SHOWN
    ]
    tabs = el("nav.tabs", links, aria_label=words("ask.shown_as"))
    if shown == "agent":
        return Shown(el("div", tabs, _for_agent(visit, owner, question)))
    columns = [_column(visit, place, owner, question, name) for name in _methods(place)]
    return Shown(el("div", tabs, el("div.columns" if len(columns) > 1 else "div", columns)))


def _show(place: Place) -> str:
    return place.get("show") if place.get("show") in SHOWN else SHOWN[0]


def _methods(place: Place) -> list[Method]:
    named = (place.get("how", "hybrid"), place.get("beside"))
    found: list[Method] = [name for name in METHODS if name in named]
    return sorted(found, key=named.index) or ["hybrid"]


def _column(visit: Visit, place: Place, owner: Owner, question: str, method: Method) -> Html:
    words, why = visit.words, _show(place) == "why"
    at = visit.moment(place.get("at"), end=True)
    query = Query(
        owner,
        question,
        top_k=HITS,
        explain=True,
        project=place.get("project") or None,
        filter=None if at is None else Predicate("timestamp", "lte", at),
    )
    found = recall(visit.engine, query, METHODS[method].but(method, floor="told"))
    hits = sorted(found.best, key=lambda hit: -hit.score)[:HITS]
    count = len(hits) if why else sum(hit.fits for hit in hits)
    told = words("ask.found", count=count, ms=round(found.trace["total_ms"]), method=words(f"ask.{method}"))
    if why and hits:
        body = _waterfall(visit, place, found, hits)
    else:
        body = _answers(visit, [(hit, _hit(visit, place, hit, question, at)) for hit in hits])
    note = el("p.note", found.trace["note"]) if found.trace.get("note") else None
    return el("section", el("p.meta", told), note, body, aria_label=words(f"ask.{method}"))


def _answers(visit: Visit, hits: Sequence[tuple[Hit, Html]]) -> Html:
    """What fits, and folded below it what is merely the nearest that there is."""
    words = visit.words
    about, less = ([one for hit, one in hits if hit.fits is wanted] for wanted in (True, False))
    shown = el("ol.hits", about) if about else empty(words("ask.none"), words("ask.none_text"))
    folded = el("summary", words("ask.less", count=len(less))), el("ol.hits", less)
    return el("div", shown, el("details", folded) if less else None)


def _hit(visit: Visit, place: Place, hit: Hit, question: str, at: int | None) -> Html:
    stored = hit.stored
    said = hit.passages or (
        Passage(statement(stored), hit.score, 0, "", stored.timestamp, stored.timestamp, stored.validity.end),
    )
    now = visit.engine.clock.now() if at is None else at
    return el(
        "li.hit",
        [_passage(visit, one, question, now) for one in said],
        el(
            "p.meta",
            of_kind(visit, stored.key.kind),
            link(visit, place, stored),
            el("span.score", f"{hit.score:.2f}", title=visit.words("ask.score")),
        ),
    )


def _passage(visit: Visit, one: Passage, question: str, now: int) -> Html:
    past = one.valid_until is not None and one.valid_until <= now
    instead = el("span.instead", "→ ", one.ended_by) if past and one.ended_by else None
    return el(
        "div.passage" + (".past" if past else ""),
        el("p.say", marked(one.text, question)),
        el(
            "p.meta",
            el("span.who", one.speaker) if one.speaker else None,
            when(visit, one.time),
            validity(visit, one.valid_from, one.valid_until, now),
            instead,
        ),
    )


def _waterfall(visit: Visit, place: Place, found: Recall, hits: Sequence[Hit]) -> Html:
    """Of every hit what each kind of evidence gave or took, so that a line adds up to its score."""
    words = visit.words
    weights = found.trace["weights"]
    results = {one["id"]: one for stage in found.trace["stages"] for one in stage["results"]}
    names = ("words", "meaning", "roll_up", "graph", "time", "supersession", "other")
    rows, charts = [], []
    for number, hit in enumerate(hits, 1):
        result = results[hit.stored.key.public_id]
        shares = dict.fromkeys(names, 0.0)
        for name, share in _shares(result, weights):
            shares[name] += share
        linked = link(visit, place, hit.stored, clipped(statement(hit.stored), 60))
        numbers = [el("td.number", f"{shares[name]:+.3f}" if abs(shares[name]) >= 5e-4 else "0") for name in names]
        rows.append(
            [el("th", f"{number}. ", linked, scope="row"), *numbers, el("td.number", el("b", f"{hit.score:.3f}"))]
        )
        charts.append(_bars(words("ask.adds_up", number=number, score=f"{hit.score:.3f}"), shares))
    keys = [join([el(f"span.swatch.{name}", aria_hidden="true"), words(f"ask.by_{name}")]) for name in names]
    heads = ["", *keys, words("ask.score")]
    drawn = el("ol.waterfalls", [el("li", bar) for bar in charts], aria_hidden="true")
    stages = [_stage(visit, stage) for stage in found.trace["stages"]]
    return el("div", el("p.hint", words("ask.why_text")), table(words("ask.why_caption"), heads, rows), drawn, stages)


def _shares(result: Mapping[str, Any], weights: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """What the best turn's words and meaning gave, what its other turns added, and what each later step changed."""
    steps, score, before = result["steps"], float(result["score"]), 0.0
    if result["turns"]:
        shares = [_of_turn(turn, weights) for turn in result["turns"]]
        words, meaning = max(
            shares, key=sum
        )  # as they stand by themselves: one may have taken over the score of another
        yield "words", words
        yield "meaning", meaning
        before = words + meaning
    for number, step in enumerate(steps):
        yield ("roll_up" if not number else _belongs(step["why"])), step["score"] - before
        before = step["score"]
    yield "other", score - before


def _of_turn(turn: Mapping[str, Any], weights: Mapping[str, float]) -> tuple[float, float]:
    if "cosine" in weights:
        return 0.0, turn["cosine"]
    said = weights.get("assistant", 1.0) if turn.get("assistant") else 1.0
    return said * weights.get("text", 0.0) * turn["text"], said * weights.get("meaning", 0.0) * turn["meaning"]


def _belongs(why: str) -> str:
    return next((name for words, name in STEPS if words in why.lower()), "other")


def _bars(label: str, shares: Mapping[str, float]) -> Html:
    parts, at = [], 0.0
    for name, share in shares.items():
        begin, end = sorted((at, at + share))
        at += share
        if abs(share) >= 5e-4:
            less = ".less" if share < 0 else ""
            parts.append(el(f"span.bar.{name}{less}", style=f"left:{begin:.1%};width:{end - begin:.1%}"))
    return el("div.waterfall", parts, title=label)


def _stage(visit: Visit, stage: Mapping[str, Any]) -> Html:
    words = visit.words
    counted = ("text_candidates", "dense_candidates", "units_scored", "graph_nodes", "memories_found", "returned")
    items = [el("li", f"{words(f'ask.{name}')}: ", el("b", f"{stage[name] or 0:,}")) for name in counted]
    return el("details", el("summary", words("ask.stage", kind=words.named("kinds", stage["kind"]))), el("ul", items))


def _for_agent(visit: Visit, owner: Owner, question: str) -> Html:
    """The very text that hooks and tools give to an agent."""
    person = Person(owner.scope, owner.id, owner.id)
    text = str(reading.context(visit.engine, person, question, CONTEXT_TOKENS)["context"])
    if not text.strip():
        return empty(visit.words("ask.agent_none"), visit.words("ask.agent_none_text"))
    told = visit.words("ask.tokens", count=markdown.tokens(text), most=CONTEXT_TOKENS)
    return el("section", el("p.meta", told), el("pre.context", text, tabindex="0"), aria_label=visit.words("ask.agent"))


VIEW = View("ask", content, controls)
