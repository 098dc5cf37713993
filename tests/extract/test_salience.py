"""What is worth keeping scores above what is said in passing."""

from __future__ import annotations

import pytest

from everlore.extract.learned import weights
from everlore.extract.salience import NAMES, PLACES, features, salience

WORTH = (
    "I bought a 2018 Mustang GT last month.",
    "My sister Anna lives in Oslo with her two kids.",
    "I was diagnosed with ADHD in March.",
)
IDLE = (
    "Wow, that's awesome!",
    "Thanks for sharing, take care!",
    "It's moments like these that make life worth living.",
    "Can you recommend some books?",
)


@pytest.mark.parametrize("worth", WORTH)
@pytest.mark.parametrize("idle", IDLE)
def test_what_is_told_comes_before_what_is_only_said(worth: str, idle: str) -> None:
    assert salience(worth) > 0 > salience(idle)


def test_features_have_names() -> None:
    assert len(features("I live in Rome.")) == len(NAMES)
    assert len(weights()["salience"]) == len(NAMES) + 1
    assert weights()["place"].shape[1] == len(PLACES)
