from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.errors import Unavailable
from everlore.models import base
from everlore.models.base import (
    MOST,
    OFFLINE,
    SLICE,
    TEXTS,
    Cache,
    Embedder,
    State,
    Vectors,
    asked_once,
    measured,
    scaled,
)
from everlore.models.cache import EmbeddingCache
from everlore.models.offline import OfflineEmbedder


class Counting(Embedder):
    """An embedder that remembers what it was asked."""

    name = "counting"
    dimension = 8

    def __init__(self, cache: Cache | None = None, fail_after: int = 10**9) -> None:
        super().__init__(cache)
        self.asked: list[list[str]] = []
        self.tries = 0
        self._fail_after = fail_after

    def state(self) -> State:
        return "ready"

    def warm(self) -> None:
        pass

    def _encode(self, texts: Sequence[str], *, patient: bool) -> Vectors:
        self.tries += 1
        if len(self.asked) >= self._fail_after:
            raise Unavailable("out of reach")
        self.asked.append(list(texts))
        rows = [np.random.default_rng(abs(hash(text))).normal(size=8) for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], np.float32).reshape(len(texts), 8)


def test_nothing_is_embedded_twice(tmp_path: Path) -> None:
    one = Counting(EmbeddingCache(tmp_path / "embeddings.db"))
    vectors = one.encode(["a", "b", "a"])
    assert one.asked == [["a", "b"]]
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors[0], vectors[2])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    two = Counting(EmbeddingCache(tmp_path / "embeddings.db"))
    assert np.array_equal(two.encode(["b", "c", "a"])[[2, 0]], vectors[:2])
    assert two.asked == [["c"]]
    one.close()
    two.close()


def test_what_was_embedded_before_a_failure_is_kept(tmp_path: Path) -> None:
    texts = [f"text {n}" for n in range(SLICE * 2 + 5)]
    embedder = Counting(EmbeddingCache(tmp_path / "embeddings.db"), fail_after=2)
    with pytest.raises(Unavailable):
        embedder.encode(texts)
    embedder.close()
    embedder = Counting(EmbeddingCache(tmp_path / "embeddings.db"))
    assert embedder.encode(texts).shape == (len(texts), 8)
    assert embedder.asked == [texts[SLICE * 2 :]]
    embedder.close()


def test_vectors_of_another_size_under_the_same_name_are_made_again(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "embeddings.db")
    cache.put(Counting.name, ["a", "b"], np.ones((2, 4), np.float32))
    embedder = Counting(cache)
    for _ in range(2):
        assert embedder.encode(["c", "a"]).shape == (2, 8)
    assert embedder.asked == [["c", "a"]]
    embedder.close()


def test_a_broken_cache_only_costs_time(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "embeddings.db")
    cache.close()
    assert Counting(cache).encode(["a"]).shape == (1, 8)
    (tmp_path / "broken.db").write_bytes(b"no database " * 999)
    embedder = Counting(EmbeddingCache(tmp_path / "broken.db"))
    assert np.array_equal(embedder.encode(["a"]), embedder.encode(["a"]))
    assert embedder.encode([]).shape == (0, 8)
    embedder.close()


@settings(max_examples=20, deadline=None)
@given(texts=st.lists(st.text(max_size=10), min_size=1, max_size=8))
def test_any_text_gives_its_own_vector(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = EmbeddingCache(tmp_path_factory.mktemp("cache") / "embeddings.db")
    embedder = Counting(cache)
    first = embedder.encode(texts)
    assert np.array_equal(embedder.encode(texts), first)
    assert np.allclose(first, Counting().encode(texts), atol=2e-3)
    embedder.close()


def test_a_question_is_not_kept(tmp_path: Path) -> None:
    cached = Counting(EmbeddingCache(tmp_path / "embeddings.db"))
    assert cached.query("why?").shape == cached.query("why?").shape
    assert cached.asked == [["why?"], ["why?"]]
    cached.close()


def test_a_question_of_one_request_is_embedded_once() -> None:
    embedder = Counting()
    once = asked_once(embedder)
    assert once.query("Where do I live?") is once.query("Where do I live?")
    assert not np.array_equal(once.query("Who am I?"), once.query("Where do I live?"))
    assert embedder.asked == [["Where do I live?"], ["Who am I?"]]
    assert (once.name, once.dimension, once.ready(), once.state(), once.trouble) == ("counting", 8, True, "ready", "")
    assert np.array_equal(once.encode(["x", "y"]), embedder.encode(["x", "y"]))


def test_what_unrelated_means_is_measured_once_and_kept(tmp_path: Path) -> None:
    embedder = Counting(EmbeddingCache(tmp_path / "embeddings.db"))
    found = embedder.unrelated
    assert 0 <= found < 0.5, "directions by chance"
    assert embedder.unrelated == found
    assert len(embedder.asked) == 1
    embedder.close()
    embedder = Counting(EmbeddingCache(tmp_path / "embeddings.db"))
    assert embedder.unrelated == pytest.approx(found)
    assert embedder.asked == []
    assert scaled(embedder, 1.0) == 1.0
    assert scaled(embedder, OFFLINE) == pytest.approx(found)
    embedder.close()


def test_the_measure_of_the_built_in_model_is_what_is_measured(granite: OfflineEmbedder) -> None:
    assert granite.unrelated == OFFLINE == pytest.approx(measured(granite.encode(TEXTS)), abs=0.01)


def test_a_model_that_finds_everything_alike_still_leaves_room() -> None:
    assert measured(np.ones((len(TEXTS), 1), np.float32)) == pytest.approx(MOST)


def test_a_model_out_of_reach_is_taken_for_the_built_in_one() -> None:
    assert scaled(Counting(fail_after=0), 0.6) == 0.6


def test_a_search_does_not_wait_again_for_a_measurement_that_has_just_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Counting(fail_after=0)
    assert [scaled(slow, 0.6) for _ in range(3)] == [0.6, 0.6, 0.6]
    assert slow.tries == 1
    monkeypatch.setattr(base, "MEASURED_AGAIN_SECONDS", 0.0)
    slow = Counting(fail_after=0)
    assert [scaled(slow, 0.6) for _ in range(3)] == [0.6, 0.6, 0.6]
    assert slow.tries == 3, "later it is tried again"
