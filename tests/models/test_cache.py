from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.errors import Unavailable
from everlore.models import cache
from everlore.models.base import State, Vectors
from everlore.models.cache import SLICE, CachedEmbedder, EmbeddingCache
from everlore.models.unrelated import OFFLINE, scaled


class Counting:
    """An embedder that remembers what it was asked."""

    name = "counting"
    dimension = 8
    unrelated: float | None = None

    def __init__(self, fail_after: int = 10**9) -> None:
        self.asked: list[list[str]] = []
        self._fail_after = fail_after

    def ready(self) -> bool:
        return True

    @property
    def trouble(self) -> str:
        return ""

    def state(self) -> State:
        return "ready"

    def warm(self) -> None:
        pass

    def query(self, text: str) -> Vectors:
        vector: Vectors = self.encode([text])[0]
        return vector

    def encode(self, texts: Sequence[str], *, patient: bool = True, pieces: Sequence[int] = ()) -> Vectors:
        if len(self.asked) >= self._fail_after:
            raise Unavailable("out of reach")
        self.asked.append(list(texts))
        rows = [np.random.default_rng(abs(hash(text))).normal(size=8) for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], np.float32).reshape(len(texts), 8)

    def close(self) -> None:
        pass


def test_nothing_is_embedded_twice(tmp_path: Path) -> None:
    first = Counting()
    one = CachedEmbedder(first, EmbeddingCache(tmp_path / "embeddings.db"))
    vectors = one.encode(["a", "b", "a"])
    assert first.asked == [["a", "b"]]
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors[0], vectors[2])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    again = Counting()
    two = CachedEmbedder(again, EmbeddingCache(tmp_path / "embeddings.db"))
    assert np.array_equal(two.encode(["b", "c", "a"])[[2, 0]], vectors[:2])
    assert again.asked == [["c"]]
    one.close()
    two.close()


def test_what_was_embedded_before_a_failure_is_kept(tmp_path: Path) -> None:
    texts = [f"text {n}" for n in range(SLICE * 2 + 5)]
    embedder = CachedEmbedder(Counting(fail_after=2), EmbeddingCache(tmp_path / "embeddings.db"))
    with pytest.raises(Unavailable):
        embedder.encode(texts)
    embedder.close()
    later = Counting()
    embedder = CachedEmbedder(later, EmbeddingCache(tmp_path / "embeddings.db"))
    assert embedder.encode(texts).shape == (len(texts), 8)
    assert later.asked == [texts[SLICE * 2 :]]
    embedder.close()


def test_models_do_not_share_vectors(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "embeddings.db")
    cache.put("x", ["a"], np.ones((1, 4), np.float32))
    assert list(cache.get("x", ["b", "a", "a"])) == [1, 2]
    assert cache.get("y", ["a"]) == {}
    cache.put("y", ["a", "b"], np.ones((2, 4), np.float32))
    assert (cache.stats("x").size, cache.stats("y").size) == (1, 2)
    cache.close()


def test_vectors_of_another_size_under_the_same_name_are_made_again(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "embeddings.db")
    cache.put(Counting.name, ["a", "b"], np.ones((2, 4), np.float32))
    counting = Counting()
    embedder = CachedEmbedder(counting, cache)
    for _ in range(2):
        assert embedder.encode(["c", "a"]).shape == (2, 8)
    assert counting.asked == [["c", "a"]]
    embedder.close()


def test_a_broken_cache_only_costs_time(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "embeddings.db")
    cache.close()
    counting = Counting()
    assert CachedEmbedder(counting, cache).encode(["a"]).shape == (1, 8)
    (tmp_path / "broken.db").write_bytes(b"no database " * 999)
    embedder = CachedEmbedder(counting, EmbeddingCache(tmp_path / "broken.db"))
    assert np.array_equal(embedder.encode(["a"]), embedder.encode(["a"]))
    assert embedder.encode([]).shape == (0, 8)
    embedder.close()


@settings(max_examples=20, deadline=None)
@given(texts=st.lists(st.text(max_size=10), min_size=1, max_size=8))
def test_any_text_gives_its_own_vector(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    cache = EmbeddingCache(tmp_path_factory.mktemp("cache") / "embeddings.db")
    embedder = CachedEmbedder(Counting(), cache)
    first = embedder.encode(texts)
    assert np.array_equal(embedder.encode(texts), first)
    assert np.allclose(first, Counting().encode(texts), atol=2e-3)
    embedder.close()


def test_a_question_is_not_kept(tmp_path: Path) -> None:
    inner = Counting()
    cached = CachedEmbedder(inner, EmbeddingCache(tmp_path / "embeddings.db"))
    assert cached.query("why?").shape == cached.query("why?").shape
    assert [text for texts in inner.asked for text in texts] == ["why?", "why?"]
    cached.close()


def test_what_unrelated_means_is_measured_once_and_kept(tmp_path: Path) -> None:
    first = Counting()
    embedder = CachedEmbedder(first, EmbeddingCache(tmp_path / "embeddings.db"))
    found = embedder.unrelated
    assert 0 <= found < 0.5, "directions by chance"
    assert embedder.unrelated == found
    assert len(first.asked) == 1
    embedder.close()
    again = Counting()
    embedder = CachedEmbedder(again, EmbeddingCache(tmp_path / "embeddings.db"))
    assert embedder.unrelated == pytest.approx(found)
    assert again.asked == []
    assert scaled(embedder, 1.0) == 1.0
    assert scaled(embedder, OFFLINE) == pytest.approx(found)
    known = Counting()
    known.unrelated = 0.7
    assert CachedEmbedder(known, EmbeddingCache(tmp_path / "embeddings.db")).unrelated == 0.7
    embedder.close()


def test_a_model_out_of_reach_is_taken_for_the_built_in_one(tmp_path: Path) -> None:
    embedder = CachedEmbedder(Counting(fail_after=0), EmbeddingCache(tmp_path / "embeddings.db"))
    assert scaled(embedder, 0.6) == 0.6
    embedder.close()


def test_a_search_does_not_wait_again_for_a_measurement_that_has_just_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Counting(fail_after=0)
    tries: list[int] = []
    encode = slow.encode

    def counted(texts: Sequence[str], *, patient: bool = True) -> Vectors:
        tries.append(len(texts))
        return encode(texts, patient=patient)

    monkeypatch.setattr(slow, "encode", counted)
    embedder = CachedEmbedder(slow, EmbeddingCache(tmp_path / "embeddings.db"))
    assert [scaled(embedder, 0.6) for _ in range(3)] == [0.6, 0.6, 0.6]
    assert len(tries) == 1
    monkeypatch.setattr(cache, "MEASURED_AGAIN_SECONDS", 0.0)
    embedder = CachedEmbedder(slow, EmbeddingCache(tmp_path / "embeddings.db"))
    assert [scaled(embedder, 0.6) for _ in range(3)] == [0.6, 0.6, 0.6]
    assert len(tries) == 4, "later it is tried again"
    embedder.close()
