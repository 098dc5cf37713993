"""Many real vectors: sentences of the public data sets with some of their words changed, as the product embeds them.

They are made in blocks that depend on nothing but their number, and kept in files, so that a run can be stopped and
taken up again, and so that a smaller number is a part of a larger one. Beyond `EMBEDDED` words are changed and vectors
moved instead: from that of the sentence towards that of another one, as far as changed words moved one that was
embedded.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.data import locomo, longmemeval, texts
from everlore.models.base import Embedder

BLOCK = 10_000
EMBEDDED = 340_000
"""Embedding more would take more time than all the rest."""
FEWEST_WORDS, MOST_WORDS = 8, 14
CHANGED = 0.25
"""Of the words of a sentence, when it is told for the second time or later."""

_END = re.compile(r"(?<=[.!?])\s+|\n+")

Vectors = NDArray[np.float16]


def make(
    folder: Path, work: Path, embedder: Embedder, count: int, advance: Callable[[int], None]
) -> tuple[list[str], Vectors]:
    """The first `count` sentences and their vectors, from files in `work` as far as they are there."""
    work.mkdir(parents=True, exist_ok=True)
    told: list[str] = []
    blocks = -(-count // BLOCK)
    vectors = np.empty((blocks * BLOCK, embedder.dimension), np.float16)
    known = sentences(folder)
    for number in range(blocks):
        here = vectors[number * BLOCK : (number + 1) * BLOCK]
        file = work / f"vectors-{number:03}.npy"
        if number < EMBEDDED // BLOCK and not file.exists():
            _make_block(known, number, work, embedder)
        if number < EMBEDDED // BLOCK:
            told += (work / f"texts-{number:03}.txt").read_text(encoding="utf-8").splitlines()
            here[:] = np.load(file)
        else:
            told += varied(known, number)
            here[:] = _moved(vectors[:EMBEDDED], len(known), number)
        advance(BLOCK)
    return told[:count], vectors[:count]


def _moved(embedded: Vectors, known: int, number: int) -> Vectors:
    """A block of vectors of which none was embedded; `known` sentences were, as they are."""
    random = np.random.default_rng((20, number))
    changed = random.integers(known, len(embedded), BLOCK)
    near = np.einsum("ij,ij->i", _units(embedded[changed]), _units(embedded[changed - known]))[:, None]
    origin = _units(embedded[np.arange(number * BLOCK, (number + 1) * BLOCK) % known])
    other = _units(embedded[random.integers(known, size=BLOCK)])
    aside = _units(other - np.einsum("ij,ij->i", origin, other)[:, None] * origin)
    moved: Vectors = (near * origin + np.sqrt(1 - np.minimum(near, 1) ** 2) * aside).astype(np.float16)
    return moved


def _units(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    single = vectors.astype(np.float32)
    single /= np.maximum(np.linalg.norm(single, axis=1, keepdims=True), 1e-12)
    return single


def _make_block(known: list[str], number: int, work: Path, embedder: Embedder) -> None:
    told = list(varied(known, number))
    vectors = embedder.encode(told).astype(np.float16)
    (work / f"texts-{number:03}.txt").write_text("\n".join(told), encoding="utf-8")
    unfinished = work / "unfinished.npy"
    np.save(unfinished, vectors)
    unfinished.replace(work / f"vectors-{number:03}.npy")


def sentences(folder: Path) -> list[str]:
    """Each once, in an order that mixes the data sets."""
    spoken = list(texts(locomo(folder)))
    with lzma.open(folder / "longmemeval" / "sessions.jsonl.xz", "rt", encoding="utf-8") as lines:
        spoken += [turn["content"] for one in map(json.loads, lines) for turn in one["turns"]]
    found = dict.fromkeys(" ".join(part.split()) for text in spoken for part in _END.split(text))
    fitting = [part for part in found if FEWEST_WORDS <= part.count(" ") + 1 <= MOST_WORDS]
    return [fitting[at] for at in np.random.default_rng(17).permutation(len(fitting))]


def questions(folder: Path, count: int) -> list[str]:
    """What people ask, of both data sets."""
    asked = [one.text for stack in [*locomo(folder), *longmemeval(folder, 1)] for one in stack.questions]
    return [asked[at] for at in np.random.default_rng(18).permutation(len(asked))[:count]]


def varied(known: list[str], number: int) -> Iterator[str]:
    """One block. The first time round the sentences are as they were said, later some of their words are others of
    the corpus, drawn as often as they occur there."""
    random = np.random.default_rng((19, number))
    for at in range(number * BLOCK, (number + 1) * BLOCK):
        words = known[at % len(known)].split(" ")
        if at >= len(known):
            for place in random.choice(len(words), round(CHANGED * len(words)), replace=False):
                donor = known[random.integers(len(known))].split(" ")
                words[place] = donor[random.integers(len(donor))]
        yield " ".join(words)
