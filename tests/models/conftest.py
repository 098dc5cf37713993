from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everlore.models.offline import OfflineEmbedder


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("model-cache")


@pytest.fixture(scope="session")
def granite(model_cache: Path) -> Iterator[OfflineEmbedder]:
    embedder = OfflineEmbedder(model_cache, threads=2)
    embedder.encode(["load"])
    yield embedder
    embedder.close()
