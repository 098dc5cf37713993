"""Parts of higher layers live as long as the engine."""

from __future__ import annotations

import pytest

from everlore.engine import Engine
from everlore.errors import Unavailable


class Made:
    """A part that writes down when it is closed."""

    def __init__(self, name: str, closed: list[str]) -> None:
        self._name = name
        self._closed = closed

    def close(self) -> None:
        self._closed.append(self._name)


def test_a_part_is_made_once_and_closed_in_reverse(engine: Engine) -> None:
    closed: list[str] = []

    def first(_: Engine) -> Made:
        return Made("first", closed)

    def second(made_of: Engine) -> Made:
        made_of.part(first)
        return Made("second", closed)

    assert engine.part(second) is engine.part(second)
    assert engine.part(first) is engine.part(first)
    engine.parts.close()
    assert closed == ["second", "first"]
    with pytest.raises(Unavailable, match="closed"):
        engine.part(first)


def test_without_a_database_everything_is_in_the_folder(engine: Engine) -> None:
    assert {file.name for file in (engine.settings.memory.root / ".everlore").iterdir()} >= {"index.db", "state.db"}
