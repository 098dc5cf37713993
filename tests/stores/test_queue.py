"""The queue of files: what is queued again while it is worked on is not lost, and failures come back ever later."""

from __future__ import annotations

from pathlib import Path

import pytest
from stored import Time

from everlore.stores.queue import LONGEST_PAUSE
from everlore.stores.sqlite.index import SqliteIndex


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def index(tmp_path: Path, clock: Time) -> SqliteIndex:
    return SqliteIndex(tmp_path / "index.db", clock)


def test_paths_come_out_in_the_order_they_came_in(index: SqliteIndex) -> None:
    index.enqueue(["b.md", "a.md", "b.md"])
    assert index.claim(10) == ["b.md", "a.md"]
    assert index.claim(1) == ["b.md"]


def test_what_is_queued_again_meanwhile_stays(index: SqliteIndex) -> None:
    index.enqueue(["a.md"])
    index.claim(1)
    index.enqueue(["a.md"])
    index.done("a.md")
    assert index.claim(1) == ["a.md"]
    index.done("a.md")
    assert index.claim(1) == []


def test_a_failure_comes_back_after_pauses_that_double(index: SqliteIndex, clock: Time) -> None:
    index.enqueue(["a.md"])
    for pause in (1.0, 2.0, 4.0):
        assert index.claim(1) == ["a.md"]
        index.failed("a.md", "locked")
        clock.seconds += pause - 0.1
        assert index.claim(1) == []
        clock.seconds += 0.1
    assert index.failures() == [("a.md", "locked")]


def test_a_pause_has_a_bound(index: SqliteIndex, clock: Time) -> None:
    index.enqueue(["a.md"])
    for _ in range(15):
        clock.seconds += LONGEST_PAUSE
        assert index.claim(1) == ["a.md"]
        index.failed("a.md", "locked")
