from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from everlore.models.offline import OfflineEmbedder
from everlore.models.unrelated import MOST, OFFLINE, measured


def test_the_measure_of_the_built_in_model_is_what_is_measured(tmp_path: Path) -> None:
    embedder = OfflineEmbedder(tmp_path, 1)
    assert measured(embedder.encode) == pytest.approx(OFFLINE, abs=0.01)
    embedder.close()


def test_a_model_that_finds_everything_alike_still_leaves_room() -> None:
    assert measured(lambda texts: np.ones((len(texts), 1), np.float32)) == pytest.approx(MOST)
