"""Whether somebody writes to a file just now."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from everlore.vault import writers
from everlore.vault.writers import being_written


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who writes")
@pytest.mark.parametrize(("kind", "seen"), [("ext4", True), ("nfs4", False), ("cifs", False)])
def test_a_network_disk_that_gives_no_lease_says_nothing_about_writers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, seen: bool
) -> None:
    device = tmp_path.stat().st_dev
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        "22 27 0:999999 / /proc rw,relatime - proc proc rw\n"
        f"61 28 {os.major(device)}:{os.minor(device)} / /memories rw shared:1 - {kind} server:/memories rw\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(writers, "MOUNTS", mounts)
    with (tmp_path / "user.md").open("w", encoding="utf-8"):
        assert being_written(tmp_path / "user.md") == seen
    assert not being_written(tmp_path / "user.md")
