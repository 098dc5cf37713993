"""Budgets: what they say, and when they are kept."""

from __future__ import annotations

import pytest

from bench.timing import NONE, Budget


@pytest.mark.parametrize(
    ("budget", "said", "p50", "p95", "kept"),
    [
        (Budget(p50=10, spread=2), "p50 < 10, p95 < 2 x p50", 6.0, 11.9, True),
        (Budget(p50=10, spread=2), "p50 < 10, p95 < 2 x p50", 6.0, 12.1, False),
        (Budget(p50=10, spread=2), "p50 < 10, p95 < 2 x p50", 10.1, 11.0, False),
        (Budget(p95=40), "p95 < 40", 39.0, 39.9, True),
        (Budget(p95=40), "p95 < 40", 1.0, 40.0, False),
    ],
)
def test_a_budget_is_kept_below_each_of_its_limits(
    budget: Budget, said: str, p50: float, p95: float, kept: bool
) -> None:
    assert budget
    assert str(budget) == said
    assert budget.kept(p50, p95) == kept


def test_no_budget_has_nothing_to_keep() -> None:
    assert not NONE
    assert str(NONE) == ""
