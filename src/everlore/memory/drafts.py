"""What the language model makes of a closed cell, asked once and kept until the cell is written.

Without a model there are no drafts, and the local extractor does everything. With one, a cell is not written before
the model has answered: until then its messages stay in the buffer and `Postponed` tells why.
"""

from __future__ import annotations

from pydantic import ValidationError

from everlore.engine import Engine
from everlore.errors import Misconfigured, Unavailable
from everlore.extract.boundary import asks_for_topics
from everlore.extract.case import has_trajectory
from everlore.extract.llm import CellAnswer, cases_data, cell_task, talk, topics
from everlore.extract.prompts import BOUNDARY, SKILL, SkillAnswer
from everlore.extract.turns import spoken
from everlore.kinds.case import Case
from everlore.memory.extraction import Postponed
from everlore.models.chat import Meter
from everlore.types import Cell, Message

NEWEST_CASES = 8


def cell_draft(engine: Engine, cell: Cell, meter: Meter) -> CellAnswer | None:
    """The model's answer about a cell, from before or fresh; None where no model is configured."""
    if engine.llm is None:
        return None
    task = cell_task(cell, trajectory=has_trajectory(cell))
    kept = engine.buffer.draft(cell.id)
    if kept is not None:
        try:
            return task.answer.model_validate_json(kept)
        except ValidationError:
            pass  # kept by another version, which asked for another shape
    try:
        answer = engine.llm.ask(task, talk(spoken(cell), engine.llm.max_input_tokens), meter)
    except (Unavailable, Misconfigured) as error:
        raise Postponed(str(error)) from None
    engine.buffer.keep_draft(cell.id, answer.model_dump_json())
    return answer


def topic_cuts(engine: Engine, waiting: list[Message], fresh: int, meter: Meter, *, final: bool) -> list[int] | None:
    """Where the model sees new topics begin; None where it is not asked or does not answer."""
    if engine.llm is None or not asks_for_topics(waiting, fresh, engine.settings.boundary_detection, final=final):
        return None
    try:
        answer = engine.llm.ask(BOUNDARY, talk(topics(waiting), engine.llm.max_input_tokens), meter)
    except (Unavailable, Misconfigured):
        return None
    return sorted({number - 1 for number in answer.boundaries if 1 < number <= len(waiting)})


def skill_draft(engine: Engine, cases: list[Case], meter: Meter) -> SkillAnswer | None:
    """How the model puts a skill; None where the local page must do."""
    if engine.llm is None:
        return None
    newest = sorted(cases, key=lambda case: case.timestamp)[-NEWEST_CASES:]
    try:
        return engine.llm.ask(SKILL, cases_data(newest, engine.llm.max_input_tokens), meter)
    except (Unavailable, Misconfigured):
        return None
