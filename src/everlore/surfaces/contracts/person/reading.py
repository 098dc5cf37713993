"""Who asks, and questions that change nothing: searches, lists, single memories, and what is known of the person."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from everlore import memory
from everlore.clock import DAY_MS
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.graph.names import name_key, names
from everlore.kinds.case import CASE
from everlore.kinds.episode import EPISODE
from everlore.kinds.registry import kind, kinds_where, parts_of
from everlore.memory.spoken import spoken_of
from everlore.project import JOINT, Project
from everlore.search import Hit, Passage, Query, recall
from everlore.search.recipes import PERSON
from everlore.stores.tokens import query_terms, tokens
from everlore.types import PERSONAL, IndexedMemory, Json, Owner, Predicate, Where

MOST = 1000
TOLD = 5
"""Lines that say who somebody is."""
WHO = ("identity", "home", "work", "family", "preference", "health", "goal")
"""What they are of, in this order."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks. `project` is the one whose folder they are in."""

    engine: Engine
    owner: Owner
    project: Project | None = None

    def named(self, public_id: str) -> IndexedMemory:
        """A memory of theirs, or of an agent that works in the same scope."""
        agents = [one for one in others(self) if one.track == "agent" and public_id.startswith(f"{one.id}_")]
        for owner in (self.owner, *agents):
            with suppress(NotFound):
                return memory.named(self.engine, owner, public_id)
        raise NotFound(f"no memory {public_id!r} of {self.owner.id!r}; `everlore search` and `log` show their ids")


def others(who: Person) -> list[Owner]:
    """Who else has memories in the same scope, most first."""
    known = sorted(who.engine.index.rows.owners(who.owner.scope), key=lambda pair: (-pair[1], pair[0].id))
    return [owner for owner, _ in known if owner != who.owner]


def row(who: Person, found: IndexedMemory) -> dict[str, Json]:
    """A memory in short."""
    clock, end = who.engine.clock, found.validity.end
    return {
        "id": found.key.public_id,
        "kind": found.key.kind,
        "time": clock.show(found.timestamp),
        "valid_until": None if end is None else clock.show(end),
        "text": statement(found),
    }


def statement(found: IndexedMemory) -> str:
    """What it says, in a line."""
    text = str(found.data.get("subject") or found.data.get(kind(found.key.kind).statement) or "")
    return " ".join(text.split())


def listed(who: Person, rows: Sequence[Json], *, everywhere: bool = True) -> Json:
    """An answer with what a person is told where there is nothing: whose memories these are, and who else has some."""
    project = who.project.name if who.project and not everywhere else None
    told: dict[str, Json] = {"user": who.owner.id, "project": project, "rows": rows}
    if rows:
        return told
    users = [one.id for one in others(who) if one.track == "user"]
    meant = difflib.get_close_matches(who.owner.id, users, n=1)
    return told | {"others": users, "meant": meant[0] if meant else None}


def search(
    who: Person, query: str, limit: int = 5, *, project: str | None = None, everywhere: bool = False, why: bool = False
) -> Json:
    """The sentences that answer, best first, and behind them what does not fit. `project` names another one than that
    of the folder."""
    who = replace(who, project=_project(who, project)) if project else who
    here = who.project.id if who.project and not everywhere else None
    found = recall(who.engine, Query(who.owner, query, top_k=limit, project=here, explain=why), PERSON)
    hits = sorted(found.best, key=lambda hit: (not hit.fits, -hit.score))[:limit]
    terms = set(query_terms(query))
    return listed(who, [_hit(who, hit, terms, why=why) for hit in hits], everywhere=everywhere)


def log(who: Person, limit: int = 20, session: str | None = None) -> Json:
    """Talks, the newest first."""
    return listed(who, [row(who, one) for one in _talks(who, limit, session)])


def _talks(who: Person, limit: int, session: str | None = None) -> Sequence[IndexedMemory]:
    of = Predicate("session_id", "eq", session) if session else None
    return memory.listing(who.engine, who.owner, EPISODE.name, filter=of, page_size=limit).rows


def show(who: Person, id_: str) -> Json:
    found = who.named(id_)
    text = kind(found.key.kind).text(found.data)
    return row(who, found) | {"path": found.path, "whole": text, "data": dict(found.data)}


def history(who: Person, id_: str | None = None, as_of: str | None = None, limit: int = 50) -> Json:
    """What was held, or what stood in the place of one memory before it and after it; the oldest first."""
    clock = who.engine.clock
    try:
        at = clock.parse(f"{as_of}T23:59:59" if as_of and len(as_of) == 10 else as_of) if as_of else None
    except InvalidInput:
        raise InvalidInput(f"{as_of!r} is no day, such as 2026-05-03") from None
    if id_:
        rows = memory.history(who.engine, who.named(id_).key.owner, id_)
    else:
        rows = memory.held(who.engine, who.owner, at, page_size=limit).rows[::-1]
    return listed(who, [row(who, one) for one in rows])


def rules(who: Person, *, everywhere: bool = False) -> Json:
    """What the user ordered, as far as it holds here."""
    here = ("", PERSONAL, *([who.project.id] if who.project else []))
    found = [one for one in _profile(who) if one.get("category") == "rule"]
    said = [str(one["description"]) for one in found if everywhere or one.get("project", "") in here]
    return listed(who, said, everywhere=everywhere)


def _profile(who: Person) -> list[Json]:
    known = memory.profile(who.engine, who.owner)
    return list(known.data["explicit_info"]) if known else []


def users(who: Person) -> Json:
    """Whose memories there are, and how many."""
    known = who.engine.index.rows.owners(who.owner.scope)
    return {owner.id: number for owner, number in known if owner.track == "user"}


def sessions(who: Person, limit: int = 20) -> Json:
    """Talks by session, the latest first."""
    where, clock = Where(who.owner, (EPISODE.name,)), who.engine.clock
    rows = []
    for session, number, first, last in who.engine.index.overview.sessions(where, 0, limit):
        about = [{"project": one.project or None, "text": statement(one)} for one in _talks(who, 1, session)]
        times = {"first": clock.show(first), "last": clock.show(last)}
        rows.append({"id": session, "talks": number, **times, **(about[0] if about else {})})
    return listed(who, rows)


def people(who: Person, called: str | None = None, limit: int = 20) -> Json:
    """Who and what memories speak of, the most frequent first; or what they say of one."""
    if called:
        return listed(who, [row(who, one) for one in _about(who, name_key(called))[:limit]])
    rows = []
    for one in spoken_of(who.engine, who.owner, limit):
        last = {"last": row(who, one.last)} if one.last else {}
        rows.append({"name": one.name, "memories": one.memories} | last)
    return listed(who, rows)


def cases(who: Person, limit: int = 20) -> Json:
    """What agents were asked to do, and how it went; the newest first."""
    found = who.engine.index.rows.page(Where(None, (CASE.name,), scope=who.owner.scope), limit=limit).rows
    names = ("quality_score", "key_insight")
    told = [row(who, one) | {name: one.data[name] for name in names} | {"agent": one.key.owner.id} for one in found]
    return listed(who, told)


def learnt(who: Person, since: int | None = None, limit: int = 100) -> Json:
    """What was written after a moment, in order, and the moment to ask from next."""
    if since is None:
        return {"rows": [], "until": who.engine.clock.now()}
    kinds = kinds_where(lambda one: one.name != "profile")
    found = who.engine.index.overview.changed(Where(None, kinds, scope=who.owner.scope), since, limit)[::-1]
    shown = [one for one in found if one.key.owner.track == "agent" or one.key.owner == who.owner]
    rows = [row(who, one) | {"of": one.key.owner.id} for one in shown]
    return {"rows": rows, "until": max([since, *(one.updated for one in found)])}


def known(who: Person) -> Json:
    """In a few lines, what is known of the person who asks."""
    said = _profile(who)
    newest = sorted(said, key=lambda one: str(one.get("evidence") or ""), reverse=True)
    first = {one["category"]: one for one in reversed(newest) if one.get("category") in WHO}
    others = [one for one in newest if one not in first.values() and one.get("category") != "rule"]
    told = [str(one["description"]) for one in [*(first[name] for name in WHO if name in first), *others]]
    return {
        "user": who.owner.id,
        "project": who.project.name if who.project else None,
        "about": told[:TOLD],
        "rules": sum(one.get("category") == "rule" for one in said),
        "talks": who.engine.index.rows.count(Where(who.owner, (EPISODE.name,))),
        "waiting": who.engine.buffer.count(),
    }


def projects(who: Person) -> list[str]:
    """In which the latest talks were held."""
    return list(dict.fromkeys(one.project for one in _talks(who, MOST) if one.project not in ("", PERSONAL)))


def complete(who: Person, what: str, begin: str) -> list[str]:
    """Users, sessions, projects or ids that begin so, for the completion of a shell."""
    if what in ("user", "project"):
        found = list(users(who)) if what == "user" else projects(who)
    else:
        found = [one["id"] for one in (sessions if what == "session" else log)(who, MOST)["rows"]]
    return [one for one in found if one.startswith(begin)]


def _project(who: Person, named: str) -> Project:
    """The project that is called so: by its id, or the last part of it."""
    known = projects(who)
    fitting = [one for one in known if named.lower() in (one, one.rpartition(JOINT)[2])]
    if not fitting:
        raise NotFound(f"no talks are known of a project {named!r}; there are: {', '.join(known) or 'none'}")
    return Project(fitting[0], named)


def _about(who: Person, key: str) -> list[IndexedMemory]:
    """The memories in which a name stands, the newest first: of a talk, what it states of it."""
    index, owner = who.engine.index, who.owner
    where = Where(owner, kinds_where(lambda one: one.linked and one.track == "user"))
    found = index.rows.stored({link.row for link in index.links.to([key], where)}).values()
    told: list[IndexedMemory] = []
    for one in found:
        parts = [fact for part in parts_of(one.key.kind) for fact in index.rows.children(owner, part, [one.parent_id])]
        named = [fact for fact in parts if key in names(statement(fact))]
        told += named or [one]
    return sorted({one.key: one for one in told}.values(), key=lambda one: (-one.timestamp, one.key.local_id))


def _hit(who: Person, hit: Hit, terms: set[str], *, why: bool) -> Json:
    found = hit.stored
    said = hit.passages or (Passage(statement(found), hit.score, 0, "", found.timestamp, 0),)
    told = row(who, found) | {"score": hit.score, "fits": hit.fits}
    told["passages"] = [_passage(who, one, terms) for one in said]
    if why:
        shares = {name: round(getattr(hit.parts, name), 4) for name in ("words", "meaning", "graph")}
        told["why"] = shares | {"moved": list(hit.moved)}
    return told


def _passage(who: Person, said: Passage, terms: set[str]) -> dict[str, Json]:
    """With its age, and where the words of the question stand in it."""
    text = " ".join(said.text.split())
    marks, at = [], 0
    for word in text.split(" "):
        if terms & set(tokens(word)):
            marks.append([at, at + len(word)])
        at += len(word) + 1
    clock = who.engine.clock
    return said.shown(clock) | {"text": text, "age": _age(clock.now() - said.time), "marks": marks}


def _age(ms: int) -> str:
    days = ms // DAY_MS
    for size, name in ((365, "year"), (30, "month"), (7, "week"), (1, "day")):
        if days >= size:
            number = days // size
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "today" if days == 0 else "to come"


QUESTIONS = (search, log, show, history, rules, users, sessions, people, cases, learnt, known, complete)
