"""A cell as an agent's memories: a case for each task, and the skills that cases like it add up to."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from everlore import extract
from everlore.clock import day, entry_id
from everlore.engine import Engine
from everlore.errors import Damaged, Misconfigured, Unavailable
from everlore.kinds import case as cases
from everlore.kinds import skill as skills
from everlore.kinds.case import Case
from everlore.kinds.paths import locate, owner_dir, sheet_path
from everlore.kinds.skill import Skill
from everlore.models.chat import Meter
from everlore.stores.base import Asked
from everlore.sync.embedding import embed_soon
from everlore.sync.indexing import index_file
from everlore.types import Cell, Key, Owner, Where
from everlore.vault.markdown import parse_sheet, render_sheet

if TYPE_CHECKING:
    from everlore.extract.llm import CellAnswer
    from everlore.extract.prompts import SkillAnswer

NEWEST_CASES = 8
"""Cases that a language model is shown when it is asked for a skill."""
NEAREST = 64
"""Cases that a new one is compared with."""
TRIES, SAVING_SECONDS = 3, 0.05
"""How often a page is looked at that somebody is just saving, and how long they are given for it."""


def cases_of(cell: Cell, owner: Owner, answer: CellAnswer | None = None) -> list[Case]:
    """What an agent did in a cell; ids are given when it is written. `answer` is what a language model made of it."""
    told = answer.cases if isinstance(answer, extract.prompts.WorkCell | extract.prompts.AgentCell) else []
    return [
        extract.llm.with_case(extract.agent.case.write_case(task, cell, owner, ""), task, told)
        for task in extract.agent.case.tasks_of(cell, owner)
    ]


def write_skills(engine: Engine, owner: Owner, written: Sequence[Case], meter: Meter) -> None:
    """The skills that these cases and those before them add up to."""
    for case in written:
        told = _ask_for_skill(engine, owner, case, meter)
        with engine.vault.lock(f"skills:{owner_dir(owner)}"):
            if path := _update_skill(engine, owner, case, told):
                index_file(engine, path)
                embed_soon(engine, [owner])


def _ask_for_skill(engine: Engine, owner: Owner, new: Case, meter: Meter) -> SkillAnswer | None:
    """Asked before the lock is taken, since a model may take its time."""
    if engine.llm is None:
        return None
    known = list(_skills(engine, owner).known.values())
    others, vectors = _alike(engine, owner, new, known)
    cluster, old = extract.agent.skill.gather(new, others, known, vectors)
    if old is None and not extract.agent.skill.enough(cluster):
        return None
    newest = sorted(cluster, key=lambda case: case.timestamp)[-NEWEST_CASES:]
    data = extract.llm.cases_data(newest, engine.llm.max_input_tokens)
    with suppress(Unavailable, Misconfigured):  # then the local page must do
        return engine.llm.ask(extract.prompts.SKILL, data, meter)
    return None


def _update_skill(engine: Engine, owner: Owner, new: Case, told: SkillAnswer | None) -> str:
    """The page that was written, if any. One that somebody is just saving is met as they leave it; if that takes them
    longer, the next case of the task takes this one along."""
    for attempt in range(TRIES):
        if attempt:
            time.sleep(SAVING_SECONDS)
        path = _try_update(engine, owner, new, told)
        if path is not None:
            return path
    return ""


def _try_update(engine: Engine, owner: Owner, new: Case, told: SkillAnswer | None) -> str | None:
    """The page that was written, empty if there is no skill to be made; None if a person was quicker."""
    pages = _skills(engine, owner)
    known = pages.known
    others, vectors = _alike(engine, owner, new, list(known.values()))
    cluster, old = extract.agent.skill.gather(new, others, list(known.values()), vectors)
    if old is None and not extract.agent.skill.enough(cluster):
        return ""
    now = engine.clock.now()
    if old is None:
        if pages.unread_sources & {extract.agent.skill.public_id(case) for case in cluster}:
            return None
        entry = _new_id(engine, owner, new.timestamp, known.values())
        taken = [*(skill.name for skill in known.values()), *pages.folders]
        written = extract.agent.skill.write_skill(cluster, None, entry, now, taken, told)
        path = sheet_path(skills.SKILL, owner, written.name)
    else:
        written = extract.agent.skill.write_skill(cluster, old, old.local_id, now, told=told)
        path = next(path for path, skill in known.items() if skill.local_id == old.local_id)
    located = locate(path)
    folder = located.name if located else written.name
    done = False

    def edit(text: str | None) -> str | None:
        nonlocal done
        with suppress(Damaged):
            current = skills.from_sheet(parse_sheet(text), owner, folder) if text else None
            done = current == old
            if done:
                return render_sheet(skills.to_sheet(written), text or "")
        return text

    engine.vault.change(path, edit)
    return path if done else None


def _new_id(engine: Engine, owner: Owner, moment: int, known: Iterable[Skill]) -> str:
    prefix = skills.SKILL.code
    same_day = entry_id(prefix, moment, 0)[:-8]
    floor = max((int(skill.local_id[-8:]) for skill in known if skill.local_id.startswith(same_day)), default=0)
    return entry_id(prefix, moment, engine.buffer.next_number(owner, prefix, day(moment), floor))


def _alike(
    engine: Engine, owner: Owner, new: Case, known: Sequence[Skill]
) -> tuple[list[Case], NDArray[np.float32] | None]:
    """The agent's cases to compare this one with, and the vectors to do so by, its own last.

    They are the nearest, the newest (which may have no vector yet), and all that skills were made from.
    """
    where = Where(owner, (cases.CASE.name,))
    sources = [
        Key(owner, cases.CASE.name, source.removeprefix(f"{owner.id}_")) for s in known for source in s.source_case_ids
    ]
    rows = engine.index.rows.find(sources)
    nearest: Sequence[int] = ()
    with suppress(Unavailable, Misconfigured):
        intent = engine.embedder.encode([new.task_intent], patient=False)[0]
        found = engine.index.search.candidates(Asked(where, vector=intent, limit=4 * NEAREST))
        row_of = {piece.unit: piece.row for piece in found.pieces}
        nearest = list(dict.fromkeys(row_of[hit.unit] for hit in found.by_meaning))[:NEAREST]
    rows |= {row.key: row for row in engine.index.rows.related(owner, cases.CASE.name, (), nearest, NEAREST)}
    others = [cases.from_row(row) for row in rows.values() if row.key.local_id != new.local_id]
    others.sort(key=lambda case: (case.timestamp, case.local_id))
    try:
        texts = [extract.agent.skill.cluster_text(case) for case in (*others, new)]
        return others, engine.embedder.encode(texts, patient=False)
    except (Unavailable, Misconfigured):
        return others, None


@dataclass(frozen=True, slots=True)
class _Pages:
    """The agent's skills, from the files: the index may lag behind a crash, the files do not."""

    known: dict[str, Skill]
    """By path."""
    folders: list[str]
    """The names of all, those too whose page cannot be read."""
    unread_sources: frozenset[str]
    """Cases of pages that cannot be read, as the index remembers them: no second skill is made from these."""


def _skills(engine: Engine, owner: Owner) -> _Pages:
    found: dict[str, Skill] = {}
    folders: list[str] = []
    unread: list[Key] = []
    for path, _, _ in engine.vault.walk(f"{owner_dir(owner)}/skills"):
        located = locate(path)
        if located is None or located.kind.name != skills.SKILL.name:
            continue
        folders.append(located.name)
        try:
            if file := engine.vault.read(path):
                found[path] = skills.from_sheet(parse_sheet(file.text), owner, located.name)
        except Damaged:  # reported as a problem by the cascade
            unread += [Key(owner, skills.SKILL.name, entry) for entry in engine.index.files.digests(path)]
    sources = [source for row in engine.index.rows.find(unread).values() for source in row.data["source_case_ids"]]
    return _Pages(found, folders, frozenset(sources))
