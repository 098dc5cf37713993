"""The engine on a backend that only the tests know: told, found, listed, forgotten, without a line above it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from embeddings import Endpoint
from memory_backend import MemoryBackend
from vaults import ALICE, DAY, MAY_28, SCOPE, open_vault, says

from everlore.engine import Engine
from everlore.memory import flush, listing, remember
from everlore.search import Query, recall
from everlore.search.recipes import METHODS, Method
from everlore.sync.upkeep import embed_all, rebuild


@pytest.fixture
def engine(tmp_path: Path, vectors: Endpoint) -> Iterator[Engine]:
    with closing(open_vault(tmp_path, vectors.url, store={"url": f"memory://{tmp_path.name}"})) as opened:
        assert isinstance(opened.backend, MemoryBackend)
        yield opened


@pytest.mark.parametrize("method", METHODS)
def test_what_was_told_is_found(engine: Engine, method: Method) -> None:
    for day, told in enumerate(
        ("My sister Maria moved to Porto.", "I repaired the red bicycle.", "Tom reads on bees.")
    ):
        remember(engine, SCOPE, f"s{day}", [says(told, at=MAY_28 + day * DAY)])
        flush(engine, SCOPE, f"s{day}")
    embed_all(engine, lambda *_: None)
    hits = recall(engine, Query(ALICE, "Where did Maria move to?", 5), METHODS[method]).hits["episode"]
    assert "Porto" in hits[0].stored.data["episode"]
    assert listing(engine, ALICE, "episode").total == 3
    assert rebuild(engine, lambda *_: None) >= 3
    assert not (engine.settings.memory.root / ".everlore" / "index.db").exists()
