"""Ids in every form that clients send, limits, and trouble in the contract's words."""

from __future__ import annotations

from typing import Any

import pytest

from everlore.errors import Damaged, EverloreError, InvalidInput, NotFound, Unavailable
from everlore.surfaces.contracts.knowledge.asking import DATABASE, NOT_READY, NotReady, limited, plain_id, tool
from everlore.surfaces.contracts.toolset import Caller


@pytest.mark.parametrize(
    "given",
    [
        "abc",
        " memories:abc ",
        "entities:abc",
        {"tb": "memories", "id": {"String": "abc"}},
        '{"tb": "memories", "id": {"String": "abc"}}',
        {"id": "abc"},
    ],
)
def test_an_id_in_every_form(given: Any) -> None:
    assert plain_id(given, "id") == "abc"


@pytest.mark.parametrize("given", [None, 7, [], {}, {"id": {}}])
def test_what_is_no_id(given: Any) -> None:
    with pytest.raises(InvalidInput, match="entity_id must be the id"):
        plain_id(given, "entity_id")


def test_more_than_the_maximum_is_the_maximum() -> None:
    assert [limited(limit, 50) for limit in (1, 50, 51)] == [1, 50, 50]
    with pytest.raises(InvalidInput, match="between 1 and 50"):
        limited(0, 50)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (Unavailable("the disk is full"), f"{DATABASE} the disk is full"),
        (Damaged("the index"), f"{DATABASE} the index"),
        (NotReady(), NOT_READY),
        (NotFound("Memory not found: x"), "Memory not found: x"),
    ],
)
def test_trouble_below_begins_with_the_contracts_sentence(error: EverloreError, text: str) -> None:
    @tool("Fails")
    def failing(ask: Caller) -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        failing.call(Caller(lambda _: pytest.fail("no engine is needed")), {})
    assert str(caught.value) == text
