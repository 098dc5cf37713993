from __future__ import annotations

from pathlib import Path

import numpy as np

from everlore.models.cache import EmbeddingCache


def test_models_do_not_share_vectors(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "embeddings.db")
    cache.put("x", ["a"], np.ones((1, 4), np.float32))
    assert list(cache.get("x", ["b", "a", "a"])) == [1, 2]
    assert cache.get("y", ["a"]) == {}
    cache.put("y", ["a", "b"], np.ones((2, 4), np.float32))
    assert (cache.stats("x").size, cache.stats("y").size) == (1, 2)
    cache.close()
