"""Packs hold the codes of the vectors that are there, whatever comes and goes, and readers elsewhere follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from stored import ALICE, BOB, direction, fill, row, vector, where

from everlore.database import Connection
from everlore.stores.base import Index
from everlore.stores.sqlite import packs, vectors
from everlore.stores.sqlite.index import open_index

DIMENSION = 64


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(vectors, "EXACT_UP_TO", 20)
    monkeypatch.setattr(packs, "SIZE", 8)
    monkeypatch.setattr(packs, "DROPPED", 5)
    return tmp_path / "index.db"


@pytest.fixture
def opened(path: Path) -> Iterator[tuple[Index, Index]]:
    """One that writes and one, as in another process, that only reads."""
    writer, reader = open_index(path), open_index(path)
    for one in (writer, reader):
        one.upkeep.use_model("m", DIMENSION)
    yield writer, reader
    writer.close()
    reader.close()


def put(index: Index) -> None:
    while pieces := index.upkeep.unembedded(6):
        told = [direction(int(piece.dense.split()[1]), DIMENSION) for piece in pieces]
        index.upkeep.put_vectors([piece.unit for piece in pieces], np.stack(told))


def store(index: Index, numbers: range) -> None:
    """In files of five, by turns of two owners."""
    for start in range(numbers.start, numbers.stop, 5):
        owner = (ALICE, BOB)[start // 5 % 2]
        fill(index, *(row(f"af_{n}", f"text {n}", owner=owner) for n in range(start, start + 5)), path=f"{start}.md")
    put(index)


def seen(index: Index) -> list[int]:
    """How many vectors are found of both owners and of each."""
    return [len(vector(index, direction(0, DIMENSION), where(owner), 1000)) for owner in (None, ALICE, BOB)]


def nearest(index: Index, number: int) -> float:
    [hit] = vector(index, direction(number, DIMENSION), where(None), 1)
    return hit.score


def ask(path: Path, select: str) -> int:
    connection = Connection(str(path))
    try:
        return int(connection.value(select))
    finally:
        connection.close()


def test_what_is_packed_and_what_is_not_yet_are_found_alike(path: Path, opened: tuple[Index, Index]) -> None:
    writer, reader = opened
    for end in range(10, 101, 10):
        store(writer, range(end - 10, end))
        for index in opened:
            assert seen(index) == [end, end // 2, end // 2]
            assert nearest(index, end - 1) == nearest(index, 0) == 1.0
    assert ask(path, "SELECT count(*) FROM packs") >= 100 // 8 - 1
    assert writer.upkeep.check() == []
    late = open_index(path)
    late.upkeep.use_model("m", DIMENSION)
    assert seen(late) == [100, 50, 50]
    late.close()
    assert seen(reader) == [100, 50, 50]


def test_what_was_removed_is_not_found_and_leaves_the_packs_in_the_end(path: Path, opened: tuple[Index, Index]) -> None:
    writer, reader = opened
    store(writer, range(200))
    assert seen(reader) == [200, 100, 100]
    for start in range(0, 100, 5):
        writer.files.remove(f"{start}.md")
        assert nearest(reader, start) < 0.9
        assert seen(reader)[0] == 195 - start
        assert writer.upkeep.check() == []
    assert ask(path, "SELECT count(*) FROM dropped") == 100
    before = ask(path, "SELECT id FROM packing")
    for start in range(100, 150, 5):
        writer.files.remove(f"{start}.md")
    store(writer, range(200, 210))
    assert ask(path, "SELECT count(*) FROM dropped") == 0
    assert ask(path, "SELECT id FROM packing") > before
    assert writer.upkeep.check() == []
    assert seen(reader) == seen(writer) == [60, 30, 30]
    assert nearest(reader, 205) == 1.0


def test_another_model_and_the_first_one_again(path: Path, opened: tuple[Index, Index]) -> None:
    writer, reader = opened
    store(writer, range(100))
    assert seen(reader) == [100, 50, 50]
    writer.upkeep.use_model("other", DIMENSION)
    pieces = writer.upkeep.unembedded(40)
    writer.upkeep.put_vectors([piece.unit for piece in pieces], np.stack([direction(7, DIMENSION)] * len(pieces)))
    assert seen(writer)[0] == 40
    assert seen(reader)[0] == 0  # it still works with the first model
    writer.upkeep.use_model("m", DIMENSION)
    for index in opened:
        assert seen(index)[0] == 60  # nothing of it is packed now
    put(writer)
    while writer.upkeep.tidy():
        pass
    for index in opened:
        assert seen(index) == [100, 50, 50]
    assert writer.upkeep.check() == []


def test_a_rebuild_begins_anew(path: Path, opened: tuple[Index, Index]) -> None:
    writer, reader = opened
    store(writer, range(100))
    assert seen(reader) == [100, 50, 50]
    writer.files.rebuild(iter(()))
    assert seen(reader) == [0, 0, 0]
    store(writer, range(300, 340))
    assert seen(reader) == [40, 20, 20]
    assert nearest(reader, 310) == 1.0
    assert writer.upkeep.check() == []


def test_a_write_that_fails_leaves_no_pack_behind(
    path: Path, opened: tuple[Index, Index], monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, reader = opened
    store(writer, range(30))

    def fail(connection: Connection) -> bool:
        done = step(connection)
        if connection.rows("SELECT 1 FROM packs LIMIT 1") and done:
            raise OSError("the disk is gone")
        return done

    step = packs.step
    monkeypatch.setattr(packs, "step", fail)
    with pytest.raises(OSError, match="disk"):
        store(writer, range(30, 60))
    monkeypatch.setattr(packs, "step", step)
    assert writer.upkeep.check() == []
    put(writer)
    assert seen(reader) == seen(writer) == [60, 30, 30]
