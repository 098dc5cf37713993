"""Source code is indexed on this machine, wherever memories are."""

from __future__ import annotations

from pathlib import Path

from everlore.backends.base import CODE, local_code_index


def test_code_has_a_file_of_its_own(tmp_path: Path) -> None:
    index = local_code_index(tmp_path)
    assert (tmp_path / ".everlore" / CODE).is_file()
    index.close()
