"""The sentences that matched, beside a contract's own fields."""

from __future__ import annotations

from everlore.engine import Engine
from everlore.memory import save_note
from everlore.search import Hit
from everlore.search.query import Passage
from everlore.surfaces.contracts.passages import passages
from everlore.types import Owner, Scope

OWNER = Owner(Scope("default", "default"), "user", "ada")


def test_they_are_shown_where_they_say_more_than_the_memory(engine: Engine) -> None:
    key = save_note(engine, OWNER, "I row. I sail.", "semantic", None)
    row = engine.index.rows.find([key])[key]
    part, whole, past = (
        Passage(text, 0.5, 0, "ada", row.timestamp, row.timestamp, valid_until=end)
        for text, end in (("I sail.", None), ("I row. I sail.", None), ("I row. I sail.", row.timestamp))
    )
    assert passages(Hit(row, 0.5), engine.clock) == passages(Hit(row, 0.5, passages=(whole,)), engine.clock) == {}
    shown = {"passages": [part.shown(engine.clock) | {"whose": "assistant"}]}  # who writes notes
    assert passages(Hit(row, 0.5, passages=(part,)), engine.clock) == shown
    assert passages(Hit(row, 0.5, passages=(past,)), engine.clock)["passages"], "what has ended is marked"
