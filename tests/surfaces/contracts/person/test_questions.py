"""Questions go by the names of their functions, and take their arguments and no others; errors arrive as they were."""

from __future__ import annotations

import inspect

import pytest

from everlore import errors
from everlore.engine import Engine
from everlore.errors import Denied, EverloreError, InvalidInput
from everlore.surfaces.contracts.person import raised, told
from everlore.surfaces.contracts.person.asking import person
from everlore.surfaces.contracts.person.questions import QUESTIONS, ask
from everlore.vault.base import Outdated


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


@pytest.mark.parametrize("kind", [one for _, one in inspect.getmembers(errors, inspect.isclass)])
def test_every_error_arrives_as_what_it_was(kind: type[EverloreError]) -> None:
    error = Denied("why", "no") if kind is Denied else kind("no")
    assert (type(raised(told(error))), str(raised(told(error)))) == (kind, "no")


def test_an_error_that_a_module_keeps_to_itself_arrives_as_its_kind() -> None:
    assert type(raised(told(Outdated("again")))) is errors.Unavailable
    assert isinstance(raised({"error": "Newer", "message": "?"}), EverloreError)
    assert not isinstance(raised({"error": "Newer", "message": "?"}), InvalidInput)
