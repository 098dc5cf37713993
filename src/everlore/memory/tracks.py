"""A cell on both tracks: what its users said, and what its agents did.

Whoever imports this imports extraction with it: patterns by the hundred, a quarter of a second of compiling.
"""

from __future__ import annotations

from everlore.engine import Engine
from everlore.extract.case import agents_of, has_trajectory
from everlore.extract.third_person import load_tables
from everlore.memory.drafts import cell_draft
from everlore.memory.write_agent import write_agent_track
from everlore.memory.write_user import write_user_track
from everlore.models.chat import Meter
from everlore.types import Cell, Owner

__all__ = ["load_tables", "write_tracks"]


def write_tracks(engine: Engine, cell: Cell, meter: Meter) -> list[str]:
    """Returns the files that were written or that hold the cell already."""
    spoken = [message for message in cell.messages if not message.blank]
    if not spoken:
        return []
    answer = cell_draft(engine, cell, meter)
    touched: list[str] = []
    for user in dict.fromkeys(message.sender_id for message in spoken if message.role == "user"):
        touched += write_user_track(engine, cell, Owner(cell.scope, "user", user), answer)
    for agent in agents_of(spoken) if has_trajectory(cell) else ():
        touched += write_agent_track(engine, cell, Owner(cell.scope, "agent", agent), answer, meter)
    return touched
