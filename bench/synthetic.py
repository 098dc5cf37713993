"""A vault's worth of made-up memories: real words with the frequencies of real text, in topics, with vectors.

For n there are n turns of about 40 words in n/10 episodes, and n facts made from them: once all with one owner, and
once more spread unevenly over 1,000 others. Embedding that many would take hours and measure only the embedder, so a
vector is the real vector of its topic with noise around it. The same seed gives the same vault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from everlore.kinds import episode as episodes
from everlore.kinds import fact as facts
from everlore.models import offline
from everlore.models.base import Embedder
from everlore.stores.base import Index, Stamp
from everlore.types import IndexRow, Owner, Scope

SCOPE = Scope("bench", "speed")
BIG = Owner(SCOPE, "user", "big")
OWNERS = 1000
TURNS = 10
"""Turns of an episode."""
WORDS = 40
TOPICS = 200
TOPIC_WORDS = 80
NOISE = 0.75
"""Length of the noise against that of the topic's vector: cosines inside a topic are about 0.64."""
START = 1_700_000_000_000
SPEAKERS = ("Ada", "Ben")

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Corpus:
    words: list[str]
    odds: NDArray[np.float64]
    """How likely each word is, Zipf's law."""
    topics: NDArray[np.int64]
    """(topics, words): what each topic talks about."""

    def turn(self, random: np.random.Generator, topic: int) -> str:
        size = int(random.integers(WORDS // 2, WORDS * 3 // 2))
        common = random.choice(len(self.words), size - size // 4, p=self.odds)
        own = random.choice(self.topics[topic], size // 4)
        chosen = random.permutation(np.concatenate([common, own]))
        return " ".join(self.words[at] for at in chosen).capitalize() + "."

    def query(self, random: np.random.Generator) -> str:
        """About one topic, with a few common words, as a person asks."""
        own = random.choice(self.topics[random.integers(len(self.topics))], 4, replace=False)
        common = random.choice(len(self.words), 6, p=self.odds)
        return " ".join(self.words[at] for at in random.permutation(np.concatenate([own, common])))


def make_corpus(cache_dir: Path, seed: int = 1) -> Corpus:
    """The words come from the vocabulary of the offline model, which has them by frequency."""
    from tokenizers import Tokenizer

    known = Tokenizer.from_buffer(offline.load(cache_dir)[1]).get_vocab()
    marked = [word for word, _ in sorted(known.items(), key=lambda pair: pair[1]) if word.startswith("Ġ")]
    words = [word[1:] for word in marked if word[1:].isascii() and word[1:].isalpha() and word[1:].islower()]
    odds = 1.0 / np.arange(1, len(words) + 1)
    random = np.random.default_rng(seed)
    topics = np.stack([random.choice(np.arange(500, len(words)), TOPIC_WORDS, replace=False) for _ in range(TOPICS)])
    return Corpus(words, odds / odds.sum(), topics)


def make_centres(corpus: Corpus, embedder: Embedder) -> Vectors:
    random = np.random.default_rng(2)
    return embedder.encode([corpus.turn(random, topic) for topic in range(TOPICS)])


@dataclass(frozen=True, slots=True)
class Filled:
    """What was put into the index, for the peers to search as well. Turn i has text i and vector i."""

    texts: list[str]
    owners: list[str]
    vectors: Vectors
    big: int
    """Turns of the one large owner; they come first."""
    rows: int


def fill(index: Index, corpus: Corpus, centres: Vectors, n: int, advance: Callable[[int], None]) -> Filled:
    random = np.random.default_rng(n)
    others = 1.0 / np.arange(1, OWNERS + 1)
    owners = [BIG] * (n // TURNS)
    owners += [
        Owner(SCOPE, "user", f"owner{at}")
        for at in np.sort(random.choice(OWNERS, n // TURNS, p=others / others.sum())).tolist()
    ]
    texts: list[str] = []
    topics: list[int] = []
    rows = 0
    for number, owner in enumerate(owners):
        topic = int(random.integers(TOPICS))
        told = [corpus.turn(random, topic) for _ in range(TURNS)]
        made = list(_rows(owner, number, told))
        index.files.replace(f"bench/{number}.md", Stamp(number, 1), made)
        texts += told
        topics += [topic] * TURNS
        rows += len(made)
        advance(TURNS)
    vectors = around(centres, np.array(topics), random)
    put(index, vectors)
    return Filled(texts, [owner.id for owner in owners for _ in range(TURNS)], vectors, n, rows)


def _rows(owner: Owner, number: int, told: list[str]) -> Iterator[IndexRow]:
    moment = START + 3_600_000 * number
    cell = f"mc_{number:012x}"
    turns = [episodes.Turn(SPEAKERS[at % 2], "12:00", text) for at, text in enumerate(told)]
    content = episodes.render_turns("Ada and Ben talked.", turns)
    session = f"session-{number}"
    yield episodes.to_row(
        episodes.Episode(owner, f"ep_{number}", session, moment, cell, ("ada", "ben"), told[0][:60], told[0], content),
        moment,
    )
    for at, text in enumerate(told):
        said = f"{SPEAKERS[at % 2]} said: {' '.join(text.split()[: WORDS // 2])}"
        yield facts.to_row(
            facts.Fact(owner, f"af_{number}_{at}", session, moment, cell, ("ada",), said, turn=at), moment
        )


def around(centres: Vectors, topics: NDArray[np.int64], random: np.random.Generator) -> Vectors:
    dimension = centres.shape[1]
    noise = random.standard_normal((len(topics), dimension), dtype=np.float32) * np.float32(NOISE / dimension**0.5)
    vectors = centres[topics] + noise
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32)


def put(index: Index, vectors: Vectors) -> None:
    """Units wait for their vectors in the order they were stored, which is the order of the turns."""
    done = 0
    while waiting := index.upkeep.unembedded(1000):
        index.upkeep.put_vectors([piece.unit for piece in waiting], vectors[done : done + len(waiting)])
        done += len(waiting)
    if done != len(vectors):
        raise RuntimeError(f"{len(vectors)} turns were stored, but {done} wanted a vector")
