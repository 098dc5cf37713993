"""Files that are whole or not there at all."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from everlore.durable import sync_folder, temporary


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_a_file_takes_anothers_place_with_its_rights(tmp_path: Path, mode: int) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old", encoding="utf-8")
    with temporary(b"new", tmp_path, mode) as file:
        assert file.read_bytes() == b"new"
        assert target.read_text(encoding="utf-8") == "old"
        file.replace(target)
    sync_folder(tmp_path)
    assert (target.read_bytes(), list(tmp_path.iterdir())) == (b"new", [target])
    assert sys.platform == "win32" or stat.S_IMODE(target.stat().st_mode) == mode


def test_what_takes_nobodys_place_is_gone(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no"), temporary(b"x", tmp_path):
        raise ValueError("no")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), temporary(b"x", tmp_path / "none"):
        pass
