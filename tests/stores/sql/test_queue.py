"""The queue of files: what is queued again while it is worked on is not lost, and failures come back ever later."""

from __future__ import annotations

from pathlib import Path

import pytest
from stored import Time

from everlore.stores.base import Index
from everlore.stores.sql.queue import LONGEST_PAUSE
from everlore.stores.sqlite.index import open_index


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def index(tmp_path: Path, clock: Time) -> Index:
    return open_index(tmp_path / "index.db", clock)


def test_paths_come_out_in_the_order_they_came_in(index: Index) -> None:
    index.queue.enqueue(["b.md", "a.md", "b.md"])
    assert index.queue.claim(10) == ["b.md", "a.md"]
    assert index.queue.claim(1) == ["b.md"]


def test_what_is_queued_again_meanwhile_stays(index: Index) -> None:
    index.queue.enqueue(["a.md"])
    index.queue.claim(1)
    index.queue.enqueue(["a.md"])
    index.queue.done(["a.md"])
    assert index.queue.claim(1) == ["a.md"]
    index.queue.done(["a.md"])
    assert index.queue.claim(1) == []


def test_a_failure_comes_back_after_pauses_that_double(index: Index, clock: Time) -> None:
    index.queue.enqueue(["a.md"])
    for pause in (1.0, 2.0, 4.0):
        assert index.queue.claim(1) == ["a.md"]
        index.queue.failed("a.md", "locked")
        clock.seconds += pause - 0.1
        assert index.queue.claim(1) == []
        clock.seconds += 0.1
    assert index.queue.failures() == [("a.md", "locked")]


def test_a_pause_has_a_bound(index: Index, clock: Time) -> None:
    index.queue.enqueue(["a.md"])
    for _ in range(15):
        clock.seconds += LONGEST_PAUSE
        assert index.queue.claim(1) == ["a.md"]
        index.queue.failed("a.md", "locked")
