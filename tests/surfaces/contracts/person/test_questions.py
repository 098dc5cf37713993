"""Questions go by the names of their functions, and take their arguments and no others."""

from __future__ import annotations

import pytest

from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.surfaces.contracts.person.asking import person
from everlore.surfaces.contracts.person.questions import QUESTIONS, ask


def test_a_question_is_asked_by_its_name(engine: Engine) -> None:
    who = person(engine, {"folder": "", "settings": {}, "user": None})
    assert ask("users", who, {}) == {}
    assert ask("bin", who, {})["rows"] == []
    assert {"search", "add", "edit", "forget", "undo", "known"} <= set(QUESTIONS)


@pytest.mark.parametrize("arguments", [{}, {"query": "x", "team": "a"}])
def test_unknown_and_missing_arguments_are_refused(engine: Engine, arguments: dict[str, str]) -> None:
    who = person(engine, {"folder": "", "settings": {}, "user": None})
    with pytest.raises(InvalidInput, match="argument"):
        ask("search", who, arguments)
