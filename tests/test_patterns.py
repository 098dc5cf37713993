"""No pattern takes more than linear time, whatever somebody sends. Found mechanically: all of them, searched through
repeated parts of what each is made to match."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from growth import assert_linear, cpu_seconds
from patterns import attacks, patterns

SIZE = 1000
SUSPICIOUS_SECONDS = 0.002
SHORT = {"everlore.code.walk._SKIPPED_FILES": "a file's name, which has at most 255 bytes"}
"""Patterns that do not look through texts, and what they see."""


def search(pattern: str, unit: str, size: int) -> Callable[[], object]:
    text = (unit * (size // len(unit) + 1))[:size] + "\x01"
    return partial(_found, pattern, text)


def _found(pattern: str, text: str) -> int:
    return sum(1 for _ in FOUND[pattern].finditer(text))


FOUND = {where: pattern for where, pattern in patterns().items() if where not in SHORT}


def test_there_are_patterns_to_try() -> None:
    assert len(FOUND) > 150


@pytest.mark.parametrize("pattern", sorted(FOUND))
def test_a_pattern_takes_time_in_proportion_to_the_text(pattern: str) -> None:
    for unit in attacks(FOUND[pattern]):
        long = cpu_seconds(search(pattern, unit, 4 * SIZE))
        if long > SUSPICIOUS_SECONDS and long > 7 * cpu_seconds(search(pattern, unit, SIZE)):
            assert_linear(partial(search, pattern, unit), 2 * SIZE)
