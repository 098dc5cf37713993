"""The queue of files that are to be indexed, on every store."""

from __future__ import annotations

from collections.abc import Callable

from stored import Time

from everlore.stores.base import Index


def test_the_queue_keeps_a_path_until_it_is_done(index: Index) -> None:
    index.enqueue(["b.md", "a.md"])
    index.enqueue(["a.md"])
    assert index.claim(10) == ["b.md", "a.md"]
    assert index.claim(1) == ["b.md"]
    index.done("b.md")
    index.done("a.md")
    assert (index.claim(10), index.status().queued) == ([], 0)


def test_a_path_queued_while_it_is_worked_on_is_looked_at_again(open_index: Callable[[], Index]) -> None:
    worker, other = open_index(), open_index()
    worker.enqueue(["a.md"])
    assert worker.claim(10) == ["a.md"]
    other.enqueue(["a.md"])
    worker.done("a.md")
    assert worker.claim(10) == ["a.md"]
    worker.done("a.md")
    assert worker.claim(10) == []


def test_failures_come_due_after_growing_pauses(index: Index, time: Time) -> None:
    index.enqueue(["a.md"])
    for pause in (1, 2, 4, 8, 16, 32, 60, 60):
        assert index.claim(10) == ["a.md"]
        index.failed("a.md", "broken")
        time.seconds += pause - 0.5
        assert index.claim(10) == []
        time.seconds += 0.5
    assert index.failures() == [("a.md", "broken")]
    assert (index.status().queued, index.status().failed) == (1, 1)
    index.failed("a.md", "broken still")
    index.enqueue(["a.md"])
    assert index.claim(10) == ["a.md"]
    index.done("a.md")
    assert index.failures() == []
