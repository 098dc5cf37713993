"""One memory: what it says, the words it rests on, who wrote it, what it replaced and was replaced by, and its file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everlore import memory
from everlore.kinds.episode import parse_turns, turn_moment
from everlore.kinds.registry import kind, parts_of
from everlore.surfaces.page.markup import Html, el
from everlore.surfaces.page.views.base import Shown
from everlore.surfaces.page.views.changing import buttons
from everlore.surfaces.page.views.parts import ago, chip, lines, link, of_kind, pairs, prose, statement, when
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import IndexedMemory


def content(visit: Visit, place: Place) -> Shown:
    owner = visit.owner_of(place.get("owner")) if place.get("owner") else visit.owner(place)
    stored = memory.named(visit.engine, owner, place.name)
    title = statement(stored) or stored.key.public_id
    body = [
        el("p.meta", of_kind(visit, stored.key.kind), when(visit, stored.timestamp), chip(visit, stored)),
        el("h1", title),
        buttons(visit, stored),
        el(
            "div.columns", el("section", list(_says(visit, stored))), el("section", list(_around(visit, place, stored)))
        ),
    ]
    return Shown(el("article", body), title=title)


def _says(visit: Visit, stored: IndexedMemory) -> Iterator[Html | None]:
    words, source = visit.words, _source(visit, stored)
    if stored.key.kind == "episode":
        yield el("p", str(stored.data["summary"]))
        yield _turns(visit, stored)
        return
    yield el("div.card", prose(kind(stored.key.kind).text(stored.data)))
    if source is not None:
        turn = int(str(stored.data.get("turn", -1)))
        yield el("h2", words("memory.rests_on"))
        yield _turns(visit, source, turn)


def _turns(visit: Visit, episode: IndexedMemory, marked: int | None = None) -> Html:
    """The talk itself; of a fact, the turn it came from with its neighbours."""
    opening, turns = parse_turns(str(episode.data["episode"]))
    shown: list[Html] = []
    for number, turn in enumerate(turns):
        if marked is not None and abs(number - marked) > 1:
            continue
        moment = turn_moment(episode.timestamp, turn.time)
        head = el("p.meta", el("span.who", turn.speaker), when(visit, moment, age=False), turn.time)
        shown.append(el("div.turn" + (".source" if number == marked else ""), head, prose(turn.text)))
    return el("div", shown or prose(opening))


def _around(visit: Visit, place: Place, stored: IndexedMemory) -> Iterator[Html | None]:
    words, engine = visit.words, visit.engine
    yield el("h2", words("memory.about"))
    yield pairs(_facts_about(visit, place, stored))
    chain = memory.history(engine, stored.key.owner, stored.key.public_id) if kind(stored.key.kind).states else []
    if len(chain) > 1:
        yield el("h2", words("memory.chain"))
        yield lines(visit, place, chain)
    parts = _parts(visit, stored)
    if parts:
        yield el("h2", words("memory.parts", count=len(parts)))
        yield lines(visit, place, parts)


def _facts_about(visit: Visit, place: Place, stored: IndexedMemory) -> Iterator[tuple[object, object]]:
    words, data, key = visit.words, stored.data, stored.key
    yield words("memory.id"), el("code", key.public_id)
    yield words("memory.owner"), visit.called(key.owner)
    yield words("memory.told_by"), ", ".join(stored.sender_ids)
    yield words("memory.written_by"), _writer(visit, stored)
    told = place.to("memories", owner=visit.code_of(key.owner), session=stored.session_id)
    yield words("memory.session"), el("a", stored.session_id, href=told) if stored.session_id else ""
    yield words("memory.project"), stored.project if stored.project != "*" else words("memory.everywhere")
    if (source := _source(visit, stored)) is not None:
        yield words("memory.talk"), link(visit, place, source)
    yield words("memory.from"), visit.day(stored.validity.start)
    yield words("memory.until"), visit.day(stored.validity.end)
    yield words("memory.reason"), str(data.get("invalidation_reason") or "")
    after = memory.successors(visit.engine, [stored]).get(key)
    yield words("memory.replaced_by"), link(visit, place, after) if after else ""
    yield words("memory.slot"), stored.slot if key.kind == "fact" else ""
    yield words("memory.file"), el("code", stored.path)
    yield words("memory.written"), when(visit, stored.updated)
    used = visit.state.feed.last_used(key.global_id)
    if used is not None:
        yield words("memory.used"), f"{ago(visit, visit.engine.clock.now() - used.at)} · {used.by}: {used.what}"


def _writer(visit: Visit, stored: IndexedMemory) -> str:
    """A person, a model, or Everlore's own reading of what was said."""
    reviewed = str(stored.data.get("reviewed_by") or "")
    if reviewed:
        return visit.words("memory.reviewed", who=reviewed)
    return visit.words("memory.extracted" if stored.parent_id else "memory.by_hand")


def _source(visit: Visit, stored: IndexedMemory) -> IndexedMemory | None:
    """The talk that a fact came from."""
    found = list(visit.engine.index.search.episodes_of([stored.id]).values()) if stored.parent_id else []
    rows = visit.engine.index.rows.stored(found)
    return next((row for row in rows.values() if row.key != stored.key), None)


def _parts(visit: Visit, stored: IndexedMemory) -> Sequence[IndexedMemory]:
    names = [name for name in parts_of(stored.key.kind) if name != "review"]
    rows = visit.engine.index.rows
    return [row for name in names for row in rows.children(stored.key.owner, name, [stored.parent_id])]
