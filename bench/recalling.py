"""How long `recall` and `store_memory` take among many memories that name each other's things.

n notes of about 40 words; each names three things, a few of which very many notes name and most of which few do. One
owner in one scope. The query's vector is known beforehand, since embedding is measured elsewhere.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.progress import Progress

from bench.multihop import caller
from bench.peers import append
from bench.speed import FixedEmbedder, compare_with
from bench.synthetic import Corpus, around, make_centres, make_corpus, put
from bench.timing import Budget, Timing
from everlore.config import MemorySection, load
from everlore.engine import Engine, open_engine
from everlore.graph.links import with_links
from everlore.kinds import note
from everlore.models.choose import make_embedder
from everlore.stores.base import Stamp
from everlore.types import IndexRow, Owner, Scope

OWNER = Owner(Scope(), "user", "default")
START = 1_780_000_000_000
NAMES_EACH = 3
PER_NAME = 5
"""Notes for each name there is; the most frequent names have thousands."""


def measure(sizes: tuple[int, ...], queries: int, progress: Progress) -> list[Timing]:
    settings = load()
    embedder = make_embedder(settings.embedding)
    corpus = make_corpus(settings.embedding.cache_dir)
    centres = make_centres(corpus, embedder)
    found: list[Timing] = []
    for n in sizes:
        with tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder:
            engine = open_engine(load(memory=MemorySection(root=Path(folder) / "vault")))
            try:
                names = _fill(engine, corpus, centres, n, progress)
                found += _at_size(engine, corpus, names, n, queries, Path(folder), progress)
            finally:
                engine.close()
    embedder.close()
    return found


def _at_size(
    engine: Engine, corpus: Corpus, names: list[str], n: int, queries: int, folder: Path, progress: Progress
) -> list[Timing]:
    random = np.random.default_rng(7)
    asked = [f"{corpus.query(random)} {names[int(random.integers(len(names)))]}" for _ in range(queries)]
    plain = make_embedder(engine.settings.embedding)
    known = dict(zip(asked, plain.encode(asked), strict=True))
    plain.close()
    still = replace(engine, embedder=FixedEmbedder(engine.embedder.name, engine.embedder.dimension, known))
    call = caller(still)
    bar = progress.add_task(f"recall: asking {n:,} memories", total=2)

    def recall(query: str, **given: float) -> None:
        if not call("recall", {"query": query, "limit": 10, **given})["results"]:
            raise RuntimeError("a recall found nothing, so its time would mean nothing")

    recall(asked[0])
    found = [
        compare_with(
            "recall, query embedded before", n, asked, recall, "without the graph", lambda q: recall(q, ppr_weight=0.0)
        )
    ]
    progress.advance(bar)
    floor = append(folder / "append.log")
    body = f"{corpus.turn(random, 0)}\n"
    found.append(
        compare_with(
            "store_memory, embedded later",
            n,
            [f"{body} {number}" for number in range(queries)],
            lambda text: call("store_memory", {"content": text}),
            "append and fsync of the same bytes",
            lambda _: floor(body),
            Budget(p50=5),
        )
    )
    progress.advance(bar)
    return found


def _fill(engine: Engine, corpus: Corpus, centres: np.ndarray, n: int, progress: Progress) -> list[str]:
    random = np.random.default_rng(n)
    count = max(10, n // PER_NAME)
    names = [f"{_spelled(at)} {_spelled(at * 7 + 3)}son" for at in range(count)]
    odds = 1.0 / np.arange(1, count + 1)
    picked = random.choice(count, (n, NAMES_EACH), p=odds / odds.sum())
    topics = random.integers(len(centres), size=n)
    bar = progress.add_task(f"recall: storing {n:,} memories", total=n)

    def rows(first: int) -> Iterator[IndexRow]:
        for number in range(first, min(n, first + note.NOTE.per_file)):
            told = corpus.turn(random, int(topics[number]))
            text = f"{told} with {', '.join(names[at] for at in picked[number])}."
            moment = START + 1000 * number
            yield with_links(note.NOTE, note.to_row(note.Note(OWNER, f"nt_{number:08d}", moment, text), moment))

    engine.index.upkeep.use_model(engine.embedder.name, engine.embedder.dimension)
    for first in range(0, n, note.NOTE.per_file):
        engine.index.files.replace(f"bench/{first}.md", Stamp(first, 1), list(rows(first)))
        progress.advance(bar, note.NOTE.per_file)
    put(engine.index, around(centres, topics, random))
    return names


def _spelled(number: int) -> str:
    """A word that looks like a name and is no other number's."""
    letters = ""
    while number or not letters:
        number, digit = divmod(number, 20)
        letters += "bcdfghjklmnpqrstvwxz"[digit] + "aeiou"[digit % 5]
    return letters.capitalize()
