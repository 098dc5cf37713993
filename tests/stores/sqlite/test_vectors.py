"""Search by vectors: large parts agree with exact search, and memory is bounded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from stored import ALICE, BOB, DIMENSION, direction, embed, fill, row, rows_of, vector, where

from everlore.stores.sqlite import packs, vectors
from everlore.stores.sqlite.index import open_index
from everlore.stores.sqlite.search import SqliteSearch
from everlore.stores.vector_math import unit_rows
from everlore.types import Predicate


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".everlore" / "index.db"


@pytest.mark.parametrize("size", [16, 100, 1024])
def test_large_parts_agree_with_exact_search(path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(vectors, "EXACT_UP_TO", 50)
    monkeypatch.setattr(packs, "SIZE", size)
    index, reader = open_index(path), open_index(path)
    index.upkeep.use_model("m", 128)
    said = {f"text {n}": n for n in range(400)}
    middle = [direction(10_000 + n % 20, 128) for n in range(400)]

    def near(seed: int) -> np.typing.NDArray[np.float32]:
        mixed = middle[seed] + 0.4 * direction(seed, 128)
        return np.asarray(mixed / np.linalg.norm(mixed), np.float32)

    def put() -> None:
        pieces = index.upkeep.unembedded(1000)
        index.upkeep.put_vectors([p.unit for p in pieces], np.stack([near(said[p.dense]) for p in pieces]))

    texts = list(said)
    for start in range(0, 400, 40):  # grows from an exact part into a large one
        rows = [row(f"af_{n:03}", texts[n], session=f"s{n % 50}") for n in range(start, start + 40)]
        fill(index, *rows, path=f"{start}.md")
        put()
        known = range(start + 40)
        for seed in (start, start + 7):
            ranked = sorted(known, key=lambda n: -float(near(n) @ near(seed)))[:5]
            for opened in (index, reader):
                for owner in (ALICE, None):
                    hits = vector(opened, near(seed), where(owner), 5)
                    assert [one.data["text"] for one in rows_of(opened, hits)] == [texts[n] for n in ranked]
    monkeypatch.setattr(vectors, "NEAREST", 8)
    few = vector(index, near(3), where(filter=Predicate("session_id", "eq", "s3")), 8)
    assert len(few) == 8
    assert vector(index, near(3), where(BOB), 5) == []
    for path_of in ("0.md", "40.md", "80.md"):
        index.files.remove(path_of)
        hits = vector(reader, near(130), where(), 5)
        left = range(40 + int(path_of[:-3]), 400)
        ranked = sorted(left, key=lambda n: -float(near(n) @ near(130)))[:5]
        assert [one.data["text"] for one in rows_of(reader, hits)] == [texts[n] for n in ranked]
    index.close()
    reader.close()


def test_the_cache_of_parts_is_bounded(path: Path) -> None:
    index = open_index(path)
    index.upkeep.use_model("m", DIMENSION)
    fill(index, row("af_1", "tea"))
    fill(index, row("af_1", "tea", owner=BOB), path="b.md")
    embed(index, {"tea": 1})
    assert isinstance(index.search, SqliteSearch)
    index.search._lookups.remembered().parts = vectors.Parts(most_bytes=1)
    for _ in range(3):
        for owner in (ALICE, BOB):
            assert len(vector(index, direction(1), where(owner), 5)) == 1
    parts = index.search._lookups.remembered().parts
    assert len(parts._parts) == 1
    assert parts._total == vectors.PART_BYTES + sum(part.bytes for part in parts._parts.values())
    index.close()


def test_large_parts_find_nearly_all_in_a_narrow_cone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As embedders have it: all texts are alike to some degree, and of 160 candidates by sign too many are wrong."""
    monkeypatch.setattr(vectors, "EXACT_UP_TO", 100)
    count, dimension = 6000, 384
    random = np.random.default_rng(3)
    meant = random.normal(size=(count, 48)) @ random.normal(size=(48, dimension)) / 48**0.5
    cone = 60 * direction(1, dimension) + meant + 0.3 * random.normal(size=(count, dimension))
    cone = unit_rows(cone.astype(np.float16).tobytes(), dimension)
    index = open_index(path)
    index.upkeep.use_model("m", dimension)
    fill(index, *(row(f"af_{n}", f"text {n}") for n in range(count)))
    while pieces := index.upkeep.unembedded(1000):
        index.upkeep.put_vectors(
            [piece.unit for piece in pieces], np.stack([cone[int(p.dense.split()[1])] for p in pieces])
        )
    right = 0
    for query in cone[:40]:
        least = np.sort(cone @ query)[-10]
        right += sum(hit.score >= least - 1e-5 for hit in vector(index, query, where(None), 10))
    assert right >= 0.98 * 400
    index.close()
