"""`everlore search`, `add`, `log`, `show`, `history`, `forget`, `rules`, `users`: memories for a person at a terminal.

They work on the vault itself, with or without a server on it. What is shown is the sentence that answers, with who said
it, when, and whether it still holds.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable, Mapping

from everlore import memory
from everlore.clock import DAY_MS, day
from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.kinds.registry import kind
from everlore.search import METHODS, Hit, Passage, Query, recall
from everlore.stores.tokens import query_terms, tokens
from everlore.surfaces.cli import output
from everlore.surfaces.cli.opening import opened
from everlore.surfaces.contracts.passages import passages as shown_passages
from everlore.types import IndexedMemory, Json, Owner, Scope

OTHERS = 5
"""Other users that are named when nothing was found."""


def search(query: str, user: str | None, limit: int, *, verbose: bool, as_json: bool) -> bool:
    """False when nothing was found."""
    if not query.strip():
        raise InvalidInput("say what to look for, for example: everlore search 'where do I live'")
    with opened() as engine:
        owner = _owner(engine, user)
        found = recall(engine, Query(owner, query, top_k=limit, explain=verbose), METHODS["hybrid"])
        hits = sorted(found.best, key=lambda hit: -hit.score)[:limit]
        if as_json:
            output.show_json([_as_json(engine, hit) for hit in hits])
        else:
            _show_hits(engine, owner, query, hits, verbose=verbose)
    return bool(hits)


def add(text: list[str], user: str | None) -> None:
    said = " ".join(text).strip()
    if said in ("", "-"):
        said = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read().strip()
    if not said:
        raise InvalidInput("there is nothing to remember: give a text, or pipe one in")
    with opened() as engine:
        owner = _owner(engine, user)
        session = f"everlore-{uuid.uuid4().hex[:12]}"
        message = memory.NewMessage(owner.id, "user", engine.clock.now(), said)
        memory.remember(engine, owner.scope, session, [message])
        memory.flush(engine, owner.scope, session)
        rows = memory.held(engine, owner, page_size=10).rows
        learnt = [_statement(row) for row in rows if row.session_id == session]
    output.show_line("Remembered." + "".join(f"\n  {line}" for line in learnt))


def log(user: str | None, limit: int, *, as_json: bool) -> None:
    """The newest episodes, the latest last, as a terminal shows them best."""
    with opened() as engine:
        owner = _owner(engine, user)
        rows = memory.listing(engine, owner, "episode", page_size=limit).rows
        if as_json:
            output.show_json([_row(engine, row) for row in rows])
            return
        for row in reversed(rows):
            output.show_line(f"{day(row.timestamp)}  {row.key.public_id}  {row.data['subject']}")
        if not rows:
            output.show_line(_nothing(engine, owner))


def show(id_: str, user: str | None, *, as_json: bool) -> None:
    with opened() as engine:
        row = memory.named(engine, _owner(engine, user), id_)
        if as_json:
            output.show_json(_row(engine, row) | {"data": dict(row.data)})
            return
        output.show_line(f"{row.key.public_id} ({row.key.kind}, {day(row.timestamp)}{_until(row)})\n{row.path}\n")
        output.show_line(kind(row.key.kind).text(row.data))


def history(id_: str | None, user: str | None, as_of: str | None, limit: int, *, as_json: bool) -> None:
    """Everything that was held, or what stood in the place of one memory before it and after it."""
    with opened() as engine:
        owner = _owner(engine, user)
        at = engine.clock.parse(f"{as_of}T23:59:59" if as_of and len(as_of) == 10 else as_of) if as_of else None
        rows = memory.history(engine, owner, id_) if id_ else memory.held(engine, owner, at, page_size=limit).rows[::-1]
        if as_json:
            output.show_json([_row(engine, row) for row in rows])
            return
        for row in rows:
            output.show_line(f"{day(row.timestamp)}  {_statement(row)}{_until(row)}")
        if not rows:
            output.show_line(_nothing(engine, owner))


def forget(ids: list[str], user: str | None, *, yes: bool) -> bool:
    with opened() as engine:
        owner = _owner(engine, user)
        rows = [memory.named(engine, owner, id_) for id_ in ids]
        for row in rows:
            output.note(f"{row.key.public_id} ({day(row.timestamp)}): {_statement(row)}")
        if not yes and not _agreed():
            output.note("Nothing was forgotten. Answer y, or use --yes.")
            return False
        gone = sum(memory.forget(engine, owner, row.key.public_id) for row in rows)
    output.show_line(f"Forgotten: {gone}, with what was made of them.")
    return True


def rules(user: str | None, *, as_json: bool) -> None:
    """What the user ordered, from their profile."""
    with opened() as engine:
        owner = _owner(engine, user)
        known = memory.profile(engine, owner)
        infos: list[Mapping[str, Json]] = list(known.data["explicit_info"]) if known else []
        found = [str(info["description"]) for info in infos if info.get("category") == "rule"]
        if as_json:
            output.show_json(found)
        else:
            output.show_line("\n".join(found) or f"No rules of {owner.id} are known.")


def users(*, as_json: bool) -> None:
    with opened() as engine:
        mcp = engine.settings.mcp
        known = engine.index.rows.owners(Scope(mcp.app, mcp.project))
        counted = {owner.id: number for owner, number in known if owner.track == "user"}
    if as_json:
        output.show_json(counted)
    else:
        output.show_pairs([(name, f"{number} memories") for name, number in counted.items()])


def _owner(engine: Engine, user: str | None) -> Owner:
    mcp = engine.settings.mcp
    return Owner(Scope(mcp.app, mcp.project), "user", user or mcp.user)


def _show_hits(engine: Engine, owner: Owner, query: str, hits: Iterable[Hit], *, verbose: bool) -> None:
    marks = set(query_terms(query))
    found = False
    for hit in hits:
        found = True
        said = hit.passages or (Passage(_statement(hit.stored), hit.score, 0, "", hit.stored.timestamp, 0),)
        for number, passage in enumerate(said):
            output.show_answer(
                _highlighted(passage.text, marks), past=passage.valid_until is not None, first=not number
            )
            output.show_detail(_origin(engine, hit, passage, verbose=verbose))
    if not found:
        output.show_line(_nothing(engine, owner))


def _origin(engine: Engine, hit: Hit, passage: Passage, *, verbose: bool) -> str:
    """`Anna · 2026-05-28 · 3 days ago · alice_ep_…`, and what ended it."""
    parts = [passage.speaker, day(passage.time), _age(engine.clock.now() - passage.time), hit.stored.key.public_id]
    if passage.valid_until is not None:
        parts.append(f"ended {day(passage.valid_until)}" + (f": {passage.ended_by}" if passage.ended_by else ""))
    if verbose:
        evidence = hit.parts
        shares = f"words {evidence.words:.2f}, meaning {evidence.meaning:.2f}, graph {evidence.graph:.2f}"
        parts.append(f"score {hit.score:.2f}: {shares}")
        parts += hit.moved
    return " · ".join(filter(None, parts))


def _age(ms: int) -> str:
    days = ms // DAY_MS
    for size, name in ((365, "year"), (30, "month"), (7, "week"), (1, "day")):
        if days >= size:
            number = days // size
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "today" if days == 0 else "to come"


def _highlighted(text: str, marks: set[str]) -> list[tuple[str, bool]]:
    """Words with the blanks behind them, each with whether the question has it, too."""
    return [(word, bool(marks & set(tokens(word)))) for word in " ".join(text.split()).split(" ")]


def _statement(row: IndexedMemory) -> str:
    spec = kind(row.key.kind)
    text = str(row.data.get("subject") or row.data.get(spec.statement) or "")
    return " ".join(text.split())


def _until(row: IndexedMemory) -> str:
    return f" (until {day(row.validity.end)})" if row.validity.end is not None else ""


def _row(engine: Engine, row: IndexedMemory) -> dict[str, Json]:
    end = row.validity.end
    return {
        "id": row.key.public_id,
        "kind": row.key.kind,
        "time": engine.clock.show(row.timestamp),
        "valid_until": None if end is None else engine.clock.show(end),
        "text": _statement(row),
    }


def _as_json(engine: Engine, hit: Hit) -> dict[str, Json]:
    return _row(engine, hit.stored) | {"score": hit.score} | shown_passages(hit, engine.clock)


def _nothing(engine: Engine, owner: Owner) -> str:
    known = [one.id for one, _ in engine.index.rows.owners(owner.scope) if one.track == "user" and one.id != owner.id]
    others = f" Others have some: {', '.join(known[:OTHERS])}; name one with --user." if known else ""
    return f"Nothing found in the memories of {owner.id!r}.{others}"


def _agreed() -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    output.note("Forget this, and what was made of it? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
