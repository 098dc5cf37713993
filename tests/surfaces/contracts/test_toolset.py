"""A function as a tool."""

from __future__ import annotations

import pytest

from everlore.engine import Engine
from everlore.errors import InvalidInput
from everlore.surfaces.contracts.toolset import Caller, tool


@tool("A title", destroys=True)
def list_(ask: Caller, from_: int = 1) -> dict[str, int]:
    """Words for
    models."""
    return {"from": from_}


def test_name_words_and_arguments_come_from_the_function(engine: Engine) -> None:
    assert (list_.name, list_.title, list_.description) == ("list", "A title", "Words for models.")
    assert (list_.reads, list_.destroys, list_.repeatable) == (False, True, False)
    ask = Caller(lambda _: engine)
    assert ask.engine is engine
    assert list_.call(ask, {}) == {"from": 1}
    assert list_.call(ask, {"from": "7"}) == {"from": 7}
    with pytest.raises(InvalidInput, match="unknown argument: from_; known are: from"):
        list_.call(ask, {"from_": 7})
