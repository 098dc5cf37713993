"""Blobs in a folder: durable, by name, and no memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.errors import EverloreError
from everlore.vault.shelf import FolderShelf


def test_what_is_put_is_there_until_it_is_dropped(tmp_path: Path) -> None:
    shelf = FolderShelf(tmp_path / "bin")
    shelf.put("b.json", b"first")
    shelf.put("b.json", b"second")
    shelf.put("a.json", b"")
    assert shelf.names() == ["a.json", "b.json"]
    assert (shelf.get("a.json"), shelf.get("b.json")) == (b"", b"second")
    shelf.drop(["b.json", "never"])
    assert FolderShelf(tmp_path / "bin").names() == ["a.json"]
    assert shelf.get("b.json") is None


def test_before_anything_is_put_there_is_nothing_and_no_folder(tmp_path: Path) -> None:
    shelf = FolderShelf(tmp_path / "bin")
    assert shelf.names() == []
    assert shelf.get("a") is None
    shelf.drop(["a"])
    assert list(tmp_path.iterdir()) == []


def test_what_is_half_written_is_not_named(tmp_path: Path) -> None:
    shelf = FolderShelf(tmp_path / "bin")
    shelf.put("a", b"whole")
    (tmp_path / "bin" / ".half").write_bytes(b"ha")
    assert shelf.names() == ["a"]


def test_a_file_where_the_folder_must_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "bin").write_text("", encoding="utf-8")
    with pytest.raises(EverloreError, match="a file where a folder must be"):
        FolderShelf(tmp_path / "bin").put("a", b"content")
