"""What hangs on a memory and goes with it: facts and cases on their episode, what a skill says on its cases."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import get_args

from everlore import extract
from everlore.engine import Engine
from everlore.errors import Damaged, NotFound, Unreadable
from everlore.kinds import case, fact, skill
from everlore.kinds.fact import Fact
from everlore.kinds.paths import locate
from everlore.kinds.registry import kinds_where, parts_of
from everlore.types import IndexedMemory, Key, MemoryFile, Owner, Predicate, Track, Where
from everlore.vault.markdown import parse_sheet, render_sheet, replace_entry, without

MOST_OF_A_CELL = 1000
"""Episodes and cases of one cell: more than it has messages."""
MOST_SKILLS = 10_000
"""Skills of one agent that are looked at."""


def drop_parts(engine: Engine, owner: Owner, whole: str, path: str, cells: Sequence[str]) -> Mapping[str, list[str]]:
    """Take out the parts, such as facts, of cells whose `whole`, such as their episode, left `path` and is nowhere
    else, and what agents did in them. What was said elsewhere too stays, and hangs on that. Returns what went by its
    file, also those in which something only stayed."""
    kept = {row.parent_id for row in engine.index.rows.children(owner, whole, cells) if row.path != path}
    lost = [cell for cell in cells if cell not in kept]
    going: dict[str, list[str]] = {}
    staying: dict[str, list[Fact]] = {}
    for row, elsewhere in _parts(engine, owner, whole, lost):
        going.setdefault(row.path, []).extend([] if elsewhere else [row.key.local_id])
        staying.setdefault(row.path, []).extend([elsewhere] if elsewhere else [])
    for part_path, entries in going.items():
        take_out(engine, part_path, entries, staying[part_path])
    return going


def hanging_on(engine: Engine, owner: Owner, whole: str, cells: Sequence[str]) -> list[IndexedMemory]:
    """What goes with the `whole` of these cells: its parts, and the cases of the agents who took part."""
    return [row for row, elsewhere in _parts(engine, owner, whole, cells) if elsewhere is None]


def _parts(engine: Engine, owner: Owner, whole: str, cells: Sequence[str]) -> list[tuple[IndexedMemory, Fact | None]]:
    """What hangs on these cells; a fact that others say too, with where it hangs once these are gone."""
    rows = engine.index.rows
    parts = [row for part in parts_of(whole) for row in rows.children(owner, part, cells)]

    def talk(cell: str) -> IndexedMemory | None:
        return next(iter(rows.children(owner, whole, [cell])), None) if cell not in cells else None

    told = {row.key: fact.elsewhere(fact.from_row(row), talk) for row in parts if row.data.get("sources")}
    spoke = {name for row in rows.children(owner, whole, cells) if parts_of(whole) for name in row.sender_ids}
    agents = (Owner(owner.scope, "agent", name) for name in sorted(spoke))
    cases = [row for agent in agents for row in rows.children(agent, case.CASE.name, cells)]
    return [(row, told.get(row.key)) for row in (*parts, *cases)]


def take_out(engine: Engine, path: str, entries: Collection[str], changed: Collection[Fact] = ()) -> None:
    """Take entries out of a log in which these others say something else from now on."""

    def edit(text: str | None) -> str | None:
        text = without(entries, text)
        for entry in map(fact.to_entry, changed):
            with suppress(NotFound):  # a person was quicker
                text = replace_entry(text, entry, fact.PLACE - entry.fields.keys()) if text else text
        return text

    try:
        engine.vault.change(path, edit)
    except Unreadable:
        raise
    except Damaged as error:  # which names the line alone
        raise Unreadable(f"{path}, {error}") from None


def make_room(engine: Engine, owner: Owner, path: str, cells: Iterable[str]) -> None:
    """Messages of which these cells, that left `path`, were all that was made may be sent again."""
    for cell in cells:
        mine = _made_of(engine, owner, cell)
        spoke = sorted({name for row in mine for name in row.sender_ids})
        others = {Owner(owner.scope, track, name) for name in spoke for track in get_args(Track)} - {owner}
        # else a repeated request would double the memories of another who took part
        if all(row.path == path for row in mine) and not any(_made_of(engine, other, cell) for other in others):
            for session in {row.session_id for row in mine}:
                engine.buffer.forget_cell(owner.scope, session, cell)


def _made_of(engine: Engine, owner: Owner, cell: str) -> Sequence[IndexedMemory]:
    made = Where(owner, kinds_where(lambda kind: kind.made_by_cells), Predicate("parent_id", "eq", cell))
    return engine.index.rows.page(made, limit=MOST_OF_A_CELL).rows


def drop_sources(engine: Engine, owner: Owner, gone: Collection[str]) -> list[str]:
    """Take these cases, and what they alone taught, from the skills that name them as a source. Returns the files that
    changed."""
    ids = {Key(owner, case.CASE.name, entry).public_id for entry in gone}
    found = learnt_from(engine, owner, ids)
    for row in found:
        kept = [one for one in row.data["source_case_ids"] if one not in ids]
        keys = [Key(owner, case.CASE.name, one.removeprefix(f"{owner.id}_")) for one in kept]
        left = [case.from_row(stored) for stored in engine.index.rows.find(keys).values()]
        with suppress(Damaged):  # reported as a problem
            engine.vault.change(row.path, partial(_without_cases, row.path, ids, left, engine.clock.now()))
    return [row.path for row in found]


def learnt_from(engine: Engine, owner: Owner, cases: Collection[str]) -> list[IndexedMemory]:
    """The skills that name one of these cases among their sources."""
    rows = engine.index.rows.page(Where(owner, (skill.SKILL.name,)), limit=MOST_SKILLS).rows if cases else []
    return [row for row in rows if not set(cases).isdisjoint(row.data["source_case_ids"])]


def _without_cases(
    path: str, ids: Collection[str], left: Sequence[case.Case], now: int, text: str | None
) -> str | None:
    """None where nothing is left to say."""
    located = locate(path)
    if not text or not located:
        return text
    old = skill.from_sheet(parse_sheet(text), located.owner, located.name)
    new = extract.agent.skill.without_cases(old, ids, left, now)
    if new is None:
        return None
    sheet = skill.to_sheet(new)
    changed = {name: value for name, value in sheet.front.items() if value != skill.to_sheet(old).front.get(name)}
    return render_sheet(MemoryFile(changed, new.content), text)
