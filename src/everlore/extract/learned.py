"""The weights of the small learned judgements: `python -m bench.train` makes them from what `bench/reading/` labels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
FILE = Path(__file__).with_name("learned.npz")


@cache
def weights() -> Mapping[str, Vector]:
    with np.load(FILE) as kept:
        return {name: kept[name].astype(np.float32) for name in kept.files if name != "model"}


@cache
def model() -> str:
    """The embedder whose vectors they were learned with; those of another say nothing here."""
    with np.load(FILE) as kept:
        return str(kept["model"])
