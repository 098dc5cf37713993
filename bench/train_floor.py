"""Make the weights by which a memory is judged to fit: `python -m bench.train_floor` writes `search/floor.json`.

Learned from the seen half of `floor/`: the best memory with the answer against the best ones of prompts that no memory
fits. Logistic regression, once with what the built-in model takes the prompt for and once without, for other models.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.floor import Answered, answered, people
from bench.train import fit
from everlore.search import floor

SHARE_OF_VECTOR = 6.0
"""How much the vector weighs against what is seen."""
LEAST, LEAST_ALONE = 0.4, 0.75
"""Chosen on the seen half, one person left out at a time: of prompts that nothing fits 93 % stay quiet, and of the
others 91 % bring the right memory."""
WRONG = 3
"""Memories of a prompt that none fits which are learned from, the best ones."""

Matrix = NDArray[np.float64]
Seen = NDArray[np.float32]


def examples(asked: Sequence[Answered]) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """What is seen, the prompt's vector, whether it fits, and how much it counts."""
    rows: list[tuple[Seen, Seen, float, float]] = []
    for one in asked:
        if one.vector is None:
            continue
        if one.prompt.answer is None:
            wrong = one.given[:WRONG]
            rows += [(row, one.vector, 0.0, 1 / len(wrong)) for row in wrong]
        else:
            rows += [(row, one.vector, 1.0, 1.0) for row, right in zip(one.given, one.holds, strict=True) if right][:1]
    given, vectors, wanted, counts = (np.array(column, np.float64) for column in zip(*rows, strict=True))
    return given, vectors, wanted, counts


def main() -> int:
    asked = [one for person in people() if person.seen for one in answered(person)]
    given, vectors, wanted, counts = examples(asked)
    spread = given.std(0) + 1e-6
    alone = fit(given / spread, wanted, counts, 1.0)
    both = fit(np.hstack([given / spread, vectors * SHARE_OF_VECTOR]), wanted, counts, 1.0)
    kept = {
        "model": asked[0].model,
        "plain": _named(both[: len(spread)] / spread),
        "vector": [round(float(one), 2) for one in both[len(spread) : -1] * SHARE_OF_VECTOR],
        "bias": round(float(both[-1]) - LEAST, 3),
        "plain alone": _named(alone[:-1] / spread),
        "bias alone": round(float(alone[-1]) - LEAST_ALONE, 3),
    }
    place = Path(floor.__file__).with_suffix(".json")
    place.write_text(json.dumps(kept, separators=(",", ":")) + "\n", encoding="utf-8")
    return 0


def _named(weights: Matrix) -> dict[str, float]:
    return {name: round(float(weight), 3) for name, weight in zip(floor.NAMES, weights, strict=True)}


if __name__ == "__main__":
    sys.exit(main())
