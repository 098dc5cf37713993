"""The contract's variables: bounds, defaults and complaints."""

from __future__ import annotations

import pytest

from everlore.surfaces.contracts.records.environment import Environment


def test_without_any_the_defaults_hold() -> None:
    found = Environment({})
    assert (found.default_limit, found.max_limit, found.max_content, found.max_tags) == (10, 100, 10_000, 20)
    assert (found.complaints, found.log_level) == ([], None)


@pytest.mark.parametrize(
    ("name", "value", "used"), [("MAX_TAGS_COUNT", "5", 5), ("MAX_TAGS_COUNT", "500", 100), ("MAX_TAGS_COUNT", "x", 20)]
)
def test_numbers_are_kept_within_bounds(name: str, value: str, used: int) -> None:
    found = Environment({name: value})
    assert found.max_tags == used
    assert [name in complaint for complaint in found.complaints] == ([] if value == "5" else [True])


def test_the_usual_limit_is_never_above_the_largest() -> None:
    assert Environment({"SEARCH_DEFAULT_LIMIT": "50", "SEARCH_MAX_LIMIT": "7"}).default_limit == 7


def test_what_has_no_effect_is_said() -> None:
    found = Environment({"LOG_LEVEL": "loud", "EMBEDDINGS_POOLING": "max", "EMBEDDINGS_MODEL": "x/y"})
    assert len(found.complaints) == 3
    assert found.log_level == "info"
