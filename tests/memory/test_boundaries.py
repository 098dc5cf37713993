"""A stretch of talk that has ended is written by the call that notices it, and the session's buffer is empty then."""

from __future__ import annotations

from pathlib import Path

import pytest
from embeddings import Endpoint
from vaults import ALICE, DAY, MAY_28, SCOPE, contents, open_vault, says

from everlore.engine import Engine
from everlore.memory import NewMessage, remember, unprocessed

HOUR = 3_600_000


AFTERNOON = MAY_28 - 5 * HOUR


@pytest.mark.parametrize(
    "later",
    [
        pytest.param([says("I moved to Oslo.", at=AFTERNOON + DAY)], id="another day"),
        pytest.param([says("I moved to Oslo.", at=AFTERNOON + 4 * HOUR)], id="a long silence"),
        pytest.param([says(f"Lamp {number}.", at=AFTERNOON + number) for number in range(130)], id="many messages"),
        pytest.param([says("I like lamps. " * 6000, at=AFTERNOON + 1)], id="many words"),
    ],
)
def test_a_boundary_writes_everything_and_empties_the_buffer(engine: Engine, later: list[NewMessage]) -> None:
    assert not remember(engine, SCOPE, "s", [says("I live in Rome.", at=AFTERNOON)])
    assert remember(engine, SCOPE, "s", later)
    assert unprocessed(engine, SCOPE, "s") == []
    assert len(contents(engine, ALICE)) >= 2


def test_talk_that_goes_on_stays_buffered(engine: Engine) -> None:
    for number in range(20):
        assert not remember(engine, SCOPE, "s", [says(f"I bought lamp {number}.", at=MAY_28 + number * 60_000)])
    assert len(unprocessed(engine, SCOPE, "s")) == 20
    assert contents(engine, ALICE) == {}


def test_a_change_of_topic_is_a_boundary(tmp_path: Path, vectors: Endpoint) -> None:
    engine = open_vault(tmp_path, vectors.url, boundary_detection={"topic_shift": True})
    climbing = "climbing rope harness granite wall summit climbing rope"
    cooking = "noodles broth ginger onion recipe kitchen noodles broth"
    batch = [says(f"{climbing} {number}", at=MAY_28 + number) for number in range(10)]
    assert not remember(engine, SCOPE, "s", batch)
    assert remember(engine, SCOPE, "s", [says(f"{cooking} {n}", at=MAY_28 + 20 + n) for n in range(10)])
    assert unprocessed(engine, SCOPE, "s") == []
    first, second = contents(engine, ALICE).values()
    assert "granite" in first
    assert "granite" not in second
    engine.close()
