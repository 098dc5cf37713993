"""Search by words: frequent terms, and what is remembered of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from stored import ALICE, fill, row, text, where

from everlore.stores.sqlite import words
from everlore.stores.sqlite.hits import Ints, permitted
from everlore.stores.sqlite.index import open_index
from everlore.types import Predicate


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".everlore" / "index.db"


def test_frequent_terms_count_although_their_lists_are_not_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = open_index(path)
    rows = [
        row(f"af_{n:03}", f"alice said {'tea' if n % 20 == 0 else 'word'} {'cake' if n % 3 else ''}")
        for n in range(200)
    ]
    fill(index, *rows)
    query = ["tea", "cake", "alic"]
    exact = text(index, query, where(), 10)
    everything = text(index, query, where(), 200)
    one = text(index, query, where(filter=Predicate("session_id", "eq", "s1")), 10)
    monkeypatch.setattr(words, "MOST_POSTINGS", 12)
    for limit, expected in ((10, exact), (200, everything)):
        got = text(index, query, where(), limit)
        assert [hit.unit for hit in got] == [hit.unit for hit in expected]
        assert [hit.score for hit in got] == pytest.approx([hit.score for hit in expected])
    assert [h.unit for h in text(index, query, where(filter=Predicate("session_id", "eq", "s1")), 10)] == [
        h.unit for h in one
    ]
    index.close()


def test_a_filter_that_nearly_all_meet_is_not_listed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scope of a million memories, and words of which few of them have one: their units alone are looked at."""
    index = open_index(path)
    fill(index, *(row(f"af_{n:03}", f"alice said {'tea' if n % 40 == 0 else 'word'} again") for n in range(200)))
    listed = []

    def counted(*given: Any) -> Ints:
        found = permitted(*given)
        listed.append(len(found))
        return found

    monkeypatch.setattr(words, "permitted", counted)
    monkeypatch.setattr(words, "FEW", 20)
    broad, narrow = Predicate("session_id", "ne", "s9"), Predicate("timestamp", "eq", -1)
    assert len(text(index, ["tea"], where(filter=broad), 10)) == 5
    assert listed
    assert max(listed) <= 21
    assert text(index, ["tea"], where(filter=narrow), 10) == []
    index.close()


def test_frequencies_are_forgotten_when_units_change(path: Path) -> None:
    index, writer = open_index(path), open_index(path)
    fill(writer, row("af_1", "tea"))
    assert index.search.term_stats(["tea"], ALICE).frequency == {"tea": 1}
    fill(writer, row("af_1", "tea"), row("af_2", "tea"))
    assert index.search.term_stats(["tea"], ALICE).frequency == {"tea": 2}
    fill(writer)
    assert index.search.term_stats(["tea"], ALICE).frequency == {"tea": 0}
    index.close()
    writer.close()
