"""A case that is deleted leaves the skills that name it as a source."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import partial

from everlore.engine import Engine
from everlore.errors import Damaged
from everlore.kinds import case, skill
from everlore.kinds.paths import locate
from everlore.types import Json, Key, MemoryFile, Owner, Where
from everlore.vault.markdown import parse_sheet, render_sheet

MOST = 10_000
"""Skills of one agent that are looked at."""


def drop_sources(engine: Engine, owner: Owner, gone: Collection[str]) -> list[str]:
    """Returns the files that changed."""
    ids = {Key(owner, case.CASE.name, entry).public_id for entry in gone}
    rows = engine.index.page(Where(owner, (skill.SKILL.name,)), limit=MOST).rows if ids else []
    paths = [row.path for row in rows if ids.intersection(row.data["source_case_ids"])]
    for path in paths:
        engine.vault.update(path, partial(_without, path, ids))
    return paths


def _without(path: str, ids: Collection[str], text: str | None) -> str | None:
    from everlore.extract.skill import without_cases  # here, as most who index never need what extraction brings along

    located = locate(path)
    with suppress(Damaged):  # reported as a problem
        if text and located:
            old = skill.from_sheet(parse_sheet(text), located.owner, located.name)
            new = without_cases(old, ids)
            front: dict[str, Json] = {"description": new.description} if new.description != old.description else {}
            return render_sheet(MemoryFile({**front, "source_case_ids": list(new.source_case_ids)}, new.content), text)
    return text
