"""Errors arrive as what they were."""

from __future__ import annotations

import inspect

import pytest

from everlore import errors
from everlore.errors import Denied, EverloreError, InvalidInput
from everlore.surfaces.contracts.person.failing import raised, told
from everlore.vault.base import Outdated


@pytest.mark.parametrize("kind", [one for _, one in inspect.getmembers(errors, inspect.isclass)])
def test_every_error_arrives_as_what_it_was(kind: type[EverloreError]) -> None:
    error = Denied("why", "no") if kind is Denied else kind("no")
    assert (type(raised(told(error))), str(raised(told(error)))) == (kind, "no")


def test_an_error_that_a_module_keeps_to_itself_arrives_as_its_kind() -> None:
    assert type(raised(told(Outdated("again")))) is errors.Unavailable
    assert isinstance(raised({"error": "Newer", "message": "?"}), EverloreError)
    assert not isinstance(raised({"error": "Newer", "message": "?"}), InvalidInput)
