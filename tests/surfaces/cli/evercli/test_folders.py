"""Where things are kept."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from everlore.surfaces.cli.evercli.folders import find_folders


@pytest.mark.skipif(sys.platform != "linux", reason="the folders of Linux")
def test_folders_go_by_xdg_and_a_relative_path_is_ignored(tmp_path: Path) -> None:
    named = find_folders({"XDG_CONFIG_HOME": str(tmp_path / "c"), "XDG_DATA_HOME": "relative"}, tmp_path)
    assert named.config_file == tmp_path / "c" / "evercli" / "config.yaml"
    assert named.programs == tmp_path / ".local" / "share" / "evercli" / "bin"
