"""The queue of files that are to be indexed, on every store."""

from __future__ import annotations

from collections.abc import Callable

from stored import Time

from everlore.stores.base import Index


def test_the_queue_keeps_a_path_until_it_is_done(index: Index) -> None:
    index.queue.enqueue(["b.md", "a.md"])
    index.queue.enqueue(["a.md"])
    assert index.queue.claim(10) == ["b.md", "a.md"]
    assert index.queue.claim(1) == ["b.md"]
    index.queue.done(["b.md"])
    index.queue.done(["a.md"])
    assert (index.queue.claim(10), index.upkeep.status().queued) == ([], 0)


def test_a_path_queued_while_it_is_worked_on_is_looked_at_again(open_index: Callable[[], Index]) -> None:
    worker, other = open_index(), open_index()
    worker.queue.enqueue(["a.md"])
    assert worker.queue.claim(10) == ["a.md"]
    other.queue.enqueue(["a.md"])
    worker.queue.done(["a.md"])
    assert worker.queue.claim(10) == ["a.md"]
    worker.queue.done(["a.md"])
    assert worker.queue.claim(10) == []


def test_failures_come_due_after_growing_pauses(index: Index, time: Time) -> None:
    index.queue.enqueue(["a.md"])
    for pause in (1, 2, 4, 8, 16, 32, 60, 60):
        assert index.queue.claim(10) == ["a.md"]
        index.queue.failed("a.md", "broken")
        time.seconds += pause - 0.5
        assert index.queue.claim(10) == []
        time.seconds += 0.5
    assert index.queue.failures() == [("a.md", "broken")]
    assert (index.upkeep.status().queued, index.upkeep.status().failed) == (1, 1)
    index.queue.failed("a.md", "broken still")
    index.queue.enqueue(["a.md"])
    assert index.queue.claim(10) == ["a.md"]
    index.queue.done(["a.md"])
    assert index.queue.failures() == []
