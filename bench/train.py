"""Make the small weights that extraction judges by: `python -m bench.train` writes `extract/*.json`.

Learned from what is labelled in `bench/reading/`: pairs of statements (the seen half of `changes.toml`, all of
`examples.toml`) and judged sentences (the seen half of `facts.toml`).
Real talk of the development conversations adds pairs that end
nothing: of two statements of one person that are alike, next to none does. Logistic regression, by Newton's method.
"""

from __future__ import annotations

import json
import sys
import tempfile
import tomllib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.data import data_folder, locomo
from bench.reading_sets import READING, changes, is_seen, judged_sentences
from everlore.extract import change, salience
from everlore.extract.facts import as_fact, write_facts
from everlore.extract.language import language_of
from everlore.extract.supersede import likely, may_end, words_of
from everlore.kinds.fact import Fact
from everlore.models.offline import OfflineEmbedder
from everlore.types import Cell, Message, Owner, Scope

THRESHOLD = 0.7
"""Chosen on the seen half: one wrong end in twenty pairs in cross-validation, hardly one in real talk."""
THRESHOLD_OF_WORDS = 1.5
OF_HARD = 0.5
"""How much a pair that is made to look like a change counts."""
TALK = 4000
"""Pairs of real talk, and how much one of them counts."""
OF_TALK = 0.3
OF_EXAMPLE = 0.1
"""How much a statement of the pairs counts among the judged sentences."""
FOLDS = 5
PRODUCT, NEWER = 0.06, 0.09
"""How much the vectors weigh against what is seen in the words."""
HERE = Path(change.__file__).parent

Matrix = NDArray[np.float64]


def fit(given: Matrix, wanted: Matrix, counts: Matrix, ridge: float) -> Matrix:
    """Weights of a logistic regression, the bias last."""
    wide = np.hstack([given, np.ones((len(given), 1))])
    penalty = np.full(wide.shape[1], ridge)
    penalty[-1] = 1e-3
    found = np.zeros(wide.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-wide @ found))
        slope = wide.T @ (counts * (chance - wanted)) + penalty * found
        bend = (wide * (counts * chance * (1 - chance))[:, None]).T @ wide + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        found -= step
        if np.abs(step).max() < 1e-6:
            break
    return found


def talk_pairs(folder: Path) -> list[tuple[str, str]]:
    """Statements of one person in the development conversations, each with those it would be compared with."""
    pairs: list[tuple[str, str]] = []
    for stack in locomo(folder):
        known: list[Fact] = []
        scope = Scope(stack.app, stack.project)
        for session in stack.sessions:
            messages = [
                Message(
                    f"m{turn.id}",
                    scope,
                    session.id,
                    turn.sender_id,
                    turn.sender_name,
                    "user",
                    turn.timestamp,
                    turn.text,
                    turn.text,
                )
                for turn in session.turns
            ]
            cell = Cell(f"c{session.id}", scope, session.id, tuple(messages))
            owner = Owner(scope, "user", stack.owner)
            new = [
                as_fact(draft, cell, owner, f"{session.id}-{at}") for at, draft in enumerate(write_facts(cell))
            ]  # also those it would keep only for an end
            for fact in filter(may_end, new):
                pairs += [(words_of(old), words_of(fact)) for old in likely(fact, known)[:8]]
            known += new
    order = np.random.default_rng(7).permutation(len(pairs))
    return [pairs[at] for at in order[:TALK]]


def train_changes(embedder: OfflineEmbedder, folder: Path) -> None:
    examples = tomllib.loads((READING / "examples.toml").read_text(encoding="utf-8"))
    rows = [(one.before, one.after, float(one.ends), 1.0) for one in changes() if one.seen]
    rows += [(old, new, 1.0, 1.0) for old, new in examples["ends"]] + [
        (old, new, 0.0, 1.0) for old, new in examples["stands"]
    ]
    own = len(rows)
    rows += [(old, new, 0.0, OF_HARD) for old, new in examples["hard"]]
    rows += [(old, new, 0.0, OF_TALK) for old, new in talk_pairs(folder)]
    texts = list(dict.fromkeys(text for row in rows for text in row[:2]))
    vectors = dict(zip(texts, embedder.encode(texts), strict=True))
    wanted, counts = np.array([row[2] for row in rows]), np.array([row[3] for row in rows])
    one, two = (
        np.array([vectors[text] for text in side], np.float64) for side in zip(*(row[:2] for row in rows), strict=True)
    )
    cosines = (one * two).sum(1)
    plain = np.array(
        [change.features(row[0], row[1], float(cosine)) for row, cosine in zip(rows, cosines, strict=True)]
    )
    words = np.array([change.features(row[0], row[1], 0.0) for row in rows])
    scale = np.sqrt(one.shape[1])
    given = np.hstack([plain, one * two * scale * PRODUCT, two * scale * NEWER])
    _write("change", embedder.name, given, wanted, counts, THRESHOLD, own, (plain.shape[1], one.shape[1], scale))
    _write("change_words", "", words, wanted, counts, THRESHOLD_OF_WORDS, own, (plain.shape[1], 0, scale))


def _write(
    name: str,
    model: str,
    given: Matrix,
    wanted: Matrix,
    counts: Matrix,
    threshold: float,
    own: int,
    shape: tuple[int, int, float],
) -> None:
    ridge = 1.0
    fold = np.random.default_rng(3).integers(0, FOLDS, len(wanted))
    scores = np.zeros(len(wanted))
    for number in range(FOLDS):
        inside = fold != number
        found = fit(given[inside], wanted[inside], counts[inside], ridge)
        scores[~inside] = given[~inside] @ found[:-1] + found[-1]
    labelled = np.arange(len(wanted)) < own
    ended, wrong, of_talk = (
        float((scores[group] > threshold).mean())
        for group in (wanted == 1, labelled & (wanted == 0), counts == OF_TALK)
    )
    found = fit(given, wanted, counts, ridge)
    plain, size, scale = shape
    weights = {
        "model": model,
        "threshold": round(float(threshold), 3),
        "bias": round(float(found[-1]), 3),
        "plain": _rounded(found[:plain]),
        "product": _rounded(found[plain : plain + size] * scale * PRODUCT),
        "newer": _rounded(found[plain + size : plain + 2 * size] * scale * NEWER),
    }
    (HERE / f"{name}.json").write_text(json.dumps(weights, separators=(",", ":")) + "\n", encoding="utf-8")
    print(
        f"{name}: {len(wanted)} pairs, in cross-validation {ended:.2f} ended, wrong {wrong:.3f}, of talk {of_talk:.4f}"
    )


def _rounded(numbers: Matrix) -> list[float]:
    return [round(float(number), 2) for number in numbers]


def train_salience(folder: Path) -> None:
    judged = [one for one in judged_sentences(folder) if is_seen(one.text)]
    examples = tomllib.loads((READING / "examples.toml").read_text(encoding="utf-8"))
    told = [text for pair in examples["ends"] for text in pair]
    told += [text for one in changes() if one.seen and one.ends for text in (one.before, one.after)]
    told = [text for text in dict.fromkeys(told) if language_of(text).code == "en"]
    texts = [one.text for one in judged] + told
    wanted = np.array([float(one.keep) for one in judged] + [1.0] * len(told))
    counts = np.array([1.0] * len(judged) + [OF_EXAMPLE] * len(told))
    found = fit(np.array([salience.features(text) for text in texts]), wanted, counts, 3.0)
    weights = {"plain": _rounded(found[:-1]), "bias": round(float(found[-1]), 2)}
    (HERE / "salience.json").write_text(json.dumps(weights, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"salience: {len(texts)} sentences")


def main() -> int:
    folder = data_folder()
    if not (folder / "locomo").is_dir():
        print(f"there is no folder {folder / 'locomo'}: set BENCH_DATA (bench/README.md tells which)", file=sys.stderr)
        return 1
    train_salience(folder)
    with tempfile.TemporaryDirectory() as cache:
        embedder = OfflineEmbedder(Path(cache), 2)
        train_changes(embedder, folder)
        embedder.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
