"""What both vaults share."""

from __future__ import annotations

import pytest

from everlore.errors import Unreadable
from everlore.vault.base import decoded, differing


def test_files_that_changed_come_first_and_those_that_are_gone_last() -> None:
    known = {"same": (1, 1), "gone": (1, 1), "newer": (1, 1), "longer": (1, 1)}
    files = [("longer", 1, 2), ("new", 1, 1), ("newer", 2, 1), ("same", 1, 1)]
    assert differing(known, files) == ["longer", "new", "newer", "gone"]


def test_bytes_that_are_no_text_are_named_with_their_line() -> None:
    assert decoded("é".encode(), "a.md") == "é"
    with pytest.raises(Unreadable, match=r"a\.md, line 3: this is not UTF-8"):
        decoded(b"a\nb\n\xff", "a.md")
