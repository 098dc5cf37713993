"""A cell as an agent's memories: the case, and the skill that cases like it add up to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from everlore.clock import day, entry_id
from everlore.engine import Engine
from everlore.errors import Damaged, Misconfigured, Unavailable
from everlore.extract.case import write_case
from everlore.extract.prompts import AgentCell, SkillAnswer, WorkCell
from everlore.extract.skill import cluster_text, enough, gather, write_skill
from everlore.extract.told import CellAnswer, with_case
from everlore.kinds import case as cases
from everlore.kinds import skill as skills
from everlore.kinds.case import Case
from everlore.kinds.skill import Skill
from everlore.memory.drafts import skill_draft
from everlore.memory.logs import NewIds, append_once
from everlore.models.chat import Meter
from everlore.types import Cell, Entry, Key, Owner, Stored, Where
from everlore.vault.markdown import parse_sheet, render_sheet
from everlore.vault.paths import locate, owner_dir, sheet_path

NEAREST = 64
"""Cases that a new one is compared with."""


def write_agent_track(engine: Engine, cell: Cell, owner: Owner, answer: CellAnswer | None, meter: Meter) -> list[str]:
    """Returns the files that were written or that hold the cell already."""

    def case_entry(new_ids: NewIds) -> list[Entry]:
        written = write_case(cell, owner, new_ids(1)[0])
        if written is not None and isinstance(answer, WorkCell | AgentCell):
            written = with_case(written, answer.case)
        return [cases.to_entry(written)] if written else []

    path, entries = append_once(engine, cases.PLACE, owner, cell, case_entry)
    if not entries:
        return []
    touched = [path]
    for entry in entries:
        case = cases.from_entry(entry, owner)
        told = _ask_for_skill(engine, owner, case, meter)
        with engine.vault.lock(f"skills:{owner_dir(owner)}"):
            touched += _update_skill(engine, owner, case, told)
    return touched


def _ask_for_skill(engine: Engine, owner: Owner, new: Case, meter: Meter) -> SkillAnswer | None:
    """Asked before the lock is taken, since a model may take its time."""
    if engine.llm is None:
        return None
    known = list(_skills(engine, owner).values())
    others, vectors = _alike(engine, owner, new, known)
    cluster, old = gather(new, others, known, vectors)
    return skill_draft(engine, cluster, meter) if old is not None or enough(cluster) else None


def _update_skill(engine: Engine, owner: Owner, new: Case, told: SkillAnswer | None) -> list[str]:
    known = _skills(engine, owner)
    others, vectors = _alike(engine, owner, new, list(known.values()))
    cluster, old = gather(new, others, list(known.values()), vectors)
    if old is None and not enough(cluster):
        return []
    now = engine.clock.now()
    if old is None:
        entry = _new_id(engine, owner, new.timestamp, known.values())
        written = write_skill(cluster, None, entry, now, [skill.name for skill in known.values()], told)
        path = sheet_path(skills.PLACE, owner, written.name)
    else:
        written = write_skill(cluster, old, old.entry, now, told=told)
        path = next(path for path, skill in known.items() if skill.entry == old.entry)

    def edit(text: str | None) -> str | None:
        current = skills.from_sheet(parse_sheet(text), owner, written.name) if text else None
        if current == old or (current is None and old is None):
            return render_sheet(skills.to_sheet(written), text or "")
        return text  # a person changed it a moment ago; the next case meets the new text

    engine.vault.update(path, edit)
    return [path]


def _new_id(engine: Engine, owner: Owner, moment: int, known: Iterable[Skill]) -> str:
    prefix = skills.PLACE.prefix
    same_day = entry_id(prefix, moment, 0)[:-8]
    floor = max((int(skill.entry[-8:]) for skill in known if skill.entry.startswith(same_day)), default=0)
    return entry_id(prefix, moment, engine.buffer.next_number(owner, prefix, day(moment), floor))


def _alike(
    engine: Engine, owner: Owner, new: Case, known: Sequence[Skill]
) -> tuple[list[Case], NDArray[np.float32] | None]:
    """The agent's cases to compare this one with, and the vectors to do so by, its own last.

    They are the nearest, the newest (which may have no vector yet), and all that skills were made from.
    """
    where = Where(owner, (cases.PLACE.kind,))
    sources = [
        Key(owner, cases.PLACE.kind, source.removeprefix(f"{owner.id}_")) for s in known for source in s.source_case_ids
    ]
    rows = {row.key: row for row in engine.index.page(where, limit=NEAREST).rows}
    rows |= engine.index.find(sources)
    try:
        intent = engine.embedder.encode([new.task_intent])[0]
        hits = engine.index.vector(intent, where, 4 * NEAREST)
        row_of = {piece.unit: piece.row for piece in engine.index.around([hit.unit for hit in hits], 0)}
        nearest = dict.fromkeys(row_of[hit.unit] for hit in hits if hit.unit in row_of)  # one may be gone by now
        rows |= {row.key: row for row in engine.index.stored(list(nearest)[:NEAREST]).values()}
        others = _others(owner, list(rows.values()), new)
        return others, engine.embedder.encode([cluster_text(case) for case in (*others, new)])
    except (Unavailable, Misconfigured):
        return _others(owner, list(rows.values()), new), None


def _others(owner: Owner, rows: Sequence[Stored], new: Case) -> list[Case]:
    found = [
        Case(
            owner=owner,
            entry=row.key.entry,
            session_id=row.session_id,
            timestamp=row.timestamp,
            parent_id=row.parent_id,
            task_intent=row.data["task_intent"],
            approach=row.data["approach"],
            quality_score=row.data["quality_score"],
            key_insight=row.data["key_insight"],
        )
        for row in rows
    ]
    return sorted((case for case in found if case.entry != new.entry), key=lambda case: (case.timestamp, case.entry))


def _skills(engine: Engine, owner: Owner) -> dict[str, Skill]:
    """The agent's skills by path, from the files: the index may lag behind a crash, the files do not."""
    found = {}
    for path, _, _ in engine.vault.walk(f"{owner_dir(owner)}/skills"):
        located, file = locate(path), engine.vault.read(path)
        if located is None or file is None or located.place.kind != skills.PLACE.kind:
            continue
        try:
            found[path] = skills.from_sheet(parse_sheet(file.text), owner, located.name)
        except Damaged:
            continue  # reported as a problem by the cascade
    return found
