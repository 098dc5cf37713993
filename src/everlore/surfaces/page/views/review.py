"""Review: drafts that nobody has looked at, each beside the talk it came from, and statements that contradict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everlore import memory
from everlore.extract.claims import read, speaker_of
from everlore.extract.curation import LINE, SUMMARY, TITLE, Stretch
from everlore.memory.review import episode_named, newest_drafts, stretch_of
from everlore.memory.review import waiting as waiting_for
from everlore.surfaces.page.markup import Html, el
from everlore.surfaces.page.views.base import Did, Shown, View
from everlore.surfaces.page.views.parts import (
    area,
    button,
    clipped,
    empty,
    form,
    line,
    link,
    live_form,
    section,
    statement,
    text_field,
    when,
    whose,
)
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import IndexedMemory, Json, Owner

DRAFTS = 30
CLASHES = 20
REVIEWER = "page"


def controls(visit: Visit, place: Place) -> Html:
    if place.name:
        return el("p", el("a", visit.words("review.all"), href=place.to("review")))
    return live_form(place, whose(visit, visit.owner(place)), label=visit.words("nav.review"))


def content(visit: Visit, place: Place) -> Shown:
    words, owner = visit.words, visit.owner(place)
    if place.name:
        return _draft(visit, place, owner)
    clashes = _clashes(visit, owner)
    drafts = newest_drafts(visit.engine, owner, DRAFTS)
    if not drafts and not clashes:
        return Shown(empty(words("review.empty"), words("review.empty_text")))
    listed = [
        el(
            "li.line",
            el(
                "p.say", el("a", statement(row), href=place.to("review", row.key.public_id, owner=visit.code_of(owner)))
            ),
            el("p.meta", when(visit, row.timestamp), clipped(str(row.data["summary"]), 120)),
        )
        for row in drafts
    ]
    body = [_contradictions(visit, place, clashes) if clashes else None]
    if drafts:
        title = el("h2", words("review.drafts", count=f"{waiting_for(visit.engine, owner):,}"))
        told = title, el("p.hint", words("review.drafts_text")), el("ul.lines", listed)
        body.append(el("section", told, aria_label=words("review.drafts_label")))
    return Shown(el("div", body))


def _clashes(visit: Visit, owner: Owner) -> list[list[IndexedMemory]]:
    """Statements of which only one can hold, and that all do as far as we know."""
    index, found = visit.engine.index, []
    slots = index.overview.doubled(owner, "fact", CLASHES * 2)
    rows = index.rows.in_slot(owner, "fact", *slots) if slots else []
    for slot in slots:
        standing = [row for row in rows if row.slot == slot and row.validity.end is None and alone(row)]
        if len(standing) > 1:
            found.append(standing)
    return found[:CLASHES]


def alone(row: IndexedMemory) -> bool:
    """Whether nothing else can hold beside it: one lives in one place, and likes many things."""
    claim = read(str(row.data["content"]), speaker_of(row.slot))
    return claim is not None and claim.one


def _contradictions(visit: Visit, place: Place, clashes: Sequence[Sequence[IndexedMemory]]) -> Html:
    words = visit.words
    hold, cards = words("review.this_holds"), []
    for rows in clashes:
        ids = " ".join(row.key.public_id for row in rows)
        owner = visit.code_of(rows[0].key.owner)
        choices = [
            el(
                "li",
                link(visit, place, row),
                " ",
                when(visit, row.timestamp),
                " ",
                button(hold, "settle", cls=".small", of=statement(row), holds=row.key.public_id, ids=ids, owner=owner)
                if visit.may_write
                else None,
            )
            for row in rows
        ]
        cards.append(el("li.card", el("h3", rows[0].slot), el("ul", choices)))
    return section(words("review.contradictions"), el("ul.cards", cards), hint=words("review.contradictions_text"))


def _settle(visit: Visit, given: Mapping[str, str]) -> Did:
    """One holds; it takes the place of the others."""
    owner, holds = visit.owner_of(given.get("owner", "")), given.get("holds", "")
    kept = memory.named(visit.engine, owner, holds)
    for id_ in given.get("ids", "").split(" "):
        if id_ != holds:
            memory.invalidate(
                visit.engine, memory.named(visit.engine, owner, id_), visit.words("review.settled_reason"), kept
            )
    return Did(visit.words("review.settled"))


def _draft(visit: Visit, place: Place, owner: Owner) -> Shown:
    words = visit.words
    stored = episode_named(visit.engine, owner, place.name)
    stretch = stretch_of(visit.engine, stored)
    talk = [
        el("div.turn", el("p.meta", el("span.who", turn.speaker), f"{turn.number}"), el("p", turn.text))
        for turn in stretch.turns
    ]
    if stored.data.get("reviewed_by"):
        undo = (
            button(words("review.undo"), "undo-review", id=stored.key.public_id, owner=visit.code_of(owner))
            if visit.may_write
            else None
        )
        rows = visit.engine.index.rows
        standing = [row for row in rows.children(owner, "review", [stored.parent_id]) if row.validity.end is None]
        diff = [el("pre", str(row.data["content"])) for row in standing]
        told = words("review.reviewed", who=str(stored.data["reviewed_by"]))
        side = [
            el("h2", told),
            *diff,
            el("ul.lines", [line(visit, place, row) for row in rows.children(owner, "fact", [stored.parent_id])]),
            undo,
        ]
    else:
        side = [_form(visit, owner, stored, stretch)]
    body = el("div.columns", el("section", el("h2", words("review.talk")), talk), el("section", side))
    return Shown(el("article", el("h1", statement(stored)), body), title=statement(stored))


def _form(visit: Visit, owner: Owner, stored: IndexedMemory, stretch: Stretch) -> Html:
    words = visit.words
    facts = []
    for number, (text, turn) in enumerate(stretch.facts):
        keep, called = words("review.keep", what=text[:80]), words("review.fact", number=number + 1)
        tick = el("input", type="checkbox", name=f"keep:{number}", value="1", checked=True, aria_label=keep)
        box = el("input", type="text", name=f"fact:{number}", value=text, maxlength=LINE, aria_label=called)
        facts.append(el("li", tick, box, el("input", type="hidden", name=f"turn:{number}", value=turn or 1)))
    more = area("more", words("review.more"), "", rows=3, placeholder=words("review.more_hint"))
    named = {"id": stored.key.public_id, "owner": visit.code_of(owner)}
    tools = [
        el("button.main", words("review.accept")),
        button(words("review.try"), "try-review", **named),
        button(words("review.reject"), "forget-form", cls=".danger", **named),
    ]
    return form(
        "accept",
        el("h2", words("review.draft")),
        text_field("heading", words("review.title"), stretch.title[:TITLE], maxlength=TITLE),
        area("summary", words("review.summary"), stretch.summary[:SUMMARY], rows=3, maxlength=SUMMARY),
        el("h3", words("review.facts")),
        el("ul.facts", facts),
        more,
        el("div.actions", tools) if visit.may_write else None,
        **named,
    )


def _reply(given: Mapping[str, str], stretch: Stretch) -> Json:
    """What the person left, changed or added, as a reply that is checked like one of a model."""
    facts = []
    for name in given:
        number = name.removeprefix("fact:")
        if name != number and given.get(f"keep:{number}") and given[name].strip():
            facts.append({"text": given[name].strip(), "turns": [int(given.get(f"turn:{number}", "1"))]})
    own = [turn.number for turn in stretch.turns if turn.role == "user"] or [1]
    facts += [{"text": text.strip(), "turns": own[:50]} for text in given.get("more", "").splitlines() if text.strip()]
    drafted = {"title": (stretch.title, "heading", TITLE), "summary": (stretch.summary, "summary", SUMMARY)}
    told = {name: (text, given.get(field, text).strip(), most) for name, (text, field, most) in drafted.items()}
    left = {name: text if new == text[:most].strip() else new for name, (text, new, most) in told.items()}
    return {"facts": facts, **{name: text for name, text in left.items() if text}}


def _curate(visit: Visit, given: Mapping[str, str], *, dry_run: bool) -> memory.CurationOutcome:
    owner, id_ = visit.owner_of(given.get("owner", "")), given.get("id", "")
    [item] = memory.review(visit.engine, owner, id_=id_)
    try:
        reply = _reply(given, item.stretch)
        reviewer = visit.who.account.name if visit.who else REVIEWER
        return memory.curate(visit.engine, owner, id_, item.lease, reply, reviewer, dry_run=dry_run)
    finally:
        memory.return_drafts(visit.engine, owner, [item])


def _accept(visit: Visit, given: Mapping[str, str]) -> Did:
    done = _curate(visit, given, dry_run=False)
    if done.state != "curated":
        return Did(_refused(visit, done) or visit.words("review.nothing"), wrong=True, fresh=False)
    undo = {"do": "undo-review", "id": given.get("id", ""), "owner": given.get("owner", "")}
    return Did(visit.words("review.accepted") + (f" {_refused(visit, done)}" if done.refused else ""), undo=undo)


def _try(visit: Visit, given: Mapping[str, str]) -> Did:
    """What accepting would change, line by line, and what would not be believed."""
    done = _curate(visit, given, dry_run=True)
    marks = {"+": "ins", "-": "del", "×": "del"}
    lines = [el("li", el(marks.get(one[:1], "span"), one)) for one in done.changes.splitlines()]
    refused = [el("li", f"{one.where}: {one.reason}") for one in done.refused]
    told = [el("h2", visit.words("review.would"), id="dialog-title"), el("ul.diff", lines)]
    told += [el("h3", visit.words("review.refused")), el("ul", refused)] if refused else []
    return Did(dialog=el("div.dialog", told, button(visit.words("common.close"), "close")), fresh=False)


def _refused(visit: Visit, done: memory.CurationOutcome) -> str:
    return (
        visit.words("review.refused_text", reasons="; ".join(f"{one.where}: {one.reason}" for one in done.refused))
        if done.refused
        else ""
    )


def _undo(visit: Visit, given: Mapping[str, str]) -> Did:
    memory.undo_curation(visit.engine, visit.owner_of(given.get("owner", "")), given.get("id", ""))
    return Did(visit.words("review.undone"))


VIEW = View(
    "review", content, controls, {"settle": _settle, "accept": _accept, "try-review": _try, "undo-review": _undo}
)
