from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from vaults import within

from everlore.engine import Engine
from everlore.sync.worker import Worker


@pytest.fixture
def working(alice: Path, engine: Engine) -> Iterator[None]:
    """A worker on the vault in which a test module has told of Alice."""
    worker = Worker(engine)
    worker.start()
    within(10, lambda: worker._watching.is_set() and not engine.index.upkeep.status().queued)
    yield
    worker.stop()
