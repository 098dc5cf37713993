"""Marks that tell a database that was born from one that never was, and from another in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore import births
from everlore.births import Birth


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "state.db"
    made.write_bytes(b"something")
    return made


def test_a_mark_is_read_as_it_was_written_and_follows_commits(path: Path) -> None:
    assert births.read(path) is None
    births.write(path, Birth("ab12", 0))
    births.advance(path, Birth("ab12", 7))
    assert births.read(path) == Birth("ab12", 7)
    assert births.born(path.parent) == [path]


def test_a_mark_that_cannot_be_read_is_still_one(path: Path) -> None:
    births.write(path, Birth("ab12", 3))
    births.mark_of(path).write_text("nonsense", encoding="ascii")
    mark = births.read(path)
    assert mark is not None
    assert births.differing(mark, Birth("ab12", 3))


def test_one_without_a_mark_is_missed_by_nobody(path: Path) -> None:
    births.advance(path, Birth("ab12", 7))
    path.unlink()
    assert births.missing(path) == ""
    assert births.born(path.parent) == []
    assert not births.forgiven(path), "nothing was ever marked here"


def test_one_that_was_born_is_missed(path: Path) -> None:
    births.write(path, Birth("ab12", 3))
    assert births.missing(path) == ""
    path.write_bytes(b"")
    assert "empty" in births.missing(path)
    path.unlink()
    assert "removed or moved" in births.missing(path)
    births.remove(path)
    assert births.missing(path) == ""
    assert births.forgiven(path)


def test_another_and_an_older_one_are_told_apart() -> None:
    mark = Birth("ab12", 5)
    assert births.differing(mark, Birth("ab12", 5)) == births.differing(mark, Birth("ab12", 6)) == ""
    assert "not the one" in births.differing(mark, None)
    assert "not the one" in births.differing(mark, Birth("cd34", 9))
    assert "2 of its changes" in births.differing(mark, Birth("ab12", 3))
    assert births.differing(Birth("", 5), None) == "", "somebody else writes it"
