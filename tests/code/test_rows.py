"""Chunks in the index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from everlore.code.chunks import cut
from everlore.code.rows import KIND, owner_of, rows_of
from everlore.stores.base import Index, Stamp
from everlore.stores.sqlite.index import open_index


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    opened = open_index(tmp_path / "code.db")
    yield opened
    opened.close()


def fill(index: Index, project: str, path: str, text: str) -> None:
    index.files.replace(f"{project}/{path}", Stamp(1, 1), rows_of(project, path, "python", cut(text, "python"), 1))


def test_files_of_one_project_only(index: Index) -> None:
    for project in ("a", "ab", "a%", "A", "b"):
        fill(index, project, "x/y.py", "x = 1\n")
    fill(index, "a", "z.py", "x = 1\n")
    assert sorted(index.files.known("a/")) == ["a/x/y.py", "a/z.py"]
    assert sorted(index.files.known("a%/")) == ["a%/x/y.py"]
    assert index.files.known("nobody/") == {}
    assert len(index.files.known()) == 6


def test_what_waits_for_vectors_is_counted_for_each_project(index: Index) -> None:
    fill(index, "a", "x.py", "def f(): pass\n\n\ndef g(): pass\n")
    fill(index, "b", "x.py", "def h(): pass\n")
    assert (
        index.upkeep.waiting(owner_of("a")),
        index.upkeep.waiting(owner_of("b")),
        index.upkeep.waiting(owner_of("c")),
    ) == (2, 1, 0)
    index.upkeep.use_model("m", 4)
    [first, *_] = index.upkeep.unembedded(10)
    index.upkeep.put_vectors([first.unit], np.eye(1, 4, dtype=np.float32))
    assert index.upkeep.waiting(owner_of("a")) + index.upkeep.waiting(owner_of("b")) == 2
    index.upkeep.use_model("other", 4)
    assert index.upkeep.waiting(owner_of("a")) + index.upkeep.waiting(owner_of("b")) == 3


def test_definitions_are_looked_up_by_name(index: Index) -> None:
    fill(index, "a", "x.py", "def Load(): pass\n\n\nclass Store:\n    def load(self): pass\n")
    fill(index, "b", "x.py", "def load(): pass\n")
    found = index.rows.in_slots(owner_of("a"), KIND, ["load", "store", "missing", ""])
    assert {name: len(rows) for name, rows in found.items()} == {"load": 2, "store": 1}
    assert index.rows.in_slots(owner_of("c"), KIND, ["load"]) == {}
